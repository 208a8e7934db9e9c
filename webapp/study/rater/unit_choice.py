"""The units that a rater may be given next, and the choice among them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Count, QuerySet

from webapp.study.models import Assignment, Campaign, Rater, Stimulus, Unit
from webapp.study.rater import judge_raters, tentative_leases
from webapp.study.rating.quotas import takes_place
from webapp.study.rating.stimuli import first_place

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


def find_candidates(
    rater: Rater, campaign: Campaign, own: set[int], now: datetime
) -> Iterator[Candidate]:
    """Yield the units with room for this rater, in the order of the campaign."""
    for candidate in _fitting_candidates(rater, campaign, own, now):
        if candidate.judged or candidate.taken < campaign.raters_per_unit:
            yield candidate


def find_revocable_candidates(
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
        Stimulus.objects.filter(unit__campaign=campaign, place=first_place(campaign)).values_list(
            "unit", "condition"
        )
    )
    fitting_units = campaign.units.filter(withdrawn=False).exclude(kind=Unit.ATTENTION)
    fitting_units = fitting_units.exclude(
        pk__in=Assignment.objects.filter(rater=rater).values("unit")
    )
    unready = Stimulus.objects.filter(unit__campaign=campaign).exclude(state="idle")
    fitting_units = fitting_units.exclude(pk__in=unready.values("unit")).exclude(game__in=own)
    fitting_units = fitting_units.exclude(pk__in=units_without_text(campaign))
    fitting_units = fitting_units.annotate(
        taken=Count("assignments", filter=takes_place(now, "assignments__"))
    )
    rows = fitting_units.order_by("index").values_list("pk", "game", "track", "taken")
    judged, apart = rater.kind == Rater.JUDGE, judge_raters.rates_every_unit(rater)
    for unit, game, track, count in rows:
        on = 0 if apart else track
        yield Candidate(unit, game, on, conditions.get(unit, ""), count, judged=judged)


def choose_candidates(
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


def choose_whole_games(
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


def units_without_text(campaign: Campaign) -> QuerySet[Stimulus, int]:
    """Return the ids of the units whose text has been removed since they were drawn."""
    rows = Stimulus.objects.filter(unit__campaign=campaign, unit__kind=Unit.UTTERANCE, place=1)
    return rows.filter(utterance__text="").values_list("unit", flat=True)
