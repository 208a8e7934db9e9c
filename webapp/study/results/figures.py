"""Figures of results as SVG and PDF: distributions of ratings, and estimates with their intervals.

The same results give the same bytes: no date, ids from a fixed salt. Text stays text. Colours are
mid tones without a background, so that a figure is readable on light and dark pages.

Matplotlib's SVG is adapted for use in a page as well as in a file. Styles become attributes,
because a page's Content-Security-Policy forbids style attributes. Ids get a prefix, so that several
figures can be on one page. Screen readers get a title and a description.
"""

from __future__ import annotations

import hashlib
import io
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from textwrap import wrap
from threading import Lock
from types import MappingProxyType
from typing import Any
from xml.etree import ElementTree

import matplotlib
from fontTools import subset
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from webapp.statistics.reported_statistics import fixed, one_line
from webapp.study.results.result_table import figure_key, roles_figure_key
from webapp.study.results.sections import ALL

INK = "#777777"  # text and lines: 4.5 to 1 on white, 4.4 on near black
BAR = "#4a86c5"
MEAN = "#c9752d"
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "fabula",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,  # TrueType: journals refuse Type 3
    "text.parse_math": False,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}
NO_METADATA: dict[str, Any] = {"Date": None, "Creator": None, "Format": None, "Type": None}
NO_PDF_METADATA: dict[str, Any] = {"CreationDate": None, "Creator": None, "Producer": None}
MAX_NAME_CHARS = 60
MAX_LINE_NAME_CHARS = 34
MAX_LINES = 40
MAX_COLUMNS = 6  # of the flow of participants
HALF_BOX = 0.24  # of the distance of two boxes of it

# Estimates with a figure: (section, measure); one for each item and variant.
ESTIMATED = (
    ("guesses", "right"), ("questionnaires", "mean"), ("endings", "won"), ("endings", "survived"),
    ("votes", "accurate"), ("leadership", "ratio"), ("leadership", "dc"),
    ("leadership", "correlation"),
)  # fmt: skip

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
HREF = f"{{{XLINK}}}href"
REFERENCE = "url(#"

# The tables of a font that other programs compose text with. A PDF says where each glyph is; to
# read and reduce these tables took a third of the time of an experiment's results.
COMPOSING_TABLES = ("GDEF", "GPOS", "GSUB")
subset.Options._drop_tables_default = [*subset.Options._drop_tables_default, *COMPOSING_TABLES]

ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", XLINK)

# SVG -> PDF of the figures that are drawn now, None if no PDF is wanted.
_copies: ContextVar[dict[str, bytes] | None] = ContextVar("pdf_copies", default=None)
_names: ContextVar[Mapping[str, str]] = ContextVar("condition_names", default=MappingProxyType({}))
_settings = Lock()  # Matplotlib's settings are global to the process, and a worker has threads

Line = Mapping[str, Any]


@contextmanager
def pdf_copies() -> Iterator[dict[str, bytes]]:
    """Collect a PDF of each figure that this thread draws in the block: SVG -> PDF."""
    copies: dict[str, bytes] = {}
    token = _copies.set(copies)
    try:
        yield copies
    finally:
        _copies.reset(token)


@contextmanager
def condition_names(names: Mapping[str, str]) -> Iterator[None]:
    """Give conditions these names in figures of the block: name in the data -> for readers."""
    token = _names.set(names)
    try:
        yield
    finally:
        _names.reset(token)


def condition_name(name: str, most: int = 0) -> str:
    """Return a condition's name for readers, shortened to `most` characters if given."""
    readable = _names.get().get(name, name)
    return shortened(readable, most) if most else readable


def distributions(results: Mapping[str, Any]) -> dict[str, str]:
    """Return dimension key → SVG with the share of each value by condition.

    The SVG is an <svg> element as UTF-8 text.
    """
    return {one["key"]: _distribution(one) for one in results["dimensions"]}


def _distribution(dimension: Mapping[str, Any]) -> str:
    described = "; ".join(map(_describe_counts, dimension["conditions"])) or "no ratings"
    name = shortened(dimension["label"] or dimension["key"])
    prefix = _prefix("d", dimension["key"])
    return _svg(lambda: _draw_distribution(dimension), prefix, name, described)


def estimates(results: Mapping[str, Any]) -> dict[str, str]:
    """Return key → SVG of each measure and item with a value: dots on lines."""
    items = {item["key"]: item for item in results["items"]}
    figures = {}
    for section, measure in ESTIMATED:
        lines = [ln for ln in results["sections"][section]["lines"] if ln["measure"] == measure]
        for item in dict.fromkeys(line["item"] for line in lines):
            own = [ln for ln in lines if ln["item"] == item and ln["value"]["value"] is not None]
            own = [line for line in own if "/" not in line["group"]]
            if own:
                key = figure_key(section, measure, item)
                figures[key] = _estimate(key, own[:MAX_LINES], items.get(item))
    if results.get("by_itself"):
        figures |= _survival_by_role(results["sections"]["endings"]["lines"])
    return figures


def _survival_by_role(lines: Sequence[Line]) -> dict[str, str]:
    own = [
        {**line, "group": line["group"].partition(":")[2]}
        for line in lines
        if line["measure"] == "survived" and "/role:" in line["group"]
    ]
    key = roles_figure_key("endings", "survived")
    return {key: _estimate(key, own[:MAX_LINES], None)} if own else {}


Drawing = Callable[[], str]  # returns the SVG; it takes a second, which tables alone need not


def draw_lines(key: str, title: str, lines: Sequence[Line]) -> str:
    """Return the SVG of estimates with their intervals, published ones as diamonds below.

    lines: as those of a section; of each the group and the condition are its name.
    """
    return _estimate(key, lines[:MAX_LINES], {"label": title, "kind": ""})


def flow(flow: Mapping[str, Any]) -> str:
    """Return the flow of participants: a column a condition, boxes from assigned to completed."""
    rows = flow["conditions"]
    described = "; ".join(
        f"{condition_name(r['condition'])}: assigned {r['assigned']}, started {r['started']},"
        f" completed {r['completed']}"
        for r in rows
    )
    return _svg(lambda: _draw_flow(flow), _prefix("f", "flow"), "Flow of participants", described)


def draw_svg(draw: Callable[[], Figure], key: str, title: str, description: str) -> str:
    """Return the SVG of a figure.

    key: unique on its page. description: the values as text.
    """
    return _svg(draw, _prefix("p", key), title, description)


def _draw_flow(flow: Mapping[str, Any]) -> Figure:
    rows = flow["conditions"][:MAX_COLUMNS]
    figure = empty_figure(4.2)
    axes = figure.subplots()
    axes.set_axis_off()
    axes.set_xlim(-0.5, len(rows) - 0.5)
    axes.set_ylim(-0.6, 3.5)
    middle = (len(rows) - 1) / 2
    out = f"screened out {flow['screened_out']}, no seat {flow['unassigned']}"
    _draw_box(axes, middle, 3, f"enrolled {flow['enrolled']}\n{out}")
    for at, row in enumerate(rows):
        lost = row["started"] - row["under_way"] - row["completed"]
        void = sum(row["void"].values())
        texts = (
            f"{on_two_lines(condition_name(row['condition']), 18)}\nassigned {row['assigned']}",
            f"started {row['started']}\ngames {row['games']}, void {void}",
            f"completed {row['completed']}\nlost {lost}, excluded {row['excluded']}",
        )
        above = (middle, 3.0)
        for level, text in zip((2, 1, 0), texts, strict=True):
            arrow = {"arrowstyle": "->", "color": INK, "shrinkA": 0, "shrinkB": 0}
            start, end = (above[0], above[1] - HALF_BOX), (at, level + HALF_BOX)
            axes.annotate("", xy=end, xytext=start, arrowprops=arrow)
            _draw_box(axes, at, level, text)
            above = (at, level)
    return figure


def _draw_box(axes: Axes, x: float, y: float, text: str) -> None:
    box = {"boxstyle": "round", "facecolor": "none", "edgecolor": BAR}
    axes.text(x, y, text, ha="center", va="center", fontsize=8, bbox=box)


def _estimate(key: str, lines: Sequence[Line], item: Mapping[str, Any] | None) -> str:
    """Draw one measure: a line per group and condition, published figures as diamonds."""
    described = "; ".join(f"{_line_name(line)}: {_describe_estimate(line)}" for line in lines)
    name = shortened(item["label"] if item else key.replace("-", " "))
    return _svg(lambda: _draw_estimates(lines, item), _prefix("o", key), name, described)


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
    last.set_xticks(values if len(values) < 16 else [dimension["min"], dimension["max"]])
    last.set_xlim(dimension["min"] - 0.6, dimension["max"] + 0.6)
    last.set_ylim(0, 1.3 * max((_largest_share(row) for row in conditions), default=0) or 1)
    _draw_poles(last, dimension)
    return figure


def _draw_bars(axis: Axes, row: Mapping[str, Any]) -> None:
    """Draw the shares of one condition, with the counts above and a mark at the mean."""
    n, mean = row["n"], row["mean"]["value"]
    axis.set_title(_summary(row), loc="left", fontsize=9)
    if not n:
        return
    values = [int(value) for value in row["counts"]]
    counts = list(row["counts"].values())
    axis.bar(values, [count / n for count in counts], width=0.8, color=BAR)
    for value, count in zip(values, counts, strict=True):
        if count:
            axis.text(value, count / n, str(count), ha="center", va="bottom", fontsize=8)
    axis.plot([mean], [0], marker="D", markersize=6, color=MEAN, clip_on=False, zorder=3)


def _largest_share(row: Mapping[str, Any]) -> float:
    return float(max(row["counts"].values(), default=0) / max(1, row["n"]))


def _draw_poles(axis: Axes, dimension: Mapping[str, Any]) -> None:
    """Draw the meaning of the lowest and the highest value below the scale's ends."""
    for pole_x, pole in ((0, "low_pole"), (1, "high_pole")):
        axis.annotate(
            shortened(dimension[pole], MAX_NAME_CHARS // 2),
            xy=(pole_x, 0),
            xycoords="axes fraction",
            xytext=(0, -20),
            textcoords="offset points",
            ha=("left", "right")[pole_x],
            va="top",
        )


def _draw_estimates(lines: Sequence[Line], item: Mapping[str, Any] | None) -> Figure:
    published: dict[str, float] = {}
    for one in (one for line in lines for one in line.get("published", ())):
        published.setdefault(f"{one['paper']}, {one['what']}", one["value"])
    names = [*map(_line_name, lines), *published]
    figure = empty_figure(0.7 + 0.32 * len(names))
    axes = figure.subplots()
    for line_index, line in enumerate(lines):
        interval = line["ci"]["value"]
        if interval:
            axes.plot(interval, [line_index, line_index], color=BAR, linewidth=2)
        axes.plot([line["value"]["value"]], [line_index], marker="o", markersize=6, color=BAR)
    for line_index, value in enumerate(published.values(), len(lines)):
        axes.plot([value], [line_index], marker="D", markersize=6, color=MEAN)
    if lines[0]["share"]:
        axes.set_xlim(-0.02, 1.02)
    elif item and item["kind"] == "scale":
        axes.set_xlim(item["low"] - 0.1, item["high"] + 0.1)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(axis="x", color=INK, alpha=0.25, linewidth=0.6)
    _make_plain(axes)
    axes.set_yticks(range(len(names)), [on_two_lines(name, MAX_LINE_NAME_CHARS) for name in names])
    return figure


def empty_figure(height: float) -> Figure:
    """Return a figure of the usual width without a background. height: in inches."""
    figure = Figure(figsize=(6, height), layout="constrained")
    figure.patch.set_alpha(0)
    return figure


def _make_plain(axis: Axes) -> None:
    """Remove everything from the axes but the line at the bottom."""
    axis.patch.set_alpha(0)
    axis.set_yticks([])
    axis.tick_params(length=0)
    for side in ("left", "right", "top"):
        axis.spines[side].set_visible(False)


def _summary(row: Mapping[str, Any]) -> str:
    """Return for example "full (n 40, mean 3.25)"."""
    mean = row["mean"]["value"]
    mean_text = f", mean {fixed(mean, 2)}" if mean is not None else ""
    return f"{condition_name(row['condition'], MAX_NAME_CHARS)} (n {row['n']}{mean_text})"


def _describe_counts(row: Mapping[str, Any]) -> str:
    counts = ", ".join(f"{value}: {count}" for value, count in row["counts"].items())
    return f"{_summary(row)}: {counts}"


def _describe_estimate(line: Line) -> str:
    value, interval = line["value"]["value"], line["ci"]["value"]
    ends = f" ({fixed(interval[0], 2)} to {fixed(interval[1], 2)})" if interval else ""
    return f"{fixed(value, 2)}{ends}, n {line['n']}"


def _line_name(line: Line) -> str:
    condition = condition_name(line["condition"]) if line["condition"] != ALL else "all"
    parts = (line["group"], condition)
    return ", ".join(filter(None, parts))


def shortened(name: str, most: int = MAX_NAME_CHARS) -> str:
    """Return a name on one line, shortened if it is too long for a figure."""
    line = one_line(str(name))
    return line if len(line) <= most else f"{line[: most - 1]}…"


def on_two_lines(name: str, width: int) -> str:
    """Return a name on at most two lines of `width` characters, shortened if it is longer."""
    lines = wrap(one_line(str(name)), width, max_lines=2, placeholder="…")
    return "\n".join(lines)


def _prefix(kind: str, key: str) -> str:
    """Return the prefix of a figure's ids."""
    return kind + hashlib.sha256(key.encode()).hexdigest()[:8]


def _svg(draw: Callable[[], Figure], prefix: str, title: str, description: str) -> str:
    """Draw with the settings of this module, for one thread at a time."""
    written, as_pdf, copies = io.BytesIO(), io.BytesIO(), _copies.get()
    with _settings, matplotlib.rc_context(STYLE), warnings.catch_warnings():
        # Warnings about characters that the font lacks: the reader's font has them.
        warnings.simplefilter("ignore")
        figure = draw()
        figure.savefig(written, format="svg", metadata=NO_METADATA)
        if copies is not None:
            figure.set_layout_engine(None)  # everything stays where the SVG has it
            figure.savefig(as_pdf, format="pdf", metadata={**NO_PDF_METADATA, "Title": title})
    svg = _embeddable(written.getvalue(), prefix, {"title": title, "desc": description})
    if copies is not None:
        copies[svg] = as_pdf.getvalue()
    return svg


def _embeddable(drawn: bytes, prefix: str, texts: Mapping[str, str]) -> str:
    """Return an <svg> element as text: no XML declaration, no style sheet, ids with `prefix`."""
    root = ElementTree.fromstring(drawn)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style"):
                parent.remove(child)
    for element in root.iter():
        _move_style_to_attributes(element)
        _add_prefix(element, prefix)
    # Settings of Matplotlib's style sheet for all elements.
    root.attrib.update({"stroke-linejoin": "round", "stroke-linecap": "butt"})
    for index, (tag, text) in enumerate(texts.items()):
        child = ElementTree.Element(f"{{{SVG}}}{tag}", {"id": f"{prefix}-{tag}"})
        child.text = text
        root.insert(index, child)
    root.attrib.update({"role": "img", "aria-labelledby": f"{prefix}-title {prefix}-desc"})
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _move_style_to_attributes(element: ElementTree.Element) -> None:
    for declaration in element.attrib.pop("style", "").split(";"):
        name, _, value = declaration.partition(":")
        if name.strip():
            element.attrib[name.strip()] = value.strip()


def _add_prefix(element: ElementTree.Element, prefix: str) -> None:
    for name, value in element.attrib.items():
        if name == "id":
            element.attrib[name] = f"{prefix}-{value}"
        elif name == HREF and value.startswith("#"):
            element.attrib[name] = f"#{prefix}-{value[1:]}"
        elif value.startswith(REFERENCE):
            element.attrib[name] = f"{REFERENCE}{prefix}-{value[len(REFERENCE) :]}"
