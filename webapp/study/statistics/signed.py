"""Pairs: Wilcoxon's signed-rank test, the matched-pairs rank-biserial, the mean difference.

Zero differences are kept in the ranking and then left out of the sums (Pratt), fixed beforehand. Up
to fifty pairs p is exact, also with ties and zeros, by the distribution of the rank sum over all
signs; beyond, normal.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from webapp.study.statistics.intervals import of_pairs
from webapp.study.statistics.marks import Numbers
from webapp.study.statistics.outcomes import Outcome, known, plain, unknown, warnings

ZEROS = "pratt"
FEW_PAIRS = 6
EXACT_UP_TO = 50  # pairs; SciPy is exact up to there only without ties and zeros
NAME = "Wilcoxon signed-rank"


def signed_rank(differences: Numbers) -> Outcome:
    """n, the test, the rank-biserial correlation and the mean difference with its interval, of one
    difference or more."""
    n, zeros = len(differences), int((differences == 0).sum())
    found = {
        "n": n,
        "zeros": zeros,
        "difference": known(differences.mean(), ci=of_pairs(differences)),
        "care": warnings(few_pairs=n < FEW_PAIRS),
    }
    if zeros == n:
        none = unknown("no_differences")
        return {**found, "test": none, "effect": none}
    ranks = stats.rankdata(np.abs(differences))
    plus, minus = ranks[differences > 0].sum(), ranks[differences < 0].sum()
    how, p = _p_value(differences, ranks, plus)
    return {
        **found,
        "test": known(
            min(plus, minus),
            name=NAME,
            statistic="W",
            p=known(p),
            method=how,
            w_plus=plain(plus),
            w_minus=plain(minus),
        ),
        "effect": known((plus - minus) / (plus + minus)),
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
