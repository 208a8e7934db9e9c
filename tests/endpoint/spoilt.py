"""Checks a game against the answers that a server spoilt: none in its log, all of them labelled.

Knows the endpoint's faults and labels, and nothing of how the agents detect either.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tests.endpoint.calls import Call

REFUSING = ("refusal", "refusal_prose", "refusal_json", "content_filter")
FAULTS = {**dict.fromkeys(REFUSING, 0.25 / len(REFUSING)), "fragment": 0.1}


def spoilt_texts(calls: Iterable[Call]) -> set[str]:
    """The sentences of all answers that were spoilt."""
    answers = [call.answer or "" for call in calls if call.fault in FAULTS]
    return {text for answer in answers for text in _strings(_loaded(answer)) if " " in text}


def leaks(texts: Iterable[str], spoilt: Iterable[str]) -> list[str]:
    """What of `spoilt` stands in texts of the log."""
    log = "\n".join(texts)
    return [text for text in spoilt if text in log]


def unlabelled(
    requests: Iterable[tuple[int, str, str, str]], answers: Mapping[tuple[str, int], list[str]]
) -> list[str]:
    """Answers whose labels don't say what became of their requests.

    Args:
        requests: (seat, window, step, failure) of each.
        answers: (window, seat) -> labels in the log.
    """
    failures = {(window, seat, step): failure for seat, window, step, failure in requests}
    wrong = []
    for (window, seat, step), failure in failures.items():
        labels = answers.get((window, seat))
        if step != "answer/first" or labels is None:
            continue
        again = failures.get((window, seat, "answer/repair"), "")
        wanted = f"fallback:{again}" if again else "repaired" if failure else ""
        found = [x for x in labels if x == "repaired" or x.startswith("fallback")]
        if found != [wanted] * bool(wanted):
            wrong.append(f"{window}/{seat}: {failure}, {again}: {labels}")
    return wrong


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)
