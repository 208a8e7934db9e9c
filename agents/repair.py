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


def failure(decision: Decision, faculty: str, cause: str) -> Note:
    """Return the note of a preparation that failed."""
    return Note(FAILED, decision.began, {"faculty": faculty, "cause": cause})
