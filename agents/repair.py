"""Asking a backend: once, and once more where the reply can't be used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from agents.decision import Ask, BackendError, Decision, Reply, Request
from agents.mind import FAILED, Note

T = TypeVar("T")


@dataclass(frozen=True)
class UsableReply(Generic[T]):
    """A reply that can be used. repaired: the model was told what was wrong with its first."""

    taken: T
    reply: Reply
    repaired: bool


def with_repair(
    ask: Ask, step: str, request: Request, take: Callable[[Reply], T]
) -> UsableReply[T]:
    """Return the reply to `request`, as `take` reads it.

    `take` raises BackendError for what can't be used. Whatever goes wrong, there is one more try:
    a mistake is told to the one who made it, a line that failed is not. Raises the second
    failure's BackendError.
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


def prepared(
    ask: Ask,
    decision: Decision,
    faculty: str,
    brief: Mapping[str, Any],
    take: Callable[[Reply], T],
) -> tuple[UsableReply[T] | None, list[Note]]:
    """Return what `faculty` asked for while preparing, with one repair.

    Where there is none, the note that says why: without it a game in which a faculty was missing
    would look like one in which it was there.
    """
    try:
        return with_repair(ask, faculty, Request(faculty, decision, brief), take), []
    except BackendError as error:
        return None, [failure(decision, faculty, error.cause)]


def failure(decision: Decision, faculty: str, cause: str) -> Note:
    """Return the note of a preparation that failed."""
    return Note(FAILED, decision.began, {"faculty": faculty, "cause": cause})
