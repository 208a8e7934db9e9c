"""How the ratings of a dimension are spread, one row of bars per condition, as SVG.

The same results give the same bytes: no date, ids from a fixed salt. Text stays text; colours are
mid tones on nothing, so that a figure reads on a light and on a dark page.

Matplotlib's SVG is made fit to stand in a page as well as in a file of its own. Styles become
attributes: a page's Content-Security-Policy lets no style attribute through. Ids get a prefix, so
that several figures can share a page. A title and a description tell the figure to those who do not
see it.
"""

from __future__ import annotations

import hashlib
import io
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any
from xml.etree import ElementTree

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from webapp.study.statistics.outcomes import fixed, one_line

INK = "#777777"  # text and lines: 4.5 to 1 on white, 4.4 on near black
BAR = "#4a86c5"
MEAN = "#c9752d"
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "fabula",
    "svg.fonttype": "none",
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
LONGEST = 60  # characters of a name in a figure

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
HREF = f"{{{XLINK}}}href"
REFERENCE = "url(#"

ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", XLINK)

_settings = Lock()  # Matplotlib's settings belong to the process, and a worker has threads


def distributions(results: Mapping[str, Any]) -> dict[str, str]:
    """Dimension key → SVG (an <svg> element, UTF-8 text): the share of each value by condition."""
    return {one["key"]: distribution(one) for one in results["dimensions"]}


def distribution(dimension: Mapping[str, Any]) -> str:
    """The figure of one dimension of the results."""
    with style():
        drawn = _drawn(dimension)
    name = short(dimension["label"] or dimension["key"])
    told = "; ".join(_told(row) for row in dimension["conditions"]) or "no ratings"
    prefix = "d" + hashlib.sha256(str(dimension["key"]).encode()).hexdigest()[:8]
    return embeddable(drawn, prefix, name, told)


@contextmanager
def style() -> Iterator[None]:
    """The house's settings of Matplotlib, for one thread at a time."""
    with _settings, matplotlib.rc_context(STYLE), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # characters the font lacks: the reader's font has them
        yield


def saved(figure: Figure) -> bytes:
    """The figure as SVG, with no date and no name of a program."""
    written = io.BytesIO()
    figure.savefig(written, format="svg", metadata=NO_METADATA)
    return written.getvalue()


def _drawn(dimension: Mapping[str, Any]) -> bytes:
    conditions: Sequence[Mapping[str, Any]] = dimension["conditions"]
    figure = Figure(figsize=(6, 0.8 + 1.15 * max(1, len(conditions))), layout="constrained")
    figure.patch.set_alpha(0)
    axes = figure.subplots(max(1, len(conditions)), 1, sharex=True, sharey=True, squeeze=False)
    for axis, row in zip(axes[:, 0], conditions, strict=False):
        _bars(axis, row)
    for axis in axes[:, 0]:
        plain(axis)
    last: Axes = axes[-1, 0]
    values = range(dimension["min"], dimension["max"] + 1)
    last.set_xticks(values if len(values) < 16 else [dimension["min"], dimension["max"]])
    last.set_xlim(dimension["min"] - 0.6, dimension["max"] + 0.6)
    last.set_ylim(0, 1.3 * max((_tallest(row) for row in conditions), default=0) or 1)
    _poles(last, dimension)
    return saved(figure)


def _bars(axis: Axes, row: Mapping[str, Any]) -> None:
    """The shares of one condition, each with its count above, and a mark at the mean."""
    n, mean = row["n"], row["mean"]["value"]
    axis.set_title(f"{short(row['condition'])} ({summary(row)})", loc="left", fontsize=9)
    if not n:
        return
    values = [int(value) for value in row["counts"]]
    counts = list(row["counts"].values())
    axis.bar(values, [count / n for count in counts], width=0.8, color=BAR)
    for value, count in zip(values, counts, strict=True):
        if count:
            axis.text(value, count / n, str(count), ha="center", va="bottom", fontsize=8)
    axis.plot([mean], [0], marker="D", markersize=6, color=MEAN, clip_on=False, zorder=3)


def _tallest(row: Mapping[str, Any]) -> float:
    """The largest share of any value under a condition."""
    return float(max(row["counts"].values(), default=0) / max(1, row["n"]))


def _poles(axis: Axes, dimension: Mapping[str, Any]) -> None:
    """What the lowest and the highest value mean, below the ends of the scale."""
    for place, pole in ((0, "low_pole"), (1, "high_pole")):
        axis.annotate(
            short(dimension[pole], LONGEST // 2),
            xy=(place, 0),
            xycoords="axes fraction",
            xytext=(0, -20),
            textcoords="offset points",
            ha=("left", "right")[place],
            va="top",
        )


def plain(axis: Axes) -> None:
    """Nothing behind the axes, no ticks, a line below alone."""
    axis.patch.set_alpha(0)
    axis.set_yticks([])
    axis.tick_params(length=0)
    for side in ("left", "right", "top"):
        axis.spines[side].set_visible(False)


def summary(row: Mapping[str, Any]) -> str:
    """ "n 40, mean 3.25" """
    mean = row["mean"]["value"]
    return f"n {row['n']}" + (f", mean {fixed(mean, 2)}" if mean is not None else "")


def short(name: str, longest: int = LONGEST) -> str:
    """A name on one line, cut where it is too long for a figure."""
    line = one_line(str(name))
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _told(row: Mapping[str, Any]) -> str:
    counts = ", ".join(f"{value}: {count}" for value, count in row["counts"].items())
    return f"{short(row['condition'])} ({summary(row)}): {counts}"


def embeddable(drawn: bytes, prefix: str, title: str, description: str) -> str:
    """An <svg> element as text: no XML declaration, no style sheet, ids beginning with `prefix`."""
    root = ElementTree.fromstring(drawn)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style"):
                parent.remove(child)
    for element in root.iter():
        _without_style(element)
        _with_prefix(element, prefix)
    # What Matplotlib says in its style sheet, for all.
    root.attrib.update({"stroke-linejoin": "round", "stroke-linecap": "butt"})
    names = {"title": title, "desc": description}
    for place, (tag, text) in enumerate(names.items()):
        told = ElementTree.Element(f"{{{SVG}}}{tag}", {"id": f"{prefix}-{tag}"})
        told.text = text
        root.insert(place, told)
    root.attrib.update({"role": "img", "aria-labelledby": f"{prefix}-title {prefix}-desc"})
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _without_style(element: ElementTree.Element) -> None:
    """Each declaration of a style attribute as an attribute of its own."""
    for declaration in element.attrib.pop("style", "").split(";"):
        name, _, value = declaration.partition(":")
        if name.strip():
            element.attrib[name.strip()] = value.strip()


def _with_prefix(element: ElementTree.Element, prefix: str) -> None:
    for name, value in element.attrib.items():
        if name == "id":
            element.attrib[name] = f"{prefix}-{value}"
        elif name == HREF and value.startswith("#"):
            element.attrib[name] = f"#{prefix}-{value[1:]}"
        elif value.startswith(REFERENCE):
            element.attrib[name] = f"{REFERENCE}{prefix}-{value[len(REFERENCE) :]}"
