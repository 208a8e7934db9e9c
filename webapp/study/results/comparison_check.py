"""Intervals, tests and Holm's p of a report, computed a second time from values by game.

The formulas are those of docs/statistics.md; no code of `webapp.statistics` is used.
"""

from __future__ import annotations

import itertools
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from math import comb, sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

ESTIMATES, COMPARISONS = "estimates.csv", "comparisons.csv"
LEAST_OF_SHARE = 3  # groups, for an interval of a share
DRAWN = 20_000  # permutations: all up to so many, else so many are drawn
EXACT_PAIRS = 50
ALIKE = 1e-9
TOLERANCE = 1e-8
Values = Mapping[tuple[str, str, str], Any]  # measure, item, group -> game, condition, deal, value
Statistics = dict[str, float]


def check_rows(
    estimates: Any, comparisons: Any, study_file: bytes, values: Values, unchecked: dict[str, int]
) -> tuple[int, list[str]]:
    """Return how many figures were compared, and a sentence for each difference.

    Args:
        estimates, comparisons: The files' rows, all cells as text.
        study_file: The design, which names the planned tests.
        values: Each value by game, of the measures that the data give.
        unchecked: Counts what is taken as given, by file.
    """
    checked, wrong = 0, []
    planned = _planned(study_file)
    for name, rows, compute in ((ESTIMATES, estimates, _estimate),
                                (COMPARISONS, comparisons, _comparison)):  # fmt: skip
        for row in rows.to_dict("records"):
            own = values.get((row["measure"], row["item"], row["group"]))
            if own is None:
                unchecked[name] = unchecked.get(name, 0) + 1
                continue
            if row["condition"] != "all":
                own = own[own.condition == row["condition"]]
            mine = compute(own, row)
            if name == COMPARISONS:
                is_planned = (_name(row), frozenset((row["a"], row["b"]))) in planned
                mine["confirmatory"] = float(is_planned)
                row["confirmatory"] = str(float(row["family"] == "confirmatory"))
            at = " / ".join(filter(None, (row[k] for k in ("measure", "item", "group"))))
            sides = f"{row['b']} − {row['a']}" if "a" in row else row["condition"]
            for key in mine.keys() | (COLUMNS[name] & row.keys()):
                checked += 1
                if text := _difference(key, row.get(key, ""), mine):
                    wrong.append(f"{name}: {at} / {sides} / {key}: {text}")
    more, of_holm = _check_holm(comparisons)
    return checked + more, [*sorted(wrong), *of_holm]


COLUMNS = {
    ESTIMATES: {"n", "games", "groups", "value", "sd", "low", "high"},
    COMPARISONS: {"n", "difference", "low", "high", "statistic", "p", "effect", "effect_low",
                  "effect_high", "p_equivalence"},
}  # fmt: skip


def _difference(key: str, printed: str, mine: Statistics) -> str:
    """Return what differs, "" if nothing. A p of drawn permutations differs by chance."""
    value = mine.get(key)
    if not printed or value is None:
        one = "undefined" if value is None else f"{value:.6g}"
        return f"printed {printed or 'nothing'}, computed {one}" if printed or value else ""
    tolerance = TOLERANCE * max(1, abs(value))
    if key == "p" and mine.get("drawn"):
        tolerance = 4 * sqrt(2 * max(value * (1 - value), 1 / DRAWN) / DRAWN)
    if abs(float(printed) - value) <= tolerance:
        return ""
    return f"printed {printed}, computed {value:.6g}"


def _name(row: Mapping[str, str]) -> str:
    """Return the key by which the design names a test."""
    return "/".join(filter(None, (row["measure"], row["item"], row["group"])))


def _planned(study_file: bytes) -> set[tuple[str, frozenset[str]]]:
    tests = tomllib.loads(study_file.decode()).get("analysis", {}).get("tests", [])
    return {(one["item"], frozenset((one["a"], one["b"]))) for one in tests}


def _check_holm(comparisons: Any) -> tuple[int, list[str]]:
    """Adjust the printed p within each family."""
    checked, wrong = 0, []
    for family, tests in comparisons[comparisons.p != ""].groupby("family"):
        mine = multipletests(tests.p.astype(float), method="holm")[1]
        for row, p in zip(tests.itertuples(), mine, strict=True):
            checked += 1
            if not row.p_holm or abs(float(row.p_holm) - p) > TOLERANCE:
                wrong.append(
                    f"{COMPARISONS}: {row.measure} / {row.group} / {row.b} − {row.a} / p_holm,"
                    f" {family}: printed {row.p_holm or 'nothing'}, computed {p:.6g}"
                )
    return checked, wrong


def _estimate(own: Any, row: Mapping[str, str]) -> Statistics:
    """Return the mean over games, SD, and the interval over groups of one deal."""
    if own.empty:
        return {"n": 0, "games": 0, "groups": 0}
    games = own.groupby("game_id").value.mean()
    mean, groups = games.mean(), own.groupby("game_id").deal.first()
    mine = {"n": len(own), "games": len(games), "groups": groups.nunique(), "value": mean}
    if len(own) > 1:
        mine["sd"] = own.value.std()
    off = (games - mean).groupby(groups).agg(["sum", "size"])
    weights = (off["size"] / len(games)).to_numpy()
    if len(off) < (LEAST_OF_SHARE if row["part"] else 2):
        return mine
    centring = np.eye(len(off)) - weights[None, :] - weights[:, None] + (weights**2).sum()
    spread = np.outer(weights, weights) * centring
    squared = (off["sum"] ** 2).sum() / len(games) ** 2 * (weights**2).sum() / spread.trace()
    if squared < 1e-12:
        return mine
    freedom = spread.trace() ** 2 / (spread**2).sum()
    reach = stats.t.ppf(0.975, freedom)
    ends = (mean - reach * sqrt(squared), mean + reach * sqrt(squared))
    if row["part"]:  # Korn and Graubard
        lost = (stats.t.ppf(0.975, len(own) - 1) / reach) ** 2
        ends = _clopper_pearson(mean, min(len(own), mean * (1 - mean) / squared * lost))
    return mine | dict(zip(("low", "high"), ends, strict=True))


def _clopper_pearson(share: float, worth: float) -> tuple[float, float]:
    low, high = proportion_confint(share * worth, worth, method="beta")
    return float(low), float(high)


def _comparison(own: Any, row: Mapping[str, str]) -> Statistics:
    """Return the difference of two conditions over deals, its test, and its effect."""
    own = own[own.condition.isin([row["a"], row["b"]])]
    of_games = own.groupby(["deal", "condition", "game_id"]).value.mean()
    deals = of_games.groupby(["deal", "condition"]).mean().unstack()
    first, second = deals[row["a"]], deals[row["b"]]
    pairs = (second - first).dropna().to_numpy()
    alone = [one[other.isna()].dropna().to_numpy() for one, other in
             ((first, second), (second, first))]  # fmt: skip
    sizes = [len(one) for one in alone]
    by_pairs = 2 * 0.5 ** len(pairs) if len(pairs) > 1 else 2.0 - bool(len(pairs)) / 2
    by_groups = 2 / comb(sum(sizes), sizes[0]) if all(sizes) else 2.0
    if min(by_pairs, by_groups) == 2:
        return {"n": 0}
    is_paired = by_pairs <= min(1, by_groups) or not all(sizes)
    mine = _paired(pairs) if is_paired else _unpaired(*alone)
    sides = [pairs] if is_paired else alone
    mine |= _interval(sides, mine["difference"], float(row["margin"] or 0), "p" in mine)
    return mine | (_effect_ends(sides) if "effect" in mine else {})


def _interval(sides: list[Any], difference: float, margin: float, tested: bool) -> Statistics:
    """Return Student's interval of a difference, Welch's of two groups, and of equivalence."""
    if min(map(len, sides)) < 2 or max(map(np.ptp, sides)) < ALIKE:
        return {}
    errors = [one.var(ddof=1) / len(one) for one in sides]
    parts = sum(e**2 / (len(one) - 1) for e, one in zip(errors, sides, strict=True))
    freedom = sum(errors) ** 2 / parts
    error = sqrt(sum(errors))
    half = stats.t.ppf(0.975, freedom) * error
    mine = {"low": difference - half, "high": difference + half}
    if margin and tested:
        mine["p_equivalence"] = stats.t.sf((margin - abs(difference)) / error, freedom)
    return mine


def _paired(pairs: Any) -> Statistics:
    """Return Wilcoxon's signed-rank test, zeros ranked and left out of the sums (Pratt)."""
    mine = {"n": len(pairs), "difference": pairs.mean()}
    pairs = np.round(pairs, 9)
    if not pairs.any():
        return mine
    ranks = stats.rankdata(abs(pairs))
    plus, minus = ranks[pairs > 0].sum(), ranks[pairs < 0].sum()
    mine |= {"statistic": min(plus, minus), "effect": _biserial(pairs)}
    if len(pairs) > EXACT_PAIRS:
        test = stats.wilcoxon(pairs, zero_method="pratt", correction=False, method="asymptotic")
        return mine | {"p": test.pvalue}
    ways = Counter({0.0: 1})  # sum of the ranks of rises -> choices of signs
    for rank in ranks[pairs != 0]:
        ways = ways + Counter({total + rank: n for total, n in ways.items()})
    tail = sum(n for total, n in ways.items() if total <= min(plus, minus))
    return mine | {"p": min(1.0, 2 * tail / ways.total())}


def _biserial(pairs: Any) -> float:
    pairs = np.round(pairs, 9)
    signed = np.sign(pairs) * stats.rankdata(abs(pairs))
    return float(signed.sum() / abs(signed).sum()) if pairs.any() else 0.0


def _unpaired(first: Any, second: Any) -> Statistics:
    """Return Brunner and Munzel's test by permutations; p is never less than Welch's."""
    mine = {"n": len(first) + len(second), "difference": second.mean() - first.mean()}
    first, second = np.round(first, 9), np.round(second, 9)
    mine["effect"] = _delta(first, second)
    pooled = np.concatenate([first, second])
    if not np.ptp(pooled):
        return mine
    of_second = np.arange(len(pooled)) >= len(first)
    mine["statistic"] = float(_brunner_munzel(pooled, of_second[None, :])[0])
    total = comb(len(pooled), len(second))
    reached = sum(
        int((abs(_brunner_munzel(pooled, block)) >= abs(mine["statistic"]) - 1e-9).sum())
        for block in _permutations(of_second, total)
    )
    drawn = total > DRAWN
    mine["p"] = (reached + 1) / (DRAWN + 1) if drawn else reached / total
    if min(len(first), len(second)) > 1 and max(np.ptp(first), np.ptp(second)) >= ALIKE:
        welch = stats.ttest_ind(second, first, equal_var=False).pvalue
        drawn &= mine["p"] > welch / 2
        mine["p"] = max(mine["p"], welch)
    return mine | ({"drawn": 1.0} if drawn else {})


def _permutations(of_second: Any, total: int) -> Iterator[Any]:
    """Yield blocks of choices of the second group: all, or so many drawn ones."""
    count, size = len(of_second), int(of_second.sum())
    if total <= DRAWN:
        chosen = np.array(list(itertools.combinations(range(count), size)))
        yield (chosen[:, :, None] == np.arange(count)).any(axis=1)
        return
    generator = np.random.default_rng(1)
    for _block in range(20):
        order = generator.random((DRAWN // 20, count)).argsort(axis=1)
        yield of_second[order]


def _brunner_munzel(pooled: Any, choices: Any) -> Any:
    """Return the statistic of each choice (choices, games), by ranks within and over all."""
    overall = stats.rankdata(pooled)
    m = choices.sum(axis=1)
    n = choices.shape[1] - m
    tied = (pooled[:, None] > pooled[None, :]) + 0.5 * (pooled[:, None] == pooled[None, :])
    variances = []
    means = []
    for own, size, others in ((choices, m, n), (~choices, n, m)):
        inner = own.astype(float) @ tied.T + 0.5  # rank among its own
        off = np.where(own, overall[None, :] - inner, 0.0)
        centre = off.sum(axis=1) / size
        squares = (np.where(own, off - centre[:, None], 0.0) ** 2).sum(axis=1)
        variances.append(squares / np.maximum(size - 1, 1) / size / others**2)
        means.append(centre / others)
    least = (0.5 / (n * m)) ** 2 / np.maximum(n, m)
    return (means[0] - 0.5) / np.sqrt(np.maximum(sum(variances), least))


def _delta(first: Any, second: Any) -> float:
    test = stats.mannwhitneyu(np.round(second, 9), np.round(first, 9), method="asymptotic")
    return float(2 * test.statistic / (len(first) * len(second)) - 1)


def _effect_ends(sides: list[Any]) -> Statistics:
    """Return the interval of an effect: a jackknife over games, then Clopper and Pearson's."""
    if min(map(len, sides)) < 2:
        return {}
    effect = _delta if len(sides) == 2 else _biserial
    squared = 0.0
    for at, own in enumerate(sides):
        left = [effect(*sides[:at], np.delete(own, n), *sides[at + 1 :]) for n in range(len(own))]
        squared += (len(own) - 1) * float(np.var(left))
    share = (1 + effect(*sides)) / 2
    worth = float(len(sides[0])) if len(sides) == 1 else float(stats.hmean([*map(len, sides)]))
    if squared > 0:
        worth = min(worth, share * (1 - share) / (squared / 4))
    low, high = _clopper_pearson(share, worth)
    low, high = (low if share > 0 else 0.0), (high if share < 1 else 1.0)
    if low < 0.0025 and high > 0.9975:
        return {}
    return {"effect_low": 2 * low - 1, "effect_high": 2 * high - 1}


def as_values(frame: Any, deal: Any, value: Any) -> Any:
    """Return the columns that `Values` have."""
    columns = {"game_id": frame.game_id, "condition": frame.condition}
    return pd.DataFrame({**columns, "deal": frame.game_id.map(deal), "value": value})
