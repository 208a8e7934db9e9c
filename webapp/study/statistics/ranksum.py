"""Two groups of games: the Mann–Whitney test as a permutation test over games, and Cliff's delta.

p is exact up to a hundred observations, ties included: the distribution of the rank sum over all
ways of choosing which games are the second condition's, given the mid-ranks. SciPy's exact p holds
without ties only, and is the same there. Beyond, SciPy's normal approximation with its correction
for ties.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from webapp.study.statistics.intervals import of_groups
from webapp.study.statistics.marks import Numbers
from webapp.study.statistics.outcomes import Outcome, known, plain, unknown

EXACT_UP_TO = 100  # games of both conditions together
NAME = "Mann–Whitney"


def rank_sum(first: Numbers, second: Numbers) -> Outcome:
    """n, the test, Cliff's delta and the difference of means (second minus first) with its
    interval, of one observation or more on each side."""
    sizes = {"n": len(first) + len(second), "n_a": len(first), "n_b": len(second), "zeros": 0}
    interval = of_groups(first, second)
    found = {**sizes, "difference": known(second.mean() - first.mean(), ci=interval), "care": []}
    pooled = np.concatenate([first, second])
    ranks = stats.rankdata(pooled)
    of_second = ranks[len(first) :].sum()
    u_b = of_second - len(second) * (len(second) + 1) / 2  # pairs in which the second is higher
    u_a = len(first) * len(second) - u_b
    effect = known((u_b - u_a) / (len(first) * len(second)))
    if np.ptp(pooled) == 0:
        return {**found, "test": unknown("all_alike"), "effect": effect}
    how, p = _p_value(first, second, ranks)
    test = known(
        min(u_a, u_b),
        name=NAME,
        statistic="U",
        p=known(p),
        method=how,
        u_a=plain(u_a),
        u_b=plain(u_b),
    )
    return {**found, "test": test, "effect": effect}


def _p_value(first: Numbers, second: Numbers, ranks: Numbers) -> tuple[str, float]:
    """How p was found, and p (two-sided, no continuity correction)."""
    if len(ranks) <= EXACT_UP_TO:
        return "exact", exact_p(ranks, len(second))
    found = stats.mannwhitneyu(first, second, use_continuity=False, method="asymptotic")
    return "normal approximation", float(found.pvalue)


def exact_p(ranks: Numbers, chosen: int) -> float:
    """Twice the smaller chance of a sum up to, or from, that of the last `chosen` ranks, when each
    choice of as many of the ranks is equally likely. Counted in half ranks, for ties."""
    halves = np.rint(2 * ranks).astype(np.intp)
    # Chances, not numbers of choices: those pass what a float tells apart.
    sums = np.zeros((chosen + 1, int(np.sort(halves)[len(halves) - chosen :].sum()) + 1))
    sums[0, 0] = 1
    for seen, half in enumerate(halves.tolist()):
        # Each choice is made one rank at a time: this one is taken with chance left / remaining.
        left = (chosen - np.arange(chosen + 1)) / (len(halves) - seen)
        take = np.clip(left, 0, 1)[:, None] * sums
        sums -= take
        sums[1:, half:] += take[:-1, : sums.shape[1] - half]
    spread = sums[chosen]
    at = int(halves[len(halves) - chosen :].sum())
    return float(min(1.0, 2 * min(spread[: at + 1].sum(), spread[at:].sum())))
