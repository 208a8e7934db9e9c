"""95 % confidence intervals for means, shares and differences, and draws for a bootstrap.

SciPy is imported inside functions: a web process imports this module, through `rater_behavior`.
"""

from collections.abc import Iterator
from math import exp, inf, log, sqrt
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

from webapp.statistics.marks import Columns, Numbers
from webapp.statistics.raters_and_games import MIN_SQUARED_ERROR, CrossedWeights
from webapp.statistics.reported_statistics import (
    Outcome,
    defined_interval,
    json_number,
    undefined,
    warning_keys,
)

BOOTSTRAP_SEED = 20_200_623
BOOTSTRAP_DRAWS = 2000
CONFIDENCE_LEVEL = 0.95
FEW_CLUSTERS = 10  # with fewer clusters, a bootstrap's interval is known to be too narrow
FEW_GAMES = 6  # with fewer games, the width of an interval is uncertain
SCALE_END_SHARE = 0.0025  # an interval this near both ends of its scale counts as the whole scale
MIN_RANGE = 1e-9  # means that differ by less are equal but for rounding
BLOCK_SIZE = 65_536  # numbers processed at a time: this many fit in a processor's cache


def bootstrap_draws(cluster_count: int) -> Iterator[Numbers]:
    """Yield how often each draw takes each cluster, in blocks (draws, clusters).

    Every run has the same draws, because they come from one seed.
    """
    generator = np.random.default_rng(BOOTSTRAP_SEED)
    chances = np.full(cluster_count, 1 / cluster_count)
    remaining, block_size = BOOTSTRAP_DRAWS, max(1, BLOCK_SIZE // cluster_count)
    while remaining:
        size = min(remaining, block_size)
        yield generator.multinomial(cluster_count, chances, size=size).astype(np.float64)
        remaining -= size


def t_quantile(degrees_of_freedom: float) -> float:
    """Return the half-width of Student's 95 % interval, in standard errors."""
    from scipy import stats

    return float(stats.t.ppf((1 + CONFIDENCE_LEVEL) / 2, degrees_of_freedom))


def clopper_pearson(share: float, size: float) -> tuple[float, float]:
    """Return Clopper and Pearson's interval of a share. `size` values need not be whole."""
    from scipy import stats

    ones, zeros = size * share, size * (1 - share)
    low = float(stats.beta.ppf((1 - CONFIDENCE_LEVEL) / 2, ones, zeros + 1)) if ones > 0 else 0.0
    high = float(stats.beta.ppf((1 + CONFIDENCE_LEVEL) / 2, ones + 1, zeros)) if zeros > 0 else 1.0
    return low, high


def mean_interval(ratings: Columns, low: int, high: int) -> Outcome:
    """Return the interval of the mean of all ratings on a scale from `low` to `high`.

    The interval is Student's t on the logit of the mean's position, so that it stays on the scale.
    The error on the logit follows from that of the mean by the delta method.
    """
    n = len(ratings.values)
    weights = np.full(n, 1 / n)
    conditions = np.zeros(n, dtype=np.intp)
    crossed = CrossedWeights.from_ratings(weights, conditions, ratings.rater, ratings.deal)
    facts: Outcome = {"clusters": crossed.number_of_games, "raters": crossed.number_of_raters}
    facts["population"] = "these_raters" if crossed.has_few_raters else "new_raters_and_games"
    if crossed.number_of_games < 2:
        return undefined("one_game", **facts)
    error = crossed.error(ratings.values)
    if error.value < MIN_SQUARED_ERROR:
        return undefined("no_spread_between", **facts)
    half_width = t_quantile(float(error.degrees_of_freedom)) * sqrt(error.value)
    ends = interval_on_scale(float(ratings.values.mean()), half_width, low, high)
    if ends is None:
        return undefined("whole_scale", **facts)
    warnings = warning_keys(
        few_groups=crossed.number_of_games < FEW_GAMES, these_raters=crossed.has_few_raters
    )
    return defined_interval(
        *ends, method="t on the logit", df=float(error.degrees_of_freedom), **facts, care=warnings
    )


def interval_on_scale(
    mean: float, half_width: float, low: float, high: float
) -> tuple[float, float] | None:
    """Return an interval around `mean` that stays between `low` and `high`.

    The interval is mean ± half_width on the logit of the position on the scale, or on the log of
    the distance from `low` if `high` is infinite. The delta method converts `half_width`: it is
    multiplied by the slope of the logit or log at the mean. None if the interval is as wide as the
    scale, or if the mean is at an end of the scale, where its logit is infinite.
    """
    if not low < mean < high:
        return None
    if high == inf:
        factor = exp(half_width / (mean - low))
        return low + (mean - low) / factor, low + (mean - low) * factor
    position = (mean - low) / (high - low)
    slope = 1 / ((high - low) * position * (1 - position))
    first, last = (
        1 / (1 + exp(-(log(position / (1 - position)) + sign * half_width * slope)))
        for sign in (-1, 1)
    )
    if first < SCALE_END_SHARE and last > 1 - SCALE_END_SHARE:
        return None
    return low + (high - low) * first, low + (high - low) * last


def paired_interval(differences: Numbers) -> Outcome:
    """Return Student's interval of the mean difference of pairs (n - 1 degrees of freedom)."""
    from scipy import stats

    if len(differences) < 2:
        return undefined("one_pair", clusters=len(differences))
    facts: Outcome = {"method": "t", "clusters": len(differences)}
    if np.ptp(differences) < MIN_RANGE:
        return undefined("no_spread_between", **facts)
    interval = stats.ttest_1samp(differences, 0).confidence_interval(CONFIDENCE_LEVEL)
    return defined_interval(float(interval.low), float(interval.high), **facts, care=[])


def welch_test(first: Numbers, second: Numbers) -> Any:
    """Return Welch's test of mean(second) - mean(first), None if it is undefined."""
    from scipy import stats

    if min(len(first), len(second)) < 2 or max(np.ptp(first), np.ptp(second)) < MIN_RANGE:
        return None
    with catch_warnings():
        simplefilter("ignore")  # a side may have no spread
        return stats.ttest_ind(second, first, equal_var=False)


def welch_interval(first: Numbers, second: Numbers) -> Outcome:
    """Return the interval of mean(second) - mean(first), each with its own variance (Welch)."""
    fewest = min(len(first), len(second))
    if fewest < 2:
        return undefined("one_on_a_side", clusters=fewest)
    facts: Outcome = {"method": "Welch t", "clusters": len(first) + len(second)}
    if (test := welch_test(first, second)) is None:
        return undefined("no_spread_between", **facts)
    interval = test.confidence_interval(CONFIDENCE_LEVEL)
    return defined_interval(
        float(interval.low), float(interval.high), **facts, df=json_number(test.df), care=[]
    )
