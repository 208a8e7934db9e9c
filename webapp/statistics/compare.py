"""Two conditions compared on independent observations.

What is independent is the game, or the deal where several games share one: `design` decides which,
and whether observations are paired. Ratings are averaged before any test, raters within a moment
first, then moments within a game, games within a deal, so that neither an eager rater nor a long
game counts for more. If moments of a game hold both conditions, only those count in it.

Ratings by people have raters beside games, and both are a sample: their test is Student's t with an
error over both (`two_way`). What has no raters (`compare_games`) has a rank test over games.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np

from webapp.statistics.comparison_design import ALPHA, PAIRED, Design, design
from webapp.statistics.intervals import FEW_GAMES, LEVEL
from webapp.statistics.marks import Codes, Columns, Numbers, dense, how_many
from webapp.statistics.rank_tests import ZEROS, effect_interval, rank_sum, signed_rank
from webapp.statistics.reported_statistics import Outcome, defined, span, unknown, warnings
from webapp.statistics.two_way import NOTHING, Crossed

RATER_GROUPS = 20  # raters are left out by as many groups at most, for intervals of effects
APART = 0.5  # the share of ratings by raters of one condition only, from which it is said


def comparisons(ratings: Columns) -> list[Outcome]:
    """One comparison for each two conditions that have ratings, in the order of their names."""
    present = np.unique(ratings.condition)
    return [_comparison(ratings, a, b) for a, b in combinations(present.tolist(), 2)]


def _comparison(ratings: Columns, a: int, b: int) -> Outcome:
    names = {"a": ratings.conditions[a], "b": ratings.conditions[b]}
    return {**names, **compare_ratings(Two.of(ratings, a, b))}


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

    @cached_property
    def shares(self) -> Numbers:
        """The weight of each rating in the mean of its deal under its condition: 0 if unused."""
        both, side = self.ratings, self.second
        moments = dense(both.moment * 2 + side)
        first = np.unique(moments, return_index=True)[1]  # a rating of each moment and condition
        game, deal, of = both.game[first], both.deal[first], side[first]
        shared = np.bincount(both.moment[first])[both.moment[first]] == 2
        use = np.asarray(shared | ~(np.bincount(game, weights=shared)[game] > 0))
        if self.design.within:  # only games that hold both
            has_side = np.zeros((how_many(game), 2), dtype=bool)
            has_side[game[use], of[use]] = True
            use &= (has_side[:, 0] & has_side[:, 1])[game]
        of_games = np.bincount(game * 2 + of, weights=use)
        at = np.unique((game * 2 + of)[use], return_index=True)[1]  # each game's side once
        of_deals = np.bincount((deal * 2 + of)[use][at], minlength=2 * how_many(deal))
        weights = np.zeros(len(first))
        weights[use] = 1 / (of_games[game * 2 + of] * of_deals[deal * 2 + of])[use]
        return (weights / np.bincount(moments))[moments]

    @cached_property
    def weights(self) -> Numbers:
        """The weight of each rating in the difference, second minus first."""
        plan, deal = self.design, self.ratings.deal
        sides = (plan.pairs, plan.pairs) if plan.kind == PAIRED else (plan.first, plan.second)
        weights = np.zeros(len(deal))
        for side, sign in enumerate((-1, 1)):
            own = (self.second == side) & np.isin(deal, sides[side])
            weights[own] = sign * self.shares[own] / len(sides[side])
        return weights

    @property
    def table(self) -> Numbers:
        """(deals, 2): the mean of each deal under each condition, NaN where it has none."""
        return self._table(np.ones(len(self.second)))

    def _table(self, chosen: Numbers) -> Numbers:
        at = self.ratings.deal * 2 + self.second
        size = 2 * how_many(self.ratings.deal)
        parts = self.shares * chosen
        sums = np.bincount(at, weights=parts * self.ratings.values, minlength=size)
        shares = np.bincount(at, weights=parts, minlength=size)
        with np.errstate(invalid="ignore", divide="ignore"):
            means: Numbers = np.where(shares > 0, sums / shares, np.nan).reshape(-1, 2)
        return means

    @property
    def tables_without_raters(self) -> list[Numbers]:
        """The table without each rater, or without each of twenty groups of raters."""
        group = self.ratings.rater % RATER_GROUPS
        return [self._table((group != one).astype(float)) for one in np.unique(group)]


def compare_games(two: Two) -> Outcome:
    """Return the design, a rank test over games with its effect size, and the difference."""
    plan = two.design
    outcome: Outcome = {"design": plan.kind or None, "by": plan.by if plan.kind else None}
    outcome |= {"within": plan.within, "zero_method": ZEROS, "left_out": plan.left_out}
    if not plan.kind:
        none = unknown("nothing_comparable")
        return {**outcome, "n": 0, "zeros": 0, "test": none, "effect": none, "difference": none,
                "population": None, "care": []}  # fmt: skip
    table = two.table
    if plan.kind == PAIRED:
        test_outcome = signed_rank(table[list(plan.pairs), 1] - table[list(plan.pairs), 0])
    else:
        test_outcome = rank_sum(table[list(plan.first), 0], table[list(plan.second), 1])
    outcome |= {**test_outcome, "population": "new_games", "least_p": plan.least_p}
    if outcome["effect"]["value"] is not None:
        outcome["effect"]["ci"] = effect_interval(table, plan)
    outcome["care"] = [*outcome["care"], *warnings(games_left_out=plan.left_out > 0)]
    return outcome


def compare_ratings(two: Two) -> Outcome:
    """Return the same as `compare_games`, its test and intervals over raters and games."""
    outcome = compare_games(two)
    if not two.design.kind:
        return outcome
    crossed = Crossed.of(two.weights, two.second, two.ratings.rater, two.ratings.deal)
    outcome["raters"] = crossed.raters
    outcome["population"] = "these_raters" if crossed.few_raters else "new_raters_and_games"
    outcome["care"] = warnings(
        games_left_out=two.design.left_out > 0,
        few_groups=crossed.games < FEW_GAMES,
        raters_apart=_apart(two) > APART,
    )
    del outcome["least_p"]
    interval, test = _over_both(two, crossed, outcome["difference"]["value"])
    outcome["difference"] = {**outcome["difference"], "ci": interval}
    if outcome["effect"]["value"] is not None and not crossed.few_raters:
        outcome["effect"]["ci"] = effect_interval(two.table, two.design, two.tables_without_raters)
    return {**outcome, "test": test}


def _over_both(two: Two, crossed: Crossed, difference: float) -> tuple[Outcome, Outcome]:
    """Return the interval of the difference and its test, Student's t over raters and games."""
    from scipy import stats

    facts = {"clusters": crossed.games, "raters": crossed.raters}
    fewest = min(len(two.design.first), len(two.design.second))
    if two.design.kind != PAIRED and fewest < 2:
        return unknown("one_on_a_side", **facts), unknown("one_on_a_side")
    if crossed.games < 2:
        return unknown("one_pair", **facts), unknown("one_pair")
    error = crossed.error(two.ratings.values)
    squared, freedom = float(error.squared), float(error.freedom)
    if squared < NOTHING:
        return unknown("no_spread_between", **facts), unknown("no_spread_between")
    se = sqrt(squared)
    half = float(stats.t.ppf((1 + LEVEL) / 2, freedom)) * se
    method = {"method": "t over games" if crossed.few_raters else "t over raters and games"}
    interval = span(difference - half, difference + half, **method, df=freedom, **facts, care=[])
    if crossed.few_raters:
        return interval, unknown("few_raters")
    test = defined(
        difference / se,
        name="t over raters and games",
        statistic="t",
        p=defined(2 * float(stats.t.sf(abs(difference) / se, freedom))),
        se=defined(se),
        df=freedom,
    )
    return interval, test


def _apart(two: Two) -> float:
    """The share of ratings that come from raters who rated only one of the two conditions."""
    rater = two.ratings.rater
    sides = np.zeros((how_many(rater), 2))
    np.add.at(sides, (rater, two.second), 1)
    return float((sides.min(axis=1) == 0)[rater].mean())


def adjust(family: Sequence[Outcome], alpha: float = ALPHA) -> None:
    """Add Holm's adjusted p, over one family of comparisons, to each test that is defined.

    A rank test that can't reach `alpha` in so large a family says so.
    """
    defined_ones = [one for one in family if one["test"]["value"] is not None]
    reached = 0.0
    for rank, one in enumerate(sorted(defined_ones, key=lambda one: one["test"]["p"]["value"])):
        tests = len(defined_ones)
        reached = max(reached, min(1.0, (tests - rank) * one["test"]["p"]["value"]))
        one["test"]["p_holm"] = defined(reached, tests=tests)
        if one.get("least_p", 0.0) * tests >= alpha:
            one["care"] = [*one["care"], "out_of_reach"]


def split_families(
    keyed_comparisons: Iterable[tuple[str, Outcome]],
    planned: Iterable[Mapping[str, Any]],
    alpha: float = ALPHA,
) -> None:
    """Label each comparison confirmatory or exploratory, and adjust p within either family.

    Args:
        keyed_comparisons: Each with the key of its item.
        planned: The confirmatory tests: {"item", "a", "b", "margin"} each.
        alpha: The level of confirmatory tests at the end, below .05 if a look was planned.
    """
    tests = {(one["item"], frozenset((one["a"], one["b"]))): one for one in planned}
    families: dict[str, list[Outcome]] = {"confirmatory": [], "exploratory": []}
    for item, one in keyed_comparisons:
        test = tests.get((item, frozenset((one["a"], one["b"]))))
        one["family"] = "exploratory" if test is None else "confirmatory"
        families[one["family"]].append(one)
        if test and test.get("margin"):
            one["equivalence"] = equivalence(one, float(test["margin"]))
    adjust(families["confirmatory"], alpha)
    adjust(families["exploratory"])


def equivalence(comparison: Outcome, margin: float) -> Outcome:
    """Return two one-sided tests of a difference beyond `margin`: the greater of their p.

    They rest on Student's t of the interval of the difference, whatever the test beside it is.
    """
    from scipy import stats

    interval = comparison["difference"].get("ci") or comparison["difference"]
    for outcome in (comparison["test"], interval):
        if outcome["value"] is None:
            return unknown(outcome["why"], margin=margin)
    low, high = interval["value"]
    df = interval.get("df", interval["clusters"] - 1)
    error = (high - low) / 2 / float(stats.t.ppf((1 + LEVEL) / 2, df))
    beyond = (margin - abs(comparison["difference"]["value"])) / error
    return defined(float(stats.t.sf(beyond, df)), margin=margin)
