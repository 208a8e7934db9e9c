"""A statistic as JSON: {"value": 3.2, …}, or {"value": None, "why": key of a reason}."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from webapp.study.statistics.reasons import REASONS

Outcome = dict[str, Any]

DECIMALS = 12  # kept in the results: below it, a sum's order and the processor decide


def known(value: float, **more: Any) -> Outcome:
    """A statistic that has a value. Raises ValueError for NaN and infinity: say why instead."""
    return {"value": plain(value), **more}


def span(low: float, high: float, **more: Any) -> Outcome:
    """An interval: its value is [low, high]."""
    return {"value": [plain(low), plain(high)], **more}


def unknown(why: str, **more: Any) -> Outcome:
    """A statistic that is undefined, and the key of the reason."""
    if why not in REASONS:
        raise KeyError(why)
    return {"value": None, "why": why, **more}


def plain(value: float) -> float | int:
    """A NumPy or Python number as JSON takes it, floats to twelve decimals, no minus zero."""
    if isinstance(value, int):
        return int(value)
    if not math.isfinite(value):
        raise ValueError(f"{value} is no result")
    return round(float(value), DECIMALS) + 0.0


def share(part: int, whole: int, why: str) -> Outcome:
    """part/whole, with both beside it; undefined for that reason where there is no whole."""
    if not whole:
        return unknown(why, part=part, whole=whole)
    return known(part / whole, part=part, whole=whole)


def warnings(**holds: bool) -> Sequence[str]:
    """The keys of the reasons for care that hold."""
    return [key for key, true in holds.items() if true]
