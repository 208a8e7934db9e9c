"""Draws figures of results: distributions, estimates with intervals, participant flow.

Colours are mid tones without a background, so that a figure is readable on light and dark pages.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from webapp.statistics.reported_statistics import format_decimals, one_line
from webapp.study.results.figure_rendering import INK, condition_name, draw_svg
from webapp.study.results.result_table import figure_key, roles_figure_key
from webapp.study.results.sections import (
    ALL_CONDITIONS,
    MEASURE_LABELS,
    SECTION_TEXTS,
    EstimateLine,
)

BAR_COLOR = "#4a86c5"
MARK_COLOR = "#c9752d"
MAX_NAME_CHARS = 60
MAX_LINE_NAME_CHARS = 34
MAX_TITLE_CHARS = 84
MAX_LINES = 40
MAX_TICKS = 15  # A scale with more values has ticks at its ends only.
MAX_FLOW_COLUMNS = 6  # the flow of participants shows this many conditions
HALF_BOX_HEIGHT = 0.24  # Boxes in the flow of participants are 1 apart.

Drawing = Callable[[], str]  # draws an SVG when called, because not all are needed


def distribution_figures(results: Mapping[str, Any]) -> dict[str, str]:
    """Return dimension key -> SVG (an <svg> element) with each value's share by condition."""
    svgs = {}
    for dimension in results["dimensions"]:
        key, title = dimension["key"], shorten_name(dimension["label"] or dimension["key"])
        description = describe_rows(
            (_describe_condition(row), [f"{value}: {n}" for value, n in row["counts"].items()])
            for row in dimension["conditions"]
        )
        texts = (key, title, description or "no ratings")
        svgs[key] = draw_svg(_draw_distribution, (dimension,), *texts, kind="d")
    return svgs


def estimate_figures(results: Mapping[str, Any]) -> dict[str, str]:
    """Return key -> SVG with the estimates of a measure, or of one of its items.

    Lines of single teams and roles are left out, except those of survival in an experiment.
    """
    items = {item["key"]: item for item in results["items"]}
    figures = {}
    measures = [(key, m) for key, texts in SECTION_TEXTS.items() for m in texts.drawn_measures]
    for section, measure in measures:
        lines_by_item: dict[str, list[EstimateLine]] = {}
        for line in results["sections"][section]["lines"]:
            is_drawn = "/" not in line["group"] and line["value"]["value"] is not None
            if line["measure"] == measure and is_drawn:
                lines_by_item.setdefault(line["item"], []).append(line)
        for item, item_lines in lines_by_item.items():
            key = figure_key(section, measure, item)
            title = str(MEASURE_LABELS.get(measure, measure))
            if item:
                title = f"{title}, {item.replace('_', ' ')}"
            if item in items:
                title = items[item]["label"]
            figures[key] = draw_estimates(key, title, item_lines, items.get(item))
    if results.get("by_itself"):
        figures |= _survival_by_role(results["sections"]["endings"]["lines"])
    return figures


def flow_figure(flow: Mapping[str, Any]) -> str:
    """Return the SVG of the flow of participants, a column of boxes for each condition."""
    keys = ("assigned", "started", "completed")
    description = describe_rows(
        (condition_name(row["condition"]), [f"{key} {row[key]}" for key in keys])
        for row in flow["conditions"]
    )
    return draw_svg(_draw_flow, (flow,), "flow", "Flow of participants", description, kind="f")


def describe_rows(rows: Iterable[tuple[str, Iterable[str]]]) -> str:
    """Return a description of a figure, such as "full: Seer 1, Guard 2; house: Seer 0"."""
    return "; ".join(f"{label}: {', '.join(values)}" for label, values in rows)


def empty_figure(height: float) -> Figure:
    """Return a figure of the usual width, and a height in inches, without a background."""
    figure = Figure(figsize=(6, height), layout="constrained")
    figure.patch.set_alpha(0)
    return figure


def shorten_name(name: str, max_chars: int = MAX_NAME_CHARS) -> str:
    """Return a name on one line, shortened if it is too long for a figure."""
    line = one_line(str(name))
    return line if len(line) <= max_chars else f"{line[: max_chars - 1]}…"


def wrap_name(name: str, width: int) -> str:
    """Return a name on at most two lines of `width` characters, shortened if it is longer."""
    lines = wrap(one_line(str(name)), width, max_lines=2, placeholder="…")
    return "\n".join(lines)


def _draw_distribution(dimension: Mapping[str, Any]) -> Figure:
    conditions: Sequence[Mapping[str, Any]] = dimension["conditions"]
    figure = empty_figure(0.8 + 1.15 * max(1, len(conditions)))
    axes = figure.subplots(max(1, len(conditions)), 1, sharex=True, sharey=True, squeeze=False)
    for axis, row in zip(axes[:, 0], conditions, strict=False):
        _draw_bars(axis, row)
    for axis in axes[:, 0]:
        _make_plain(axis)
    last: Axes = axes[-1, 0]
    values = range(dimension["min"], dimension["max"] + 1)
    last.set_xticks(values if len(values) <= MAX_TICKS else [values[0], values[-1]])
    last.set_xlim(dimension["min"] - 0.6, dimension["max"] + 0.6)
    shares = [max(row["counts"].values(), default=0) / max(1, row["n"]) for row in conditions]
    last.set_ylim(0, 1.3 * max(shares, default=0) or 1)
    _draw_poles(last, dimension)
    return figure


def _draw_bars(axis: Axes, row: Mapping[str, Any]) -> None:
    """Draw the shares of one condition, with the counts above and a mark at the mean."""
    n, mean = row["n"], row["mean"]["value"]
    axis.set_title(_describe_condition(row), loc="left", fontsize=9)
    if not n:
        return
    values = [int(value) for value in row["counts"]]
    counts = list(row["counts"].values())
    axis.bar(values, [count / n for count in counts], width=0.8, color=BAR_COLOR)
    for value, count in zip(values, counts, strict=True):
        if count:
            axis.text(value, count / n, str(count), ha="center", va="bottom", fontsize=8)
    axis.plot([mean], [0], marker="D", markersize=6, color=MARK_COLOR, clip_on=False, zorder=3)


def _draw_poles(axis: Axes, dimension: Mapping[str, Any]) -> None:
    """Draw the meaning of the lowest and the highest value below the scale's ends."""
    for pole_x, pole in ((0, "low_pole"), (1, "high_pole")):
        axis.annotate(
            shorten_name(dimension[pole], MAX_NAME_CHARS // 2),
            xy=(pole_x, 0),
            xycoords="axes fraction",
            xytext=(0, -20),
            textcoords="offset points",
            ha=("left", "right")[pole_x],
            va="top",
        )


def _describe_condition(row: Mapping[str, Any]) -> str:
    """Return a text such as "full (n 40, mean 3.25)"."""
    mean = row["mean"]["value"]
    mean_text = f", mean {format_decimals(mean, 2)}" if mean is not None else ""
    return f"{shorten_name(condition_name(row['condition']))} (n {row['n']}{mean_text})"


def _survival_by_role(lines: Sequence[EstimateLine]) -> dict[str, str]:
    own = [
        {**line, "group": line["group"].partition(":")[2]}
        for line in lines
        if line["measure"] == "survived" and "/role:" in line["group"]
        # A condition may lack a role that others have.
        if line["value"]["value"] is not None
    ]
    key = roles_figure_key("endings", "survived")
    title = f"{MEASURE_LABELS['survived']}, by role"
    return {key: draw_estimates(key, title, own)} if own else {}


def draw_estimates(
    key: str, title: str, lines: Sequence[EstimateLine], item: Mapping[str, Any] | None = None
) -> str:
    """Return the SVG of the first MAX_LINES estimates, with published figures below.

    Each line is named by its group and condition. The x axis has the range of the `item`, if it is
    a scale.
    """
    lines = lines[:MAX_LINES]
    description = "; ".join(f"{_line_name(line)}: {_describe_estimate(line)}" for line in lines)
    short_title = shorten_name(title, MAX_TITLE_CHARS)
    return draw_svg(_draw_estimates, (lines, item), key, short_title, description, kind="o")


def _draw_estimates(lines: Sequence[EstimateLine], item: Mapping[str, Any] | None) -> Figure:
    published: dict[str, float] = {}
    for figure in (figure for line in lines for figure in line.get("published", ())):
        published.setdefault(f"{figure['paper']}, {figure['what']}", figure["value"])
    names = [*map(_line_name, lines), *published]
    drawn = empty_figure(0.9 + 0.32 * len(names))
    axes = drawn.subplots()
    for y, line in enumerate(lines):
        interval = line["ci"]["value"]
        if interval:
            axes.plot(interval, [y, y], color=BAR_COLOR, linewidth=2)
        axes.plot([line["value"]["value"]], [y], marker="o", markersize=6, color=BAR_COLOR)
    for y, value in enumerate(published.values(), len(lines)):
        axes.plot([value], [y], marker="D", markersize=6, color=MARK_COLOR)
    if lines[0]["share"]:
        axes.set_xlim(-0.02, 1.02)
    elif item and item["kind"] == "scale":
        axes.set_xlim(item["low"] - 0.1, item["high"] + 0.1)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel(f"{'share' if lines[0]['share'] else 'mean'}, with 95% confidence interval")
    axes.grid(axis="x", color=INK, alpha=0.25, linewidth=0.6)
    _make_plain(axes)
    axes.set_yticks(range(len(names)), [wrap_name(name, MAX_LINE_NAME_CHARS) for name in names])
    return drawn


def _describe_estimate(line: EstimateLine) -> str:
    value = format_decimals(line["value"]["value"], 2)
    ends = " to ".join(format_decimals(end, 2) for end in line["ci"]["value"] or ())
    return f"{value}{ends and f' ({ends})'}, n {line['n']}"


def _line_name(line: EstimateLine) -> str:
    condition = condition_name(line["condition"]) if line["condition"] != ALL_CONDITIONS else "all"
    return ", ".join(filter(None, (line["group"], condition)))


def _draw_flow(flow: Mapping[str, Any]) -> Figure:
    rows = flow["conditions"][:MAX_FLOW_COLUMNS]
    figure = empty_figure(4.2)
    axes = figure.subplots()
    axes.set_axis_off()
    axes.set_xlim(-0.5, len(rows) - 0.5)
    axes.set_ylim(-0.6, 3.5)
    middle = (len(rows) - 1) / 2
    exits = f"screened out {flow['screened_out']}, no seat {flow['unassigned']}"
    _draw_box(axes, middle, 3, f"enrolled {flow['enrolled']}\n{exits}")
    for index, row in enumerate(rows):
        lost = row["started"] - row["under_way"] - row["completed"]
        void = sum(row["void"].values())
        texts = (
            f"{wrap_name(condition_name(row['condition']), 18)}\nassigned {row['assigned']}",
            f"started {row['started']}\ngames {row['games']}, void {void}",
            f"completed {row['completed']}\nlost {lost}, excluded {row['excluded']}",
        )
        x_above = middle
        for y, text in zip((2, 1, 0), texts, strict=True):
            arrow = {"arrowstyle": "->", "color": INK, "shrinkA": 0, "shrinkB": 0}
            start, end = (x_above, y + 1 - HALF_BOX_HEIGHT), (index, y + HALF_BOX_HEIGHT)
            axes.annotate("", xy=end, xytext=start, arrowprops=arrow)
            _draw_box(axes, index, y, text)
            x_above = index
    return figure


def _draw_box(axes: Axes, x: float, y: float, text: str) -> None:
    box = {"boxstyle": "round", "facecolor": "none", "edgecolor": BAR_COLOR}
    axes.text(x, y, text, ha="center", va="center", fontsize=8, bbox=box)


def _make_plain(axis: Axes) -> None:
    """Remove background, tick marks, y labels and all spines but the bottom one."""
    axis.patch.set_alpha(0)
    axis.set_yticks([])
    axis.tick_params(length=0)
    for side in ("left", "right", "top"):
        axis.spines[side].set_visible(False)
