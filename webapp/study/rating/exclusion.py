"""Automatic exclusion rules for raters, fixed before a campaign opens.

`Campaign.exclusion` is {rule: limit}. A rule that is not in it is off. The rules are applied when a
rater submits, leaves or runs out of time, and to all raters when the campaign is closed. A
researcher may include a rater again, with a stored reason. No rule overrides that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webapp.study.design.rating_design import ExclusionLimits
from webapp.study.models import Assignment, Campaign, Rater, Unit
from webapp.study.rating import quotas, rating_rows
from webapp.study.rating.rating_rows import to_ratings

RULE, HAND = "rule", "hand"
OUT, IN = "exclude", "include"
MIN_ITEMS = 5  # with fewer items, speed is not judged


@dataclass(frozen=True)
class Rule:
    """Text of a rule. Its label and bounds are those of the field of `ExclusionLimits`.

    Attributes:
        description: The rule as a sentence with {n}.
        reason: The stored reason with {value} and {limit}, in English like all data.
    """

    description: Any
    reason: str


RULES = {
    "failed_checks": Rule(
        gettext_lazy("attention checks failed or skipped: {n} or more"),
        "attention checks failed: {value} (limit {limit})",
    ),
    "gold_missed": Rule(
        gettext_lazy("gold items missed or skipped: {n} or more"),
        "gold items missed: {value} (limit {limit})",
    ),
    "fast_percent": Rule(
        gettext_lazy("items answered in under 3 seconds: {n} % or more"),
        "items under 3 s: {value} % (limit {limit} %)",
    ),
    "same_in_a_row": Rule(
        gettext_lazy("the same value {n} times in a row or more"),
        "same value in a row: {value} times (limit {limit})",
    ),
}


def rules_text(campaign: Campaign) -> list[str]:
    """Return the descriptions of the rules that are on."""
    return [
        str(RULES[key].description).format(n=limit) for key, limit in campaign.exclusion.items()
    ]


def find_limit_problems(campaign: Campaign, gold: int) -> Iterator[str]:
    """Yield a sentence for each rule that can never apply.

    Args:
        gold: The number of gold items.
    """
    available_counts = {"failed_checks": campaign.attention, "gold_missed": gold}
    for key, count in available_counts.items():
        limit = campaign.exclusion.get(key)
        if limit is not None and limit > count:
            yield _("“{rule}: {limit}” can never apply. Enter {count} or less.").format(
                rule=ExclusionLimits.model_fields[key].title, limit=limit, count=count
            )


def rule_values(rater: Rater) -> dict[str, int]:
    """Return the values that the rules limit, by rule."""
    from webapp.statistics.rater_behavior import describe_raters

    campaign = rater.campaign
    rows = list(rating_rows.read_rating_rows(campaign, rater))
    failed = {(row.assignment.pk, row.item.use) for row in rows if row.has_passed is False}
    keys = [d["key"] for d in campaign.instrument["dimensions"]]
    values = {
        "failed_checks": sum(not use for _pk, use in failed),
        "gold_missed": sum(bool(use) for _pk, use in failed),
        "fast_percent": 0,
        "same_in_a_row": 0,
    }
    for rater_row in describe_raters(to_ratings(campaign, rater), keys):
        fast = rater_row["speed"]["fast"]
        if fast["value"] is not None and fast["whole"] >= MIN_ITEMS:
            values["fast_percent"] = 100 * fast["part"] // fast["whole"]
        values["same_in_a_row"] = rater_row["straight"]["longest_run"]
    return values


def broken_rules(rater: Rater) -> list[str]:
    """Return the reasons of the campaign's rules that the rater breaks."""
    limits: dict[str, int] = rater.campaign.exclusion
    if not limits:
        return []
    values = rule_values(rater)
    return [
        RULES[key].reason.format(value=values[key], limit=limit)
        for key, limit in limits.items()
        if values[key] >= limit
    ]


def apply_rules(rater: Rater) -> bool:
    """Exclude the rater if a rule applies and no researcher has decided about them.

    Returns:
        Whether the rater was excluded.
    """
    if not rater.campaign.exclusion or rater.kind == Rater.JUDGE:
        return False
    with transaction.atomic():
        row = _lock_rater(rater)
        is_decided_by_hand = any(ruling["by"] == HAND for ruling in row.rulings)
        reasons = [] if row.excluded or is_decided_by_hand else broken_rules(row)
        if reasons:
            _store_ruling(row, OUT, RULE, "rule: " + "; ".join(reasons))
    rater.refresh_from_db()
    return bool(reasons)


def apply_rules_to_all(campaign: Campaign) -> None:
    """Apply the rules to all raters who have begun, when the campaign is closed."""
    if campaign.exclusion:
        for rater in campaign.raters.exclude(trained_at=None).exclude(excluded=True):
            apply_rules(rater)


def exclude(rater: Rater, reason: str, *, actor: str = "") -> None:
    """Exclude a rater by a researcher's decision, which frees the places in the quotas."""
    with transaction.atomic():
        row = _lock_rater(rater)
        _store_ruling(row, OUT, HAND, reason, actor)
    rater.refresh_from_db()


def include(rater: Rater, reason: str = "", *, actor: str = "") -> int:
    """Revert an exclusion by a researcher's decision.

    Returns:
        The number of answers that stay outside the quotas, as their places are taken.
    """
    with transaction.atomic():
        row = _lock_rater(rater)
        now, over_quota_ids = timezone.now(), []
        answers = row.assignments.filter(
            state=Assignment.ANSWERED, over_quota=False, is_repeat=False
        )
        answers = answers.exclude(unit__kind=Unit.ATTENTION).filter(unit__use="")
        for assignment in answers.select_related("unit__campaign"):
            if not quotas.has_room(assignment, now):
                over_quota_ids.append(assignment.pk)
        Assignment.objects.filter(pk__in=over_quota_ids).update(over_quota=True)
        _store_ruling(row, IN, HAND, reason, actor)
    rater.refresh_from_db()
    return len(over_quota_ids)


def reason_of_inclusion(rater: Rater) -> str:
    """Return why a researcher included the rater again, "" if the rater is not included again."""
    last = rater.rulings[-1] if rater.rulings else {}
    return str(last["reason"]) if last.get("do") == IN else ""


def _lock_rater(rater: Rater) -> Rater:
    """Return the rater's row, locked after the campaign's.

    Code that takes or frees places in quotas holds both.
    """
    Campaign.objects.select_for_update().get(pk=rater.campaign_id)
    row = Rater.objects.select_for_update(of=("self",)).select_related("campaign")
    return row.get(pk=rater.pk)


def _store_ruling(row: Rater, do: str, by: str, reason: str, actor: str = "") -> None:
    row.excluded = do == OUT
    row.exclusion_reason = reason[:120] if row.excluded else ""
    decided_at = timezone.now().isoformat(timespec="seconds")
    ruling = {"at": decided_at, "do": do, "by": by, "who": actor, "reason": reason}
    row.rulings = [*row.rulings, ruling]
    row.save(update_fields=["excluded", "exclusion_reason", "rulings"])
