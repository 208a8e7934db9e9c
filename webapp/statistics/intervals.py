"""95 % intervals: of a mean over raters and games, of differences of games by Student's t.

Where a coefficient has no formula (alpha, Spearman's rho), whole games are resampled: what it needs
is summed per game once; a draw is then a weighted sum, the weight being how often the game was
taken. All 2000 draws are the same in every run: they come from one seed.

SciPy is imported inside functions: a web process imports this module, through `raters`.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, inf, log, sqrt
from warnings import catch_warnings, simplefilter

import numpy as np

from webapp.statistics.marks import Columns, Numbers
from webapp.statistics.reported_statistics import Outcome, json_number, span, unknown, warnings
from webapp.statistics.two_way import NOTHING, Crossed

SEED = 20_200_623
DRAWS = 2000
LEVEL = 0.95
FEW = 10  # clusters; with fewer a bootstrap's interval is known to be too narrow
FEW_GAMES = 6
BARE_END = 0.0025  # an interval that comes so near both ends of its scale is the whole scale
ALIKE = 1e-9  # means that differ by less do so by rounding
BLOCK = 65_536  # numbers worked on at a time: so many stay in a processor's cache


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


def clopper_pearson(share: float, size: float) -> tuple[float, float]:
    """Return Clopper and Pearson's interval of a share.

    size: how many independent values it is worth, not always a whole number.
    """
    from scipy import stats

    part, rest = size * share, size * (1 - share)
    low = float(stats.beta.ppf((1 - LEVEL) / 2, part, rest + 1)) if part > 0 else 0.0
    high = float(stats.beta.ppf((1 + LEVEL) / 2, part + 1, rest)) if rest > 0 else 1.0
    return low, high


def mean_interval(ratings: Columns, low: int, high: int) -> Outcome:
    """Return the interval of the mean of all ratings on a scale from `low` to `high`.

    Student's t on the logit of the mean's place on the scale, so no end of it is off the scale.
    """
    from scipy import stats

    n = len(ratings.values)
    weights = np.full(n, 1 / n)
    crossed = Crossed.of(weights, np.zeros(n, dtype=np.intp), ratings.rater, ratings.deal)
    facts: Outcome = {"clusters": crossed.games, "raters": crossed.raters}
    facts["population"] = "these_raters" if crossed.few_raters else "new_raters_and_games"
    if crossed.games < 2:
        return unknown("one_game", **facts)
    error = crossed.error(ratings.values)
    if error.squared < NOTHING:
        return unknown("no_spread_between", **facts)
    half = float(stats.t.ppf((1 + LEVEL) / 2, error.freedom)) * sqrt(error.squared)
    ends = interval_on_scale(float(ratings.values.mean()), half, low, high)
    if ends is None:
        return unknown("whole_scale", **facts)
    care = warnings(few_groups=crossed.games < FEW_GAMES, these_raters=crossed.few_raters)
    return span(*ends, method="t on the logit", df=float(error.freedom), **facts, care=care)


def interval_on_scale(
    mean: float, half: float, low: float, high: float
) -> tuple[float, float] | None:
    """Return mean ± half on the logit of the place between `low` and `high`: no end leaves these.

    On the log of the distance from `low` if `high` is infinite. None if the interval is as wide as
    the scale.
    """
    if high == inf:
        factor = exp(half / (mean - low))
        return low + (mean - low) / factor, low + (mean - low) * factor
    position = (mean - low) / (high - low)
    slope = 1 / ((high - low) * position * (1 - position))
    first, last = (
        1 / (1 + exp(-(log(position / (1 - position)) + sign * half * slope))) for sign in (-1, 1)
    )
    if first < BARE_END and last > 1 - BARE_END:
        return None
    return low + (high - low) * first, low + (high - low) * last


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
        test = stats.ttest_ind(second, first, equal_var=False)
        interval = test.confidence_interval(LEVEL)
    ends = float(interval.low), float(interval.high)
    facts: Outcome = {**method, "df": json_number(test.df)}
    return span(*ends, **facts, care=[])


def welch_p(first: Numbers, second: Numbers) -> float | None:
    """Return p of Welch's t, none where it is undefined."""
    from scipy import stats

    if min(len(first), len(second)) < 2 or max(np.ptp(first), np.ptp(second)) < ALIKE:
        return None
    with catch_warnings():
        simplefilter("ignore")
        return float(stats.ttest_ind(second, first, equal_var=False).pvalue)
