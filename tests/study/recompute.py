"""Recompute the printed figures of a campaign from its archive alone.

The code is independent: pandas, statsmodels and the krippendorff package on `ratings_long.csv`. It
requires that each rater rated everything. The error over raters and games then follows from mean
squares.
"""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.formula import api as smf
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.multitest import multipletests

Figure = tuple[str, Any, Any]  # Name, printed value, recomputed value.


def figures(archive: bytes, printed: Mapping[str, Any]) -> Iterator[Figure]:
    """Yield each figure that can be recomputed."""
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        all_rows = pd.read_csv(files.open("ratings_long.csv"))
    rows = all_rows[~all_rows.is_attention & ~all_rows.is_repeat & ~all_rows.excluded]
    answered = rows[rows.status == "answered"]
    totals = printed["totals"]
    yield "games", totals["games"], answered.game_id.nunique()
    yield "units", totals["units"], answered.item_id.nunique()
    yield "raters", totals["raters"], answered.rater_pseudonym.nunique()
    yield "ratings", totals["kept"], len(answered)
    for block in printed["dimensions"]:
        ratings = answered[answered.dimension == block["key"]]
        if not len(ratings):
            continue
        yield from _description(block, ratings, rows[rows.dimension == block["key"]])
        yield from _agreement(block, ratings)
        for pair in block["comparisons"]:
            yield from _comparison(pair, ratings)
    yield from _adjusted_p_values(printed)
    for one in printed["raters"]:
        yield from _rater(one, answered[answered.rater_pseudonym == one["rater"]])


def _description(block: Mapping[str, Any], ratings: Any, due: Any) -> Iterator[Figure]:
    parts = [(block["overall"], ratings), *(
        (row, ratings[ratings.condition == row["condition"]]) for row in block["conditions"]
    )]  # fmt: skip
    for row, values in parts:
        name = f"{block['key']} {row.get('condition', 'all')}"
        yield f"{name} n", row["n"], len(values)
        yield f"{name} units", row["units"], values.item_id.nunique()
        yield f"{name} games", row["games"], values.game_id.nunique()
        yield f"{name} raters", row["raters"], values.rater_pseudonym.nunique()
        yield f"{name} mean", row["mean"]["value"], values.value.mean()
        yield f"{name} sd", row["sd"]["value"], values.value.std()
        for step, count in row["counts"].items():
            yield f"{name} {step}", count, int((values.value == int(step)).sum())
        if row["ci"]["value"] and "condition" in row:
            low, high = block["min"], block["max"]
            for end, recomputed in zip(
                row["ci"]["value"], _logit_ends(values, low, high), strict=True
            ):
                yield f"{name} ci", end, recomputed
    missing = block["missing"]["share_missing"]["value"]
    yield f"{block['key']} missing", missing, float((due.status != "answered").mean())


def _squares(table: pd.DataFrame, column: str) -> tuple[float, float, float, int, int]:
    """Return the squared errors of the mean over games, raters and both, and their numbers."""
    raters, games = table.rater_pseudonym.nunique(), table.game_id.nunique()
    fit = smf.ols(f"{column} ~ C(game_id) + C(rater_pseudonym)", table).fit()
    squares = anova_lm(fit).mean_sq / raters / games
    return (*(float(one) for one in squares), games, raters)  # type: ignore[return-value]


def _error(table: pd.DataFrame, column: str) -> tuple[float, float]:
    """Return the squared error over raters and games, and its degrees of freedom."""
    of_games, of_raters, rest, games, raters = _squares(table, column)
    squared = max(of_games + of_raters - rest, of_games, of_raters)
    df = (of_raters + of_games) / (of_raters / (raters - 1) + of_games / (games - 1))
    return squared, df


def _logit_ends(values: pd.DataFrame, low: int, high: int) -> list[float]:
    cells = values.groupby(["game_id", "rater_pseudonym"]).value.mean().rename("v").reset_index()
    squared, df = _error(cells, "v")
    share = (values.value.mean() - low) / (high - low)
    slope = 1 / ((high - low) * share * (1 - share))
    half = stats.t.ppf(0.975, df) * math.sqrt(squared) * slope
    return [low + (high - low) * stats.logistic.cdf(stats.logistic.ppf(share) + s * half)
            for s in (-1, 1)]  # fmt: skip


def _agreement(block: Mapping[str, Any], ratings: pd.DataFrame) -> Iterator[Figure]:
    matrix = ratings.pivot_table(index="rater_pseudonym", columns="item_id", values="value")
    for level in ("nominal", "ordinal", "interval"):
        recomputed = krippendorff.alpha(matrix.to_numpy(), level_of_measurement=level)
        yield f"{block['key']} alpha {level}", block["alpha"][level]["value"], recomputed
    data = matrix.to_numpy()
    raters, units = data.shape
    rows, columns = data.mean(axis=0), data.mean(axis=1)
    of_units = raters * rows.var(ddof=1)
    of_raters = units * columns.var(ddof=1)
    residual = ((data - rows[None, :] - columns[:, None] + data.mean()) ** 2).sum()
    residual /= (raters - 1) * (units - 1)
    icc = (of_units - residual) / (
        of_units + (raters - 1) * residual + raters * (of_raters - residual) / units
    )
    yield f"{block['key']} icc", block["icc"]["value"], icc


def _comparison(pair: Mapping[str, Any], ratings: pd.DataFrame) -> Iterator[Figure]:
    """Yield the figures of games with both conditions that all raters rated."""
    keys = ["game_id", "rater_pseudonym"]
    means = ratings.groupby([*keys, "condition"]).value.mean().unstack("condition").dropna()
    table = (means[pair["b"]] - means[pair["a"]]).rename("d").reset_index()
    squared, df = _error(table, "d")
    mean, t = table.d.mean(), table.d.mean() / math.sqrt(squared)
    half = stats.t.ppf(0.975, df) * math.sqrt(squared)
    name, difference = f"{pair['a']}/{pair['b']}", pair["difference"]
    yield f"{name} n", pair["n"], table.game_id.nunique()
    yield f"{name} difference", difference["value"], mean
    yield f"{name} low", difference["ci"]["value"][0], mean - half
    yield f"{name} high", difference["ci"]["value"][1], mean + half
    yield f"{name} t", pair["test"]["value"], t
    yield f"{name} df", pair["test"]["df"], df
    yield f"{name} p", pair["test"]["p"]["value"], 2 * stats.t.sf(abs(t), df)
    of_games = np.round(table.groupby("game_id").d.mean().to_numpy(), 9)
    ranks = stats.rankdata(np.abs(of_games))
    plus, minus = ranks[of_games > 0].sum(), ranks[of_games < 0].sum()
    if plus + minus:
        yield f"{name} r", pair["effect"]["value"], (plus - minus) / (plus + minus)
    if "equivalence" in pair:
        margin = pair["equivalence"]["margin"]
        beyond = (margin - abs(mean)) / math.sqrt(squared)
        yield f"{name} equivalent", pair["equivalence"]["value"], stats.t.sf(beyond, df)


def _adjusted_p_values(printed: Mapping[str, Any]) -> Iterator[Figure]:
    pairs = [pair for block in printed["dimensions"] for pair in block["comparisons"]]
    for family in ("confirmatory", "exploratory"):
        tests = [one["test"] for one in pairs if one["family"] == family and "p" in one["test"]]
        if tests:
            recomputed = multipletests([test["p"]["value"] for test in tests], method="holm")[1]
            for test, p in zip(tests, recomputed, strict=True):
                yield f"holm {family}", test["p_holm"]["value"], p


def _rater(rater: Mapping[str, Any], ratings: pd.DataFrame) -> Iterator[Figure]:
    name, straight = rater["rater"], rater["straight"]
    values = ratings.sort_values("presentation_index", kind="stable").value
    runs = (values != values.shift()).cumsum()
    yield f"{name} answered", rater["answered"], len(values)
    yield f"{name} longest run", straight["longest_run"], int(runs.value_counts().max())
    yield f"{name} spread", straight["spread"]["value"], values.std(ddof=0)
    by_item = ratings.groupby(["assignment_id", "item_id"]).value.agg(["nunique", "count"])
    several = by_item[by_item["count"] > 1]
    yield f"{name} flat", straight["flat"]["value"], float((several["nunique"] == 1).mean())
