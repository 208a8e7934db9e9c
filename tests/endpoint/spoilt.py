"""Check that a game's log contains no spoilt answer and labels all of them.

This module uses only the endpoint's faults and labels, not the agents' detection.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tests.endpoint.calls import Call

REFUSING = ("refusal", "refusal_prose", "refusal_json", "content_filter")
FAULTS = {**dict.fromkeys(REFUSING, 0.25 / len(REFUSING)), "fragment": 0.1}


def spoilt_texts(calls: Iterable[Call]) -> set[str]:
    """Return the sentences of all spoilt answers."""
    answers = [call.answer or "" for call in calls if call.fault in FAULTS]
    return {text for answer in answers for text in _strings(_parse_json(answer)) if " " in text}


def leaks(texts: Iterable[str], spoilt: Iterable[str]) -> list[str]:
    """Return the spoilt texts that occur in texts of the log."""
    log = "\n".join(texts)
    return [text for text in spoilt if text in log]


def unlabelled(
    requests: Iterable[tuple[int, str, str, str]], answers: Mapping[tuple[str, int], list[str]]
) -> list[str]:
    """Return the answers whose labels do not match the result of their requests.

    Args:
        requests: (seat, window, step, failure) of each.
        answers: (window, seat) -> labels in the log.
    """
    failures = {(window, seat, step): failure for seat, window, step, failure in requests}
    errors = []
    for (window, seat, step), failure in failures.items():
        labels = answers.get((window, seat))
        if step != "answer/first" or labels is None:
            continue
        repair_failure = failures.get((window, seat, "answer/repair"), "")
        expected = "repaired" if failure else ""
        if repair_failure:
            expected = f"fallback:{repair_failure}"
        actual = [x for x in labels if x == "repaired" or x.startswith("fallback")]
        if actual != [expected] * bool(expected):
            errors.append(f"{window}/{seat}: {failure}, {repair_failure}: {labels}")
    return errors


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
