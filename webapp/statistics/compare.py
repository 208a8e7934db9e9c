"""Compares two conditions on independent observations.

An independent observation is the game, or the deal if several games share one: `design` decides,
also whether observations are paired. Ratings are averaged before any test, raters within a moment
first, then moments within a game, games within a deal, so that neither an eager rater nor a long
game has more weight. If moments of a game hold both conditions, only those count in it.

Ranked values (means of games, or differences of unrounded ones) are rounded to nine decimals, by
`rank_tests` and for the ranks alone: otherwise 4.2 - 3.2 and 3.1 - 2.1 would not tie. Differences
and their intervals are of unrounded means.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from webapp.statistics.comparison_design import PAIRED, Design, design
from webapp.statistics.marks import Codes, Columns, Numbers, dense, how_many, means
from webapp.statistics.mixed import mixed_model
from webapp.statistics.rank_tests import ZEROS, rank_sum, signed_rank
from webapp.statistics.reported_statistics import Outcome, defined, unknown, warnings

APART = 0.5  # the share of ratings by raters of one condition only from which the results warn


def comparisons(ratings: Columns) -> list[Outcome]:
    """Return one comparison for each two conditions with ratings, in the order of their names."""
    present = np.unique(ratings.condition)
    return [_comparison(ratings, a, b) for a, b in combinations(present.tolist(), 2)]


def _comparison(ratings: Columns, a: int, b: int) -> Outcome:
    two = Two.of(ratings, a, b)
    names = {"a": ratings.conditions[a], "b": ratings.conditions[b]}
    return {**names, **compared(two), "model": mixed_model(two.ratings, two.second, two.design)}


@dataclass(frozen=True)
class Two:
    """The ratings of two conditions, a mask of the second (0, 1), and the design."""

    ratings: Columns
    second: Codes
    design: Design

    @classmethod
    def of(cls, ratings: Columns, a: int, b: int) -> Two:
        both = ratings.of((ratings.condition == a) | (ratings.condition == b))
        second = (both.condition == b).astype(np.intp)
        cell_keys = set(zip(both.deal.tolist(), both.game.tolist(), second.tolist(), strict=True))
        return cls(both, second, design((deal, game, bool(side)) for deal, game, side in cell_keys))


def compared(two: Two) -> Outcome:
    """Return the design, the test of record with its effect size, and the difference."""
    plan = two.design
    outcome: Outcome = {"design": plan.kind or None, "by": plan.by if plan.kind else None}
    outcome |= {"within": plan.within, "zero_method": ZEROS, "left_out": plan.left_out}
    if not plan.kind:
        none = unknown("nothing_comparable")
        return {**outcome, "n": 0, "zeros": 0, "test": none, "effect": none, "difference": none,
                "care": []}  # fmt: skip
    table = _means(two)
    if plan.kind == PAIRED:
        test_outcome = signed_rank(_differences(table, plan))
    else:
        test_outcome = rank_sum(table[list(plan.first), 0], table[list(plan.second), 1])
    care = warnings(
        out_of_reach=not plan.can_reach and "few_pairs" not in test_outcome["care"],
        games_left_out=plan.left_out > 0,
        raters_apart=_apart(two) > APART,
    )
    return {**outcome, **test_outcome, "care": [*test_outcome["care"], *care]}


def _means(two: Two) -> Numbers:
    """Return (deals, 2): the mean of each deal under each condition, NaN if it has none."""
    both, second = two.ratings, two.second
    cells = dense(both.moment * 2 + second)
    first = np.unique(cells, return_index=True)[1]  # one rating of each moment and condition
    values = means(both.values, cells)
    moment, game, side, deal = both.moment[first], both.game[first], second[first], both.deal[first]
    shared = np.bincount(moment, minlength=how_many(moment))[moment] == 2
    has_shared = np.bincount(game, weights=shared, minlength=how_many(game))[game] > 0
    use = shared | ~has_shared
    games = _table(values[use], game[use], side[use], how_many(game))
    of_game = np.zeros(len(games), dtype=np.intp)
    of_game[game] = deal
    if two.design.within:  # only games that hold both
        games[np.isnan(games).any(axis=1)] = np.nan
    at, under = np.nonzero(~np.isnan(games))
    return _table(games[at, under], of_game[at], under, how_many(deal))


def _table(values: Numbers, groups: Codes, side: Codes, rows: int) -> Numbers:
    """Return (rows, 2): the mean of each group's values on each side, NaN if there are none."""
    counts, sums = np.zeros((rows, 2)), np.zeros((rows, 2))
    np.add.at(counts, (groups, side), 1)
    np.add.at(sums, (groups, side), values)
    with np.errstate(invalid="ignore"):
        return sums / counts


def _differences(table: Numbers, plan: Design) -> Numbers:
    """Return second minus first, of each pair."""
    rows = table[list(plan.pairs)]
    return rows[:, 1] - rows[:, 0]


def _apart(two: Two) -> float:
    """Return the share of ratings by raters who rated only one of the two conditions."""
    rater = two.ratings.rater
    sides = np.zeros((how_many(rater), 2))
    np.add.at(sides, (rater, two.second), 1)
    return float((sides.min(axis=1) == 0)[rater].mean())


def adjust(outcomes: list[Outcome]) -> None:
    """Add Holm's adjusted p over all given tests to each test that is defined.

    Mixed models are not counted as tests.
    """
    tests = [one["test"] for one in outcomes if one["test"]["value"] is not None]
    tests.sort(key=lambda test: test["p"]["value"])
    reached = 0.0
    for rank, test in enumerate(tests):
        reached = max(reached, min(1.0, (len(tests) - rank) * test["p"]["value"]))
        test["p_holm"] = defined(reached, tests=len(tests))
