"""95 % intervals: of means by resampling whole games, of their differences by Student's t.

Ratings of one game are not independent, so clusters (games) are resampled. A draw takes as many as
there are, with replacement. The sums that a statistic needs are computed per cluster once; a draw
is then a weighted sum, the weight being how often the cluster was taken. All 2000 draws are the
same in every run: they come from one seed.

A difference between two conditions has no bootstrap: over six games of each condition its 95 %
interval holds the true value in less than 90 % of draws, over three in 80 % (docs/statistics.md);
the observations are means of many ratings, near enough to normal for t.

SciPy is imported inside functions: a web process imports this module, through `raters`.
"""

from __future__ import annotations

from collections.abc import Iterator
from warnings import catch_warnings, simplefilter

import numpy as np

from webapp.statistics.marks import Codes, Numbers
from webapp.statistics.reported_statistics import Outcome, span, unknown, warnings

SEED = 20_200_623
DRAWS = 2000
LEVEL = 0.95
FEW = 10  # clusters; with fewer the interval is known to be too narrow
ALIKE = 1e-9  # means that differ by less differ only by rounding
BLOCK = 2_000_000  # weights held in memory at a time


def draws(clusters: int) -> Iterator[Numbers]:
    """Yield how often each cluster is taken in each draw: blocks of (draws, clusters), 2000
    in all.
    """
    generator = np.random.default_rng(SEED)
    chances = np.full(clusters, 1 / clusters)
    left, most = DRAWS, max(1, BLOCK // clusters)
    while left:
        now = min(left, most)
        yield generator.multinomial(clusters, chances, size=now).astype(np.float64)
        left -= now


def percentiles(values: Numbers) -> tuple[float, float]:
    """Return the bounds of the middle 95 % of the draws, linear between neighbours."""
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def mean_interval(values: Numbers, clusters: Codes, too_few: str) -> Outcome:
    """Return the interval of the mean of all `values`.

    too_few: the reason with fewer than two clusters. In each draw the mean is the sum of the taken
    clusters' sums over their counts.
    """
    sums = np.bincount(clusters, weights=values)
    counts = np.bincount(clusters).astype(np.float64)
    if len(counts) < 2:
        return unknown(too_few, clusters=len(counts))
    means = np.concatenate([(drawn @ sums) / (drawn @ counts) for drawn in draws(len(counts))])
    care = warnings(few_clusters=len(counts) < FEW)
    return span(*percentiles(means), clusters=len(counts), draws=DRAWS, care=care)


def of_pairs(differences: Numbers) -> Outcome:
    """Return the interval of the mean difference: t with one less degree of freedom than pairs."""
    from scipy import stats

    if len(differences) < 2:
        return unknown("one_pair", clusters=len(differences))
    method = {"method": "t", "clusters": len(differences)}
    if np.ptp(differences) < ALIKE:
        return unknown("no_spread_between", **method)
    interval = stats.ttest_1samp(differences, 0).confidence_interval(LEVEL)
    return span(float(interval.low), float(interval.high), **method, care=[])


def of_groups(first: Numbers, second: Numbers) -> Outcome:
    """Return the interval of mean(second) - mean(first), each with its own variance (Welch)."""
    from scipy import stats

    fewest = min(len(first), len(second))
    if fewest < 2:
        return unknown("one_on_a_side", clusters=fewest)
    method = {"method": "Welch t", "clusters": len(first) + len(second)}
    if np.ptp(first) < ALIKE and np.ptp(second) < ALIKE:
        return unknown("no_spread_between", **method)
    with catch_warnings():
        simplefilter("ignore")  # a side may have no spread
        interval = stats.ttest_ind(second, first, equal_var=False).confidence_interval(LEVEL)
    return span(float(interval.low), float(interval.high), **method, care=[])
