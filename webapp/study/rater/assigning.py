"""Assigns units to raters by leases, up to the campaign's quotas, and orders their pages.

Code that takes or frees a place in a quota (`webapp.study.rating.quotas`) holds the campaign's row,
so that two raters never get the last place. A page is an assignment: one unit for one rater.
"""

import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import starmap
from typing import NamedTuple

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from game.engine.seeded_random import SeededRandom
from webapp.play.models import Membership
from webapp.study.design.instruments import Instrument
from webapp.study.models import Assignment, Campaign, Rater, Seating, Stimulus, Unit
from webapp.study.rater import unit_choice
from webapp.study.rater.unit_choice import Assignee, Candidate
from webapp.study.rating import quotas
from webapp.study.rating.quotas import has_room, is_outside_quotas
from webapp.study.rating.rating_rows import ANSWER_SIDES
from webapp.study.rating.stimuli import first_place

NO_TRACK = -1  # no unit has this track, so no more units of the game are assigned
# Near its end, a lease counts as lapsed for code that does not hold the campaign's row.
LEASE_MARGIN = timedelta(seconds=30)


class Order(NamedTuple):
    """The order of a page's items, by two fields of `Assignment`."""

    swapped: bool = False
    rotation: int = 0


@dataclass(frozen=True)
class PlannedPage:
    """A page that a rater will get. `unit` is an id."""

    unit: int
    is_repeat: bool = False


def arrange_pages(
    units: Sequence[int], repeats: int, checks: Sequence[int], rng: SeededRandom, purpose: str
) -> list[PlannedPage]:
    """Return a rater's pages in order.

    The units are shuffled. Repeats of units of the first half are in the second half, with other
    units in between. Checks (attention checks and gold items) are at even distances and never
    first. There are at most half as many repeats as units.
    """
    shuffled = rng.shuffled(f"{purpose}/order", units)
    ordered = _with_repeats(shuffled, min(repeats, len(shuffled) // 2), rng, purpose)
    return _with_checks(ordered, rng.shuffled(f"{purpose}/checks", checks)) if ordered else []


def _with_repeats(
    units: Sequence[int], count: int, rng: SeededRandom, purpose: str
) -> list[PlannedPage]:
    repeated_units = rng.sample(f"{purpose}/repeats", units[: len(units) // 2], count)
    step = max(1, len(units) // 3 // max(1, count))
    repeats_by_position = {
        len(units) - 1 - (count - 1 - k) * step: unit for k, unit in enumerate(repeated_units)
    }
    ordered: list[PlannedPage] = []
    for position, unit in enumerate(units):
        ordered.append(PlannedPage(unit))
        if position in repeats_by_position:
            ordered.append(PlannedPage(repeats_by_position[position], is_repeat=True))
    return ordered


def _with_checks(ordered: list[PlannedPage], checks: Sequence[int]) -> list[PlannedPage]:
    pages = list(ordered)
    for number, unit in reversed(list(enumerate(checks, 1))):
        position = max(1, round(number * len(ordered) / (len(checks) + 1)))
        pages.insert(position, PlannedPage(unit))
    return pages


class OrderChooser:
    """Chooses the order of the items on a page, balanced for each unit and each rater.

    Each answer is first equally often, and each order occurs with its reverse. A ranking's players
    are in the order of seats or its reverse. A repeat has the order of the first time.
    """

    def __init__(
        self, rater: Rater, campaign: Campaign, units: Iterable[int], rng: SeededRandom
    ) -> None:
        rows = Unit.objects.filter(pk__in=set(units)).annotate(items=Count("stimuli"))
        rows = rows.filter(items__gt=1)
        self.indexes = dict(rows.values_list("pk", "index"))
        self.orders = {
            unit: _possible_orders(items if kind == Unit.UTTERANCE else 1)
            for unit, items, kind in rows.values_list("pk", "items", "kind")
        }
        valid = Assignment.objects.filter(rater__campaign=campaign, is_repeat=False)
        valid = valid.filter(Q(rater__kind=Rater.PERSON) | Q(rater=rater))
        valid = valid.exclude(state=Assignment.TIMED_OUT)
        of_units = valid.filter(unit__in=self.orders)
        self.counts_by_unit = Counter(
            (unit, Order(swapped, rotation))
            for unit, swapped, rotation in of_units.values_list("unit", "swapped", "rotation")
        )
        of_rater = valid.filter(rater=rater).annotate(items=Count("unit__stimuli"))
        orders_of_rater = of_rater.filter(items__gt=1).values_list("swapped", "rotation")
        self.counts_of_rater = Counter(starmap(Order, orders_of_rater))
        self.rng = rng
        self.pseudonym = rater.pseudonym
        self.chosen_orders: dict[int, Order] = {}

    def choose_order(self, unit: int) -> Order:
        """Return the order of the unit's items, the same each time."""
        if unit not in self.orders:
            return Order()  # the page has a single item
        if unit not in self.chosen_orders:
            orders = self.orders[unit]
            drawn = self.rng.below(f"{self.pseudonym}/side/{self.indexes[unit]}", len(orders))
            candidates = [*orders[drawn:], *orders[:drawn]]
            chosen = min(
                candidates, key=lambda o: (self.counts_by_unit[unit, o], self.counts_of_rater[o])
            )
            self.counts_of_rater[chosen] += 1
            self.chosen_orders[unit] = chosen
        return self.chosen_orders[unit]


def _possible_orders(count: int) -> list[Order]:
    """Return the orders of `count` items. Rotating two items is the same as swapping them."""
    rotations = range(count if count > len(ANSWER_SIDES) else 1)
    return [Order(swapped, rotation) for rotation in rotations for swapped in (False, True)]


def assign_pages(rater: Rater, *, visitor: uuid.UUID | None = None) -> None:
    """Assign pages up to the campaign's number, and replace those that other raters got.

    `visitor` is that of the current browser, which may have played games, too.
    """
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update().get(pk=rater.campaign_id)
        assignee = Assignee(rater, campaign, _find_own_games(rater, visitor), timezone.now())
        _review_assignments(assignee)
        can_rate = campaign.state == Campaign.OPEN or rater.kind == Rater.JUDGE
        if can_rate and not rater.finished_at:
            _assign_missing_pages(assignee)


def renew_leases(rater: Rater, *, visitor: uuid.UUID | None = None) -> None:
    """Renew the leases of a working rater. A lapsed one is renewed if its place is still free."""
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
    """Return the rater's pages in order, without those that other raters got."""
    assignments = Assignment.objects.filter(rater=rater).exclude(state=Assignment.TIMED_OUT)
    return list(assignments.order_by("index"))


def page_keys(rater: Rater) -> list[uuid.UUID]:
    return [page.key for page in rater_pages(rater)]


def drop_unseen_page(rater: Rater) -> None:
    """Remove an unseen page of a rater who has answered a page that was already replaced.

    The row stays, because the page may have been fetched in advance and rated offline.
    """
    unseen = Assignment.objects.filter(
        rater=rater, state=Assignment.OPEN, shown_at=None, first_answer_at=None, is_repeat=False
    )
    unseen = unseen.exclude(unit__kind=Unit.ATTENTION).filter(unit__use="")
    repeated_units = Assignment.objects.filter(rater=rater, is_repeat=True).values("unit")
    if last := unseen.exclude(unit__in=repeated_units).order_by("-index").first():
        # Only if it is still unseen, because its row is not locked.
        unseen.filter(pk=last.pk).update(state=Assignment.TIMED_OUT)


def _find_own_games(rater: Rater, visitor: uuid.UUID | None) -> set[int]:
    """Return the ids of games that the rater played, as this visitor or as a participant."""
    person = rater.participant
    visitors = [v for v in (visitor, person.visitor if person else None) if v]
    game_ids = set(Membership.objects.filter(visitor__in=visitors).values_list("game", flat=True))
    if person:
        played = person.seatings.filter(state__in=(Seating.SEATED, Seating.OUT))
        played = played.exclude(slot__game=None)
        game_ids |= set(played.values_list("slot__game", flat=True))
    return game_ids


def _review_assignments(assignee: Assignee) -> None:
    """Renew the rater's leases. Release lapsed ones without a free place, and hidden units.

    The leases of a rater without any answer are renewed only after they have lapsed.
    """
    rater, campaign, now = assignee.rater, assignee.campaign, assignee.now
    rows = Assignment.objects.filter(rater=rater, state=Assignment.OPEN)
    rows = rows.select_related("unit__campaign", "rater").annotate(answer_count=Count("ratings"))
    has_answered = quotas.has_answered(rater)
    kept_ids, removed_ids = [], []
    text_removed = set(unit_choice.units_without_text(campaign))
    for row in rows:
        is_withdrawn = row.unit.withdrawn and not row.unit.use
        is_own = row.unit.game_id in assignee.own_game_ids
        is_hidden = is_withdrawn or is_own or row.unit_id in text_removed
        if is_hidden and not row.answer_count:
            removed_ids.append(row.pk)
        elif row.leased_until > now and not has_answered:
            continue
        elif row.leased_until > now or is_outside_quotas(row) or has_room(row, now):
            kept_ids.append(row.pk)
        else:
            removed_ids.append(row.pk)
    until = quotas.lease_expiry(campaign, now, has_answered=has_answered)
    Assignment.objects.filter(pk__in=kept_ids).update(leased_until=until)
    quotas.revoke_assignments(removed_ids)


def _assign_missing_pages(assignee: Assignee) -> None:
    rater, campaign = assignee.rater, assignee.campaign
    earlier_pages = Assignment.objects.filter(rater=rater).exclude(state=Assignment.TIMED_OUT)
    check_count = earlier_pages.filter(unit__kind=Unit.ATTENTION).count()
    repeat_count = earlier_pages.filter(is_repeat=True).count()
    given_count = earlier_pages.filter(unit__use="").count() - check_count - repeat_count
    rates_all = unit_choice.rates_every_unit(rater)
    wanted_count = (campaign.units.count() if rates_all else campaign.units_per_rater) - given_count
    if wanted_count <= 0:
        return
    earlier_count, has_page_per_player = earlier_pages.count(), _has_page_per_player(campaign)
    rng, purpose = SeededRandom(campaign.seed), f"{rater.pseudonym}/{earlier_count}"
    candidates = rng.shuffled(f"{purpose}/units", list(unit_choice.find_candidates(assignee)))

    def choose() -> list[Candidate]:
        if not has_page_per_player:
            return _choose_units(assignee, earlier_pages, candidates, wanted_count)
        is_first = not earlier_count
        return unit_choice.choose_whole_games(candidates, campaign, wanted_count, is_first=is_first)

    chosen = choose()
    # Whole games rarely add up to the wanted number, so there the free units are counted.
    if len(candidates if has_page_per_player else chosen) < wanted_count:
        candidates += list(unit_choice.find_revocable_candidates(assignee, candidates))
        chosen = choose()
    units = [candidate.unit for candidate in chosen]
    if has_page_per_player:
        pages = list(map(PlannedPage, units))
    else:
        checks = _missing_checks(assignee, campaign.attention - check_count)
        pages = arrange_pages(units, campaign.repeats - repeat_count, checks, rng, purpose)
    if pages and not Assignment.objects.filter(rater=rater).exists():
        pages = [*map(PlannedPage, _missing_known_units(assignee, Unit.PRACTICE)), *pages]
    quotas.revoke_assignments([candidate.lease for candidate in chosen if candidate.lease])
    _create_assignments(assignee, pages, rng)


def _choose_units(
    assignee: Assignee,
    earlier_pages: QuerySet[Assignment],
    candidates: Sequence[Candidate],
    wanted_count: int,
) -> list[Candidate]:
    campaign = assignee.campaign
    first_stimuli = Stimulus.objects.filter(place=first_place(campaign))
    seen_stimuli = first_stimuli.filter(unit__assignments__in=earlier_pages)
    conditions_seen = Counter(seen_stimuli.values_list("condition", flat=True))
    tracks = {} if unit_choice.rates_every_unit(assignee.rater) else _tracks_by_game(assignee)
    return unit_choice.choose_candidates(
        candidates, wanted_count, conditions_seen, tracks, campaign
    )


def _create_assignments(
    assignee: Assignee, pages: Sequence[PlannedPage], rng: SeededRandom
) -> None:
    rater, campaign = assignee.rater, assignee.campaign
    last = Assignment.objects.filter(rater=rater).order_by("-index").first()
    first_index = (last.index if last else 0) + 1
    order_chooser = OrderChooser(rater, campaign, [page.unit for page in pages], rng)
    has_answered = quotas.has_answered(rater)
    until = quotas.lease_expiry(campaign, assignee.now, has_answered=has_answered)
    Assignment.objects.bulk_create(
        Assignment(
            rater=rater,
            unit_id=page.unit,
            index=index,
            is_repeat=page.is_repeat,
            **order_chooser.choose_order(page.unit)._asdict(),
            leased_until=until,
        )
        for index, page in enumerate(pages, first_index)
    )


def _has_page_per_player(campaign: Campaign) -> bool:
    """Return whether a ranking has a page for each player, as in old campaigns."""
    dimensions = Instrument.from_json(campaign.instrument).dimensions
    has_players = campaign.units.filter(kind=Unit.PLAYER).exists()
    return has_players and any(dimension.rank for dimension in dimensions)


def _missing_checks(assignee: Assignee, count: int) -> list[int]:
    """Return up to `count` attention checks and all gold items that the rater lacks."""
    checks = assignee.campaign.units.filter(kind=Unit.ATTENTION, withdrawn=False)
    checks = checks.exclude(assignments__rater=assignee.rater).order_by("index")
    ids = checks.values_list("pk", flat=True)[: max(0, count)]
    return [*ids, *_missing_known_units(assignee, Unit.GOLD)]


def _missing_known_units(assignee: Assignee, use: str) -> list[int]:
    units = assignee.campaign.units.filter(use=use).exclude(game__in=assignee.own_game_ids)
    units = units.exclude(assignments__rater=assignee.rater)
    units = unit_choice.exclude_unready(units, assignee.campaign)
    return list(units.order_by("index").values_list("pk", flat=True))


def _tracks_by_game(assignee: Assignee) -> dict[int, int]:
    """Return game's id -> the rater's track there (`units.tracks`), NO_TRACK for a conflict.

    The track is that of an assigned unit, or of a unit with a known answer, which every rater gets.
    """
    known_units = assignee.campaign.units.filter(~Q(use=""), game__isnull=False)
    tracks: dict[int, int] = dict(known_units.values_list("game", "track"))
    # Pages that other raters got are included, because this rater may have read them.
    in_games = Assignment.objects.filter(rater=assignee.rater).exclude(unit__game=None)
    for game, track in in_games.values_list("unit__game", "unit__track"):
        tracks[game] = track if tracks.get(game, track) == track else NO_TRACK
    return tracks
