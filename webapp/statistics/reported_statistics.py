"""Statistics as JSON: {"value": 3.2, …}, or {"value": None, "why": key of a reason} if undefined.

Pages show `REASONS[key]` for the keys of reasons and warnings, translated.
"""

import math
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Outcome = dict[str, Any]  # a statistic, or several of them by name

RESULT_DECIMALS = 12  # further ones depend on the order of a sum and on the processor

_SENTENCES = tomllib.loads(Path(__file__).with_name("reasons.toml").read_text("utf-8"))
FLAGS: dict[str, str] = _SENTENCES["flags"]
REASONS: dict[str, str] = {
    **_SENTENCES["undefined"],
    **_SENTENCES["warnings"],
    **_SENTENCES["populations"],
    **{f"flag_{key}": sentence for key, sentence in FLAGS.items()},
}


def defined(value: float, **more: Any) -> Outcome:
    """Return a statistic with a value, which must be finite: otherwise use `undefined`."""
    return {"value": json_number(value), **more}


def defined_interval(low: float, high: float, **more: Any) -> Outcome:
    """Return an interval as a statistic with the value [low, high]."""
    return {"value": [json_number(low), json_number(high)], **more}


def undefined(reason: str, **more: Any) -> Outcome:
    """Return an undefined statistic. `reason` is a key of REASONS."""
    if reason not in REASONS:
        raise KeyError(reason)
    return {"value": None, "why": reason, **more}


def undefined_with_interval(reason: str) -> Outcome:
    """Return an undefined statistic whose interval is undefined for the same reason."""
    return undefined(reason, ci=undefined(reason))


def json_number(value: float) -> float | int:
    """Return a number for JSON: floats to twelve decimals, without minus zero."""
    if isinstance(value, int):
        return int(value)
    if not math.isfinite(value):
        raise ValueError(f"{value} is no result")
    return round(float(value), RESULT_DECIMALS) + 0.0


def defined_share(part: int, whole: int, reason: str) -> Outcome:
    """Return part/whole as a statistic, undefined with the key `reason` if the whole is 0."""
    if not whole:
        return undefined(reason, part=part, whole=whole)
    return defined(part / whole, part=part, whole=whole)


def warning_keys(**conditions: bool) -> Sequence[str]:
    """Return the keys of the warnings whose conditions are true."""
    return [key for key, is_true in conditions.items() if is_true]


def format_decimals(value: float, digits: int) -> str:
    """Format a number with that many decimals, without a minus sign before zero."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if not text.strip("-0.") else text


def one_line(text: str) -> str:
    """Return the text on one line, with single spaces and without control characters."""
    return " ".join("".join(char for char in text if char.isprintable() or char.isspace()).split())
