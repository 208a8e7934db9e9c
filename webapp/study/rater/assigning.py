"""Assignment of units to raters by leases, as often as the campaign says.

Code that takes or frees a place (`webapp.study.rating.quotas`) holds the campaign's row, so two
raters never get the last one.
"""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from game.engine.seeded_random import SeededRandom
from webapp.play.models import Membership
from webapp.study.design.instruments import Instrument
from webapp.study.models import Assignment, Campaign, Rater, Seating, Stimulus, Unit
from webapp.study.rater import judge_raters, tentative_leases
from webapp.study.rater.unit_order import PlannedUnit, arrange_units
from webapp.study.rating.known_answers import GOLD, PRACTICE
from webapp.study.rating.quotas import has_room, outside_quotas, takes_place

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
        pk__in=_units_without_text(campaign)
    )
    return list(missing_units.order_by("index").values_list("pk", flat=True))


# Near its end, a lease counts as lapsed for code that does not hold the campaign's row.
LEASE_MARGIN = timedelta(seconds=30)
DEPTH, BREADTH = "depth", "breadth"


@dataclass(frozen=True)
class Candidate:
    """A unit that may be assigned, and how many of its places are taken.

    track: see `rating.tracks`. loan: the assignment that must be revoked for it, 0 for none.
    judged: for a judge, which takes no place.
    """

    unit: int
    game: int | None
    track: int
    condition: str
    taken: int
    loan: int = 0
    judged: bool = False


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
    wordless = set(_units_without_text(campaign))
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
        Stimulus.objects.filter(place=1, unit__assignments__in=earlier).values_list(
            "condition", flat=True
        )
    )
    apart = judge_raters.rates_every_unit(rater)
    on = {} if apart else _tracks(rater, campaign)
    free_candidates = rng.shuffled(f"{purpose}/units", list(_candidates(rater, campaign, own, now)))
    # As in campaigns from before rankings were single pages.
    one_by_one = campaign.units.filter(kind=Unit.PLAYER).exists()
    if one_by_one and any(d.rank for d in Instrument.of(campaign.instrument).dimensions):
        if len(free_candidates) < wanted_count:
            free_candidates += _revocable_candidates(free_candidates, rater, campaign, own, now)
        groups = _whole_games(
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
    chosen = _choose_candidates(free_candidates, wanted_count, games_seen, on, campaign)
    if len(chosen) < wanted_count:
        free_candidates += _revocable_candidates(free_candidates, rater, campaign, own, now)
        chosen = _choose_candidates(free_candidates, wanted_count, games_seen, on, campaign)
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


def _candidates(
    rater: Rater, campaign: Campaign, own: set[int], now: datetime
) -> Iterator[Candidate]:
    """Yield the units with room for this rater, in the order of the campaign."""
    for candidate in _fitting_candidates(rater, campaign, own, now):
        if candidate.judged or candidate.taken < campaign.raters_per_unit:
            yield candidate


def _revocable_candidates(
    free_candidates: Sequence[Candidate],
    rater: Rater,
    campaign: Campaign,
    own: set[int],
    now: datetime,
) -> Iterator[Candidate]:
    """Yield additional units whose places are only leased tentatively by others."""
    lent_units, free_units = (
        tentative_leases.revocable_leases(campaign, rater, now),
        {c.unit for c in free_candidates},
    )
    for candidate in _fitting_candidates(rater, campaign, own, now):
        if candidate.unit not in free_units and (loans := lent_units.get(candidate.unit)):
            yield replace(candidate, loan=loans[0])


def _fitting_candidates(
    rater: Rater, campaign: Campaign, own: set[int], now: datetime
) -> Iterator[Candidate]:
    """Yield the units that this rater may rate, in the order of the campaign."""
    conditions = dict(
        Stimulus.objects.filter(unit__campaign=campaign, place=1).values_list("unit", "condition")
    )
    fitting_units = campaign.units.filter(withdrawn=False).exclude(kind=Unit.ATTENTION)
    fitting_units = fitting_units.exclude(
        pk__in=Assignment.objects.filter(rater=rater).values("unit")
    )
    unready = Stimulus.objects.filter(unit__campaign=campaign).exclude(state="idle")
    fitting_units = fitting_units.exclude(pk__in=unready.values("unit")).exclude(game__in=own)
    fitting_units = fitting_units.exclude(pk__in=_units_without_text(campaign))
    fitting_units = fitting_units.annotate(
        taken=Count("assignments", filter=takes_place(now, "assignments__"))
    )
    rows = fitting_units.order_by("index").values_list("pk", "game", "track", "taken")
    judged, apart = rater.kind == Rater.JUDGE, judge_raters.rates_every_unit(rater)
    for unit, game, track, count in rows:
        on = 0 if apart else track
        yield Candidate(unit, game, on, conditions.get(unit, ""), count, judged=judged)


def _choose_candidates(
    free_candidates: Iterable[Candidate],
    wanted_count: int,
    games_seen: Mapping[str, int],
    on: Mapping[int, int],
    campaign: Campaign,
) -> list[Candidate]:
    """Return the units level by level as `_level` orders them.

    Within a level, the condition that the rater has seen least comes first. on: game -> the rater's
    track there. All units of a game that a rater is given are of one track.
    """
    levels: defaultdict[int, defaultdict[str, list[Candidate]]]
    levels = defaultdict(lambda: defaultdict(list))
    for candidate in free_candidates:
        levels[_level(candidate, campaign)][candidate.condition].append(candidate)
    tally, chosen = Counter(games_seen), list[Candidate]()
    track: dict[int | None, int] = dict(on.items())
    for level in sorted(levels):
        piles = levels[level]
        while piles and len(chosen) < wanted_count:
            # Ties: in the shuffled order of the units.
            condition = min(piles, key=lambda c: tally[c])
            candidate = piles[condition].pop(0)
            if track.setdefault(candidate.game, candidate.track) == candidate.track:
                chosen.append(candidate)
                tally[condition] += 1
            if not piles[condition]:
                del piles[condition]
    return chosen


def _level(candidate: Candidate, campaign: Campaign) -> int:
    """Return the sort level of a unit: the least rated units come first (breadth).

    With depth, the most rated unit that has room comes first, so that raters overlap however few
    come. Units that must be revoked from others come last. A language model begins with the units
    that most people have rated, because it is compared with them.
    """
    if candidate.judged:
        return -candidate.taken
    if candidate.taken >= campaign.raters_per_unit or fill_order(campaign) == BREADTH:
        return candidate.taken
    return campaign.raters_per_unit - 1 - candidate.taken


def fill_order(campaign: Campaign) -> str:
    """Return DEPTH or BREADTH.

    Campaigns older than this setting go on as they began.
    """
    return str(campaign.choice.get("fill") or BREADTH)


def _whole_games(
    free_candidates: Sequence[Candidate], campaign: Campaign, wanted_count: int, *, none_yet: bool
) -> list[list[Candidate]]:
    """Return the units for rankings, game by game.

    All players of a game are rated one after the other, for as many games as fit, at least one for
    a rater who has none yet. Only games whose units are all free are included.
    """
    units = campaign.units.filter(withdrawn=False).exclude(kind=Unit.ATTENTION)
    sizes: Counter[int | None] = Counter(units.values_list("game", flat=True))
    games: defaultdict[int | None, list[Candidate]] = defaultdict(list)
    for candidate in free_candidates:
        games[candidate.game].append(candidate)
    whole_groups = [g for game, g in games.items() if len(g) == sizes[game]]
    chosen: list[list[Candidate]] = []
    for group in sorted(whole_groups, key=lambda g: max(c.taken for c in g)):
        if (none_yet and not chosen) or sum(map(len, chosen)) + len(group) <= wanted_count:
            chosen.append(group)
    return chosen


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
            swapped=sides.swapped(planned_unit.unit),
            leased_until=until,
        )
        for index, planned_unit in enumerate(planned, first)
    )


class _Sides:
    """Chooses the left side of pairs, balanced per unit and per rater.

    A repeat has the same order as the first time.
    """

    def __init__(
        self, rater: Rater, campaign: Campaign, planned: Sequence[PlannedUnit], rng: SeededRandom
    ) -> None:
        units = {planned_unit.unit for planned_unit in planned}
        counted = Stimulus.objects.filter(unit__in=units, place=2)
        self.pairs = dict(counted.values_list("unit", "unit__index"))
        valid = Assignment.objects.filter(rater__campaign=campaign, is_repeat=False)
        valid = valid.filter(Q(rater__kind=Rater.PERSON) | Q(rater=rater))
        valid = valid.exclude(state=Assignment.TIMED_OUT)
        of_pairs = valid.filter(unit__in=self.pairs)
        self.unit = Counter(of_pairs.values_list("unit", "swapped"))
        mine = valid.filter(rater=rater, unit__stimuli__place=2)
        self.rater = Counter(mine.values_list("swapped", flat=True))
        self.rng, self.who = rng, rater.pseudonym
        self.known: dict[int, bool] = {}

    def swapped(self, unit: int) -> bool:
        if unit not in self.pairs:
            return False
        if unit not in self.known:
            drawn = bool(self.rng.below(f"{self.who}/side/{self.pairs[unit]}", 2))
            orders = sorted((False, True), key=lambda swapped_order: swapped_order != drawn)
            swapped_order = min(orders, key=lambda w: (self.unit[unit, w], self.rater[w]))
            self.rater[swapped_order] += 1
            self.known[unit] = swapped_order
        return self.known[unit]


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


def _units_without_text(campaign: Campaign) -> QuerySet[Stimulus, int]:
    """Return the ids of the units whose text has been removed since they were drawn."""
    rows = Stimulus.objects.filter(unit__campaign=campaign, unit__kind=Unit.UTTERANCE, place=1)
    return rows.filter(utterance__text="").values_list("unit", flat=True)
