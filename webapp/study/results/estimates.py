"""Means over games with intervals, and comparisons of conditions. The unit is the game.

Games of one deal, and games of one participant, depend on each other and form a group. Groups are
independent. An estimate is the mean over games of their means; its interval rests on how groups
differ. If all games are in one group, deals take the place of groups: the interval says so, and no
test is made.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np

from webapp.statistics.compare import ConditionPair, compare_games
from webapp.statistics.intervals import CONFIDENCE_LEVEL, clopper_pearson
from webapp.statistics.marks import Columns, renumber
from webapp.statistics.raters_and_games import build_strata
from webapp.statistics.reported_statistics import (
    Outcome,
    defined,
    defined_interval,
    undefined,
    warning_keys,
)
from webapp.study.results.study_rows import GameRow, Observation

MIN_GROUPS = 2  # with fewer groups, a mean has no interval
MIN_GROUPS_OF_SHARE = 3  # with two groups, the interval of a share would be all from 0 to 1
FEW_GROUPS = 6  # an interval of fewer groups has a warning that it rests on few
MIN_SQUARED_ERROR = 1e-12  # smaller errors are rounding errors, and mean that groups do not differ
UPPER_QUANTILE = (1 + CONFIDENCE_LEVEL) / 2


@dataclass(frozen=True)
class Groups:
    """Groups of dependent games."""

    by_game: Mapping[str, str]  # game -> its group, named by the code of the group's first game
    # All games are linked by common participants, so that deals alone form groups.
    is_linked: bool = False


def group_games(games: Sequence[GameRow]) -> Groups:
    """Group the games of one deal, and games with a common participant."""
    deals = _link_games((g.code, [f"deal/{g.deal}"]) for g in games)
    all_links = _link_games(
        (g.code, [f"deal/{g.deal}", *(f"who/{p}" for p in g.people)]) for g in games
    )
    is_linked = len(set(all_links.values())) < MIN_GROUPS <= len(set(deals.values()))
    return Groups(deals if is_linked else all_links, is_linked)


def _link_games(game_links: Iterable[tuple[str, Sequence[str]]]) -> dict[str, str]:
    """Return game -> the first game that chains of shared names link it with."""
    from scipy.cluster.hierarchy import DisjointSet

    links, games = DisjointSet(), []
    for game, shared_names in game_links:
        games.append(game)
        for name in (game, *shared_names):
            links.add(name)
            links.merge(game, name)
    first_games: dict[str, str] = {}
    return {game: first_games.setdefault(links[game], game) for game in games}


def estimate(
    observations: Sequence[Observation], groups: Groups, *, is_share: bool = False
) -> Outcome:
    """Estimate a mean over games.

    Args:
        is_share: Whether the values are 0 or 1.

    Returns:
        `n` is the number of values, `value` the mean over games, `sd` that of values (n-1), `part`
        the number of ones of a share.
    """
    values_by_game: dict[str, list[float]] = {}
    for observation in observations:
        values_by_game.setdefault(observation.game, []).append(observation.value)
    games = {game: fmean(values) for game, values in values_by_game.items()}
    outcome: Outcome = {
        "n": len(observations),
        "people": len({observation.participant for observation in observations} - {""}),
        "games": len(games),
        "groups": len({groups.by_game[game] for game in games}),
    }
    if not observations:
        none = undefined("no_values")
        return {**outcome, "value": none, "sd": none, "ci": none}
    values = np.array([observation.value for observation in observations])
    part = {"part": int(values.sum())} if is_share else {}
    sd = defined(values.std(ddof=1)) if len(values) > 1 else undefined("one_value")
    mean = fmean(games.values())
    ci = _interval(games, mean, groups, is_share=is_share, value_count=len(observations))
    return {**outcome, **part, "value": defined(mean), "sd": sd, "ci": ci}


def _interval(
    games: Mapping[str, float], mean: float, groups: Groups, *, is_share: bool, value_count: int
) -> Outcome:
    """Return the confidence interval of a mean over games, from the differences between groups.

    A mean gets Student's t interval. A share gets Clopper and Pearson's interval for n values:

    - If each group has one value, or if all values are equal, n is the number of groups.
    - Else n is the number of independent values whose share would have the same error, corrected
      for the degrees of freedom (Korn and Graubard). It is at most the number of values.

    The interval is undefined if there are too few groups, or if groups do not differ.
    """
    from scipy import stats

    deviations: dict[str, list[float]] = {}
    for game, value in games.items():
        deviations.setdefault(groups.by_game[game], []).append(value - mean)
    group_count = len(deviations)
    if group_count < MIN_GROUPS:
        return undefined("one_group", clusters=group_count)
    if is_share and group_count < MIN_GROUPS_OF_SHARE:
        return undefined("few_groups_of_share", clusters=group_count)
    warnings = warning_keys(people_in_several=groups.is_linked)
    if is_share and (value_count == group_count or mean in (0, 1)):
        ends = clopper_pearson(mean, group_count)
        method = "Clopper-Pearson"
        return defined_interval(*ends, method=method, clusters=group_count, care=warnings)
    # A group counts as one observation, as if all its games were equal. Its weight is their number.
    sizes = [len(group) for group in deviations.values()]
    (weights,) = build_strata(np.array([sizes]) / len(games))
    squares = math.fsum(math.fsum(group) ** 2 for group in deviations.values())
    squared_error = weights.factor * squares / len(games) ** 2
    if squared_error < MIN_SQUARED_ERROR:
        return undefined("no_spread_between", clusters=group_count)
    quantile = float(stats.t.ppf(UPPER_QUANTILE, weights.degrees_of_freedom))
    warnings = [*warning_keys(few_groups=group_count < FEW_GROUPS), *warnings]
    if is_share:
        correction = (float(stats.t.ppf(UPPER_QUANTILE, value_count - 1)) / quantile) ** 2
        effective_n = min(float(value_count), mean * (1 - mean) / squared_error * correction)
        method, ends = "Korn-Graubard", clopper_pearson(mean, effective_n)
    else:
        half = quantile * math.sqrt(squared_error)
        method, ends = "t", (mean - half, mean + half)
    return defined_interval(*ends, method=method, clusters=group_count, care=warnings)


def compare_sides(
    observations: Sequence[Observation], sides: Sequence[str], groups: Groups
) -> list[Outcome]:
    """Return the comparison of every two sides that have values.

    The comparison is that of `compare.compare_games`, with groups in place of deals. Sides within a
    game (person and computer player) are paired by game.
    """
    sides_with_values = {observation.side for observation in observations}
    present = [side for side in sides if side in sides_with_values]
    return [_compare_pair(observations, a, b, groups) for a, b in combinations(present, 2)]


def _compare_pair(observations: Sequence[Observation], a: str, b: str, groups: Groups) -> Outcome:
    both = [observation for observation in observations if observation.side in (a, b)]
    names = {"a": a, "b": b}
    if groups.is_linked:
        none = undefined("linked_games")
        return {**names, "design": None, "by": None, "n": 0, "left_out": 0, "test": none,
                "effect": none, "difference": none, "population": None, "care": []}  # fmt: skip
    numbers = np.arange(len(both), dtype=np.intp)
    columns = Columns(
        values=np.array([observation.value for observation in both], dtype=np.float64),
        condition=np.array([observation.side == b for observation in both], dtype=np.intp),
        deal=_codes([groups.by_game[observation.game] for observation in both]),
        game=_codes([observation.game for observation in both]),
        moment=numbers,
        unit=numbers,
        rater=_codes([observation.participant for observation in both]),
        conditions=(a, b),
    )
    return {**names, **compare_games(ConditionPair.from_columns(columns, 0, 1))}


def _codes(names: Sequence[str]) -> Any:
    """Return a number for each name, from 0, the same for equal names."""
    return renumber(np.unique(names, return_inverse=True)[1])
