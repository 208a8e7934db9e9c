"""Figures: values of metrics with what they are computed from, or why they are undefined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, stdev
from typing import Any

from webapp.statistics.intervals import interval_on_scale

MIN_INTERVAL_GAMES = 3


@dataclass(frozen=True)
class Figure:
    """One metric in one variant.

    Attributes:
        value: None if it is undefined; then `why` has the reason.
        n: The number of `unit`s that the value is computed from.
        unit: The plural of what is counted, such as "games".
        left_out: Kind of omitted data -> count.
        interval: Of 95 %, or None.
    """

    metric: str
    variant: str
    value: float | None
    n: int
    unit: str
    why: str = ""
    left_out: Mapping[str, int] = field(default_factory=dict)
    interval: tuple[float, float] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, with numbers rounded to six decimals."""
        value = None if self.value is None else round(self.value, 6)
        row: dict[str, Any] = {"variant": self.variant, "value": value, "n": self.n}
        row["unit"] = self.unit
        if self.interval:
            row["interval"] = [round(bound, 6) for bound in self.interval]
        if self.why:
            row["why"] = self.why
        if left_out := {kind: count for kind, count in sorted(self.left_out.items()) if count}:
            row["left_out"] = left_out
        return row


def mean_figure(
    metric: str,
    variant: str,
    values: Iterable[float | None],
    unit: str,
    reason: str,
    left_out: Mapping[str, int] | None = None,
) -> Figure:
    """Return the mean of the defined values.

    Args:
        values: None for an undefined one; these are counted as left out, as "undefined <unit>".
        reason: Why the figure is undefined, if no value is defined.
    """
    all_values = list(values)
    defined = [value for value in all_values if value is not None]
    omitted = {**(left_out or {}), f"undefined {unit}": len(all_values) - len(defined)}
    value = fmean(defined) if defined else None
    return Figure(metric, variant, value, len(defined), unit, "" if defined else reason, omitted)


def mean_over_games(figures: Sequence[Figure]) -> Figure:
    """Return the mean of one metric and variant over games, with equal weights."""
    first = figures[0]
    omitted = Counter[str]()
    for figure in figures:
        omitted.update(figure.left_out)
    values = (figure.value for figure in figures)
    reason = "in no game: " + "; ".join(sorted({figure.why for figure in figures}))
    return mean_figure(first.metric, first.variant, values, "games", reason, omitted)


def add_interval(figure: Figure, values: Sequence[float], low: float, high: float) -> Figure:
    """Return a mean over games with its interval of 95 %: Student's t, within the scale.

    There is none with fewer than MIN_INTERVAL_GAMES, nor if all values are equal.

    Args:
        low, high: The ends of the scale; `high` may be infinite.
    """
    from scipy import stats  # not at the top: pages import this module

    if figure.value is None or len(values) < MIN_INTERVAL_GAMES or not (spread := stdev(values)):
        return figure
    half = float(stats.t.ppf(0.975, len(values) - 1)) * spread / len(values) ** 0.5
    return replace(figure, interval=interval_on_scale(figure.value, half, low, high))
