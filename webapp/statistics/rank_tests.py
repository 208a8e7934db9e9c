"""Rank tests of two conditions over games, with effect size and difference of means.

Unpaired games are compared by Brunner and Munzel's test as a permutation test (Neubert and Brunner
2007), and by Cliff's delta. Pairs are compared by Wilcoxon's signed-rank test with Pratt's zeros,
and by the matched-pairs rank-biserial. docs/statistics.md ("Tests without raters") has the reasons
and simulations.

Values are rounded to nine decimals for the ranks only: otherwise 4.2 - 3.2 and 3.1 - 2.1 would not
tie. Differences and their intervals are of unrounded means.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

import numpy as np

from webapp.statistics.comparison_design import PAIRED, ComparisonDesign
from webapp.statistics.intervals import (
    BLOCK_SIZE,
    BOOTSTRAP_SEED,
    SCALE_END_SHARE,
    clopper_pearson,
    paired_interval,
    welch_interval,
    welch_test,
)
from webapp.statistics.marks import Numbers
from webapp.statistics.reported_statistics import (
    Outcome,
    defined,
    defined_interval,
    json_number,
    undefined,
)

MAX_CHOICES = 20_000  # All choices of games are tried up to this number, else this many are drawn.
MAX_EXACT_PAIRS = 50  # SciPy computes an exact p only without ties and zeros.
MIN_DIFFERENT_PAIRS = 2  # The effect of one pair alone is 1 or -1, however small its difference.
STATISTIC_TOLERANCE = 1e-9  # statistics that differ by less are equal
ZERO_METHOD = "pratt"
RANKED_VALUE_DIGITS = 9


def round_for_ranks(values: Numbers) -> Numbers:
    """Round values so that equal ones tie.

    Differences must be rounded, not their terms: 3.666666667 - 3.333333333 is not 1/3.
    """
    return np.round(values, RANKED_VALUE_DIGITS) + 0.0  # without minus zero


def observations(table: Numbers, design: ComparisonDesign) -> list[Numbers]:
    """Return the independent values: [differences of pairs] or [first, second side].

    `table` has the mean of each deal under each condition, shape (deals, 2).
    """
    first, second = map(list, design.deals)
    if design.kind == PAIRED:
        return [table[first, 1] - table[first, 0]]
    return [table[first, 0], table[second, 1]]


def rank_sum(first: Numbers, second: Numbers) -> Outcome:
    """Return n, the test, Cliff's delta, and the difference of means with its interval.

    The difference is second minus first. Each side must have an observation.
    """
    sizes = {"n": len(first) + len(second), "n_a": len(first), "n_b": len(second), "zeros": 0}
    difference = defined(second.mean() - first.mean(), ci=welch_interval(first, second))
    outcome = {**sizes, "difference": difference, "care": []}
    first, second = round_for_ranks(first), round_for_ranks(second)
    pooled = np.concatenate([first, second])
    effect = defined(cliffs_delta(first, second))
    if np.ptp(pooled) == 0:
        return {**outcome, "test": undefined("all_alike"), "effect": effect}
    value, method, p = _brunner_munzel(pooled, len(second))
    welch = welch_test(first, second)
    by_t = p if welch is None else float(welch.pvalue)
    test = defined(
        value,
        name="Brunner–Munzel",
        statistic="B",
        p=defined(max(p, by_t)),
        method=method,
        p_permutation=defined(p),
        p_welch=None if welch is None else json_number(by_t),
    )
    return {**outcome, "test": test, "effect": effect}


def cliffs_delta(first: Numbers, second: Numbers) -> float:
    """Return the share of pairs of games with a higher second, less that with a lower second."""
    return float(np.sign(second[:, None] - first[None, :]).mean())


def _brunner_munzel(pooled: Numbers, chosen: int) -> tuple[float, str, float]:
    """Return the statistic, the method of p, and p of the permutation test.

    `pooled` are the values of all games. The last `chosen` are the second condition's.
    """
    count = len(pooled)
    # [i, j]: 1 if game j is below game i, 1/2 if they tie.
    below = (pooled[None, :] < pooled[:, None]) + 0.5 * (pooled[None, :] == pooled[:, None])
    is_second = np.arange(count) >= count - chosen
    observed = float(_studentized_statistics(below, is_second[None, :].astype(float))[0])
    is_exact = comb(count, chosen) <= MAX_CHOICES
    extreme_count = total = 0
    for block in _choices(count, chosen, is_exact=is_exact):
        statistics = np.abs(_studentized_statistics(below, block))
        extreme_count += int((statistics >= abs(observed) - STATISTIC_TOLERANCE).sum())
        total += len(block)
    if is_exact:
        return observed, "exact", extreme_count / total
    return observed, "drawn permutations", (extreme_count + 1) / (total + 1)


def _choices(count: int, chosen: int, *, is_exact: bool) -> Iterator[Numbers]:
    """Yield blocks (choices, games) with 1 for a game of the second condition, else 0."""
    if is_exact:
        picked = np.array(list(combinations(range(count), chosen)), dtype=np.intp)
        choices = np.zeros((len(picked), count))
        np.put_along_axis(choices, picked, 1.0, axis=1)
        yield choices
        return
    generator = np.random.default_rng(BOOTSTRAP_SEED)
    rows = max(1, BLOCK_SIZE // count)
    start = (np.arange(count) < chosen).astype(float)
    for at in range(0, MAX_CHOICES, rows):
        size = min(rows, MAX_CHOICES - at)
        yield generator.permuted(np.tile(start, (size, 1)), axis=1)


def _studentized_statistics(below: Numbers, second: Numbers) -> Numbers:
    """Return Brunner and Munzel's statistic of each choice (choices, games)."""
    first = 1 - second
    n, m = first.sum(axis=1), second.sum(axis=1)
    of_second = second * (first @ below.T) / n[:, None]  # share of the first below each
    of_first = first * (second @ below.T) / m[:, None]
    chance = of_second.sum(axis=1) / m
    squared = _squared_errors(of_second, second, m) + _squared_errors(of_first, first, n)
    # Complete separation has no variance: the smallest that the sample sizes allow replaces it.
    smallest = (0.5 / (n * m)) ** 2 / np.maximum(n, m)
    value: Numbers = (chance - 0.5) / np.sqrt(np.maximum(squared, smallest))
    return value


def _squared_errors(shares: Numbers, members: Numbers, size: Numbers) -> Numbers:
    """Return the squared error of each row's mean over its members."""
    deviations = (shares - (shares.sum(axis=1) / size)[:, None]) * members
    error: Numbers = (deviations**2).sum(axis=1) / np.maximum(size - 1, 1) / size
    return error


def effect_interval(
    table: Numbers, design: ComparisonDesign, without_raters: Sequence[Numbers] = ()
) -> Outcome:
    """Return the interval of the rank-biserial or of Cliff's delta.

    With the effect r, (1 + r)/2 is a share. Its error is a jackknife's over games, and over raters
    if `without_raters` has the tables without each of them. The interval is Clopper and Pearson's
    for the number of values that would have this error, at most the number of games. An interval
    over the whole range is undefined.
    """
    sides = observations(table, design)
    if min(map(len, sides)) < 2:
        return undefined("one_pair" if design.kind == PAIRED else "one_on_a_side")
    sizes = [float(len(side)) for side in sides]
    effective_n = sizes[0] if len(sizes) == 1 else 2 / (1 / sizes[0] + 1 / sizes[1])
    over_games = (_effects_without_each(sides, at) for at in range(len(sides)))
    squared_error = sum(map(_jackknife_squared_error, over_games))
    effects = []
    for table_without in without_raters:  # deals that only they rated have no mean there
        remaining = [side[~np.isnan(side)] for side in observations(table_without, design)]
        effects.append(_effect(remaining))
    squared_error += _jackknife_squared_error(effects)
    share = (1 + _effect(sides)) / 2
    if squared_error > 0:
        effective_n = min(effective_n, share * (1 - share) / (squared_error / 4))
    low, high = clopper_pearson(share, effective_n)
    if low < SCALE_END_SHARE and high > 1 - SCALE_END_SHARE:
        return undefined("whole_scale")
    return defined_interval(2 * low - 1, 2 * high - 1, method="jackknife, Clopper-Pearson", care=[])


def _effect(sides: Sequence[Numbers]) -> float:
    """Return Cliff's delta of two sides, the rank-biserial of one side of differences."""
    if len(sides) == 2:
        return cliffs_delta(round_for_ranks(sides[0]), round_for_ranks(sides[1]))
    return _rank_biserial(round_for_ranks(sides[0])) or 0.0


def _effects_without_each(sides: Sequence[Numbers], at: int) -> list[float]:
    """Return the effects without each observation of the side `at`."""
    return [
        _effect([np.delete(side, index) if at == of else side for of, side in enumerate(sides)])
        for index in range(len(sides[at]))
    ]


def _jackknife_squared_error(effects: Sequence[float]) -> float:
    """Return the squared error from the effects without one cluster each."""
    return (len(effects) - 1) * float(np.var(effects)) if effects else 0.0


def signed_rank(differences: Numbers) -> Outcome:
    """Return n, the test, the rank-biserial, and the mean of one or more differences."""
    difference = defined(differences.mean(), ci=paired_interval(differences))
    differences = round_for_ranks(differences)
    n, zeros = len(differences), int((differences == 0).sum())
    outcome = {"n": n, "zeros": zeros, "difference": difference, "care": []}
    if zeros == n:
        none = undefined("no_differences")
        return {**outcome, "test": none, "effect": none}
    ranks, plus, minus = _rank_sums(differences)
    method, p = _signed_rank_p(differences, ranks, plus)
    test = defined(
        min(plus, minus),
        name="Wilcoxon signed-rank",
        statistic="W",
        p=defined(p),
        method=method,
        w_plus=json_number(plus),
        w_minus=json_number(minus),
    )
    effect = undefined("one_difference")
    if n - zeros >= MIN_DIFFERENT_PAIRS:
        effect = defined((plus - minus) / (plus + minus))
    return {**outcome, "test": test, "effect": effect}


def _rank_sums(differences: Numbers) -> tuple[Numbers, float, float]:
    """Return the ranks of the absolute differences, and their sums over rises and over falls."""
    from scipy import stats

    ranks = stats.rankdata(np.abs(differences))
    return ranks, ranks[differences > 0].sum(), ranks[differences < 0].sum()


def _rank_biserial(differences: Numbers) -> float | None:
    """Return the matched-pairs rank-biserial, None if no pair differs."""
    _ranks, plus, minus = _rank_sums(differences)
    return float((plus - minus) / (plus + minus)) if plus + minus else None


def _signed_rank_p(differences: Numbers, ranks: Numbers, plus: float) -> tuple[str, float]:
    """Return the method and p (two-sided, no continuity correction)."""
    if len(differences) <= MAX_EXACT_PAIRS:
        return "exact", _exact_signed_rank_p(ranks[differences != 0], plus)
    from scipy import stats

    test = stats.wilcoxon(
        differences, zero_method=ZERO_METHOD, correction=False, method="asymptotic"
    )  # SciPy corrects for ties and zeros
    return "normal approximation", float(test.pvalue)


def _exact_signed_rank_p(ranks: Numbers, plus: float) -> float:
    """Return the two-sided p of `plus`, the sum of the ranks of positive differences.

    Under the null, each rank is in the sum with probability 1/2. p is twice the smaller probability
    of a sum up to, or from, `plus`. Sums are counted in half ranks, because of ties.
    """
    halves = np.rint(2 * ranks).astype(int)
    chances = np.ones(1)
    for half in halves:
        grown = np.zeros(len(chances) + half)
        grown[: len(chances)] += chances / 2
        grown[half:] += chances / 2
        chances = grown
    doubled_sum = round(2 * plus)
    return float(min(1.0, 2 * min(chances[: doubled_sum + 1].sum(), chances[doubled_sum:].sum())))
