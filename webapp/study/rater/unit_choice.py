"""Finds the units that a rater may get next, and chooses among them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Count, QuerySet

from webapp.study.models import Assignment, Campaign, Judge, Rater, Stimulus, Unit
from webapp.study.rating import quotas
from webapp.study.rating.quotas import occupied_place_filter
from webapp.study.rating.stimuli import first_place

DEPTH, BREADTH = "depth", "breadth"  # orders in which units are filled, see `_level`


@dataclass(frozen=True)
class Assignee:
    """A rater who may get units now, and what the choice of units depends on."""

    rater: Rater
    campaign: Campaign  # the campaign, whose row is locked
    own_game_ids: set[int]  # games that the rater played, which they may not rate
    now: datetime


@dataclass(frozen=True)
class Candidate:
    """A unit that may be assigned."""

    unit: int  # id of the unit
    game: int | None  # id of its game
    track: int  # its track in its game (`units.tracks`)
    condition: str  # condition of its first rated item
    occupied: int  # number of occupied places in its quota
    lease: int = 0  # id of another rater's assignment that must be revoked for it, 0 for none
    is_judge: bool = False  # it is for a judge, which takes no place


def find_candidates(assignee: Assignee) -> Iterator[Candidate]:
    """Yield the units with a free place that the rater may rate, in the campaign's order."""
    for candidate in _all_candidates(assignee):
        if candidate.is_judge or candidate.occupied < assignee.campaign.raters_per_unit:
            yield candidate


def find_revocable_candidates(
    assignee: Assignee, free_candidates: Sequence[Candidate]
) -> Iterator[Candidate]:
    """Yield further units, each with a tentative lease of another rater that can be revoked."""
    leases_by_unit = quotas.revocable_leases(assignee.campaign, assignee.rater, assignee.now)
    free_units = {candidate.unit for candidate in free_candidates}
    for candidate in _all_candidates(assignee):
        if candidate.unit not in free_units and (leases := leases_by_unit.get(candidate.unit)):
            yield replace(candidate, lease=leases[0])


def _all_candidates(assignee: Assignee) -> Iterator[Candidate]:
    """Yield all units that the rater may rate, in the campaign's order."""
    rater, campaign = assignee.rater, assignee.campaign
    stimuli = Stimulus.objects.filter(unit__campaign=campaign, place=first_place(campaign))
    conditions = dict(stimuli.values_list("unit", "condition"))
    assigned = Assignment.objects.filter(rater=rater).values("unit")
    units = campaign.rated_units.exclude(pk__in=assigned).exclude(game__in=assignee.own_game_ids)
    units = exclude_unready(units, campaign).annotate(
        occupied=Count("assignments", filter=occupied_place_filter(assignee.now, "assignments__"))
    )
    rows = units.order_by("index").values_list("pk", "game", "track", "occupied")
    is_judge, rates_all_units = rater.kind == Rater.JUDGE, rates_every_unit(rater)
    for unit, game, unit_track, count in rows:
        track = 0 if rates_all_units else unit_track
        yield Candidate(unit, game, track, conditions.get(unit, ""), count, is_judge=is_judge)


def rates_every_unit(rater: Rater) -> bool:
    """Return whether the rater is a judge that rates every unit, also of different tracks.

    It reads each unit in a separate request, so that no unit reveals anything about another.
    """
    return rater.kind == Rater.JUDGE and rater.judge.reach == Judge.ALL


def choose_candidates(
    free_candidates: Iterable[Candidate],
    wanted_count: int,
    conditions_seen: Mapping[str, int],
    tracks_by_game: Mapping[int, int],
    campaign: Campaign,
) -> list[Candidate]:
    """Return up to `wanted_count` units, ordered by `_level`.

    Within a level, the condition that the rater has seen least comes first, then the drawn order of
    `free_candidates`. All units that a rater gets of a game are of one track.
    """
    levels: defaultdict[int, defaultdict[str, list[Candidate]]]
    levels = defaultdict(lambda: defaultdict(list))
    for candidate in free_candidates:
        levels[_level(candidate, campaign)][candidate.condition].append(candidate)
    condition_counts, chosen = Counter(conditions_seen), list[Candidate]()
    assigned_tracks: dict[int | None, int] = dict(tracks_by_game.items())
    for level in sorted(levels):
        candidates_by_condition = levels[level]
        while candidates_by_condition and len(chosen) < wanted_count:
            # The condition seen least. Of equally seen ones, it is the first in the drawn order.
            condition = min(candidates_by_condition, key=lambda c: condition_counts[c])
            candidate = candidates_by_condition[condition].pop(0)
            if assigned_tracks.setdefault(candidate.game, candidate.track) == candidate.track:
                chosen.append(candidate)
                condition_counts[condition] += 1
            if not candidates_by_condition[condition]:
                del candidates_by_condition[condition]
    return chosen


def _level(candidate: Candidate, campaign: Campaign) -> int:
    """Return the level of a unit. The lowest level is assigned first.

    With BREADTH the least rated unit is first. With DEPTH the most rated unit with a free place is
    first, so that raters overlap even if they are few. Units whose leases must be revoked are last.
    A judge begins with the units that most people have rated, because it is compared with them.
    """
    if candidate.is_judge:
        return -candidate.occupied
    if candidate.occupied >= campaign.raters_per_unit or fill_order(campaign) == BREADTH:
        return candidate.occupied
    return campaign.raters_per_unit - 1 - candidate.occupied


def fill_order(campaign: Campaign) -> str:
    """Return DEPTH or BREADTH. Campaigns older than this setting have BREADTH."""
    return str(campaign.choice.get("fill") or BREADTH)


def choose_whole_games(
    free_candidates: Sequence[Candidate], campaign: Campaign, wanted_count: int, *, is_first: bool
) -> list[Candidate]:
    """Return the units of whole games, for rankings with a page for each player.

    As many games are chosen as fit into `wanted_count` units. A rater without pages (`is_first`)
    gets at least one. A game is chosen only if all its units are free.
    """
    sizes: Counter[int | None] = Counter(campaign.rated_units.values_list("game", flat=True))
    games: defaultdict[int | None, list[Candidate]] = defaultdict(list)
    for candidate in free_candidates:
        games[candidate.game].append(candidate)
    whole_groups = [g for game, g in games.items() if len(g) == sizes[game]]
    chosen: list[Candidate] = []
    for group in sorted(whole_groups, key=lambda g: max(c.occupied for c in g)):
        if (is_first and not chosen) or len(chosen) + len(group) <= wanted_count:
            chosen += group
    return chosen


def exclude_unready(units: QuerySet[Unit], campaign: Campaign) -> QuerySet[Unit]:
    """Exclude units that wait for a system's answer, or whose text was removed."""
    unready = Stimulus.objects.filter(unit__campaign=campaign).exclude(state=Stimulus.READY)
    return units.exclude(pk__in=unready.values("unit")).exclude(pk__in=units_without_text(campaign))


def units_without_text(campaign: Campaign) -> QuerySet[Stimulus, int]:
    """Return the ids of the units whose text has been removed since they were drawn."""
    rows = Stimulus.objects.filter(unit__campaign=campaign, unit__kind=Unit.UTTERANCE, place=1)
    return rows.filter(utterance__text="").values_list("unit", flat=True)
