"""Requests to a backend that are repeated once, as a repair, if the reply is unusable."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from agents.decision import FAILED, Ask, BackendError, Decision, Note, Reply, Request

T = TypeVar("T")


@dataclass(frozen=True)
class UsableReply(Generic[T]):
    """A usable reply of a backend.

    Attributes:
        value: the parsed reply.
        is_repaired: whether it answers a repair request, which explains the mistake in the first
            reply.
    """

    value: T
    reply: Reply
    is_repaired: bool


def send_with_repair(
    ask: Ask, step: str, request: Request, parse_reply: Callable[[Reply], T]
) -> UsableReply[T]:
    """Send `request` and return the reply, parsed. Any failure gets a second attempt.

    If the model made a mistake, the second request is a repair and states it. If the connection
    failed, the second request equals the first.

    Args:
        step: name of the request within the window. The attempts are recorded as its parts.
        parse_reply: returns the value of a reply. Raises BackendError for an unusable one.

    Raises:
        BackendError: if the second attempt fails too.
    """
    was_repaired = False
    for attempt in ("first", "repair"):
        reply: Reply = {}
        try:
            reply = ask(f"{step}/{attempt}", request)
            return UsableReply(parse_reply(reply), reply, was_repaired)
        except BackendError as error:
            if attempt == "repair":
                raise
            if was_repaired := error.is_mistake:
                exchange = error.exchange or reply.get("exchange") or {}
                brief = {
                    **request.brief,
                    "refused": error.detail or error.cause,
                    "answered": exchange.get("answer", ""),
                }
                request = replace(request, brief=brief)
    raise AssertionError("there are two attempts")


def send_preparation_request(
    ask: Ask,
    decision: Decision,
    faculty: str,
    brief: Mapping[str, Any],
    parse_reply: Callable[[Reply], T],
) -> tuple[UsableReply[T] | None, list[Note]]:
    """Send a faculty's request for a preparation of the round, with one repair.

    Returns:
        (usable reply, []), or (None, [the note of the failure]). Without that note, a game in which
        a faculty failed would look like one in which it worked.
    """
    try:
        return send_with_repair(ask, faculty, Request(faculty, decision, brief), parse_reply), []
    except BackendError as error:
        return None, [failed_preparation_note(decision, faculty, error.cause)]


def request_note(
    ask: Ask,
    decision: Decision,
    faculty: str,
    brief: Mapping[str, Any],
    parse_reply: Callable[[Reply], dict[str, Any]],
    *,
    is_prepared: bool,
    step: str = "",
    kind: str = "",
) -> list[Note]:
    """Return the note of a faculty's own request, with one repair, or the note of its failure.

    Args:
        parse_reply: returns the note's data. Raises BackendError for an unusable reply.
        is_prepared: whether the note is made when a round opens, and not for one window.
        step: name of the step if the faculty makes several requests for the window.
        kind: of the request, if it is not the faculty's name.
    """
    request = Request(kind or faculty, decision, brief)
    moment = decision.round_start if is_prepared else decision.moment
    window = "" if is_prepared else decision.window.key
    try:
        result = send_with_repair(ask, step or faculty, request, parse_reply)
    except BackendError as error:
        if is_prepared:
            return [failed_preparation_note(decision, faculty, error.cause)]
        return [Note(faculty, moment, {"failed": error.cause}, window)]
    data = {**result.value, "repaired": True} if result.is_repaired else result.value
    return [Note(faculty, moment, data, window)]


def failed_preparation_note(decision: Decision, faculty: str, cause: str) -> Note:
    """Return the note of a failed preparation of the current round."""
    return Note(FAILED, decision.round_start, {"faculty": faculty, "cause": cause})
