"""Means over games with intervals, and comparisons of conditions. The unit is the game.

What is independent is a group of games: games of one deal, and games that somebody played one after
the other, hang together. An estimate is the mean over games of their means; its interval rests on
how groups differ (`_interval`). Where everything hangs together, deals stand for groups and the
interval says so; no test is made.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from webapp.statistics.compare import Two, compare_games
from webapp.statistics.intervals import LEVEL, clopper_pearson
from webapp.statistics.marks import Columns, dense
from webapp.statistics.reported_statistics import Outcome, defined, span, unknown, warnings
from webapp.statistics.two_way import strata_of
from webapp.study.results.study_rows import GameRow

LEAST = 2  # groups for an interval of a mean
LEAST_OF_SHARE = 3  # groups for one of a share: two give all from 0 to 1
FEW = 6  # groups; with fewer an interval says that it rests on few
NOTHING = 1e-12  # a squared error below it is a rounding


@dataclass(frozen=True)
class Observation:
    """One value of a participant ("" for none) in a game.

    side: what is compared, a condition or a kind. anywhere: it belongs to no single condition,
    because the participant played in several.
    """

    value: float
    game: str
    who: str
    side: str = ""
    anywhere: bool = False


@dataclass(frozen=True)
class Groups:
    """Groups of dependent games.

    of: game -> its group, the code of its first game. linked: all games are linked by common
    participants, so that `of` uses deals only.
    """

    of: Mapping[str, str]
    linked: bool = False


def grouped(games: Sequence[GameRow]) -> Groups:
    """Group the games of one deal, and games with a common participant."""
    deals = _joined((g.code, [f"deal/{g.deal}"]) for g in games)
    all_links = _joined(
        (g.code, [f"deal/{g.deal}", *(f"who/{p}" for p in g.people)]) for g in games
    )
    linked = len(set(all_links.values())) < LEAST <= len(set(deals.values()))
    return Groups(deals if linked else all_links, linked)


def _joined(game_links: Iterable[tuple[str, Sequence[str]]]) -> dict[str, str]:
    """Return game -> the first game that it is linked with, by shared names."""
    above: dict[str, str] = {}

    def top(name: str) -> str:
        while above.setdefault(name, name) != name:
            name = above[name]
        return name

    games = []
    for game, shared in game_links:
        games.append(game)
        for one in shared:
            first, second = top(game), top(one)
            above[max(first, second)] = min(first, second)
    names: dict[str, str] = {}
    return {game: names.setdefault(top(game), game) for game in games}


def estimate(
    observations: Sequence[Observation], groups: Groups, *, share: bool = False
) -> Outcome:
    """Estimate a mean over games.

    Returns n (values), people, games, groups, value (mean over games), sd (between values, n-1),
    and ci. share: the values are 0 or 1; then `part` is the number of ones.
    """
    games = _by_game(observations)
    outcome: Outcome = {
        "n": len(observations),
        "people": len({one.who for one in observations} - {""}),
        "games": len(games),
        "groups": len({groups.of[game] for game in games}),
    }
    if not observations:
        none = unknown("no_values")
        return {**outcome, "value": none, "sd": none, "ci": none}
    values = np.array([one.value for one in observations])
    part = {"part": int(values.sum())} if share else {}
    sd = defined(values.std(ddof=1)) if len(values) > 1 else unknown("one_value")
    mean = math.fsum(games.values()) / len(games)
    ci = _interval(games, mean, groups, share=share, values=len(observations))
    return {**outcome, **part, "value": defined(mean), "sd": sd, "ci": ci}


def _by_game(observations: Sequence[Observation]) -> dict[str, float]:
    """Return game -> the mean of its values."""
    values: dict[str, list[float]] = {}
    for one in observations:
        values.setdefault(one.game, []).append(one.value)
    return {game: math.fsum(those) / len(those) for game, those in values.items()}


def _interval(
    games: Mapping[str, float], mean: float, groups: Groups, *, share: bool, values: int
) -> Outcome:
    """Return Student's t interval over groups, for a share Clopper and Pearson's.

    A share counts as many independent values as would have the same error, at most the number of
    values (Korn and Graubard). Where each group has one value, that is the number of groups. Where
    all values are alike, the number of groups is taken, too: as if each were one value.
    """
    from scipy import stats

    off: dict[str, list[float]] = {}
    for game, value in games.items():
        off.setdefault(groups.of[game], []).append(value - mean)
    size = len(off)
    if size < LEAST:
        return unknown("one_group", clusters=size)
    if share and size < LEAST_OF_SHARE:
        return unknown("few_groups_of_share", clusters=size)
    care = warnings(people_in_several=groups.linked)
    if share and (values == size or mean in (0, 1)):
        ends = clopper_pearson(mean, size)
        return span(*ends, method="Clopper-Pearson", clusters=size, care=care)
    # As if games of a group were all alike: a large group is one observation of a large weight.
    (weights,) = strata_of(np.array([[len(own) for own in off.values()]]) / len(games))
    squares = math.fsum(math.fsum(own) ** 2 for own in off.values())
    squared = weights.factor * squares / len(games) ** 2
    if squared < NOTHING:
        return unknown("no_spread_between", clusters=size)
    ppf = (1 + LEVEL) / 2
    reach = float(stats.t.ppf(ppf, weights.freedom))
    care = [*warnings(few_groups=size < FEW), *care]
    if not share:
        half = reach * math.sqrt(squared)
        return span(mean - half, mean + half, method="t", clusters=size, care=care)
    lost = (float(stats.t.ppf(ppf, values - 1)) / reach) ** 2
    worth = min(float(values), mean * (1 - mean) / squared * lost)
    ends = clopper_pearson(mean, worth)
    return span(*ends, method="Korn-Graubard", clusters=size, care=care)


def compare_sides(
    observations: Sequence[Observation], sides: Sequence[str], groups: Groups
) -> list[Outcome]:
    """Return one comparison for every two sides with values.

    `compare.compare_games` with groups as its deals. A side that lies within games (person or
    computer player) is paired by game.
    """
    present = [side for side in sides if any(one.side == side for one in observations)]
    return [_compared(observations, a, b, groups) for a, b in combinations(present, 2)]


def _compared(observations: Sequence[Observation], a: str, b: str, groups: Groups) -> Outcome:
    both = [one for one in observations if one.side in (a, b)]
    names = {"a": a, "b": b}
    if groups.linked:
        none = unknown("linked_games")
        return {**names, "design": None, "by": None, "n": 0, "left_out": 0, "test": none,
                "effect": none, "difference": none, "population": None, "care": []}  # fmt: skip
    number = np.arange(len(both), dtype=np.intp)
    columns = Columns(
        np.array([one.value for one in both], dtype=np.float64),
        np.array([one.side == b for one in both], dtype=np.intp),
        _codes([groups.of[one.game] for one in both]),
        _codes([one.game for one in both]),
        number,
        number,
        _codes([one.who for one in both]),
        (a, b),
    )
    return {**names, **compare_games(Two.of(columns, 0, 1))}


def _codes(names: Sequence[str]) -> Any:
    return dense(np.unique(names, return_inverse=True)[1])
