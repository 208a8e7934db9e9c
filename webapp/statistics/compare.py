"""Comparison of two conditions on independent observations.

Ratings are averaged before any test: over the raters of a moment, then the moments of a game, then
the games of a deal. A rater with many ratings or a long game therefore counts no more than others.
If moments of a game have both conditions, only these count.

Ratings by people are a sample of raters and of games: their test is Student's t with an error over
both (`raters_and_games`). Values without raters (`compare_games`) have a rank test over games.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import sqrt
from typing import Any, Self

import numpy as np

from webapp.statistics.comparison_design import ALPHA, PAIRED, ComparisonDesign, choose_design
from webapp.statistics.intervals import FEW_GAMES, t_quantile
from webapp.statistics.marks import Codes, Columns, Numbers, count_groups, renumber
from webapp.statistics.rank_tests import (
    ZERO_METHOD,
    effect_interval,
    observations,
    rank_sum,
    signed_rank,
)
from webapp.statistics.raters_and_games import MIN_SQUARED_ERROR, CrossedWeights
from webapp.statistics.reported_statistics import (
    Outcome,
    defined,
    defined_interval,
    undefined,
    warning_keys,
)

RATER_GROUPS = 20  # maximum number of groups of raters that a jackknife leaves out in turn
# A larger share of ratings by raters of one condition only gives a warning.
MAX_ONE_SIDED_SHARE = 0.5


def compare_conditions(ratings: Columns) -> list[Outcome]:
    """Return a comparison of every two conditions that have ratings, in the order of names."""
    names = ratings.conditions
    return [
        {"a": names[a], "b": names[b]} | compare_ratings(ConditionPair.from_columns(ratings, a, b))
        for a, b in combinations(np.unique(ratings.condition).tolist(), 2)
    ]


@dataclass(frozen=True)
class ConditionPair:
    """The ratings of two conditions, and the design of their comparison."""

    ratings: Columns
    side: Codes  # 0 for a rating under the first condition, 1 for one under the second
    design: ComparisonDesign

    @classmethod
    def from_columns(cls, ratings: Columns, a: int, b: int) -> Self:
        """Select the ratings under the conditions with the codes a and b."""
        both = ratings.select((ratings.condition == a) | (ratings.condition == b))
        side = (both.condition == b).astype(np.intp)
        rated_sides = set(zip(both.deal.tolist(), both.game.tolist(), side.tolist(), strict=True))
        design = choose_design((deal, game, bool(second)) for deal, game, second in rated_sides)
        return cls(both, side, design)

    @cached_property
    def shares(self) -> Numbers:
        """The weight of each rating in the mean of its deal under its condition: 0 if unused.

        A *cell* is a moment under one condition. Its ratings share its weight equally.
        """
        both = self.ratings
        cells = renumber(both.moment * 2 + self.side)
        rows = np.unique(cells, return_index=True)[1]  # the first rating of each cell
        moment, game, deal = both.moment[rows], both.game[rows], both.deal[rows]
        side = self.side[rows]
        is_shared = np.bincount(moment)[moment] == 2  # the moment has both conditions
        is_used = np.asarray(is_shared | ~(np.bincount(game, weights=is_shared)[game] > 0))
        if self.design.is_within_games:  # only games with both conditions
            has_side = np.zeros((count_groups(game), 2), dtype=bool)
            has_side[game[is_used], side[is_used]] = True
            is_used &= (has_side[:, 0] & has_side[:, 1])[game]
        game_side, deal_side = game * 2 + side, deal * 2 + side
        cells_of_games = np.bincount(game_side, weights=is_used)
        once = np.unique(game_side[is_used], return_index=True)[1]  # each side of a game once
        games_of_deals = np.bincount(deal_side[is_used][once], minlength=2 * count_groups(deal))
        weights = np.zeros(len(rows))
        weights[is_used] = 1 / (cells_of_games[game_side] * games_of_deals[deal_side])[is_used]
        return (weights / np.bincount(cells))[cells]

    @cached_property
    def weights(self) -> Numbers:
        """The weight of each rating in the difference, second minus first."""
        weights = np.zeros(len(self.side))
        for side, (sign, deals) in enumerate(zip((-1, 1), self.design.deals, strict=True)):
            own = (self.side == side) & np.isin(self.ratings.deal, deals)
            weights[own] = sign * self.shares[own] / len(deals)
        return weights

    @property
    def table(self) -> Numbers:
        """The mean of each deal under each condition, shape (deals, 2), NaN where it has none."""
        return self._table(np.ones(len(self.side)))

    def _table(self, chosen: Numbers) -> Numbers:
        """Return `table` from some of the ratings: `chosen` is 1 for these and 0 for others."""
        deal_side, size = self.ratings.deal * 2 + self.side, 2 * count_groups(self.ratings.deal)
        weights = self.shares * chosen
        sums = np.bincount(deal_side, weights=weights * self.ratings.values, minlength=size)
        totals = np.bincount(deal_side, weights=weights, minlength=size)
        with np.errstate(invalid="ignore", divide="ignore"):
            means: Numbers = np.where(totals > 0, sums / totals, np.nan).reshape(-1, 2)
        return means

    @property
    def tables_without_raters(self) -> list[Numbers]:
        """The tables without each rater, or without each of RATER_GROUPS groups of raters."""
        group = self.ratings.rater % RATER_GROUPS
        return [self._table((group != left_out).astype(float)) for left_out in np.unique(group)]


def compare_games(pair: ConditionPair) -> Outcome:
    """Return the design, a rank test over games with its effect size, and the difference."""
    design = pair.design
    outcome: Outcome = {
        "design": design.kind or None,
        "by": design.by if design.kind else None,
        "within": design.is_within_games,
        "zero_method": ZERO_METHOD,
        "left_out": design.left_out,
    }
    if not design.kind:
        none = undefined("nothing_comparable")
        return {**outcome, "n": 0, "zeros": 0, "test": none, "effect": none, "difference": none,
                "population": None, "care": []}  # fmt: skip
    table = pair.table
    sides = observations(table, design)
    test = signed_rank(*sides) if design.kind == PAIRED else rank_sum(*sides)
    outcome |= {**test, "population": "new_games", "least_p": design.least_p}
    if outcome["effect"]["value"] is not None:
        outcome["effect"]["ci"] = effect_interval(table, design)
    outcome["care"] = [*outcome["care"], *warning_keys(games_left_out=design.left_out > 0)]
    return outcome


def compare_ratings(pair: ConditionPair) -> Outcome:
    """Return what `compare_games` returns, but with test and intervals over raters and games."""
    outcome = compare_games(pair)
    if not pair.design.kind:
        return outcome
    ratings = pair.ratings
    crossed = CrossedWeights.from_ratings(pair.weights, pair.side, ratings.rater, ratings.deal)
    outcome["raters"] = crossed.number_of_raters
    outcome["population"] = "these_raters" if crossed.has_few_raters else "new_raters_and_games"
    outcome["care"] = warning_keys(
        games_left_out=pair.design.left_out > 0,
        few_groups=crossed.number_of_games < FEW_GAMES,
        raters_apart=_one_sided_share(pair) > MAX_ONE_SIDED_SHARE,
    )
    del outcome["least_p"]  # it belongs to the rank test, which the t test replaces
    difference = outcome["difference"]["value"]
    difference_interval, test = _test_over_raters_and_games(pair, crossed, difference)
    outcome["difference"] = {**outcome["difference"], "ci": difference_interval}
    if outcome["effect"]["value"] is not None and not crossed.has_few_raters:
        interval = effect_interval(pair.table, pair.design, pair.tables_without_raters)
        outcome["effect"]["ci"] = interval
    return {**outcome, "test": test}


def _test_over_raters_and_games(
    pair: ConditionPair, crossed: CrossedWeights, difference: float
) -> tuple[Outcome, Outcome]:
    """Return the interval of the difference and its test, Student's t over raters and games."""
    from scipy import stats

    facts = {"clusters": crossed.number_of_games, "raters": crossed.number_of_raters}
    if pair.design.kind != PAIRED and min(map(len, pair.design.deals)) < 2:
        return undefined("one_on_a_side", **facts), undefined("one_on_a_side")
    if crossed.number_of_games < 2:
        return undefined("one_pair", **facts), undefined("one_pair")
    error = crossed.error(pair.ratings.values)
    squared, degrees_of_freedom = float(error.value), float(error.degrees_of_freedom)
    if squared < MIN_SQUARED_ERROR:
        return undefined("no_spread_between", **facts), undefined("no_spread_between")
    se = sqrt(squared)
    half = t_quantile(degrees_of_freedom) * se
    method = {"method": "t over games" if crossed.has_few_raters else "t over raters and games"}
    interval = defined_interval(
        difference - half, difference + half, **method, df=degrees_of_freedom, **facts, care=[]
    )
    if crossed.has_few_raters:
        return interval, undefined("few_raters")
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
    np.add.at(sides, (rater, pair.side), 1)
    return float((sides.min(axis=1) == 0)[rater].mean())


def adjust_p_values(family: Sequence[Outcome], alpha: float = ALPHA) -> None:
    """Add Holm's adjusted p to each defined test of one family of comparisons.

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
    """Return the greater p of two one-sided tests of a difference beyond `margin` (TOST).

    They use Student's t of the interval of the difference, whatever the test of the comparison is.
    """
    from scipy import stats

    interval = comparison["difference"].get("ci") or comparison["difference"]
    for outcome in (comparison["test"], interval):
        if outcome["value"] is None:
            return undefined(outcome["why"], margin=margin)
    low, high = interval["value"]
    df = interval.get("df", interval["clusters"] - 1)
    error = (high - low) / 2 / t_quantile(df)
    beyond = (margin - abs(comparison["difference"]["value"])) / error
    return defined(float(stats.t.sf(beyond, df)), margin=margin)
