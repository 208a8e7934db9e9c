"""Tests of the formulas of docs/statistics.md in plain loops over incomplete designs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, log, sqrt

import numpy as np
import pytest
from scipy import stats

from tests.study.making import dimension, mark
from webapp.statistics.marks import Mark
from webapp.statistics.rating_results import compute_statistics


@dataclass(frozen=True)
class Part:
    """A rating with its weight in the estimate."""

    weight: float
    mark: Mark

    @property
    def value(self) -> float:
        assert self.mark.value is not None
        return float(self.mark.value)


Key = Callable[[Mark], Hashable]
KEYS: dict[str, Key] = {
    "raters": lambda m: m.rater,
    "games": lambda m: m.game,
    "cells": lambda m: (m.rater, m.game),
}


def drawn_marks(paired: bool) -> list[Mark]:
    """Return ratings of eight games by five raters, a third of them missing."""
    chance = np.random.default_rng(11)
    marks = []
    for game, rater, side in product(range(8), range(5), "ab"):
        absent = chance.random() < 0.33
        if absent or (not paired and side != "ab"[game % 2]):
            continue
        value = 3 + game % 3 - 1 + (rater == 0) - (side == "a") * (chance.random() < 0.6)
        unit = f"{side}{game}"
        marks.append(mark(int(value), game=f"g{game}", unit=unit, moment=f"{unit}-m",
                          condition=side, rater=f"r{rater}"))  # fmt: skip
    return marks


def mean_parts(marks: Sequence[Mark]) -> list[Part]:
    return [Part(1 / len(marks), one) for one in marks]


def difference_parts(marks: Sequence[Mark], paired: bool) -> list[Part]:
    """Return the weighted ratings of a difference of two conditions.

    Each game has one moment per condition and is a deal of its own.
    """
    sides = defaultdict(set)
    for one in marks:
        sides[one.game].add(one.condition)
    used = [one for one in marks if len(sides[one.game]) == (2 if paired else 1)]
    parts = []
    for one in used:
        deals = len({m.game for m in used if m.condition == one.condition})
        ratings = sum(m.unit == one.unit for m in used)
        sign = 1 if one.condition == "b" else -1
        parts.append(Part(sign / deals / ratings, one))
    return parts


def squared_error(parts: Sequence[Part], by_side: bool) -> tuple[float, float]:
    """Return the squared error and its degrees of freedom, as documented."""
    sides = sorted({one.mark.condition for one in parts}) if by_side else [""]

    def of_side(side: str) -> list[Part]:
        return [one for one in parts if not by_side or one.mark.condition == side]

    deviations = {}
    for side in sides:
        own = of_side(side)
        middle = sum(abs(p.weight) * p.value for p in own) / sum(abs(p.weight) for p in own)
        deviations |= {id(p): p.weight * (p.value - middle) for p in own}
    squares, variance, freedom, load, kept_shares = {}, {}, {}, {}, {}
    for name, key in KEYS.items():
        clusters = sorted({key(p.mark) for p in parts}, key=str)
        number = {cluster: position for position, cluster in enumerate(clusters)}
        sums = [0.0] * len(clusters)
        loads = [[0.0] * len(clusters) for _side in sides]
        for p in parts:
            sums[number[key(p.mark)]] += deviations[id(p)]
            side_index = sides.index(p.mark.condition) if by_side else 0
            loads[side_index][number[key(p.mark)]] += p.weight
        shares = [[abs(x) / sum(map(abs, row)) for x in row] for row in loads]
        several = range(len(clusters))
        matrix = [
            [
                sum(
                    row[k] * ((k == j) - a[k] - a[j] + sum(x * x for x in a)) * row[j]
                    for row, a in zip(loads, shares, strict=True)
                )
                for j in several
            ]
            for k in several
        ]
        separate = len(sides) > 1 and all(sum(row[k] != 0 for row in loads) == 1 for k in several)
        strata = [[k for k in several if row[k]] for row in loads] if separate else [list(several)]
        total = lost = 0.0
        for stratum in strata:
            trace = sum(matrix[k][k] for k in stratum)
            own_load = sum(row[k] ** 2 for row in loads for k in stratum)
            value = sum(sums[k] ** 2 for k in stratum) * own_load / trace
            total += value
            lost += value**2 / (trace**2 / sum(matrix[k][j] ** 2 for k in stratum for j in stratum))
        squares[name] = sum(x * x for x in sums)
        variance[name], freedom[name] = total, total**2 / lost
        load[name] = sum(x * x for row in loads for x in row)
        kept_shares[name] = sum(
            row[k] ** 2 * (1 - 2 * a[k] + sum(x * x for x in a))
            for row, a in zip(loads, shares, strict=True)
            for k in several
        ) / load[name]  # fmt: skip
    of_raters, of_games = variance["raters"], variance["games"]
    c = {name: kept_shares[name] * load["cells"] / load[name] for name in ("raters", "games")}
    both = squares["cells"] - c["raters"] * of_raters - c["games"] * of_games
    both /= kept_shares["cells"] - c["raters"] - c["games"]
    both = min(max(both, 0.0), of_raters, of_games)
    df = (of_raters + of_games) / (of_raters / freedom["raters"] + of_games / freedom["games"])
    return of_raters + of_games - both, df


@pytest.mark.parametrize("paired", [True, False])
def test_comparison_has_the_documented_error(paired: bool) -> None:
    marks = drawn_marks(paired)
    pair = compute_statistics(marks, [dimension()])["dimensions"][0]["comparisons"][0]
    assert pair["design"] == ("paired" if paired else "unpaired")
    parts = difference_parts(marks, paired)
    squared, df = squared_error(parts, by_side=True)
    estimate = sum(p.weight * p.value for p in parts)
    half = stats.t.ppf(0.975, df) * sqrt(squared)
    assert pair["difference"]["value"] == pytest.approx(estimate)
    assert pair["difference"]["ci"]["value"] == pytest.approx([estimate - half, estimate + half])
    assert pair["test"]["df"] == pytest.approx(df)
    p = 2 * stats.t.sf(abs(estimate) / sqrt(squared), df)
    assert pair["test"]["p"]["value"] == pytest.approx(p)


def test_mean_has_the_documented_interval() -> None:
    marks = drawn_marks(paired=True)
    overall = compute_statistics(marks, [dimension()])["dimensions"][0]["overall"]
    squared, df = squared_error(mean_parts(marks), by_side=False)
    share = (overall["mean"]["value"] - 1) / 4
    half = stats.t.ppf(0.975, df) * sqrt(squared) / (4 * share * (1 - share))
    middle = log(share / (1 - share))
    ends = [1 + 4 / (1 + exp(-(middle + sign * half))) for sign in (-1, 1)]
    assert overall["ci"]["value"] == pytest.approx(ends)


def test_interval_over_the_whole_scale_is_undefined() -> None:
    marks = [mark(value, game=f"g{n}", unit=f"u{n}", rater=f"r{rater}")
             for n, pair in enumerate([(1, 5, 1), (5, 1, 5)])
             for rater, value in enumerate(pair)]  # fmt: skip
    interval = compute_statistics(marks, [dimension()])["dimensions"][0]["overall"]["ci"]
    assert (interval["value"], interval["why"]) == (None, "whole_scale")
