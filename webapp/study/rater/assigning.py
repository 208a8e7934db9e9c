"""Assign units to raters by leases, up to the campaign's quotas.

Code that takes or frees a place in a quota (`webapp.study.rating.quotas`) holds the campaign's row,
so that two raters never get the last place.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from game.engine.seeded_random import SeededRandom
from webapp.play.models import Membership
from webapp.study.design.instruments import Instrument
from webapp.study.models import Assignment, Campaign, Rater, Seating, Stimulus, Unit
from webapp.study.rater import judge_raters
from webapp.study.rater.unit_choice import (
    choose_candidates,
    choose_whole_games,
    find_candidates,
    find_revocable_candidates,
    units_without_text,
)
from webapp.study.rating import quotas
from webapp.study.rating.known_answers import GOLD, PRACTICE
from webapp.study.rating.quotas import has_room, is_outside_quotas
from webapp.study.rating.rating_rows import SIDES
from webapp.study.rating.stimuli import first_place

NO_TRACK = -1
# Near its end, a lease counts as lapsed for code that does not hold the campaign's row.
LEASE_MARGIN = timedelta(seconds=30)
Order = tuple[bool, int]  # an assignment's `swapped` and `rotation`


def with_practice(
    planned: list[PlannedUnit], rater: Rater, campaign: Campaign, own_game_ids: set[int]
) -> list[PlannedUnit]:
    """Return `planned` with the practice units before a rater's first pages."""
    if not planned or Assignment.objects.filter(rater=rater).exists():
        return planned
    return [*map(PlannedUnit, _missing_units(PRACTICE, rater, campaign, own_game_ids)), *planned]


def _missing_units(use: str, rater: Rater, campaign: Campaign, own_game_ids: set[int]) -> list[int]:
    missing_units = (
        campaign.units.filter(use=use)
        .exclude(game__in=own_game_ids)
        .exclude(assignments__rater=rater)
    )
    unready = Stimulus.objects.filter(unit__campaign=campaign).exclude(state="idle")
    missing_units = missing_units.exclude(pk__in=unready.values("unit")).exclude(
        pk__in=units_without_text(campaign)
    )
    return list(missing_units.order_by("index").values_list("pk", flat=True))


def assign_pages(rater: Rater, *, visitor: uuid.UUID | None = None) -> None:
    """Assign pages up to the campaign's number, and replace those reassigned to others.

    Args:
        visitor: The visitor of the current browser, which may differ from the rater's first one.
    """
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update().get(pk=rater.campaign_id)
        now = timezone.now()
        person = rater.participant
        visitors = (person.visitor if person else None, visitor)
        own_game_ids = own_games(rater, list(filter(None, visitors)))
        _review_assignments(rater, campaign, own_game_ids, now)
        can_rate = campaign.state == Campaign.OPEN or rater.kind == Rater.JUDGE
        if can_rate and not rater.finished_at:
            _assign_missing_pages(rater, campaign, own_game_ids, now)


def renew_leases(rater: Rater, *, visitor: uuid.UUID | None = None) -> None:
    """Renew the leases of a rater at work. A lapsed one is renewed if its place is still free."""
    now = timezone.now()
    assignments = Assignment.objects.filter(rater=rater, state=Assignment.OPEN)
    until = list(assignments.values_list("leased_until", flat=True))
    half_lease = timedelta(minutes=rater.campaign.lease_minutes / 2)
    if until and min(until) <= now + LEASE_MARGIN:
        assign_pages(rater, visitor=visitor)
    elif until and min(until) <= now + half_lease and quotas.has_answered(rater):
        assignments.filter(leased_until__gt=now + LEASE_MARGIN).update(
            leased_until=quotas.lease_expiry(rater.campaign, now, has_answered=True)
        )


def rater_pages(rater: Rater) -> list[Assignment]:
    """Return the rater's pages in order, without those reassigned to other raters."""
    assignments = Assignment.objects.filter(rater=rater).exclude(state=Assignment.TIMED_OUT)
    return list(assignments.order_by("index"))


def drop_page(rater: Rater) -> None:
    """Remove one unseen page of a rater whose late answer came after its replacement.

    The row stays, because the page may have been fetched ahead and rated offline.
    """
    unseen = Assignment.objects.filter(
        rater=rater, state=Assignment.OPEN, shown_at=None, first_answer_at=None, is_repeat=False
    )
    unseen = unseen.exclude(unit__kind=Unit.ATTENTION).filter(unit__use="")
    repeated_units = Assignment.objects.filter(rater=rater, is_repeat=True).values("unit")
    if last := unseen.exclude(unit__in=repeated_units).order_by("-index").first():
        # The page may be answered meanwhile: its row is not locked here.
        unseen.filter(pk=last.pk).update(state=Assignment.TIMED_OUT)


def own_games(rater: Rater, visitors: Iterable[uuid.UUID]) -> set[int]:
    """Return the games that the rater played in, from these browsers or as a participant."""
    game_ids = set(Membership.objects.filter(visitor__in=visitors).values_list("game", flat=True))
    if rater.participant_id:
        seatings = Seating.objects.filter(
            participant=rater.participant_id, slot__game__isnull=False
        )
        seatings = seatings.filter(state__in=(Seating.SEATED, Seating.OUT))
        game_ids |= set(seatings.values_list("slot__game", flat=True))
    return game_ids


def _review_assignments(
    rater: Rater, campaign: Campaign, own_game_ids: set[int], now: datetime
) -> None:
    """Renew lapsed assignments whose places are free. Release the others and hidden ones.

    A visit does not prolong the leases of a rater without any answer.
    """
    rows = Assignment.objects.filter(rater=rater, state=Assignment.OPEN)
    rows = rows.select_related("unit__campaign", "rater").annotate(answer_count=Count("ratings"))
    has_answered = quotas.has_answered(rater)
    kept_ids, removed_rows = [], []
    text_removed = set(units_without_text(campaign))
    for row in rows:
        is_withdrawn = row.unit.withdrawn and not row.unit.use
        is_hidden = is_withdrawn or row.unit.game_id in own_game_ids or row.unit_id in text_removed
        if is_hidden and not row.answer_count:
            removed_rows.append(row)
        elif row.leased_until > now and not has_answered:
            continue
        elif row.leased_until > now or is_outside_quotas(row) or has_room(row, now):
            kept_ids.append(row.pk)
        else:
            removed_rows.append(row)
    until = quotas.lease_expiry(campaign, now, has_answered=has_answered)
    Assignment.objects.filter(pk__in=kept_ids).update(leased_until=until)
    orphans = Q(is_repeat=True, unit__in=[row.unit_id for row in removed_rows], rater=rater)
    Assignment.objects.filter(
        Q(pk__in=[row.pk for row in removed_rows]) | orphans, state=Assignment.OPEN
    ).update(state=Assignment.TIMED_OUT)


def _assign_missing_pages(
    rater: Rater, campaign: Campaign, own_game_ids: set[int], now: datetime
) -> None:
    earlier = Assignment.objects.filter(rater=rater).exclude(state=Assignment.TIMED_OUT)
    check_count = earlier.filter(unit__kind=Unit.ATTENTION).count()
    repeat_count = earlier.filter(is_repeat=True).count()
    given_count = earlier.filter(unit__use="").count() - check_count - repeat_count
    wanted_count = judge_raters.wanted_units(rater, campaign) - given_count
    if wanted_count <= 0:
        return
    rng, purpose = SeededRandom(campaign.seed), f"{rater.pseudonym}/{earlier.count()}"
    free = find_candidates(rater, campaign, own_game_ids, now)
    candidates = rng.shuffled(f"{purpose}/units", list(free))

    def add_revocable_candidates() -> None:
        candidates.extend(
            list(find_revocable_candidates(candidates, rater, campaign, own_game_ids, now))
        )

    if _ranks_players_separately(campaign):
        if len(candidates) < wanted_count:
            add_revocable_candidates()
        is_first = not earlier.exists()
        groups = choose_whole_games(candidates, campaign, wanted_count, is_first=is_first)
        chosen = [candidate for group in groups for candidate in group]
        planned = [PlannedUnit(candidate.unit) for candidate in chosen]
    else:
        seen_conditions = Stimulus.objects.filter(
            place=first_place(campaign), unit__assignments__in=earlier
        ).values_list("condition", flat=True)
        tracks = {} if judge_raters.rates_every_unit(rater) else _tracks_by_game(rater, campaign)
        choose = partial(
            choose_candidates,
            wanted_count=wanted_count,
            conditions_seen=Counter(seen_conditions),
            tracks_by_game=tracks,
            campaign=campaign,
        )
        chosen = choose(candidates)
        if len(chosen) < wanted_count:
            add_revocable_candidates()
            chosen = choose(candidates)
        units = [candidate.unit for candidate in chosen]
        checks = _missing_checks(rater, campaign, own_game_ids, campaign.attention - check_count)
        planned = arrange_units(units, campaign.repeats - repeat_count, checks, rng, purpose)
    quotas.revoke_assignments([candidate.loan for candidate in chosen if candidate.loan])
    _create_assignments(
        rater, campaign, with_practice(planned, rater, campaign, own_game_ids), now, rng
    )


def _create_assignments(
    rater: Rater,
    campaign: Campaign,
    planned: Sequence[PlannedUnit],
    now: datetime,
    rng: SeededRandom,
) -> None:
    last = Assignment.objects.filter(rater=rater).order_by("-index").first()
    first_index = (last.index if last else 0) + 1
    order_chooser = _OrderChooser(rater, campaign, planned, rng)
    until = quotas.lease_expiry(campaign, now, has_answered=quotas.has_answered(rater))
    Assignment.objects.bulk_create(
        Assignment(
            rater=rater,
            unit_id=planned_unit.unit,
            index=index,
            is_repeat=planned_unit.is_repeat,
            **order_chooser.choose_order(planned_unit.unit),
            leased_until=until,
        )
        for index, planned_unit in enumerate(planned, first_index)
    )


class _OrderChooser:
    """Choice of the order of a unit's items, balanced per unit and per rater.

    Each answer is first equally often, and each order occurs with its reverse. A ranking's players
    are in the order of seats or its reverse. A repeat has the order of the first time.
    """

    def __init__(
        self, rater: Rater, campaign: Campaign, planned: Sequence[PlannedUnit], rng: SeededRandom
    ) -> None:
        units = {planned_unit.unit for planned_unit in planned}
        rows = Unit.objects.filter(pk__in=units).annotate(items=Count("stimuli"))
        rows = rows.filter(items__gt=1)
        self.indexes = dict(rows.values_list("pk", "index"))
        self.orders = {
            unit: _possible_orders(items if kind == Unit.UTTERANCE else 1)
            for unit, items, kind in rows.values_list("pk", "items", "kind")
        }
        valid = Assignment.objects.filter(rater__campaign=campaign, is_repeat=False)
        valid = valid.filter(Q(rater__kind=Rater.PERSON) | Q(rater=rater))
        valid = valid.exclude(state=Assignment.TIMED_OUT)
        of_pairs = valid.filter(unit__in=self.orders)
        self.counts_by_unit: Counter[tuple[int, Order]] = Counter(
            (unit, (swapped, rotation))
            for unit, swapped, rotation in of_pairs.values_list("unit", "swapped", "rotation")
        )
        assignments = valid.filter(rater=rater).annotate(items=Count("unit__stimuli"))
        assignments = assignments.filter(items__gt=1)
        self.counts_of_rater: Counter[Order] = Counter(
            assignments.values_list("swapped", "rotation")
        )
        self.rng = rng
        self.pseudonym = rater.pseudonym
        self.chosen_orders: dict[int, Order] = {}

    def choose_order(self, unit: int) -> dict[str, Any]:
        """Return the fields of an assignment that determine its order."""
        if unit not in self.orders:
            return {}
        if unit not in self.chosen_orders:
            orders = self.orders[unit]
            drawn = self.rng.below(f"{self.pseudonym}/side/{self.indexes[unit]}", len(orders))
            candidates = [*orders[drawn:], *orders[:drawn]]
            chosen = min(
                candidates, key=lambda o: (self.counts_by_unit[unit, o], self.counts_of_rater[o])
            )
            self.counts_of_rater[chosen] += 1
            self.chosen_orders[unit] = chosen
        swapped, rotation = self.chosen_orders[unit]
        return {"swapped": swapped, "rotation": rotation}


def _possible_orders(count: int) -> list[Order]:
    rotations = range(count if count > len(SIDES) else 1)
    return [(swapped, rotation) for rotation in rotations for swapped in (False, True)]


def _ranks_players_separately(campaign: Campaign) -> bool:
    """Return whether each ranked player has a page, as in old campaigns."""
    dimensions = Instrument.from_json(campaign.instrument).dimensions
    has_players = campaign.units.filter(kind=Unit.PLAYER).exists()
    return has_players and any(dimension.rank for dimension in dimensions)


def _missing_checks(
    rater: Rater, campaign: Campaign, own_game_ids: set[int], count: int
) -> list[int]:
    """Return up to `count` attention checks and all gold items that the rater lacks."""
    checks = campaign.units.filter(kind=Unit.ATTENTION, withdrawn=False)
    checks = checks.exclude(assignments__rater=rater).order_by("index")
    gold_items = _missing_units(GOLD, rater, campaign, own_game_ids)
    return [*checks.values_list("pk", flat=True)[: max(0, count)], *gold_items]


def _tracks_by_game(rater: Rater, campaign: Campaign) -> dict[int, int]:
    """Return game -> the rater's track there (`units.tracks`), NO_TRACK for a conflict.

    It is the track of an assigned unit, or of a unit of known answer, which every rater gets.
    """
    known_units = campaign.units.filter(~Q(use=""), game__isnull=False)
    tracks: dict[int, int] = dict(known_units.values_list("game", "track"))
    # Reassigned pages are included, because they may have been read.
    all_assignments = Assignment.objects.filter(rater=rater)
    for game, track in all_assignments.exclude(unit__game=None).values_list(
        "unit__game", "unit__track"
    ):
        tracks[game] = track if tracks.get(game, track) == track else NO_TRACK
    return tracks


@dataclass(frozen=True)
class PlannedUnit:
    """One page of a rater."""

    unit: int
    is_repeat: bool = False
    is_check: bool = False


def arrange_units(
    units: Sequence[int], repeats: int, checks: Sequence[int], rng: SeededRandom, purpose: str
) -> list[PlannedUnit]:
    """Return a rater's pages in order.

    The units are shuffled. Repeats of units of the first half are in the second half, with other
    units in between. Checks are at even distances and never first.

    Args:
        repeats: The number of repeats, at most half of the number of units.
    """
    shuffled = rng.shuffled(f"{purpose}/order", units)
    ordered = _with_repeats(shuffled, min(repeats, len(shuffled) // 2), rng, purpose)
    return _with_checks(ordered, rng.shuffled(f"{purpose}/checks", checks)) if ordered else []


def _with_repeats(
    units: Sequence[int], count: int, rng: SeededRandom, purpose: str
) -> list[PlannedUnit]:
    repeated_units = rng.sample(f"{purpose}/repeats", units[: len(units) // 2], count)
    step = max(1, len(units) // 3 // max(1, count))
    repeats_by_position = {
        len(units) - 1 - (count - 1 - k) * step: unit for k, unit in enumerate(repeated_units)
    }
    ordered: list[PlannedUnit] = []
    for position, unit in enumerate(units):
        ordered.append(PlannedUnit(unit))
        if position in repeats_by_position:
            ordered.append(PlannedUnit(repeats_by_position[position], is_repeat=True))
    return ordered


def _with_checks(ordered: list[PlannedUnit], checks: Sequence[int]) -> list[PlannedUnit]:
    result = list(ordered)
    for number, unit in reversed(list(enumerate(checks, 1))):
        position = max(1, round(number * len(ordered) / (len(checks) + 1)))
        result.insert(position, PlannedUnit(unit, is_check=True))
    return result
