"""Backend for a model behind any OpenAI-compatible server."""

import bisect
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from agents.decision import BackendError, Reply, Request
from agents.llm import refusals
from agents.llm.client import Client, PromptTooLong
from agents.llm.prompt_copies import PromptText
from agents.llm.prompting import build_messages, template_name
from agents.llm.reasoning import strip_thoughts
from agents.llm.reply_parsing import parse_reply
from agents.llm.request_forms import Completion
from agents.llm.schemas import build_schema
from agents.llm.statement_checks import clean_reply
from agents.model_catalog import ModelSettings
from game.engine.labels import LEFT_OUT

CHARS_PER_TOKEN = 3.5  # Estimated low for English prose: names and JSON have fewer.
DEFAULT_ANSWER_TOKENS = 600  # tokens reserved for the answer if `max_tokens` is not set
# By default a request waits and runs for at most this many times `seconds`.
QUEUE_TIMEOUT_FACTOR = 10
MAX_RECORDED_ANSWER_CHARS = 20_000  # only the end of a longer answer is recorded
MAX_REFUSAL_CHARS = 200
MESSAGE_CHARS = 8  # characters added for the role and the delimiters of a message

_clients: dict[ModelSettings, tuple[Client, threading.Semaphore]] = {}
_lock = threading.Lock()


class OpenAIBackend:
    """Backend that sends requests to a model. All instances of one backend share a client."""

    def __init__(self, settings: ModelSettings) -> None:
        self.name, self.settings = settings.name, settings
        with _lock:  # a client takes tens of milliseconds to build: all threads share it
            if settings not in _clients:
                slots = threading.Semaphore(settings.parallel)
                _clients[settings] = (Client(settings), slots)
        self.client, self._slots = _clients[settings]

    def reply(self, step: str, request: Request, seconds: float | None = None) -> Reply:
        """Return the reply to a request, or raise BackendError with the exchange.

        Args:
            seconds: total limit, the wait for a slot included. The request itself never takes
                longer than the settings' `seconds`.

        Returns:
            the parsed answer, with "exchange": the messages sent and received, and "labels": the
            repairs of its text, and LEFT_OUT if the oldest talk did not fit.
        """
        deadline = time.monotonic() + (seconds or QUEUE_TIMEOUT_FACTOR * self.settings.seconds)
        exchange: dict[str, Any] = {"model": self.settings.model}
        with _exchange_in_errors(exchange):
            with self._slot(deadline):  # waiting for a slot is not the server's fault
                request_deadline = min(deadline, time.monotonic() + self.settings.seconds)
                completion = self._complete_within_context(request, request_deadline, exchange)
            # The messages as built, because those in a server's form may repeat old answers as the
            # user's. `_recorded_fields` replaces them.
            prompt = PromptText.of(exchange["messages"], request.decision.view.state.seats)
            exchange |= _recorded_fields(completion)
            return self._parse_reply(completion, request, prompt, exchange)

    def complete(
        self,
        messages: list[dict[str, str]],
        schema: dict[str, Any],
        kind: str,
        seconds: float | None = None,
        temperature: float | None = None,
    ) -> tuple[str, dict[str, Any]]:
        """Send a request that belongs to no seat, such as a judge's.

        `schema` is the JSON schema of the answer. A server's working format is stored by the
        `kind` of the request. The result is (the answer without its reasoning, the exchange).
        """
        deadline = time.monotonic() + (seconds or QUEUE_TIMEOUT_FACTOR * self.settings.seconds)
        exchange: dict[str, Any] = {"model": self.settings.model, "messages": messages}
        with _exchange_in_errors(exchange):
            with self._slot(deadline):
                timeout_s = min(deadline - time.monotonic(), self.settings.seconds)
                completion = self.client.complete(messages, schema, kind, timeout_s, temperature)
            exchange |= _recorded_fields(completion)
            if completion.is_refused:
                raise BackendError("refusal", completion.text[:MAX_REFUSAL_CHARS])
            return strip_thoughts(completion.text), exchange

    @contextmanager
    def _slot(self, deadline: float) -> Iterator[None]:
        """Hold one of the backend's slots, or raise BackendError if none gets free in time."""
        if not self._slots.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise BackendError("busy", "too many requests at once")
        try:
            yield
        finally:
            self._slots.release()

    def _complete_within_context(
        self, request: Request, deadline: float, exchange: dict[str, Any]
    ) -> Completion:
        """Return the completion for as much of the talk as the server accepts."""
        schema, kind = build_schema(request), template_name(request)
        turn_count = len(request.decision.view.turns)
        omitted_turn_count = self._turns_to_leave_out(request, turn_count)
        while True:
            messages, version = build_messages(request, omitted_turn_count)
            exchange |= {"messages": messages, "template": version}
            exchange |= {"left_out": omitted_turn_count} if omitted_turn_count else {}
            try:
                timeout_s = deadline - time.monotonic()
                return self.client.complete(messages, schema, kind, timeout_s, request.temperature)
            except PromptTooLong as error:
                if error.context:
                    self.client.capabilities.save_context(error.context)
                if omitted_turn_count >= turn_count:
                    raise
                # If the server states no size, leave out half of the remaining talk.
                half = omitted_turn_count + math.ceil((turn_count - omitted_turn_count) / 2)
                omitted_turn_count = max(half, self._turns_to_leave_out(request, turn_count))

    def _turns_to_leave_out(self, request: Request, turn_count: int) -> int:
        """Estimate how many turns of talk to leave out so that the prompt fits."""
        context = self.settings.context or self.client.capabilities.current.context
        if not context:
            return 0
        prompt_tokens = context - (self.settings.max_tokens or DEFAULT_ANSWER_TOKENS)
        return bisect.bisect_left(
            range(turn_count),
            True,
            key=lambda count: (
                estimate_tokens(build_messages(request, count).messages) <= prompt_tokens
            ),
        )

    def _parse_reply(
        self, completion: Completion, request: Request, prompt: PromptText, exchange: dict[str, Any]
    ) -> Reply:
        """Return the answer as a reply with its text repaired, or raise BackendError."""
        if completion.is_refused:
            raise BackendError("refusal", refusals.REFUSAL_DETAIL)
        try:
            reply = clean_reply(parse_reply(completion.text, request), request.decision, prompt)
        except BackendError as error:
            if completion.is_cut and error.cause == "unusable":
                error.detail = "the answer was cut off at its limit before it was done; be brief"
            raise
        if problems := reply.pop("unread", None):
            exchange["unread"] = problems
        labels = [*reply["labels"], *([LEFT_OUT] if exchange.get("left_out") else [])]
        return {**reply, "labels": labels, "exchange": exchange}


def estimate_tokens(messages: list[dict[str, str]]) -> int:
    return math.ceil(sum(len(m["content"]) + MESSAGE_CHARS for m in messages) / CHARS_PER_TOKEN)


@contextmanager
def _exchange_in_errors(exchange: dict[str, Any]) -> Iterator[None]:
    """Add the exchange so far to a BackendError that is raised inside."""
    try:
        yield
    except BackendError as error:
        error.exchange = exchange | (error.exchange or {})
        raise


def _recorded_fields(completion: Completion) -> dict[str, Any]:
    """Return the fields of a completion to store in the exchange.

    "reasoning" has what the server returned separately, and the raw answer if it held reasoning.
    The field is stored and never parsed.
    """
    spoken_text = strip_thoughts(completion.text).strip()
    recorded: dict[str, Any] = {
        "messages": completion.messages,
        "answer": spoken_text[-MAX_RECORDED_ANSWER_CHARS:],
        "model": completion.model,
        "usage": completion.usage,
        "retries": completion.retries,
        "format": completion.format,
        "seconds": round(completion.seconds, 3),
    }
    full_text = completion.text if spoken_text != completion.text.strip() else ""
    if thoughts := "\n".join(filter(None, (completion.thoughts, full_text))):
        recorded["reasoning"] = thoughts[-MAX_RECORDED_ANSWER_CHARS:]
    return recorded
