"""Compares two conditions on independent observations.

The independent unit is the game, or the deal if several games share one: `comparison_design`
chooses which, and whether observations are paired. Ratings are averaged before any test: raters
within a moment first, then moments within a game, games within a deal. So a rater with many ratings
and a long game do not count for more. If moments of a game have both conditions, only these count.

Ratings by people are a sample of raters and of games: their test is Student's t with an error over
both (`raters_and_games`). Values without raters (`compare_games`) have a rank test over games.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np

from webapp.statistics.comparison_design import ALPHA, PAIRED, Design, choose_design
from webapp.statistics.intervals import FEW_GAMES, LEVEL
from webapp.statistics.marks import Codes, Columns, Numbers, count_groups, renumber
from webapp.statistics.rank_tests import ZERO_METHOD, effect_interval, rank_sum, signed_rank
from webapp.statistics.raters_and_games import MIN_SQUARED_ERROR, CrossedWeights
from webapp.statistics.reported_statistics import Outcome, defined, span, unknown, warnings

RATER_GROUPS = 20  # most groups of raters that are left out in turn, for intervals of effects
# Share of ratings by raters of one condition only; above it the comparison has a warning.
MAX_ONE_SIDED_SHARE = 0.5


def compare_conditions(ratings: Columns) -> list[Outcome]:
    """Return a comparison of every two conditions that have ratings, in the order of names."""
    present = np.unique(ratings.condition)
    return [_compare_pair(ratings, a, b) for a, b in combinations(present.tolist(), 2)]


def _compare_pair(ratings: Columns, a: int, b: int) -> Outcome:
    names = {"a": ratings.conditions[a], "b": ratings.conditions[b]}
    return {**names, **compare_ratings(ConditionPair.from_columns(ratings, a, b))}


@dataclass(frozen=True)
class ConditionPair:
    """The ratings of two conditions, and the design of their comparison.

    Attributes:
        second: 1 for a rating under the second condition, else 0.
    """

    ratings: Columns
    second: Codes
    design: Design

    @classmethod
    def from_columns(cls, ratings: Columns, a: int, b: int) -> ConditionPair:
        """Select the ratings under the conditions with the codes a and b."""
        both = ratings.select((ratings.condition == a) | (ratings.condition == b))
        second = (both.condition == b).astype(np.intp)
        cell_keys = set(zip(both.deal.tolist(), both.game.tolist(), second.tolist(), strict=True))
        return cls(
            both, second, choose_design((deal, game, bool(side)) for deal, game, side in cell_keys)
        )

    @cached_property
    def shares(self) -> Numbers:
        """The weight of each rating in the mean of its deal under its condition: 0 if unused."""
        both, side = self.ratings, self.second
        moments = renumber(both.moment * 2 + side)
        first = np.unique(moments, return_index=True)[1]  # a rating of each moment and condition
        game, deal, of = both.game[first], both.deal[first], side[first]
        shared = np.bincount(both.moment[first])[both.moment[first]] == 2
        use = np.asarray(shared | ~(np.bincount(game, weights=shared)[game] > 0))
        if self.design.within:  # only games that hold both
            has_side = np.zeros((count_groups(game), 2), dtype=bool)
            has_side[game[use], of[use]] = True
            use &= (has_side[:, 0] & has_side[:, 1])[game]
        of_games = np.bincount(game * 2 + of, weights=use)
        first_rows = np.unique((game * 2 + of)[use], return_index=True)[1]  # each game's side once
        of_deals = np.bincount((deal * 2 + of)[use][first_rows], minlength=2 * count_groups(deal))
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
        """The mean of each deal under each condition, shape (deals, 2), NaN where it has none."""
        return self._table(np.ones(len(self.second)))

    def _table(self, chosen: Numbers) -> Numbers:
        cell_codes = self.ratings.deal * 2 + self.second
        size = 2 * count_groups(self.ratings.deal)
        parts = self.shares * chosen
        sums = np.bincount(cell_codes, weights=parts * self.ratings.values, minlength=size)
        shares = np.bincount(cell_codes, weights=parts, minlength=size)
        with np.errstate(invalid="ignore", divide="ignore"):
            means: Numbers = np.where(shares > 0, sums / shares, np.nan).reshape(-1, 2)
        return means

    @property
    def tables_without_raters(self) -> list[Numbers]:
        """The tables without each rater, or without each of RATER_GROUPS groups of raters."""
        group = self.ratings.rater % RATER_GROUPS
        return [self._table((group != left_out).astype(float)) for left_out in np.unique(group)]


def compare_games(pair: ConditionPair) -> Outcome:
    """Return the design, a rank test over games with its effect size, and the difference."""
    plan = pair.design
    outcome: Outcome = {"design": plan.kind or None, "by": plan.by if plan.kind else None}
    outcome |= {"within": plan.within, "zero_method": ZERO_METHOD, "left_out": plan.left_out}
    if not plan.kind:
        none = unknown("nothing_comparable")
        return {**outcome, "n": 0, "zeros": 0, "test": none, "effect": none, "difference": none,
                "population": None, "care": []}  # fmt: skip
    table = pair.table
    if plan.kind == PAIRED:
        test_outcome = signed_rank(table[list(plan.pairs), 1] - table[list(plan.pairs), 0])
    else:
        test_outcome = rank_sum(table[list(plan.first), 0], table[list(plan.second), 1])
    outcome |= {**test_outcome, "population": "new_games", "least_p": plan.least_p}
    if outcome["effect"]["value"] is not None:
        outcome["effect"]["ci"] = effect_interval(table, plan)
    outcome["care"] = [*outcome["care"], *warnings(games_left_out=plan.left_out > 0)]
    return outcome


def compare_ratings(pair: ConditionPair) -> Outcome:
    """Return what `compare_games` returns, with test and intervals over raters and games."""
    outcome = compare_games(pair)
    if not pair.design.kind:
        return outcome
    crossed = CrossedWeights.from_ratings(
        pair.weights, pair.second, pair.ratings.rater, pair.ratings.deal
    )
    outcome["raters"] = crossed.number_of_raters
    outcome["population"] = "these_raters" if crossed.has_few_raters else "new_raters_and_games"
    outcome["care"] = warnings(
        games_left_out=pair.design.left_out > 0,
        few_groups=crossed.number_of_games < FEW_GAMES,
        raters_apart=_one_sided_share(pair) > MAX_ONE_SIDED_SHARE,
    )
    del outcome["least_p"]
    interval, test = _test_over_raters_and_games(pair, crossed, outcome["difference"]["value"])
    outcome["difference"] = {**outcome["difference"], "ci": interval}
    if outcome["effect"]["value"] is not None and not crossed.has_few_raters:
        outcome["effect"]["ci"] = effect_interval(
            pair.table, pair.design, pair.tables_without_raters
        )
    return {**outcome, "test": test}


def _test_over_raters_and_games(
    pair: ConditionPair, crossed: CrossedWeights, difference: float
) -> tuple[Outcome, Outcome]:
    """Return the interval of the difference and its test, Student's t over raters and games."""
    from scipy import stats

    facts = {"clusters": crossed.number_of_games, "raters": crossed.number_of_raters}
    fewest = min(len(pair.design.first), len(pair.design.second))
    if pair.design.kind != PAIRED and fewest < 2:
        return unknown("one_on_a_side", **facts), unknown("one_on_a_side")
    if crossed.number_of_games < 2:
        return unknown("one_pair", **facts), unknown("one_pair")
    error = crossed.error(pair.ratings.values)
    squared, degrees_of_freedom = float(error.value), float(error.degrees_of_freedom)
    if squared < MIN_SQUARED_ERROR:
        return unknown("no_spread_between", **facts), unknown("no_spread_between")
    se = sqrt(squared)
    half = float(stats.t.ppf((1 + LEVEL) / 2, degrees_of_freedom)) * se
    method = {"method": "t over games" if crossed.has_few_raters else "t over raters and games"}
    interval = span(
        difference - half, difference + half, **method, df=degrees_of_freedom, **facts, care=[]
    )
    if crossed.has_few_raters:
        return interval, unknown("few_raters")
    test = defined(
        difference / se,
        name="t over raters and games",
        statistic="t",
        p=defined(2 * float(stats.t.sf(abs(difference) / se, degrees_of_freedom))),
        se=defined(se),
        df=degrees_of_freedom,
    )
    return interval, test


def _one_sided_share(pair: ConditionPair) -> float:
    """Return the share of ratings by raters who rated only one of the two conditions."""
    rater = pair.ratings.rater
    sides = np.zeros((count_groups(rater), 2))
    np.add.at(sides, (rater, pair.second), 1)
    return float((sides.min(axis=1) == 0)[rater].mean())


def adjust_p_values(family: Sequence[Outcome], alpha: float = ALPHA) -> None:
    """Add Holm's adjusted p, over one family of comparisons, to each test that is defined.

    A rank test gets a warning if no values could reach `alpha` in a family of this size.
    """
    tested = [comparison for comparison in family if comparison["test"]["value"] is not None]
    tested.sort(key=lambda comparison: comparison["test"]["p"]["value"])
    tests, reached = len(tested), 0.0
    for rank, comparison in enumerate(tested):
        reached = max(reached, min(1.0, (tests - rank) * comparison["test"]["p"]["value"]))
        comparison["test"]["p_holm"] = defined(reached, tests=tests)
        if comparison.get("least_p", 0.0) * tests >= alpha:
            comparison["care"] = [*comparison["care"], "out_of_reach"]


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
    tests = {(test["item"], frozenset((test["a"], test["b"]))): test for test in planned}
    families: dict[str, list[Outcome]] = {"confirmatory": [], "exploratory": []}
    for item, comparison in keyed_comparisons:
        test = tests.get((item, frozenset((comparison["a"], comparison["b"]))))
        comparison["family"] = "exploratory" if test is None else "confirmatory"
        families[comparison["family"]].append(comparison)
        if test and test.get("margin"):
            comparison["equivalence"] = equivalence_test(comparison, float(test["margin"]))
    adjust_p_values(families["confirmatory"], alpha)
    adjust_p_values(families["exploratory"])


def equivalence_test(comparison: Outcome, margin: float) -> Outcome:
    """Return the greater p of two one-sided tests that the difference is beyond `margin`.

    They use Student's t of the interval of the difference, whatever the test of the comparison is.
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
