"""Percentile intervals by resampling whole clusters (games): ratings of one game hang together.

A draw takes as many clusters as there are, with replacement. What a statistic needs is summed per
cluster once; a draw is then a weighted sum, the weight being how often the cluster was taken. All
2000 draws are the same in every run: they come from one seed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from webapp.study.statistics.marks import Codes, Numbers
from webapp.study.statistics.outcomes import Outcome, span, unknown, warnings

SEED = 20_200_623
DRAWS = 2000
LEVEL = 0.95
FEW = 10  # clusters; with fewer the interval is known to be too narrow
BLOCK = 2_000_000  # weights held in memory at a time


def draws(clusters: int) -> Iterator[Numbers]:
    """How often each cluster is taken in each draw: blocks of (draws, clusters), 2000 in all."""
    generator = np.random.default_rng(SEED)
    chances = np.full(clusters, 1 / clusters)
    left, most = DRAWS, max(1, BLOCK // clusters)
    while left:
        now = min(left, most)
        yield generator.multinomial(clusters, chances, size=now).astype(np.float64)
        left -= now


def percentiles(values: Numbers) -> tuple[float, float]:
    """The middle 95 % of the draws, linear between neighbours."""
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def mean_interval(values: Numbers, clusters: Codes, too_few: str) -> Outcome:
    """The interval of the mean of all `values`; `too_few` is the reason with fewer than two
    clusters. In each draw the mean is the sum of the taken clusters' sums over their counts."""
    sums = np.bincount(clusters, weights=values)
    counts = np.bincount(clusters).astype(np.float64)
    if len(counts) < 2:
        return unknown(too_few, clusters=len(counts))
    means = np.concatenate([(taken @ sums) / (taken @ counts) for taken in draws(len(counts))])
    care = warnings(few_clusters=len(counts) < FEW)
    return span(*percentiles(means), clusters=len(counts), draws=DRAWS, care=care)
