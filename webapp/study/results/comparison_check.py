"""Recomputes the intervals, tests and Holm's p of a report from values by game.

The formulas are those of docs/statistics.md. No code of `webapp.statistics` is used.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import comb, isinf, sqrt

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special, stats
from statsmodels.stats.multitest import multipletests

from webapp.study.results.archive_data import MIN_INTERVAL_GAMES

ESTIMATES, COMPARISONS = "estimates.csv", "comparisons.csv"
CHECKED_COLUMNS = {
    "n", "games", "groups", "value", "sd", "low", "high", "difference", "statistic", "p",
    "effect", "effect_low", "effect_high", "p_equivalence",
}  # fmt: skip
RANKED_VALUE_DIGITS = 9  # values that are equal to this many digits are ties
MAX_PERMUTATIONS = 20_000  # up to this number all are tried, else this many are drawn
PERMUTATIONS_AT_ONCE = 2000  # limits the memory
MAX_EXACT_PAIRS = 50  # with more pairs, the signed-rank test is asymptotic
MIN_RANGE = 1e-9  # values that differ less are equal
MIN_SQUARED_ERROR = 1e-12  # smaller errors are rounding errors
TOLERANCE = 1e-8  # values that differ by less are equal: relative above 1, else absolute
MAX_STANDARD_ERRORS = 4  # tolerance of a p whose permutations are drawn
MIN_SHARE, MAX_SHARE = 0.0025, 0.9975  # an interval beyond both is uninformative
LOW_TAIL, HIGH_TAIL = 0.025, 0.975  # ends of 95 % intervals
IMPOSSIBLE_P = 2.0  # larger than every p; stands for a test for which there are no games
# Column of a row -> its value. "drawn" is no column: 1 if the permutations of p are drawn, else 0.
Statistics = dict[str, float]
Sample = NDArray[np.float64]  # differences of pairs, or the values of a condition's deals


@dataclass
class FigureCheck:
    checked: int = 0  # number of compared figures
    differences: list[str] = field(default_factory=list)  # a sentence for each
    # Table -> number of figures, or file -> number of rows, that are not recomputed.
    unchecked: Counter[str] = field(default_factory=Counter)


def check_rows(
    check: FigureCheck,
    file: str,
    rows: pd.DataFrame,
    values: Mapping[tuple[str, str, str], pd.DataFrame],
) -> None:
    """Compare the figures of a file with recomputed ones.

    Args:
        check: The results are added to it.
        file: ESTIMATES or COMPARISONS.
        values: (measure, item, group) -> a row for each value: game_id, condition, deal, value.
    """
    for row in rows.to_dict("records"):
        group_values = values.get((row["measure"], row["item"], row["group"]))
        if group_values is None:
            check.unchecked[file] += 1
            continue
        if row["condition"] != "all":
            group_values = group_values[group_values.condition == row["condition"]]
        recompute = _recompute_estimate if file == ESTIMATES else _recompute_comparison
        computed = recompute(group_values, row)
        computed |= {"p_holm": row["holm"]} if "holm" in row else {}
        compared = f"{row['b']} − {row['a']}" if "a" in row else row["condition"]
        label = " / ".join(filter(None, (row["measure"], row["item"], row["group"], compared)))
        for key in sorted(computed.keys() - {"drawn"} | CHECKED_COLUMNS & row.keys()):
            check.checked += 1
            printed = row.get(key, "")
            if text := _describe_difference(key, printed, computed):
                printed_text = f"printed {printed or 'nothing'}"
                check.differences.append(f"{file}: {label} / {key}: {printed_text}, {text}")


def add_holm_adjustment(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with a column `holm`: the printed p, adjusted within its family."""
    tested = comparisons[comparisons.p != ""]
    numbers = pd.to_numeric(tested.p, errors="coerce").fillna(1)  # 1 for a cell without a number
    adjusted = {
        index: p
        for _family, family in numbers.groupby(tested.family)
        for index, p in zip(family.index, multipletests(family, method="holm")[1], strict=True)
    }
    return comparisons.assign(holm=[adjusted.get(index) for index in comparisons.index])


def _describe_difference(key: str, printed: str, computed: Statistics) -> str:
    """Return the computed value as text, or "" if the printed one agrees with it.

    If permutations are drawn, p may differ by MAX_STANDARD_ERRORS of the difference of two such p.
    """
    value = computed.get(key)
    if value is None or np.isnan(value) or not printed:
        is_undefined = value is None or np.isnan(value)
        return "" if is_undefined and not printed else f"computed {value}"
    tolerance = TOLERANCE * max(1, abs(value))
    if key == "p" and computed.get("drawn"):
        variance = max(value * (1 - value), 1 / MAX_PERMUTATIONS) / MAX_PERMUTATIONS
        tolerance = MAX_STANDARD_ERRORS * sqrt(2 * variance)
    number = pd.to_numeric(printed, errors="coerce")
    return "" if abs(number - value) <= tolerance else f"computed {value:.6g}"


def _recompute_estimate(values: pd.DataFrame, row: Mapping[str, str]) -> Statistics:
    """Return the mean over games, SD, and the interval over groups of one deal.

    See "The interval" in docs/statistics.md. A share (`row["part"]`) has Clopper and Pearson's,
    another mean Student's.
    """
    is_share = bool(row["part"])
    games, deals = values.groupby("game_id").value.mean(), values.groupby("game_id").deal.first()
    mean = games.mean()
    computed = {"n": len(values), "games": len(games), "groups": deals.nunique(),
                "value": mean, "sd": values.value.std()}  # fmt: skip
    deviations = (games - mean).groupby(deals).agg(["sum", "size"])
    if len(deviations) < (3 if is_share else 2):
        return computed
    if is_share and (len(values) == len(deviations) or mean in (0, 1)):
        low, high = _clopper_pearson(mean, len(deviations))
        return computed | {"low": low, "high": high}
    squared_error, degrees_of_freedom = _error_of_mean(deviations, len(games))
    if squared_error < MIN_SQUARED_ERROR:
        return computed
    quantile = stats.t.ppf(HIGH_TAIL, degrees_of_freedom)
    half_width = quantile * sqrt(squared_error)
    low, high = mean - half_width, mean + half_width
    if is_share:  # Korn and Graubard
        correction = (stats.t.ppf(HIGH_TAIL, len(values) - 1) / quantile) ** 2
        effective_n = mean * (1 - mean) / squared_error * correction
        low, high = _clopper_pearson(mean, min(len(values), effective_n))
    return computed | {"low": low, "high": high}


def _error_of_mean(deviations: pd.DataFrame, game_count: int) -> tuple[float, float]:
    """Return the squared error of a mean over games in groups, and its degrees of freedom.

    Games depend on each other within groups. The error is exact if the means of all groups have
    the same variance.

    Args:
        deviations: A row for each group: the sum of its games' deviations from the mean, and its
            number of games (`size`).
    """
    weights = (deviations["size"] / game_count).to_numpy()
    sum_of_squared_weights = (weights**2).sum()
    # The covariances of the groups' deviations from the mean, in units of that variance.
    covariances = np.eye(len(weights)) - weights[None, :] - weights[:, None]
    covariances = np.outer(weights, weights) * (covariances + sum_of_squared_weights)
    sum_of_squares = (deviations["sum"] ** 2).sum() / game_count**2
    degrees_of_freedom = covariances.trace() ** 2 / (covariances**2).sum()  # Satterthwaite
    return sum_of_squares * sum_of_squared_weights / covariances.trace(), degrees_of_freedom


def _clopper_pearson(share: float, n: float) -> tuple[float, float]:
    """Return the interval of a share of n values. n, and n times the share, need not be whole."""
    ones, zeros = share * n, (1 - share) * n
    return (
        stats.beta.ppf(LOW_TAIL, ones, zeros + 1) if ones else 0.0,
        stats.beta.ppf(HIGH_TAIL, ones + 1, zeros) if zeros else 1.0,
    )


def interval_on_scale(values: pd.Series, low: float, high: float) -> list[float]:
    """Return Student's interval of the mean of values on a scale, [] where it is undefined.

    The interval is computed on the logit of the position on the scale, or on the log if `high` is
    infinite, so that its ends are possible values.
    """
    mean, error = values.mean(), values.sem()
    if len(values) < MIN_INTERVAL_GAMES or not error > 0 or not low < mean < high:
        return []
    width = 1.0 if isinf(high) else high - low
    link, inverse = (np.log, np.exp) if isinf(high) else (special.logit, special.expit)
    position = (mean - low) / width
    slope = 1 / position if isinf(high) else 1 / (position * (1 - position))
    half = stats.t.ppf(HIGH_TAIL, len(values) - 1) * error / width * slope
    first, last = inverse(link(position) - half), inverse(link(position) + half)
    is_uninformative = not isinf(high) and first < MIN_SHARE and last > MAX_SHARE
    return [] if is_uninformative else [low + width * first, low + width * last]


def _recompute_comparison(values: pd.DataFrame, row: Mapping[str, str]) -> Statistics:
    """Return the difference of two conditions over deals, its test, and its effect.

    Deals that both conditions played are pairs, the others are unpaired.
    """
    values = values[values.condition.isin([row["a"], row["b"]])]
    games = values.groupby(["deal", "condition", "game_id"]).value.mean()
    deals = games.groupby(["deal", "condition"]).mean().unstack()
    first, second = deals[row["a"]], deals[row["b"]]
    pairs = (second - first).dropna().to_numpy()
    unpaired = [first[second.isna()].dropna().to_numpy(), second[first.isna()].dropna().to_numpy()]
    sizes = [len(values) for values in unpaired]
    # The design that can reach the smaller p is used; a paired one needs two pairs.
    unpaired_p = 2 / comb(sum(sizes), sizes[0]) if all(sizes) else IMPOSSIBLE_P
    if not len(pairs) and unpaired_p == IMPOSSIBLE_P:
        return {"n": 0}
    is_paired = unpaired_p == IMPOSSIBLE_P or (
        len(pairs) > 1 and 2 * 0.5 ** len(pairs) <= unpaired_p
    )
    samples = [pairs] if is_paired else unpaired
    computed = _signed_rank_test(pairs) if is_paired else _brunner_munzel_test(*unpaired)
    return computed | _interval(samples, computed, row["margin"]) | _effect_ends(samples, computed)


def _interval(samples: list[Sample], computed: Statistics, margin: str) -> Statistics:
    """Return the interval of the difference and, with a margin, the p of equivalence.

    The interval is Student's for one sample (pairs), Welch's for two. Returns {} if a sample has
    fewer than two values, or if none varies.
    """
    if min(map(len, samples)) < 2 or max(map(np.ptp, samples)) < MIN_RANGE:
        return {}
    squared_errors = [values.var(ddof=1) / len(values) for values in samples]
    parts = sum(e**2 / (len(values) - 1) for e, values in zip(squared_errors, samples, strict=True))
    degrees_of_freedom, error = sum(squared_errors) ** 2 / parts, sqrt(sum(squared_errors))
    half_width = stats.t.ppf(HIGH_TAIL, degrees_of_freedom) * error
    difference = computed["difference"]
    ends = {"low": difference - half_width, "high": difference + half_width}
    if margin and "p" in computed:
        distance = (float(margin) - abs(difference)) / error
        ends["p_equivalence"] = stats.t.sf(distance, degrees_of_freedom)
    return ends


def _signed_rank_test(pairs: Sample) -> Statistics:
    """Return Wilcoxon's signed-rank test. Zeros are ranked but left out of the sums (Pratt).

    Returns no test if all pairs are 0, and no effect if fewer than two differ.
    """
    computed = {"n": len(pairs), "difference": pairs.mean()}
    pairs = np.round(pairs, RANKED_VALUE_DIGITS)
    if not pairs.any():
        return computed
    ranks = stats.rankdata(abs(pairs))
    smaller_sum = min(ranks[pairs > 0].sum(), ranks[pairs < 0].sum())
    computed |= {"statistic": smaller_sum}
    computed |= {"effect": _rank_biserial(pairs)} if np.count_nonzero(pairs) > 1 else {}
    if len(pairs) > MAX_EXACT_PAIRS:
        test = stats.wilcoxon(pairs, zero_method="pratt", correction=False, method="asymptotic")
        return computed | {"p": test.pvalue}
    choices = Counter({0.0: 1})  # sum of the positive ranks -> number of choices of signs
    for rank in ranks[pairs != 0]:
        choices = choices + Counter({total + rank: n for total, n in choices.items()})
    tail = sum(n for total, n in choices.items() if total <= smaller_sum)
    return computed | {"p": min(1.0, 2 * tail / choices.total())}


def _rank_biserial(pairs: Sample) -> float:
    """Return the matched-pairs rank-biserial r."""
    pairs = np.round(pairs, RANKED_VALUE_DIGITS)
    signed_ranks = np.sign(pairs) * stats.rankdata(abs(pairs))
    return float(signed_ranks.sum() / max(1, abs(signed_ranks).sum()))


def _brunner_munzel_test(first: Sample, second: Sample) -> Statistics:
    """Return Brunner and Munzel's test by permutations.

    Its p is at least that of Welch's test, unless a sample has only one value or neither varies.
    Returns no test if all values are equal.
    """
    computed = {"n": len(first) + len(second), "difference": second.mean() - first.mean()}
    first, second = np.round(first, RANKED_VALUE_DIGITS), np.round(second, RANKED_VALUE_DIGITS)
    computed["effect"] = _cliffs_delta(first, second)
    if not np.ptp([*first, *second]):
        return computed
    statistic, p, pooled = float(_brunner_munzel(first, second)), 0.0, np.array([*first, *second])
    if min(len(first), len(second)) == 1:
        numbers = range(len(pooled))
        statistics = [_brunner_munzel(pooled[[n]], np.delete(pooled, n)) for n in numbers]
        p = float(np.mean(np.abs(statistics) >= abs(statistic) - MIN_RANGE))
    else:
        p = stats.permutation_test(
            (first, second), lambda x, y, axis: abs(_brunner_munzel(x, y)), vectorized=True,
            n_resamples=MAX_PERMUTATIONS, batch=PERMUTATIONS_AT_ONCE, alternative="greater",
            random_state=1,
        ).pvalue  # fmt: skip
        if max(np.ptp(first), np.ptp(second)) >= MIN_RANGE:
            p = max(p, stats.ttest_ind(second, first, equal_var=False).pvalue)
    is_drawn = float(comb(len(pooled), len(first)) > MAX_PERMUTATIONS)
    return computed | {"statistic": statistic, "p": p, "drawn": is_drawn}


def _brunner_munzel(first: Sample, second: Sample) -> Sample:
    """Return the statistics of samples along the last axis."""
    n, m = first.shape[-1], second.shape[-1]
    ranks = stats.rankdata(np.concatenate([first, second], axis=-1), axis=-1)
    # The share of the other sample below each value.
    first_placements = (ranks[..., :n] - stats.rankdata(first, axis=-1)) / m
    second_placements = (ranks[..., n:] - stats.rankdata(second, axis=-1)) / n
    variance = first_placements.var(-1, ddof=n > 1) / n + second_placements.var(-1, ddof=m > 1) / m
    # A variance of 0 is replaced by the smallest that the sample sizes allow.
    min_variance = (0.5 / n / m) ** 2 / max(n, m)
    errors = np.sqrt(np.maximum(variance, min_variance))
    statistics: Sample = (second_placements.mean(-1) - 0.5) / errors
    return statistics


def _cliffs_delta(first: Sample, second: Sample) -> float:
    first, second = np.round(first, RANKED_VALUE_DIGITS), np.round(second, RANKED_VALUE_DIGITS)
    test = stats.mannwhitneyu(second, first, method="asymptotic")
    return float(2 * test.statistic / (len(first) * len(second)) - 1)


def _effect_ends(samples: list[Sample], computed: Statistics) -> Statistics:
    """Return Clopper and Pearson's interval of an effect, its n from a jackknife over games.

    Returns {} if a sample has fewer than two values, or if the interval is uninformative.
    """
    if min(map(len, samples)) < 2 or "effect" not in computed:
        return {}
    effect: Callable[..., float] = _cliffs_delta if len(samples) == 2 else _rank_biserial
    squared_error = 0.0
    for index, sample in enumerate(samples):
        before, after = samples[:index], samples[index + 1 :]
        without_one = [effect(*before, np.delete(sample, n), *after) for n in range(len(sample))]
        squared_error += (len(sample) - 1) * float(np.var(without_one))
    share, n = (1 + computed["effect"]) / 2, float(stats.hmean([*map(len, samples)]))
    n = min(n, share * (1 - share) / (squared_error / 4)) if squared_error > 0 else n
    low, high = _clopper_pearson(share, n)
    if low < MIN_SHARE and high > MAX_SHARE:
        return {}
    return {"effect_low": 2 * low - 1, "effect_high": 2 * high - 1}
