"""Estimates with their intervals as dots on lines, as SVG in the look of the other figures."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from webapp.study.outcomes.sections import ALL
from webapp.study.statistics.figures import (
    BAR,
    INK,
    MEAN,
    embeddable,
    plain,
    saved,
    short,
    style,
)  # fmt: skip
from webapp.study.statistics.outcomes import fixed

MOST = 40  # lines of a picture
LABEL = 34  # characters of a line's name

# What has a picture: (section, measure); each item and variant has its own.
DRAWN = (
    ("guesses", "right"), ("questionnaires", "mean"), ("endings", "won"), ("endings", "survived"),
    ("votes", "accurate"), ("leadership", "ratio"), ("leadership", "dc"),
    ("leadership", "correlation"),
)  # fmt: skip


def pictures(found: Mapping[str, Any]) -> dict[str, str]:
    """key -> SVG of each measure and item that has a value. The same results give the same
    bytes."""
    items = {item["key"]: item for item in found["items"]}
    drawn = {}
    for section, measure in DRAWN:
        lines = [ln for ln in found["sections"][section]["lines"] if ln["measure"] == measure]
        for item in dict.fromkeys(line["item"] for line in lines):
            own = [ln for ln in lines if ln["item"] == item and ln["value"]["value"] is not None]
            own = [line for line in own if "/" not in line["group"]]
            if own:
                key = key_of(section, measure, item)
                drawn[key] = picture(key, own[:MOST], items.get(item))
    return drawn


def key_of(section: str, measure: str, item: str) -> str:
    """The key of a picture: a slug."""
    return "-".join(filter(None, (section, measure, item.replace(".", "-"))))


def picture(key: str, lines: Sequence[Mapping[str, Any]], item: Mapping[str, Any] | None) -> str:
    """One measure: a line a group and condition, published figures as diamonds."""
    title = item["label"] if item else key.replace("-", " ")
    with style():
        drawn = _drawn(lines, item)
    told = "; ".join(f"{_name(line)}: {_told(line)}" for line in lines)
    prefix = "o" + hashlib.sha256(key.encode()).hexdigest()[:8]
    return embeddable(drawn, prefix, short(title), told)


def _drawn(lines: Sequence[Mapping[str, Any]], item: Mapping[str, Any] | None) -> bytes:
    beside = _published(lines)
    names = [*(_name(line) for line in lines), *(name for name, _value in beside)]
    figure = Figure(figsize=(6, 0.7 + 0.32 * len(names)), layout="constrained")
    figure.patch.set_alpha(0)
    axes = figure.subplots()
    for place, line in enumerate(lines):
        interval = line["ci"]["value"]
        if interval:
            axes.plot(interval, [place, place], color=BAR, linewidth=2)
        axes.plot([line["value"]["value"]], [place], marker="o", markersize=6, color=BAR)
    for place, (_label, value) in enumerate(beside, len(lines)):
        axes.plot([value], [place], marker="D", markersize=6, color=MEAN)
    if lines[0]["share"]:
        axes.set_xlim(-0.02, 1.02)
    elif item and item["kind"] == "scale":
        axes.set_xlim(item["low"] - 0.1, item["high"] + 0.1)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(axis="x", color=INK, alpha=0.25, linewidth=0.6)
    plain(axes)
    axes.set_yticks(range(len(names)), [short(name, LABEL) for name in names])
    return saved(figure)


def _published(lines: Sequence[Mapping[str, Any]]) -> list[tuple[str, float]]:
    found: dict[str, float] = {}
    for line in lines:
        for one in line.get("published", ()):
            found.setdefault(f"{one['paper']}, {one['what']}", one["value"])
    return list(found.items())


def _name(line: Mapping[str, Any]) -> str:
    parts = (line["group"], line["condition"] if line["condition"] != ALL else "all")
    return ", ".join(filter(None, parts))


def _told(line: Mapping[str, Any]) -> str:
    value, interval = line["value"]["value"], line["ci"]["value"]
    ends = f" ({fixed(interval[0], 2)} to {fixed(interval[1], 2)})" if interval else ""
    return f"{fixed(value, 2)}{ends}, n {line['n']}"
