"""Recomputes the intervals, tests and Holm's p of a report from values by game.

The formulas are those of docs/statistics.md. No code of `webapp.statistics` is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from math import comb, sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.multitest import multipletests

ESTIMATES, COMPARISONS = "estimates.csv", "comparisons.csv"
CHECKED_COLUMNS = {
    "n", "games", "groups", "value", "sd", "low", "high", "difference", "statistic", "p",
    "effect", "effect_low", "effect_high", "p_equivalence",
}  # fmt: skip
RANKED_VALUE_DIGITS = 9  # closer values are ties
MAX_PERMUTATIONS = 20_000  # all are tried up to this number, else this many are drawn
MAX_EXACT_PAIRS = 50  # above it the signed-rank test is asymptotic
MIN_RANGE = 1e-9  # values that differ less are equal
MIN_SQUARED_ERROR = 1e-12  # below it an error is a rounding error
TOLERANCE = 1e-8  # The tolerance of a printed value, relative to values above 1.
MIN_SHARE, MAX_SHARE = 0.0025, 0.9975  # an interval beyond both is uninformative
Statistics = dict[str, float]


def check_rows(
    file: str, rows: Any, values: Mapping[tuple[str, str, str], Any], unchecked: dict[str, int]
) -> tuple[int, list[str]]:
    """Compare the figures of a file. Returns their number, and a sentence per difference.

    Args:
        values: (measure, item, group) -> a row for each value: game_id, condition, deal, value.
        unchecked: File -> number of rows without recomputed values; increased here.
    """
    checked, differences = 0, []
    for row in rows.to_dict("records"):
        group_values = values.get((row["measure"], row["item"], row["group"]))
        if group_values is None:
            unchecked[file] = unchecked.get(file, 0) + 1
            continue
        if row["condition"] != "all":
            group_values = group_values[group_values.condition == row["condition"]]
        recompute = _recompute_estimate if file == ESTIMATES else _recompute_comparison
        computed = recompute(group_values, row)
        computed |= {"p_holm": row["holm"]} if "holm" in row else {}
        sides = f"{row['b']} − {row['a']}" if "a" in row else row["condition"]
        label = " / ".join(filter(None, (row["measure"], row["item"], row["group"], sides)))
        for key in sorted(computed.keys() - {"drawn"} | CHECKED_COLUMNS & row.keys()):
            checked += 1
            printed = row.get(key, "")
            if text := _describe_difference(key, printed, computed):
                printed_text = f"printed {printed or 'nothing'}"
                differences.append(f"{file}: {label} / {key}: {printed_text}, {text}")
    return checked, differences


def add_holm_adjustment(comparisons: Any) -> Any:
    """Return the rows with Holm's adjustment of the printed p, within each family."""
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

    If permutations are drawn, p may differ by 4 standard errors of the difference of two such p.
    """
    value = computed.get(key)
    if value is None or np.isnan(value) or not printed:
        is_undefined = value is None or np.isnan(value)
        return "" if is_undefined and not printed else f"computed {value}"
    tolerance = TOLERANCE * max(1, abs(value))
    if key == "p" and computed.get("drawn"):
        tolerance = 4 * sqrt(2 * max(value * (1 - value), 1 / MAX_PERMUTATIONS) / MAX_PERMUTATIONS)
    number = pd.to_numeric(printed, errors="coerce")
    return "" if abs(number - value) <= tolerance else f"computed {value:.6g}"


def _recompute_estimate(values: Any, row: Mapping[str, str]) -> Statistics:
    """Return the mean over games, SD, and the interval over groups of one deal."""
    games, deals = values.groupby("game_id").value.mean(), values.groupby("game_id").deal.first()
    computed = {"n": len(values), "games": len(games), "groups": deals.nunique(),
                "value": games.mean(), "sd": values.value.std()}  # fmt: skip
    deviations = (games - games.mean()).groupby(deals).agg(["sum", "size"])
    weights = (deviations["size"] / len(games)).to_numpy()
    if len(deviations) < (3 if row["part"] else 2):
        return computed
    if row["part"] and (len(values) == len(deviations) or games.mean() in (0, 1)):
        low, high = _clopper_pearson(games.mean(), len(deviations))
        return computed | {"low": low, "high": high}
    centring = np.eye(len(deviations)) - weights[None, :] - weights[:, None] + (weights**2).sum()
    spread = np.outer(weights, weights) * centring
    squares = (deviations["sum"] ** 2).sum() / len(games) ** 2
    squared_error = squares * (weights**2).sum() / spread.trace()
    if squared_error < MIN_SQUARED_ERROR:
        return computed
    mean, quantile = games.mean(), stats.t.ppf(0.975, spread.trace() ** 2 / (spread**2).sum())
    ends = [mean - quantile * sqrt(squared_error), mean + quantile * sqrt(squared_error)]
    if row["part"]:  # Korn and Graubard
        correction = (stats.t.ppf(0.975, len(values) - 1) / quantile) ** 2
        effective_n = mean * (1 - mean) / squared_error * correction
        ends = _clopper_pearson(mean, min(len(values), effective_n))
    return computed | {"low": ends[0], "high": ends[1]}


def _clopper_pearson(share: float, n: float) -> list[float]:
    """Return the interval of a share of n values. n, and n times the share, need not be whole."""
    ones, zeros = share * n, (1 - share) * n
    return [stats.beta.ppf(0.025, ones, zeros + 1) if ones else 0.0,
            stats.beta.ppf(0.975, ones + 1, zeros) if zeros else 1.0]  # fmt: skip


def _recompute_comparison(values: Any, row: Mapping[str, str]) -> Statistics:
    """Return the difference of two conditions over deals, its test, and its effect."""
    values = values[values.condition.isin([row["a"], row["b"]])]
    games = values.groupby(["deal", "condition", "game_id"]).value.mean()
    deals = games.groupby(["deal", "condition"]).mean().unstack()
    first, second = deals[row["a"]], deals[row["b"]]
    pairs = (second - first).dropna().to_numpy()
    unpaired = [first[second.isna()].dropna().to_numpy(), second[first.isna()].dropna().to_numpy()]
    sizes = [len(values) for values in unpaired]
    # The design that can reach the smaller p is used; a paired one needs two pairs.
    smallest_p = 2 / comb(sum(sizes), sizes[0]) if all(sizes) else 2
    if not len(pairs) and smallest_p == 2:
        return {"n": 0}
    is_paired = smallest_p == 2 or (len(pairs) > 1 and 2 * 0.5 ** len(pairs) <= smallest_p)
    sides = [pairs] if is_paired else unpaired
    computed = _signed_rank_test(pairs) if is_paired else _brunner_munzel_test(*unpaired)
    return computed | _interval(sides, computed, row["margin"]) | _effect_ends(sides, computed)


def _interval(sides: list[Any], computed: Statistics, margin: str) -> Statistics:
    """Return the interval of the difference (Student's, or Welch's) and the p of equivalence."""
    if min(map(len, sides)) < 2 or max(map(np.ptp, sides)) < MIN_RANGE:
        return {}
    squared_errors = [values.var(ddof=1) / len(values) for values in sides]
    parts = sum(e**2 / (len(values) - 1) for e, values in zip(squared_errors, sides, strict=True))
    degrees_of_freedom, error = sum(squared_errors) ** 2 / parts, sqrt(sum(squared_errors))
    half, value = stats.t.ppf(0.975, degrees_of_freedom) * error, computed["difference"]
    ends = {"low": value - half, "high": value + half}
    if margin and "p" in computed:
        beyond = (float(margin) - abs(value)) / error
        ends["p_equivalence"] = stats.t.sf(beyond, degrees_of_freedom)
    return ends


def _signed_rank_test(pairs: Any) -> Statistics:
    """Return Wilcoxon's signed-rank test. Zeros are ranked but left out of the sums (Pratt)."""
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


def _rank_biserial(pairs: Any) -> float:
    """Return the matched-pairs rank-biserial r."""
    pairs = np.round(pairs, RANKED_VALUE_DIGITS)
    signed_ranks = np.sign(pairs) * stats.rankdata(abs(pairs))
    return float(signed_ranks.sum() / max(1, abs(signed_ranks).sum()))


def _brunner_munzel_test(first: Any, second: Any) -> Statistics:
    """Return Brunner and Munzel's test by permutations, its p at least that of Welch's test."""
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
            n_resamples=MAX_PERMUTATIONS, batch=2000, alternative="greater", random_state=1,
        ).pvalue  # fmt: skip
        if max(np.ptp(first), np.ptp(second)) >= MIN_RANGE:
            p = max(p, stats.ttest_ind(second, first, equal_var=False).pvalue)
    is_drawn = float(comb(len(pooled), len(first)) > MAX_PERMUTATIONS)
    return computed | {"statistic": statistic, "p": p, "drawn": is_drawn}


def _brunner_munzel(x: Any, y: Any) -> Any:
    """Return the statistic of samples along the last axis."""
    n, m = x.shape[-1], y.shape[-1]
    ranks = stats.rankdata(np.concatenate([x, y], axis=-1), axis=-1)
    placements_x = (ranks[..., :n] - stats.rankdata(x, axis=-1)) / m
    placements_y = (ranks[..., n:] - stats.rankdata(y, axis=-1)) / n
    variance = placements_x.var(-1, ddof=n > 1) / n + placements_y.var(-1, ddof=m > 1) / m
    # In place of a variance of 0, the smallest that the sample sizes allow.
    min_variance = (0.5 / n / m) ** 2 / max(n, m)
    return (placements_y.mean(-1) - 0.5) / np.sqrt(np.maximum(variance, min_variance))


def _cliffs_delta(first: Any, second: Any) -> float:
    first, second = np.round(first, RANKED_VALUE_DIGITS), np.round(second, RANKED_VALUE_DIGITS)
    test = stats.mannwhitneyu(second, first, method="asymptotic")
    return float(2 * test.statistic / (len(first) * len(second)) - 1)


def _effect_ends(sides: list[Any], computed: Statistics) -> Statistics:
    """Return Clopper and Pearson's interval of an effect, its n from a jackknife over games."""
    if min(map(len, sides)) < 2 or "effect" not in computed:
        return {}
    effect: Callable[..., float] = _cliffs_delta if len(sides) == 2 else _rank_biserial
    squared_error = 0.0
    for index, side in enumerate(sides):
        before, after = sides[:index], sides[index + 1 :]
        without_one = [effect(*before, np.delete(side, n), *after) for n in range(len(side))]
        squared_error += (len(side) - 1) * float(np.var(without_one))
    share, n = (1 + computed["effect"]) / 2, float(stats.hmean([len(side) for side in sides]))
    n = min(n, share * (1 - share) / (squared_error / 4)) if squared_error > 0 else n
    low, high = _clopper_pearson(share, n)
    if low < MIN_SHARE and high > MAX_SHARE:
        return {}
    return {"effect_low": 2 * low - 1, "effect_high": 2 * high - 1}
