"""Rank tests of two conditions, with effect size and difference of means, for groups or pairs.

Two groups of games: the Mann–Whitney test as a permutation test over games, and Cliff's delta. p is
exact up to a hundred observations, ties included: the distribution of the rank sum over all ways of
choosing which games are the second condition's, given the mid-ranks. SciPy's exact p is valid only
without ties, and is the same there. For more, SciPy's normal approximation with its correction for
ties.

Pairs: Wilcoxon's signed-rank test and the matched-pairs rank-biserial. Zero differences are kept in
the ranking and then left out of the sums (Pratt), fixed beforehand. Up to fifty pairs p is exact,
also with ties and zeros, by the distribution of the rank sum over all signs; for more, normal.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from webapp.statistics.intervals import of_groups, of_pairs
from webapp.statistics.marks import Numbers
from webapp.statistics.reported_statistics import Outcome, defined, json_number, unknown, warnings

EXACT_GAMES = 100  # observations of both conditions together
EXACT_PAIRS = 50  # SciPy is exact for as many only without ties and zeros
FEW_PAIRS = 6
ZEROS = "pratt"
DIGITS = 9  # of the ranked values


def rounded(values: Numbers) -> Numbers:
    """Round values so that equal ones tie.

    Don't round twice: 3.666666667 - 3.333333333 is not 1/3.
    """
    return np.round(values, DIGITS) + 0.0


def rank_sum(first: Numbers, second: Numbers) -> Outcome:
    """Return n, the test, Cliff's delta and the difference of means with its interval.

    The difference is second minus first. Each side needs one observation or more.
    """
    sizes = {"n": len(first) + len(second), "n_a": len(first), "n_b": len(second), "zeros": 0}
    interval = of_groups(first, second)
    outcome = {
        **sizes,
        "difference": defined(second.mean() - first.mean(), ci=interval),
        "care": [],
    }
    first, second = rounded(first), rounded(second)
    pooled = np.concatenate([first, second])
    ranks = stats.rankdata(pooled)
    of_second = ranks[len(first) :].sum()
    u_b = of_second - len(second) * (len(second) + 1) / 2  # pairs in which the second is higher
    u_a = len(first) * len(second) - u_b
    effect = defined((u_b - u_a) / (len(first) * len(second)))
    if np.ptp(pooled) == 0:
        return {**outcome, "test": unknown("all_alike"), "effect": effect}
    method, p = _p_of_groups(first, second, ranks)
    test = defined(
        min(u_a, u_b),
        name="Mann–Whitney",
        statistic="U",
        p=defined(p),
        method=method,
        u_a=json_number(u_a),
        u_b=json_number(u_b),
    )
    return {**outcome, "test": test, "effect": effect}


def _p_of_groups(first: Numbers, second: Numbers, ranks: Numbers) -> tuple[str, float]:
    """Return the method and p (two-sided, no continuity correction)."""
    if len(ranks) <= EXACT_GAMES:
        return "exact", _exact_p_of_groups(ranks, len(second))
    test = stats.mannwhitneyu(first, second, use_continuity=False, method="asymptotic")
    return "normal approximation", float(test.pvalue)


def _exact_p_of_groups(ranks: Numbers, chosen: int) -> float:
    """Return p of the rank sum of the last `chosen` ranks.

    It is twice the smaller chance of a sum up to, or from, that sum, if every choice of as many
    ranks is equally likely. Sums are counted in half ranks, because of ties.
    """
    halves = np.rint(2 * ranks).astype(np.intp)
    # Chances, not numbers of choices, which exceed the precision of a float.
    sums = np.zeros((chosen + 1, int(np.sort(halves)[len(halves) - chosen :].sum()) + 1))
    sums[0, 0] = 1
    for drawn, half in enumerate(halves.tolist()):
        # A choice is made one rank at a time: this one is taken with chance left / remaining.
        left = (chosen - np.arange(chosen + 1)) / (len(halves) - drawn)
        take = np.clip(left, 0, 1)[:, None] * sums
        sums -= take
        sums[1:, half:] += take[:-1, : sums.shape[1] - half]
    spread = sums[chosen]
    at = int(halves[len(halves) - chosen :].sum())
    return float(min(1.0, 2 * min(spread[: at + 1].sum(), spread[at:].sum())))


def signed_rank(differences: Numbers) -> Outcome:
    """Return n, the test, the rank-biserial correlation and the mean difference with its interval.

    differences: one or more.
    """
    difference = defined(differences.mean(), ci=of_pairs(differences))
    differences = rounded(differences)
    n, zeros = len(differences), int((differences == 0).sum())
    outcome = {
        "n": n,
        "zeros": zeros,
        "difference": difference,
        "care": warnings(few_pairs=n < FEW_PAIRS),
    }
    if zeros == n:
        none = unknown("no_differences")
        return {**outcome, "test": none, "effect": none}
    ranks = stats.rankdata(np.abs(differences))
    plus, minus = ranks[differences > 0].sum(), ranks[differences < 0].sum()
    method, p = _p_of_pairs(differences, ranks, plus)
    return {
        **outcome,
        "test": defined(
            min(plus, minus),
            name="Wilcoxon signed-rank",
            statistic="W",
            p=defined(p),
            method=method,
            w_plus=json_number(plus),
            w_minus=json_number(minus),
        ),
        "effect": defined((plus - minus) / (plus + minus)),
    }


def _p_of_pairs(differences: Numbers, ranks: Numbers, plus: float) -> tuple[str, float]:
    """Return the method and p (two-sided, no continuity correction)."""
    if len(differences) <= EXACT_PAIRS:
        return "exact", _exact_p_of_pairs(ranks[differences != 0], plus)
    test = stats.wilcoxon(
        differences, zero_method=ZEROS, correction=False, method="asymptotic"
    )  # with the corrections for ties and zeros
    return "normal approximation", float(test.pvalue)


def _exact_p_of_pairs(ranks: Numbers, plus: float) -> float:
    """Return p of the sum `plus` of positive ranks.

    It is twice the smaller chance of a sum up to, or from, `plus`, if each rank is taken with
    chance 1/2. Sums are counted in half ranks, because of ties.
    """
    halves = np.rint(2 * ranks).astype(int)
    chances = np.ones(1)
    for half in halves:
        grown = np.zeros(len(chances) + half)
        grown[: len(chances)] += chances / 2
        grown[half:] += chances / 2
        chances = grown
    at = round(2 * plus)
    return float(min(1.0, 2 * min(chances[: at + 1].sum(), chances[at:].sum())))
