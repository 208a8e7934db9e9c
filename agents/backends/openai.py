"""Any OpenAI-compatible endpoint as a backend (SPEC 2.1-2.5)."""

from __future__ import annotations

import bisect
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from agents.catalog import ModelSettings
from agents.decision import BackendError, Reply, Request
from agents.llm import refusals
from agents.llm.client import Client, Completion, PromptTooLong
from agents.llm.echo import PromptText
from agents.llm.prompting import messages, template_of
from agents.llm.reasoning import without_thoughts
from agents.llm.reply_parsing import reply_of
from agents.llm.schemas import schema_of
from agents.llm.statement_checks import checked_reply
from game.engine.labels import LEFT_OUT

CHARACTERS = 3.5  # of English prose a token, estimated low: names and JSON take more
ROOM = 600  # tokens kept for the answer where `max_tokens` says nothing
QUEUE = 10  # times `seconds`: how long a request waits for a place where nothing else says
KEPT = 20_000  # characters of an answer that the record keeps, from its end

_lines: dict[ModelSettings, tuple[Client, threading.Semaphore]] = {}
_lock = threading.Lock()


def forget(settings: ModelSettings) -> None:
    """Begin anew to find out what a backend's server can do."""
    OpenAIBackend(settings).line.known.forget()


class OpenAIBackend:
    """Asks a model for everything. What its server can't do is remembered."""

    def __init__(self, settings: ModelSettings) -> None:
        self.name, self.settings = settings.name, settings
        with _lock:  # a client costs tens of milliseconds; one a backend serves all threads
            if settings not in _lines:
                places = threading.Semaphore(settings.parallel)
                _lines[settings] = (Client(settings), places)
        self.line, self._places = _lines[settings]

    def reply(self, step: str, request: Request, seconds: float | None = None) -> Reply:
        """The reply, with what went over the line under "exchange"; so has a BackendError's.

        {"labels": […]}: what was done to the words, and "left-out" where the oldest talk
        did not fit and was left out.
        """
        until = time.monotonic() + (seconds or QUEUE * self.settings.seconds)
        exchange: dict[str, Any] = {"model": self.settings.model}
        with _recorded(exchange):
            with self._place(until):  # waiting for one is none of the server's doing
                limit = min(until, time.monotonic() + self.settings.seconds)
                answered = self._answered(request, limit, exchange)
            told = exchange["messages"]  # as made: what a server takes may repeat old answers
            exchange |= _record(answered)
            names = request.decision.view.state.seats
            return self._read(answered, request, PromptText.of(told, names), exchange)

    def complete(
        self,
        told: list[dict[str, str]],
        schema: dict[str, Any],
        name: str,
        seconds: float | None = None,
        temperature: float | None = None,
    ) -> tuple[str, dict[str, Any]]:
        """(the answer's text without its reasoning, what went over the line) of a request that
        belongs to no seat; `name`: of its kind. Raises BackendError, which has the exchange."""
        until = time.monotonic() + (seconds or QUEUE * self.settings.seconds)
        warmth = self.settings.temperature if temperature is None else temperature
        exchange: dict[str, Any] = {"model": self.settings.model, "messages": told}
        with _recorded(exchange):
            with self._place(until):
                limit = min(until, time.monotonic() + self.settings.seconds)
                left = limit - time.monotonic()
                answered = self.line.ask(told, schema, name, left, warmth)
            exchange |= _record(answered)
            if answered.refused:
                raise BackendError("refusal", answered.text[:200])
            return without_thoughts(answered.text), exchange

    @contextmanager
    def _place(self, until: float) -> Iterator[None]:
        """One of the backend's places, for as long as a request takes."""
        if not self._places.acquire(timeout=max(0.0, until - time.monotonic())):
            raise BackendError("busy", "too many requests at once")
        try:
            yield
        finally:
            self._places.release()

    def _answered(self, request: Request, until: float, exchange: dict[str, Any]) -> Completion:
        """What the server answers, to as much of the talk as it takes."""
        warmth = self.settings.temperature
        warmth = warmth if request.temperature is None else request.temperature
        schema, name = schema_of(request), template_of(request)
        most = len(request.decision.view.turns)
        out = self._beforehand(request, most)
        while True:
            told, version = messages(request, leave_out=out)
            exchange |= {"messages": told, "template": version}
            exchange |= {"left_out": out} if out else {}
            try:
                return self.line.ask(told, schema, name, until - time.monotonic(), warmth)
            except PromptTooLong as error:
                if error.context:
                    self.line.known.save_context(error.context)
                if out >= most:
                    raise
                half = out + math.ceil((most - out) / 2)
                out = max(half, self._beforehand(request, most))

    def _beforehand(self, request: Request, most: int) -> int:
        """How many turns of talk are to be left out for the prompt to fit, by an estimate."""
        context = self.settings.context or self.line.known.facts.context
        if not context:
            return 0
        room = context - (self.settings.max_tokens or ROOM)
        return bisect.bisect_left(
            range(most), True, key=lambda out: tokens(messages(request, leave_out=out)[0]) <= room
        )

    def _read(
        self, answered: Completion, request: Request, prompt: PromptText, exchange: dict[str, Any]
    ) -> Reply:
        """The answer as a reply, its words put right. BackendError where it is none."""
        if answered.refused:
            raise BackendError("refusal", refusals.DETAIL)
        try:
            reply = checked_reply(reply_of(answered.text, request), request.decision, prompt)
        except BackendError as error:
            if answered.cut and error.cause == "unusable":
                error.detail = "the answer was cut off at its limit before it was done; be brief"
            raise
        if unread := reply.pop("unread", None):
            exchange["unread"] = unread
        labels = [*reply["labels"], *([LEFT_OUT] if exchange.get("left_out") else [])]
        return {**reply, "labels": labels, "exchange": exchange}


@contextmanager
def _recorded(exchange: dict[str, Any]) -> Iterator[None]:
    """A failure carries what went over the line so far."""
    try:
        yield
    except BackendError as error:
        error.exchange = exchange | (error.exchange or {})
        raise


def _record(answered: Completion) -> dict[str, Any]:
    """What the record keeps of an answer. Its reasoning is the record's alone: {"reasoning": what
    the server kept apart, and the answer as it came where reasoning stood in it}."""
    said = without_thoughts(answered.text).strip()
    found = {
        "messages": answered.messages,
        "answer": said[-KEPT:],
        "model": answered.model,
        "usage": answered.usage,
        "retries": answered.retries,
        "format": answered.format,
        "seconds": round(answered.seconds, 3),
    }
    whole = answered.text if said != answered.text.strip() else ""
    thoughts = "\n".join(filter(None, (answered.thoughts, whole)))
    return {**found, **({"reasoning": thoughts[-KEPT:]} if thoughts else {})}


def tokens(told: list[dict[str, str]]) -> int:
    """How many tokens messages have, estimated."""
    return math.ceil(sum(len(m["content"]) + 8 for m in told) / CHARACTERS)
