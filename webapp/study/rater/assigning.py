"""Assignment of units to raters by leases, as often as the campaign says.

Code that takes or frees a place (`webapp.study.rating.quotas`) holds the campaign's row, so two
raters never get the last one.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from game.engine.seeded_random import SeededRandom
from webapp.play.models import Membership
from webapp.study.design.instruments import Instrument
from webapp.study.models import Assignment, Campaign, Rater, Seating, Stimulus, Unit
from webapp.study.rater import judge_raters, tentative_leases
from webapp.study.rater.unit_choice import (
    choose_candidates,
    choose_whole_games,
    find_candidates,
    find_revocable_candidates,
    units_without_text,
)
from webapp.study.rater.unit_order import PlannedUnit, arrange_units
from webapp.study.rating.known_answers import GOLD, PRACTICE
from webapp.study.rating.quotas import has_room, outside_quotas
from webapp.study.rating.rating_rows import SIDES
from webapp.study.rating.stimuli import first_place

NO_TRACK = -1


def missing_gold_items(rater: Rater, campaign: Campaign, own: set[int]) -> list[int]:
    """Return the gold items that were not assigned to the rater yet.

    own: games in which the rater sat.
    """
    return _missing(GOLD, rater, campaign, own)


def with_practice(
    planned: list[PlannedUnit], rater: Rater, campaign: Campaign, own: set[int]
) -> list[PlannedUnit]:
    """Return `planned` with the practice before the first page that counts."""
    if not planned or Assignment.objects.filter(rater=rater).exists():
        return planned
    return [*map(PlannedUnit, _missing(PRACTICE, rater, campaign, own)), *planned]


def _missing(use: str, rater: Rater, campaign: Campaign, own: set[int]) -> list[int]:
    missing_units = (
        campaign.units.filter(use=use).exclude(game__in=own).exclude(assignments__rater=rater)
    )
    unready = Stimulus.objects.filter(unit__campaign=campaign).exclude(state="idle")
    missing_units = missing_units.exclude(pk__in=unready.values("unit")).exclude(
        pk__in=units_without_text(campaign)
    )
    return list(missing_units.order_by("index").values_list("pk", flat=True))


# Near its end, a lease counts as lapsed for code that does not hold the campaign's row.
LEASE_MARGIN = timedelta(seconds=30)


def lease_end(campaign: Campaign, now: datetime) -> datetime:
    """Return the end of the lease of an assignment that is made now."""
    return now + timedelta(minutes=campaign.lease_minutes)


def assign_pages(rater: Rater, *, visitor: uuid.UUID | None = None) -> None:
    """Fill the rater's pages up to the campaign's number, and replace those reassigned to others.

    visitor: of the browser in use, which may differ from the rater's first one.
    """
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update().get(pk=rater.campaign_id)
        now = timezone.now()
        person = rater.participant
        visitors_known = (person.visitor if person else None, visitor)
        own = own_games(rater, [one for one in visitors_known if one])
        _review(rater, campaign, own, now)
        rates = campaign.state == Campaign.OPEN or rater.kind == Rater.JUDGE
        if rates and not rater.finished_at:
            _fill(rater, campaign, own, now)


def renew_leases(rater: Rater, *, visitor: uuid.UUID | None = None) -> None:
    """Renew the leases of a rater at work. A lapsed assignment is renewed if it is free."""
    now = timezone.now()
    mine = Assignment.objects.filter(rater=rater, state=Assignment.OPEN)
    until = list(mine.values_list("leased_until", flat=True))
    half = timedelta(minutes=rater.campaign.lease_minutes / 2)
    if until and min(until) <= now + LEASE_MARGIN:
        assign_pages(rater, visitor=visitor)
    elif until and min(until) <= now + half and tentative_leases.has_begun(rater):
        mine.filter(leased_until__gt=now + LEASE_MARGIN).update(
            leased_until=lease_end(rater.campaign, now)
        )


def rater_pages(rater: Rater) -> list[Assignment]:
    """Return the rater's pages in order, without those reassigned to others."""
    mine = Assignment.objects.filter(rater=rater).exclude(state=Assignment.TIMED_OUT)
    return list(mine.order_by("index"))


def drop_page(rater: Rater) -> None:
    """Remove one page of a rater whose late answer came after its replacement was assigned.

    The row stays, because the page may have been fetched ahead and rated offline.
    """
    unseen = Assignment.objects.filter(
        rater=rater, state=Assignment.OPEN, shown_at=None, first_answer_at=None, is_repeat=False
    )
    unseen = unseen.exclude(unit__kind=Unit.ATTENTION).filter(unit__use="")
    again = Assignment.objects.filter(rater=rater, is_repeat=True).values("unit")
    if last := unseen.exclude(unit__in=again).order_by("-index").first():
        last.state = Assignment.TIMED_OUT
        last.save(update_fields=["state"])


def own_games(rater: Rater, visitors: Iterable[uuid.UUID]) -> set[int]:
    """Return the games that the rater played in.

    They sat there in one of these browsers, or as a participant of a study in any browser.
    """
    game_ids = set(Membership.objects.filter(visitor__in=visitors).values_list("game", flat=True))
    if rater.participant_id:
        sat = Seating.objects.filter(participant=rater.participant_id, slot__game__isnull=False)
        sat = sat.filter(state__in=(Seating.SEATED, Seating.OUT))
        game_ids |= set(sat.values_list("slot__game", flat=True))
    return game_ids


def _review(rater: Rater, campaign: Campaign, own: set[int], now: datetime) -> None:
    """Renew lapsed assignments that are still free.

    Release those that are not, and those that must not be shown. A rater who has not answered
    anything yet keeps nothing longer by coming again.
    """
    rows = Assignment.objects.filter(rater=rater, state=Assignment.OPEN)
    rows = rows.select_related("unit__campaign", "rater").annotate(said=Count("ratings"))
    begun = tentative_leases.has_begun(rater)
    kept_ids, removed_rows = [], []
    wordless = set(units_without_text(campaign))
    for row in rows:
        withdrawn = row.unit.withdrawn and not row.unit.use
        hidden = withdrawn or row.unit.game_id in own or row.unit_id in wordless
        if hidden and not row.said:
            removed_rows.append(row)
        elif row.leased_until > now and not begun:
            continue
        elif row.leased_until > now or outside_quotas(row) or has_room(row, now):
            kept_ids.append(row.pk)
        else:
            removed_rows.append(row)
    until = tentative_leases.lease_expiry(campaign, now, begun=begun)
    Assignment.objects.filter(pk__in=kept_ids).update(leased_until=until)
    orphans = Q(is_repeat=True, unit__in=[row.unit_id for row in removed_rows], rater=rater)
    Assignment.objects.filter(
        Q(pk__in=[row.pk for row in removed_rows]) | orphans, state=Assignment.OPEN
    ).update(state=Assignment.TIMED_OUT)


def _fill(rater: Rater, campaign: Campaign, own: set[int], now: datetime) -> None:
    earlier = Assignment.objects.filter(rater=rater).exclude(state=Assignment.TIMED_OUT)
    checks = earlier.filter(unit__kind=Unit.ATTENTION).count()
    repeats = earlier.filter(is_repeat=True).count()
    given_count = earlier.filter(unit__use="").count() - checks - repeats
    wanted_count = judge_raters.wanted_units(rater, campaign) - given_count
    if wanted_count <= 0:
        return
    rng, purpose = SeededRandom(campaign.seed), f"{rater.pseudonym}/{earlier.count()}"
    games_seen = Counter(
        Stimulus.objects.filter(
            place=first_place(campaign), unit__assignments__in=earlier
        ).values_list("condition", flat=True)
    )
    apart = judge_raters.rates_every_unit(rater)
    on = {} if apart else _tracks(rater, campaign)
    free_candidates = rng.shuffled(
        f"{purpose}/units", list(find_candidates(rater, campaign, own, now))
    )
    # As in campaigns from before rankings were single pages.
    one_by_one = campaign.units.filter(kind=Unit.PLAYER).exists()
    if one_by_one and any(d.rank for d in Instrument.of(campaign.instrument).dimensions):
        if len(free_candidates) < wanted_count:
            free_candidates += find_revocable_candidates(free_candidates, rater, campaign, own, now)
        groups = choose_whole_games(
            free_candidates, campaign, wanted_count, none_yet=not earlier.exists()
        )
        tentative_leases.revoke([c.loan for g in groups for c in g if c.loan])
        planned = [PlannedUnit(c.unit) for g in groups for c in g]
        _write(
            rater,
            campaign,
            with_practice(planned, rater, campaign, own),
            now,
            rng,
        )
        return
    chosen = choose_candidates(free_candidates, wanted_count, games_seen, on, campaign)
    if len(chosen) < wanted_count:
        free_candidates += find_revocable_candidates(free_candidates, rater, campaign, own, now)
        chosen = choose_candidates(free_candidates, wanted_count, games_seen, on, campaign)
    tentative_leases.revoke([c.loan for c in chosen if c.loan])
    left = campaign.units.filter(kind=Unit.ATTENTION, withdrawn=False)
    left = left.exclude(assignments__rater=rater).order_by("index")[: campaign.attention - checks]
    planned = arrange_units(
        [c.unit for c in chosen],
        campaign.repeats - repeats,
        [
            *(left.values_list("pk", flat=True) if campaign.attention > checks else ()),
            *missing_gold_items(rater, campaign, own),
        ],
        rng,
        purpose,
    )
    _write(rater, campaign, with_practice(planned, rater, campaign, own), now, rng)


def _write(
    rater: Rater,
    campaign: Campaign,
    planned: Sequence[PlannedUnit],
    now: datetime,
    rng: SeededRandom,
) -> None:
    last = Assignment.objects.filter(rater=rater).order_by("-index").first()
    first, sides = (last.index if last else 0) + 1, _Sides(rater, campaign, planned, rng)
    until = tentative_leases.lease_expiry(campaign, now, begun=tentative_leases.has_begun(rater))
    Assignment.objects.bulk_create(
        Assignment(
            rater=rater,
            unit_id=planned_unit.unit,
            index=index,
            is_repeat=planned_unit.is_repeat,
            **sides.order(planned_unit.unit),
            leased_until=until,
        )
        for index, planned_unit in enumerate(planned, first)
    )


Order = tuple[bool, int]  # an assignment's `swapped` and `rotation`


class _Sides:
    """Chooses the order of a unit's items, balanced per unit and per rater.

    Each answer stands first equally often, and each order appears with its reverse. A ranking's
    players are in the order of seats or in its reverse. A repeat has the order of the first time.
    """

    def __init__(
        self, rater: Rater, campaign: Campaign, planned: Sequence[PlannedUnit], rng: SeededRandom
    ) -> None:
        units = {planned_unit.unit for planned_unit in planned}
        rows = Unit.objects.filter(pk__in=units).annotate(items=Count("stimuli"))
        rows = rows.filter(items__gt=1)
        self.indexes = dict(rows.values_list("pk", "index"))
        self.orders = {
            unit: _orders(items if kind == Unit.UTTERANCE else 1)
            for unit, items, kind in rows.values_list("pk", "items", "kind")
        }
        valid = Assignment.objects.filter(rater__campaign=campaign, is_repeat=False)
        valid = valid.filter(Q(rater__kind=Rater.PERSON) | Q(rater=rater))
        valid = valid.exclude(state=Assignment.TIMED_OUT)
        of_pairs = valid.filter(unit__in=self.orders)
        self.unit: Counter[tuple[int, Order]] = Counter(
            (unit, (swapped, rotation))
            for unit, swapped, rotation in of_pairs.values_list("unit", "swapped", "rotation")
        )
        mine = valid.filter(rater=rater).annotate(items=Count("unit__stimuli"))
        mine = mine.filter(items__gt=1)
        self.rater: Counter[Order] = Counter(mine.values_list("swapped", "rotation"))
        self.rng, self.who = rng, rater.pseudonym
        self.known: dict[int, Order] = {}

    def order(self, unit: int) -> dict[str, Any]:
        """Return the fields of an assignment that say its order."""
        if unit not in self.orders:
            return {}
        if unit not in self.known:
            orders = self.orders[unit]
            drawn = self.rng.below(f"{self.who}/side/{self.indexes[unit]}", len(orders))
            from_drawn = [*orders[drawn:], *orders[:drawn]]
            chosen = min(from_drawn, key=lambda o: (self.unit[unit, o], self.rater[o]))
            self.rater[chosen] += 1
            self.known[unit] = chosen
        swapped, rotation = self.known[unit]
        return {"swapped": swapped, "rotation": rotation}


def _orders(count: int) -> list[Order]:
    """Return the possible orders of that number of answers."""
    rotations = range(count if count > len(SIDES) else 1)
    return [(swapped, rotation) for rotation in rotations for swapped in (False, True)]


def _tracks(rater: Rater, campaign: Campaign) -> dict[int, int]:
    """Return game -> the rater's track there (`rating.tracks`).

    An assigned unit determines it, or a unit of known answer, which every rater gets. NO_TRACK if
    these differ.
    """
    known_units = campaign.units.filter(~Q(use=""), game__isnull=False)
    on: dict[int, int] = dict(known_units.values_list("game", "track"))
    # Reassigned pages are included, because they may have been read.
    ever = Assignment.objects.filter(rater=rater)
    for game, track in ever.exclude(unit__game=None).values_list("unit__game", "unit__track"):
        on[game] = track if on.get(game, track) == track else NO_TRACK
    return on
