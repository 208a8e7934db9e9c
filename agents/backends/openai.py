"""Backend for any OpenAI-compatible endpoint (SPEC 2.1-2.5)."""

from __future__ import annotations

import bisect
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from agents.decision import BackendError, Reply, Request
from agents.llm import refusals
from agents.llm.client import Client, Completion, PromptTooLong
from agents.llm.echo import PromptText
from agents.llm.prompting import messages, template_of
from agents.llm.reasoning import without_thoughts
from agents.llm.reply_parsing import reply_of
from agents.llm.schemas import schema_of
from agents.llm.statement_checks import checked_reply
from agents.model_catalog import ModelSettings
from game.engine.labels import LEFT_OUT

CHARACTERS = 3.5  # of English prose per token, estimated low: names and JSON take more
ROOM = 600  # tokens reserved for the answer without `max_tokens`
QUEUE = 10  # times `seconds`: how long a request waits for a slot by default
KEPT = 20_000  # characters of an answer that are recorded, from its end

_lines: dict[ModelSettings, tuple[Client, threading.Semaphore]] = {}
_lock = threading.Lock()


def forget(settings: ModelSettings) -> None:
    """Discard the known capabilities of a backend's server."""
    OpenAIBackend(settings).line.known.forget()


class OpenAIBackend:
    """Backend that sends every request to a model. It remembers its server's limits."""

    def __init__(self, settings: ModelSettings) -> None:
        self.name, self.settings = settings.name, settings
        with _lock:  # a client costs tens of milliseconds; one per backend serves all threads
            if settings not in _lines:
                slots = threading.Semaphore(settings.parallel)
                _lines[settings] = (Client(settings), slots)
        self.line, self._places = _lines[settings]

    def reply(self, step: str, request: Request, seconds: float | None = None) -> Reply:
        """Return the reply, with the messages sent and received under "exchange".

        A BackendError has the exchange, too. {"labels": […]} lists the repairs of the text, and
        "left-out" if the oldest talk did not fit and was left out.
        """
        until = time.monotonic() + (seconds or QUEUE * self.settings.seconds)
        exchange: dict[str, Any] = {"model": self.settings.model}
        with _recorded(exchange):
            with self._slot(until):  # waiting for a slot is not the server's fault
                limit = min(until, time.monotonic() + self.settings.seconds)
                answered = self._complete_within_context(request, limit, exchange)
            prompt_messages = exchange[
                "messages"
            ]  # the messages as built: a server's form may repeat old answers
            exchange |= _record(answered)
            names = request.decision.view.state.seats
            return self._read(answered, request, PromptText.of(prompt_messages, names), exchange)

    def complete(
        self,
        prompt_messages: list[dict[str, str]],
        schema: dict[str, Any],
        name: str,
        seconds: float | None = None,
        temperature: float | None = None,
    ) -> tuple[str, dict[str, Any]]:
        """Return (the answer without its reasoning, the exchange) of a request for no seat.

        `name` is the request's kind. Raises BackendError, which has the exchange.
        """
        until = time.monotonic() + (seconds or QUEUE * self.settings.seconds)
        warmth = self.settings.temperature if temperature is None else temperature
        exchange: dict[str, Any] = {"model": self.settings.model, "messages": prompt_messages}
        with _recorded(exchange):
            with self._slot(until):
                limit = min(until, time.monotonic() + self.settings.seconds)
                left = limit - time.monotonic()
                answered = self.line.ask(prompt_messages, schema, name, left, warmth)
            exchange |= _record(answered)
            if answered.refused:
                raise BackendError("refusal", answered.text[:200])
            return without_thoughts(answered.text), exchange

    @contextmanager
    def _slot(self, until: float) -> Iterator[None]:
        """Hold one of the backend's slots for the duration of a request."""
        if not self._places.acquire(timeout=max(0.0, until - time.monotonic())):
            raise BackendError("busy", "too many requests at once")
        try:
            yield
        finally:
            self._places.release()

    def _complete_within_context(
        self, request: Request, until: float, exchange: dict[str, Any]
    ) -> Completion:
        """Return the completion for as much of the talk as the server accepts."""
        warmth = self.settings.temperature
        warmth = warmth if request.temperature is None else request.temperature
        schema, name = schema_of(request), template_of(request)
        most = len(request.decision.view.turns)
        out = self._turns_to_leave_out(request, most)
        while True:
            prompt_messages, version = messages(request, leave_out=out)
            exchange |= {"messages": prompt_messages, "template": version}
            exchange |= {"left_out": out} if out else {}
            try:
                return self.line.ask(
                    prompt_messages, schema, name, until - time.monotonic(), warmth
                )
            except PromptTooLong as error:
                if error.context:
                    self.line.known.save_context(error.context)
                if out >= most:
                    raise
                half = out + math.ceil((most - out) / 2)
                out = max(half, self._turns_to_leave_out(request, most))

    def _turns_to_leave_out(self, request: Request, most: int) -> int:
        """Estimate how many turns of talk to leave out so that the prompt fits."""
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
        """Return the answer as a reply with repaired text. Raises BackendError if it is none."""
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
    """Add the exchange so far to a BackendError."""
    try:
        yield
    except BackendError as error:
        error.exchange = exchange | (error.exchange or {})
        raise


def _record(answered: Completion) -> dict[str, Any]:
    """Return the fields of an answer to store.

    Reasoning is only stored: {"reasoning": the part that the server returned separately, and the
    raw answer if it held reasoning}.
    """
    spoken_text = without_thoughts(answered.text).strip()
    recorded = {
        "messages": answered.messages,
        "answer": spoken_text[-KEPT:],
        "model": answered.model,
        "usage": answered.usage,
        "retries": answered.retries,
        "format": answered.format,
        "seconds": round(answered.seconds, 3),
    }
    full_text = answered.text if spoken_text != answered.text.strip() else ""
    thoughts = "\n".join(filter(None, (answered.thoughts, full_text)))
    return {**recorded, **({"reasoning": thoughts[-KEPT:]} if thoughts else {})}


def tokens(prompt_messages: list[dict[str, str]]) -> int:
    """Return the estimated number of tokens in messages."""
    return math.ceil(sum(len(m["content"]) + 8 for m in prompt_messages) / CHARACTERS)
