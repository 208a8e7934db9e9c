"""Strict parsing of judges' replies. The functions raise BackendError for unusable ones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agents.decision import BackendError
from agents.llm.json_objects import find_objects, is_valid
from agents.llm.quoting import is_placeholder
from agents.llm.reasoning import strip_thoughts_in_json

MAX_REASON_CHARS = 2000  # longer reasons are cut
NUMBER_PATTERN = re.compile(r"\s*(\d{1,3}(?:\.\d{1,6})?)\s*(?:/\s*\d{1,3})?\s*")


def unusable_error(reason: str) -> BackendError:
    """Build the error of an unusable reply. The model gets the reason and may correct it."""
    return BackendError("unusable", reason)


def parse_object(text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the last JSON object that fits the schema, or else the last one."""
    if not text.strip():
        raise BackendError("empty", "the answer was empty")
    objects = [strip_thoughts_in_json(candidate) for candidate in find_objects(text)]
    if not objects:
        raise unusable_error("the answer was not a JSON object")
    return next(
        (candidate for candidate in reversed(objects) if is_valid(candidate, schema)), objects[-1]
    )


def parse_reason(data: Mapping[str, Any]) -> str:
    reason = data.get("reason")
    if not isinstance(reason, str) or is_placeholder(reason):
        raise unusable_error("the answer has no reason")
    return reason.strip()[:MAX_REASON_CHARS]


def parse_number(value: Any, subject: str, low: float, high: float) -> float:
    """Return a number on the scale from 7, "7" or "7/10"."""
    if isinstance(value, str) and (match := NUMBER_PATTERN.fullmatch(value)):
        value = float(match[1])
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise unusable_error(f"{subject} takes a number from {low:g} to {high:g}")
    return float(value)


def parse_whole(value: Any, subject: str, low: int, high: int) -> int:
    number = parse_number(value, subject, low, high)
    if number != int(number):
        raise unusable_error(f"{subject} takes a whole number from {low} to {high}")
    return int(number)
