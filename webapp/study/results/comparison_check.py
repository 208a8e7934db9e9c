"""Intervals, tests and Holm's p of a report, computed a second time from values by game.

The formulas are those of docs/statistics.md; no code of `webapp.statistics` is used.
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
COLUMNS = {"n", "games", "groups", "value", "sd", "low", "high", "difference", "statistic", "p",
           "effect", "effect_low", "effect_high", "p_equivalence"}  # fmt: skip
DRAWN = 20_000  # permutations: all up to so many, else so many are drawn
EXACT_PAIRS = 50
ALIKE, TOLERANCE = 1e-9, 1e-8
Statistics = dict[str, float]


def check_rows(
    name: str, rows: Any, values: Mapping[tuple[str, str, str], Any], unchecked: dict[str, int]
) -> tuple[int, list[str]]:
    """Return how many figures of ESTIMATES or COMPARISONS were compared, and the differences.

    Args:
        values: (measure, item, group) -> a row for each value: game_id, condition, deal, value.
        unchecked: Counts the rows that are taken as given.
    """
    checked, wrong = 0, []
    for row in rows.to_dict("records"):
        own = values.get((row["measure"], row["item"], row["group"]))
        if own is None:
            unchecked[name] = unchecked.get(name, 0) + 1
            continue
        if row["condition"] != "all":
            own = own[own.condition == row["condition"]]
        mine = _estimate(own, row) if name == ESTIMATES else _comparison(own, row)
        mine |= {"p_holm": row["holm"]} if "holm" in row else {}
        sides = f"{row['b']} − {row['a']}" if "a" in row else row["condition"]
        at = " / ".join(filter(None, (row["measure"], row["item"], row["group"], sides)))
        for key in sorted(mine.keys() - {"drawn"} | COLUMNS & row.keys()):
            checked += 1
            printed = row.get(key, "")
            if text := _difference(key, printed, mine):
                wrong.append(f"{name}: {at} / {key}: printed {printed or 'nothing'}, {text}")
    return checked, wrong


def with_holm(comparisons: Any) -> Any:
    """Return the rows with Holm's adjustment of the printed p, within each family."""
    tested = comparisons[comparisons.p != ""]
    adjusted = {
        at: p
        for _family, of in tested.groupby("family")
        for at, p in zip(of.index, multipletests(_numbers(of.p), method="holm")[1], strict=True)
    }
    return comparisons.assign(holm=[adjusted.get(at) for at in comparisons.index])


def _numbers(cells: Any) -> Any:
    """Return the cells as numbers, 1 for what is none."""
    return pd.to_numeric(cells, errors="coerce").fillna(1)


def _difference(key: str, printed: str, mine: Statistics) -> str:
    """Return the other value, "" if they agree. A p of drawn permutations differs by chance."""
    value = mine.get(key)
    if value is None or np.isnan(value) or not printed:
        is_undefined = value is None or np.isnan(value)
        return "" if is_undefined and not printed else f"computed {value}"
    tolerance = TOLERANCE * max(1, abs(value))
    if key == "p" and mine.get("drawn"):
        tolerance = 4 * sqrt(2 * max(value * (1 - value), 1 / DRAWN) / DRAWN)
    number = pd.to_numeric(printed, errors="coerce")
    return "" if abs(number - value) <= tolerance else f"computed {value:.6g}"


def _estimate(own: Any, row: Mapping[str, str]) -> Statistics:
    """Return the mean over games, SD, and the interval over groups of one deal."""
    games, deals = own.groupby("game_id").value.mean(), own.groupby("game_id").deal.first()
    mine = {"n": len(own), "games": len(games), "groups": deals.nunique(), "value": games.mean(),
            "sd": own.value.std()}  # fmt: skip
    off = (games - games.mean()).groupby(deals).agg(["sum", "size"])
    weights = (off["size"] / len(games)).to_numpy()
    if len(off) < (3 if row["part"] else 2):
        return mine
    if row["part"] and (len(own) == len(off) or games.mean() in (0, 1)):
        low, high = _clopper_pearson(games.mean(), len(off))
        return mine | {"low": low, "high": high}
    centring = np.eye(len(off)) - weights[None, :] - weights[:, None] + (weights**2).sum()
    spread = np.outer(weights, weights) * centring
    squared = (off["sum"] ** 2).sum() / len(games) ** 2 * (weights**2).sum() / spread.trace()
    if squared < 1e-12:
        return mine
    mean, reach = games.mean(), stats.t.ppf(0.975, spread.trace() ** 2 / (spread**2).sum())
    ends = [mean - reach * sqrt(squared), mean + reach * sqrt(squared)]
    if row["part"]:  # Korn and Graubard
        lost = (stats.t.ppf(0.975, len(own) - 1) / reach) ** 2
        ends = _clopper_pearson(mean, min(len(own), mean * (1 - mean) / squared * lost))
    return mine | {"low": ends[0], "high": ends[1]}


def _clopper_pearson(share: float, worth: float) -> list[float]:
    part, rest = share * worth, (1 - share) * worth
    return [stats.beta.ppf(0.025, part, rest + 1) if part else 0.0,
            stats.beta.ppf(0.975, part + 1, rest) if rest else 1.0]  # fmt: skip


def _comparison(own: Any, row: Mapping[str, str]) -> Statistics:
    """Return the difference of two conditions over deals, its test, and its effect."""
    own = own[own.condition.isin([row["a"], row["b"]])]
    games = own.groupby(["deal", "condition", "game_id"]).value.mean()
    deals = games.groupby(["deal", "condition"]).mean().unstack()
    first, second = deals[row["a"]], deals[row["b"]]
    pairs = (second - first).dropna().to_numpy()
    alone = [first[second.isna()].dropna().to_numpy(), second[first.isna()].dropna().to_numpy()]
    sizes = [len(one) for one in alone]
    # The design with the least p that it can reach; two pairs or more.
    by_groups = 2 / comb(sum(sizes), sizes[0]) if all(sizes) else 2
    if not len(pairs) and by_groups == 2:
        return {"n": 0}
    is_paired = by_groups == 2 or (len(pairs) > 1 and 2 * 0.5 ** len(pairs) <= by_groups)
    sides = [pairs] if is_paired else alone
    mine = _paired(pairs) if is_paired else _unpaired(*alone)
    return {**mine, **_interval(sides, mine, row["margin"]), **_effect_ends(sides, mine)}


def _interval(sides: list[Any], mine: Statistics, margin: str) -> Statistics:
    """Return Student's interval of the difference, Welch's of two groups, and of equivalence."""
    if min(map(len, sides)) < 2 or max(map(np.ptp, sides)) < ALIKE:
        return {}
    errors = [one.var(ddof=1) / len(one) for one in sides]
    parts = sum(e**2 / (len(one) - 1) for e, one in zip(errors, sides, strict=True))
    freedom, error = sum(errors) ** 2 / parts, sqrt(sum(errors))
    half, value = stats.t.ppf(0.975, freedom) * error, mine["difference"]
    equal = stats.t.sf((float(margin or 0) - abs(value)) / error, freedom)
    ends = {"low": value - half, "high": value + half}
    return ends | ({"p_equivalence": equal} if margin and "p" in mine else {})


def _paired(pairs: Any) -> Statistics:
    """Return Wilcoxon's signed-rank test, zeros ranked and left out of the sums (Pratt)."""
    mine, pairs = {"n": len(pairs), "difference": pairs.mean()}, np.round(pairs, 9)
    if not pairs.any():
        return mine
    ranks = stats.rankdata(abs(pairs))
    least = min(ranks[pairs > 0].sum(), ranks[pairs < 0].sum())
    mine |= {"statistic": least}
    mine |= {"effect": _biserial(pairs)} if np.count_nonzero(pairs) > 1 else {}
    if len(pairs) > EXACT_PAIRS:
        test = stats.wilcoxon(pairs, zero_method="pratt", correction=False, method="asymptotic")
        return mine | {"p": test.pvalue}
    choices = Counter({0.0: 1})  # sum of the ranks of rises -> choices of signs
    for rank in ranks[pairs != 0]:
        choices = choices + Counter({total + rank: n for total, n in choices.items()})
    tail = sum(n for total, n in choices.items() if total <= least)
    return mine | {"p": min(1.0, 2 * tail / choices.total())}


def _biserial(pairs: Any) -> float:
    signed = np.sign(np.round(pairs, 9)) * stats.rankdata(abs(np.round(pairs, 9)))
    return float(signed.sum() / max(1, abs(signed).sum()))


def _unpaired(first: Any, second: Any) -> Statistics:
    """Return Brunner and Munzel's test by permutations, its p at least that of Welch's test."""
    mine = {"n": len(first) + len(second), "difference": second.mean() - first.mean()}
    first, second = np.round(first, 9), np.round(second, 9)
    mine["effect"] = _delta(first, second)
    if not np.ptp([*first, *second]):
        return mine
    statistic, p, pooled = float(_brunner_munzel(first, second)), 0.0, np.array([*first, *second])
    if min(len(first), len(second)) == 1:
        statistics = [
            _brunner_munzel(pooled[[n]], np.delete(pooled, n)) for n in range(len(pooled))
        ]
        p = float(np.mean(np.abs(statistics) >= abs(statistic) - ALIKE))
    else:
        p = stats.permutation_test(
            (first, second), lambda x, y, axis: abs(_brunner_munzel(x, y)), vectorized=True,
            n_resamples=DRAWN, batch=2000, alternative="greater", random_state=1,
        ).pvalue  # fmt: skip
        if max(np.ptp(first), np.ptp(second)) >= ALIKE:
            p = max(p, stats.ttest_ind(second, first, equal_var=False).pvalue)
    is_drawn = float(comb(len(pooled), len(first)) > DRAWN)
    return mine | {"statistic": statistic, "p": p, "drawn": is_drawn}


def _brunner_munzel(x: Any, y: Any) -> Any:
    """Return the statistic of samples along the last axis. A variance of 0 is the least one."""
    n, m = x.shape[-1], y.shape[-1]
    ranks = stats.rankdata(np.concatenate([x, y], axis=-1), axis=-1)
    of_x = (ranks[..., :n] - stats.rankdata(x, axis=-1)) / m
    of_y = (ranks[..., n:] - stats.rankdata(y, axis=-1)) / n
    squared = of_x.var(-1, ddof=n > 1) / n + of_y.var(-1, ddof=m > 1) / m
    return (of_y.mean(-1) - 0.5) / np.sqrt(np.maximum(squared, (0.5 / n / m) ** 2 / max(n, m)))


def _delta(first: Any, second: Any) -> float:
    test = stats.mannwhitneyu(np.round(second, 9), np.round(first, 9), method="asymptotic")
    return float(2 * test.statistic / (len(first) * len(second)) - 1)


def _effect_ends(sides: list[Any], mine: Statistics) -> Statistics:
    """Return the interval of an effect: a jackknife over games, then Clopper and Pearson's."""
    if min(map(len, sides)) < 2 or "effect" not in mine:
        return {}
    effect: Callable[..., float] = _delta if len(sides) == 2 else _biserial
    squared = 0.0
    for at, own in enumerate(sides):
        left = [effect(*sides[:at], np.delete(own, n), *sides[at + 1 :]) for n in range(len(own))]
        squared += (len(own) - 1) * float(np.var(left))
    share, worth = (1 + mine["effect"]) / 2, float(stats.hmean([len(one) for one in sides]))
    worth = min(worth, share * (1 - share) / (squared / 4)) if squared > 0 else worth
    low, high = _clopper_pearson(share, worth)
    if low < 0.0025 and high > 0.9975:
        return {}
    return {"effect_low": 2 * low - 1, "effect_high": 2 * high - 1}
