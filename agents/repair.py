"""Requests to a backend with one repair if the reply is unusable."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from agents.decision import Ask, BackendError, Decision, Reply, Request
from agents.mind import FAILED, Note

T = TypeVar("T")


@dataclass(frozen=True)
class UsableReply(Generic[T]):
    """Usable reply of a backend.

    Attributes:
        repaired: whether the model got an explanation of what was wrong with its first reply.
    """

    value: T
    reply: Reply
    repaired: bool


def with_repair(
    ask: Ask, step: str, request: Request, take: Callable[[Reply], T]
) -> UsableReply[T]:
    """Return the reply to `request` in the form that `take` returns.

    `take` raises BackendError for an unusable reply. Any failure gets one more try. The second
    request states the problem if the reply was a mistake, but not if the connection failed.

    Raises:
        BackendError: of the second failure.
    """
    was_repaired = False
    for attempt in ("first", "repair"):
        reply: Reply = {}
        try:
            reply = ask(f"{step}/{attempt}", request)
            return UsableReply(take(reply), reply, was_repaired)
        except BackendError as error:
            if attempt == "repair":
                raise
            if was_repaired := error.mistake:
                exchange = error.exchange or reply.get("exchange") or {}
                brief = {
                    **request.brief,
                    "refused": error.detail or error.cause,
                    "answered": exchange.get("answer", ""),
                }
                request = replace(request, brief=brief)
    raise AssertionError("there are two attempts")


def request_prepared(
    ask: Ask,
    decision: Decision,
    faculty: str,
    brief: Mapping[str, Any],
    take: Callable[[Reply], T],
) -> tuple[UsableReply[T] | None, list[Note]]:
    """Return (usable reply, []) of a faculty's request while preparing, with one repair.

    On failure, returns None and the note that says why. Without that note, a game in which a
    faculty failed would look like one in which it worked.
    """
    try:
        return with_repair(ask, faculty, Request(faculty, decision, brief), take), []
    except BackendError as error:
        return None, [failure(decision, faculty, error.cause)]


def request_note(
    ask: Ask,
    decision: Decision,
    faculty: str,
    brief: Mapping[str, Any],
    take: Callable[[Reply], dict[str, Any]],
    *,
    prepared: bool,
    step: str = "",
    kind: str = "",
) -> list[Note]:
    """Return the note of a faculty's own request, with one repair, or the note of its failure.

    Args:
        take: returns the note's data from a reply. Raises BackendError for an unusable one.
        prepared: whether the note is made when a round opens, and not for one window.
        step: name of the step if the faculty makes several requests for the window.
        kind: of the request, if it is not the faculty's name.
    """
    request = Request(kind or faculty, decision, brief)
    moment = decision.began if prepared else decision.moment
    window = "" if prepared else decision.window.key
    try:
        result = with_repair(ask, step or faculty, request, take)
    except BackendError as error:
        if prepared:
            return [failure(decision, faculty, error.cause)]
        return [Note(faculty, moment, {"failed": error.cause}, window)]
    data = {**result.value, "repaired": True} if result.repaired else result.value
    return [Note(faculty, moment, data, window)]


def failure(decision: Decision, faculty: str, cause: str) -> Note:
    """Return the note of a preparation that failed."""
    return Note(FAILED, decision.began, {"faculty": faculty, "cause": cause})
