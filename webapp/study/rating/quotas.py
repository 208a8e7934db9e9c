"""Quotas of ratings for each unit, and the leases that reserve their places.

Answers and live leases take places in a unit's quota. Repeats, attention checks, items of known
answer and ratings of judges are outside the quotas.

The leases of a rater who has not answered yet are tentative. They lapse after ten minutes. After
two minutes, they can be revoked if another rater would get no unit, except the lease of the page
shown last. So raters who enrol and never answer cannot block a campaign. After the first answer,
leases last as long as the campaign says.
"""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q

from webapp.study.models import Assignment, Campaign, Rater, Unit

TENTATIVE_LEASE_DURATION = timedelta(minutes=10)
IRREVOCABLE_TIME = timedelta(minutes=2)  # a rater needs less to give the first answer


@contextmanager
def locked_rater(rater: Rater) -> Iterator[Rater]:
    """Open a transaction, and yield the rater's row, locked after the campaign's.

    All code that takes or frees places in quotas locks both rows in this order.
    """
    rows = Rater.objects.select_for_update(of=("self",)).select_related("campaign")
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=rater.campaign_id)
        yield rows.get(pk=rater.pk)


def occupied_place_filter(now: datetime, prefix: str = "") -> Q:
    """Return the filter for assignments that take a place (`prefix`: such as "assignments__")."""
    live = Q(**{f"{prefix}state": Assignment.OPEN, f"{prefix}leased_until__gt": now})
    answered = Q(**{f"{prefix}state": Assignment.ANSWERED})
    return in_quota_filter(prefix) & (live | answered)


def answer_count() -> Count:
    """Return the annotation of units with the number of answers that count for the quota."""
    answered = Q(assignments__state=Assignment.ANSWERED)
    return Count("assignments", filter=in_quota_filter("assignments__") & answered)


def units_with_answer_counts(campaign: Campaign) -> Any:  # the plugin does not know annotations
    """Return the rated units, each with the number of `answers` that count for its quota."""
    return campaign.rated_units.annotate(answers=answer_count())


def is_all_rated(campaign: Campaign) -> bool:
    """Return whether every place in the quotas has an answer."""
    units = units_with_answer_counts(campaign)
    open_units = units.filter(answers__lt=F("campaign__raters_per_unit"))
    return units.exists() and not open_units.exists()


def in_quota_filter(prefix: str = "") -> Q:
    """Return the filter for assignments that are not outside the quotas by themselves.

    It does not look at the unit: the caller leaves out attention checks and known answers.
    """
    lookups = {
        "is_repeat": False,
        "over_quota": False,
        "rater__excluded": False,
        "rater__kind": Rater.PERSON,
    }
    return Q(**{prefix + name: value for name, value in lookups.items()})


def has_room(assignment: Assignment, now: datetime) -> bool:
    """Return whether the quota has a place for the assignment. The caller locks the campaign."""
    occupied = Assignment.objects.filter(occupied_place_filter(now), unit=assignment.unit_id)
    occupied = occupied.exclude(pk=assignment.pk)
    return occupied.count() < assignment.unit.campaign.raters_per_unit


def is_outside_quotas(assignment: Assignment) -> bool:
    """Return whether the assignment takes no place in any quota."""
    unit, is_by_judge = assignment.unit, assignment.rater.kind == Rater.JUDGE
    return is_by_judge or assignment.is_repeat or unit.kind == Unit.ATTENTION or bool(unit.use)


def has_answered(rater: Rater) -> bool:
    return Assignment.objects.filter(rater=rater, first_answer_at__isnull=False).exists()


def lease_expiry(campaign: Campaign, now: datetime, *, has_answered: bool) -> datetime:
    """Return when the lease of an assignment that is made now ends."""
    lease_duration = timedelta(minutes=campaign.lease_minutes)
    return now + (lease_duration if has_answered else min(lease_duration, TENTATIVE_LEASE_DURATION))


def revocable_leases(campaign: Campaign, rater: Rater, now: datetime) -> dict[int, list[int]]:
    """Return unit id -> ids of assignments that can be revoked for `rater`, the oldest first."""
    answered = Assignment.objects.filter(rater=OuterRef("rater"), first_answer_at__isnull=False)
    rows = Assignment.objects.filter(
        in_quota_filter(),
        rater__campaign=campaign,
        state=Assignment.OPEN,
        leased_until__gt=now,
        leased_until__lte=lease_expiry(campaign, now, has_answered=False) - IRREVOCABLE_TIME,
    )
    rows = rows.exclude(rater=rater).exclude(Exists(answered)).order_by("leased_until", "pk")
    leases: list[Any] = list(rows.values_list("pk", "unit", "rater", "shown_at", named=True))
    shown_pages = [(page.shown_at, page.pk, page.rater) for page in leases if page.shown_at]
    # A later page of the same rater replaces an earlier one.
    last_shown = {rater_id: pk for _shown_at, pk, rater_id in sorted(shown_pages)}
    revocable_ids: defaultdict[int, list[int]] = defaultdict(list)
    for page in leases:
        if page.pk != last_shown.get(page.rater):
            revocable_ids[page.unit].append(page.pk)
    return revocable_ids


def revoke_assignments(ids: list[int]) -> None:
    """Revoke assignments together with the repeats of their units."""
    revoked = Assignment.objects.filter(pk__in=ids)
    of_revoked_unit = Exists(revoked.filter(rater=OuterRef("rater"), unit=OuterRef("unit")))
    rows = Assignment.objects.filter(Q(pk__in=ids) | Q(of_revoked_unit, is_repeat=True))
    rows.filter(state=Assignment.OPEN).update(state=Assignment.TIMED_OUT)


def confirm_leases(rater: Rater, now: datetime) -> None:
    """Extend the tentative leases of a rater, who has given the first answer."""
    live = Assignment.objects.filter(rater=rater, state=Assignment.OPEN, leased_until__gt=now)
    live.update(leased_until=lease_expiry(rater.campaign, now, has_answered=True))
