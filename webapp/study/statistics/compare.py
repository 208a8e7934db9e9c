"""Two conditions compared on independent units: Wilcoxon's signed-rank test and its effect size.

What is independent: the game. Ratings of one game share its players, its story and its lucky deal,
so neither two raters of one utterance nor two utterances of one game are independent evidence about
a condition. Ratings are therefore averaged before any test, raters within a moment first, then
moments within a game, so that neither an eager rater nor a long game counts for more.

Pairing, the first that the design allows:

1. by game, where at least two games hold both conditions (always so when two answers to the same
   moment stand side by side). If moments of the game hold both conditions, only those count.
2. otherwise by rater, where raters rated both: a rater's mean under each. The test then
   generalises to raters, not to games, and says so.

The choice rests on who rated what, never on the values. Zero differences are kept in the ranking
and then left out of the sums (Pratt), fixed beforehand. Up to fifty pairs p is exact, also with
ties and zeros, by the distribution of the rank sum over all signs; beyond, normal. Differences
are rounded to nine decimals before ranking: otherwise 4.2 - 3.2 and 3.1 - 2.1 would not tie.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy import stats

from webapp.study.statistics.bootstrap import mean_interval
from webapp.study.statistics.columns import Codes, Columns, Numbers, dense, how_many, means
from webapp.study.statistics.outcomes import Outcome, known, plain, unknown, warnings

ZEROS = "pratt"
FEW_PAIRS = 6
EXACT_UP_TO = 50  # pairs; SciPy is exact up to there only without ties and zeros
DIGITS = 9


def comparisons(ratings: Columns) -> list[Outcome]:
    """One comparison for each two conditions that have ratings, in the order of their names."""
    present = np.unique(ratings.condition)
    return [_comparison(ratings, a, b) for a, b in combinations(present.tolist(), 2)]


def _comparison(ratings: Columns, a: int, b: int) -> Outcome:
    by, differences = paired(ratings, a, b)
    names = {"a": ratings.conditions[a], "b": ratings.conditions[b]}
    return {**names, "by": by, "zero_method": ZEROS, **signed_rank(differences, by)}


def paired(ratings: Columns, a: int, b: int) -> tuple[str | None, Numbers]:
    """What is paired ("game", "rater" or None), and b minus a for each pair."""
    both = ratings.of((ratings.condition == a) | (ratings.condition == b))
    second = (both.condition == b).astype(np.intp)
    by_game = _game_differences(both, second)
    if len(by_game) > 1:
        return "game", by_game
    by_rater = _differences(both.values, both.rater, second)
    if len(by_rater):
        return "rater", by_rater
    return ("game", by_game) if len(by_game) else (None, by_game)


def _game_differences(both: Columns, second: Codes) -> Numbers:
    """Per game that holds both: mean over its moments of the raters' mean, b minus a."""
    cells = dense(both.moment * 2 + second)
    first = np.unique(cells, return_index=True)[1]  # one rating of each moment and condition
    values = means(both.values, cells)
    moment, game, side = both.moment[first], both.game[first], second[first]
    shared = np.bincount(moment, minlength=how_many(moment))[moment] == 2
    has_shared = np.bincount(game, weights=shared, minlength=how_many(game))[game] > 0
    use = shared | ~has_shared
    return _differences(values[use], game[use], side[use])


def _differences(values: Numbers, groups: Codes, second: Codes) -> Numbers:
    """Mean of the second side minus mean of the first, for each group that has both sides."""
    if not len(values):
        return values
    counts = np.zeros((how_many(groups), 2))
    sums = np.zeros_like(counts)
    np.add.at(counts, (groups, second), 1)
    np.add.at(sums, (groups, second), values)
    both = counts.min(axis=1) > 0
    mean = sums[both] / counts[both]
    differences: Numbers = np.round(mean[:, 1] - mean[:, 0], DIGITS) + 0.0
    return differences


def signed_rank(differences: Numbers, by: str | None) -> Outcome:
    """n, the test, the rank-biserial correlation and the mean difference with its interval."""
    n, zeros = len(differences), int((differences == 0).sum())
    if not n:
        none = unknown("no_pairs")
        return {"n": 0, "zeros": 0, "test": none, "effect": none, "difference": none, "care": []}
    care = warnings(few_pairs=n < FEW_PAIRS, paired_by_rater=by == "rater")
    interval = mean_interval(differences, np.arange(n), "one_pair")
    found = {"n": n, "zeros": zeros, "difference": known(differences.mean(), ci=interval)}
    if zeros == n:
        none = unknown("no_differences")
        return {**found, "test": none, "effect": none, "care": care}
    ranks = stats.rankdata(np.abs(differences))
    plus, minus = ranks[differences > 0].sum(), ranks[differences < 0].sum()
    how, p = _p_value(differences, ranks, plus)
    return {
        **found,
        "test": known(
            min(plus, minus),
            p=known(p),
            method=how,
            w_plus=plain(plus),
            w_minus=plain(minus),
        ),
        "effect": known((plus - minus) / (plus + minus)),
        "care": care,
    }


def _p_value(differences: Numbers, ranks: Numbers, plus: float) -> tuple[str, float]:
    """How p was found, and p (two-sided, no continuity correction)."""
    if len(differences) <= EXACT_UP_TO:
        return "exact", exact_p(ranks[differences != 0], plus)
    found = stats.wilcoxon(
        differences, zero_method=ZEROS, correction=False, method="asymptotic"
    )  # with the corrections for ties and zeros
    return "normal approximation", float(found.pvalue)


def exact_p(ranks: Numbers, plus: float) -> float:
    """Twice the smaller chance of a sum up to, or from, `plus`, when each of the ranks is taken
    with chance 1/2. Ties give halves: everything is counted in half ranks."""
    halves = np.rint(2 * ranks).astype(int)
    chances = np.ones(1)
    for half in halves:
        grown = np.zeros(len(chances) + half)
        grown[: len(chances)] += chances / 2
        grown[half:] += chances / 2
        chances = grown
    at = round(2 * plus)
    return float(min(1.0, 2 * min(chances[: at + 1].sum(), chances[at:].sum())))


def adjust(found: list[Outcome]) -> None:
    """Adds Holm's adjusted p, over all the tests given, to each test that is defined."""
    tests = [one["test"] for one in found if one["test"]["value"] is not None]
    tests.sort(key=lambda test: test["p"]["value"])
    reached = 0.0
    for rank, test in enumerate(tests):
        reached = max(reached, min(1.0, (len(tests) - rank) * test["p"]["value"]))
        test["p_holm"] = known(reached, tests=len(tests))
