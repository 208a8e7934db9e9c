"""Figures: values of metrics with what they are computed from, or the reason for none."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, stdev
from typing import Any, Self

from webapp.statistics.intervals import interval_on_scale, t_quantile

MIN_INTERVAL_GAMES = 3


@dataclass(frozen=True)
class Figure:
    """One metric in one variant."""

    metric: str
    variant: str
    value: float | None  # None if it is undefined
    n: int  # the number of `unit`s that the value is computed from
    unit: str  # the plural of what is counted, such as "games"
    reason: str = ""  # why the value is undefined, "" if it is defined
    # Kind of data that the value leaves out -> count.
    omitted: Mapping[str, int] = field(default_factory=dict)
    # The ends of the confidence interval of 95 %. None if none is computed or defined.
    interval: tuple[float, float] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form of reports, with numbers rounded to six decimals.

        The metric is not in it, because reports list figures by metric. The keys "why" and
        "left_out" are part of the reports' format.
        """
        value = None if self.value is None else round(self.value, 6)
        row: dict[str, Any] = {
            "variant": self.variant,
            "value": value,
            "n": self.n,
            "unit": self.unit,
        }
        if self.interval:
            row["interval"] = [round(bound, 6) for bound in self.interval]
        if self.reason:
            row["why"] = self.reason
        if omitted := {kind: count for kind, count in sorted(self.omitted.items()) if count}:
            row["left_out"] = omitted
        return row

    def as_percentage(self) -> Self:
        """Return a share from 0 to 1 as a percentage. An undefined figure stays undefined."""
        return self if self.value is None else replace(self, value=100 * self.value)


def mean_figure(
    metric: str,
    variant: str,
    values: Iterable[float | None],
    unit: str,
    reason: str,
    omitted: Mapping[str, int] | None = None,
) -> Figure:
    """Return the mean of the defined values.

    Args:
        values: One for each unit. None for an undefined one: it is counted in the figure's
            `omitted`, as "undefined <unit>".
        reason: Why the figure is undefined, if no value is defined.
        omitted: Kind of other data that the values leave out -> count.
    """
    all_values = list(values)
    defined = [value for value in all_values if value is not None]
    all_omitted = {**(omitted or {}), f"undefined {unit}": len(all_values) - len(defined)}
    value = fmean(defined) if defined else None
    why_undefined = "" if defined else reason
    return Figure(metric, variant, value, len(defined), unit, why_undefined, all_omitted)


def mean_over_games(figures: Sequence[Figure]) -> Figure:
    """Return the mean of one metric and variant over one or more games, with equal weights."""
    first = figures[0]
    omitted = Counter[str]()
    for figure in figures:
        omitted.update(figure.omitted)
    values = (figure.value for figure in figures)
    reason = "in no game: " + "; ".join(sorted({figure.reason for figure in figures}))
    return mean_figure(first.metric, first.variant, values, "games", reason, omitted)


def add_interval(figure: Figure, values: Sequence[float], low: float, high: float) -> Figure:
    """Return a mean over games with its 95 % interval: Student's t, within the scale.

    The figure gets no interval if the mean is undefined, with fewer than MIN_INTERVAL_GAMES, if all
    values are equal, and in the cases of `interval_on_scale`.

    Args:
        figure: The mean of `values`, one for each game.
        low, high: The ends of the scale; `high` may be infinite.
    """
    if figure.value is None or len(values) < MIN_INTERVAL_GAMES:
        return figure
    standard_error = stdev(values) / len(values) ** 0.5
    if not standard_error:
        return figure
    half_width = t_quantile(len(values) - 1) * standard_error
    return replace(figure, interval=interval_on_scale(figure.value, half_width, low, high))
