"""HTTP client for an OpenAI-compatible server: one request within a total deadline."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import openai

from agents.catalog import ModelSettings
from agents.decision import BackendError
from agents.llm import refusals, request_bodies
from agents.llm.capabilities import RequestStyle, ServerKnowledge
from agents.llm.reply_parsing import is_prose, is_refused
from agents.llm.server_refusals import (
    ServerRefusal,
    plainer_by_guess,
    plainer_by_message,
    plainer_format,
)

MOST_BYTES = 1_000_000  # of a response
CAUSES = {400: "refused_request", 401: "key", 403: "key", 404: "model", 408: "timeout", 429: "rate"}


@dataclass
class Completion:
    """Response of a server, with the cost of the request.

    Attributes:
        thoughts: reasoning that the server returned in a separate field.
        cut: the answer ended at the token limit.
        refused: the server or the model refused, in a field of its own or in prose.
        messages: the messages as they were sent.
    """

    text: str
    thoughts: str
    model: str
    usage: dict[str, int]
    cut: bool
    refused: bool
    messages: request_bodies.Messages
    format: str
    retries: int = 0
    seconds: float = 0.0


@dataclass
class Call:
    """One request in any style, with its deadline `until` on the monotonic clock."""

    messages: request_bodies.Messages
    schema: dict[str, Any]
    name: str  # of its kind
    until: float
    temperature: float | None
    retries: int = 0
    sent_messages: request_bodies.Messages = field(default_factory=list)

    @property
    def seconds_left(self) -> float:
        return self.until - time.monotonic()


class PromptTooLong(BackendError):
    """The prompt does not fit.

    Attributes:
        context: context size in tokens as stated by the server, 0 if unknown.
    """

    def __init__(self, detail: str, context: int) -> None:
        super().__init__("context", detail)
        self.context = context


class StyleRefused(Exception):
    """The server refused a request style, and a plainer one exists.

    Attributes:
        failure: the error to raise if the plainer style fails too.
        prose: the answer that the server gave instead of JSON.
    """

    def __init__(
        self, plainer_style: RequestStyle, failure: BackendError, prose: Completion | None = None
    ) -> None:
        super().__init__(failure)
        self.plainer_style, self.failure, self.prose = plainer_style, failure, prose


class Client:
    """A client for one server, with its known capabilities and our limits towards it."""

    def __init__(self, settings: ModelSettings) -> None:
        self.settings = settings
        self.known = ServerKnowledge(settings)
        self._search_lock = threading.Lock()  # held by the request that looks for a style
        self._search_failed_at = 0.0  # when the last search failed
        self.client = openai.OpenAI(
            api_key=settings.key or "none", base_url=settings.url or None, max_retries=0
        )
        # The library looks this up at the first request. Do it before a player waits for it.
        self.client.platform_headers()
        _ = self.client.chat.completions.with_streaming_response

    def ask(
        self,
        messages: request_bodies.Messages,
        schema: dict[str, Any],
        name: str,
        seconds: float,
        temperature: float | None = None,
    ) -> Completion:
        """Return the model's completion within `seconds`.

        A request that the server refuses is repeated in a plainer style, which is then used for all
        later requests. If several requests are refused at once, one of them looks for the style and
        the others wait for it.

        Raises:
            BackendError: with a one-word cause, at the latest after `seconds`.
        """
        began = time.monotonic()
        call = Call(messages, schema, name, began + seconds, temperature)
        try:
            completion = self._request(call)
        except BackendError as error:
            error.exchange = {"messages": call.sent_messages or messages, "retries": call.retries}
            raise
        completion.retries, completion.seconds = call.retries, time.monotonic() - began
        return completion

    def _request(self, call: Call) -> Completion:
        while True:
            style, asked_at = self.known.facts.style(call.name), time.monotonic()
            try:
                completion = self._answer(call, style)
            except StyleRefused as refused:
                if plainer := self._find_style(call, style, asked_at, refused):
                    return plainer
                continue
            if not (completion.refused or is_prose(completion.text)):
                self.known.save_format(call.name, style.format)
            return completion

    def _find_style(
        self, call: Call, style: RequestStyle, asked_at: float, refused: StyleRefused
    ) -> Completion | None:
        """Return the completion of a plainer style, and store that style.

        Returns None if another request has found a style since `asked_at`.
        """
        if not self._search_lock.acquire(timeout=max(0.0, call.seconds_left)):
            raise refused.failure
        try:
            if self.known.facts.style(call.name) == style:
                self.known.reload()
            if self.known.facts.style(call.name) != style:
                return None
            if self._search_failed_at > asked_at:
                raise refused.failure
            return self._try_plainer(call, refused)
        except BackendError:
            self._search_failed_at = time.monotonic()
            raise
        finally:
            self._search_lock.release()

    def _try_plainer(self, call: Call, refused: StyleRefused) -> Completion:
        """Try ever plainer styles until one works."""
        server_refused = refused.prose is None
        while True:
            try:
                completion = self._answer(call, refused.plainer_style)
            except StyleRefused as further:
                refused = further
                server_refused = server_refused or further.prose is None
                continue
            # If every style returned prose, the model is the cause, not the style. Prose is
            # usable only as a statement.
            prose = is_prose(completion.text) and call.name != "statement"
            if server_refused or not (prose or completion.refused):
                self.known.save_style(call.name, refused.plainer_style)
            return completion

    def _answer(self, call: Call, style: RequestStyle) -> Completion:
        """Return the completion for one style. Transient errors are retried."""
        while True:
            try:
                completion = self._send(call, style)
                break
            except openai.APIStatusError as error:
                failure, pause = self._classify_error(error, call, style)
            except openai.APIConnectionError as error:
                if isinstance(error, openai.APITimeoutError) and call.seconds_left <= 0.05:
                    raise BackendError("timeout", "there was no answer in time") from None
                failure = BackendError("unreachable", repr(error.__cause__ or error))
                pause = _backoff(call.retries)
            except BackendError as error:
                if error.cause not in ("garbage", "unreachable"):
                    raise
                failure, pause = error, _backoff(call.retries)
            if pause is None or call.retries >= self.settings.retries or pause >= call.seconds_left:
                raise failure
            time.sleep(pause)
            call.retries += 1
        further = plainer_format(style)
        prose = (
            is_prose(completion.text) and not completion.refused
        )  # which says nothing of the format
        if further and prose and not self._is_proven(call.name, style):
            raise StyleRefused(further, BackendError("unusable", "no JSON"), completion)
        return completion

    def _is_proven(self, name: str, style: RequestStyle) -> bool:
        """Check whether the style's format has worked for this kind of request."""
        return self.known.facts.formats.get(name) == style.format

    def _classify_error(
        self, error: openai.APIStatusError, call: Call, style: RequestStyle
    ) -> tuple[BackendError, float | None]:
        """Return (failure, seconds before a retry). The pause is None if a retry is useless.

        Raises:
            StyleRefused: if there is a plainer style.
            PromptTooLong: if the prompt does not fit.
        """
        refusal, status = ServerRefusal.of(error), error.status_code
        detail = f"{status}: {str(error.message)[:300]}"
        if refusal.too_long:
            raise PromptTooLong(detail, refusal.context)
        if refusal.filtered:
            return BackendError("refusal", refusals.DETAIL), None
        cause = "model" if refusal.no_model else CAUSES.get(status, "server")
        failure = BackendError(cause, detail)
        optional_names = tuple(request_bodies.optional(self.settings, style, call.temperature))
        if next_style := plainer_by_message(style, refusal, optional_names):
            raise StyleRefused(next_style, failure)
        pause = _pause(error, call.retries)
        may_pass = pause is not None and call.retries < self.settings.retries
        next_style = None if may_pass else plainer_by_guess(style, refusal, optional_names)
        if next_style and not self._is_proven(call.name, style):
            raise StyleRefused(next_style, failure)
        return failure, pause

    def _send(self, call: Call, style: RequestStyle) -> Completion:
        """Send one request and read its response in pieces.

        Reading in pieces keeps the deadline even if the server sends very slowly.
        """
        if call.seconds_left <= 0:
            raise BackendError("timeout", "no time was left")
        messages = call.sent_messages = request_bodies.arranged(call.messages, style, call.schema)
        body = {
            "model": self.settings.model,
            "messages": messages,
            **request_bodies.response_format(style, call.schema, call.name),
            **request_bodies.optional(self.settings, style, call.temperature),
        }
        create: Any = self.client.chat.completions.with_streaming_response.create
        body_bytes = b""
        timeout = openai.Timeout(
            call.seconds_left, connect=min(call.seconds_left, self.settings.connect)
        )
        try:
            with create(model="", messages=[], timeout=timeout, extra_body=body) as response:
                for piece in response.iter_bytes():
                    body_bytes += piece
                    if len(body_bytes) > MOST_BYTES:
                        raise BackendError("too_long", "the response never ended")
                    if call.seconds_left < 0:
                        raise BackendError("timeout", "the response came too slowly")
        except (BackendError, openai.OpenAIError):
            raise
        except Exception as error:  # the connection broke, or hung, while the body was read
            cause = "unreachable" if call.seconds_left > 0.05 else "timeout"
            raise BackendError(cause, repr(error)) from error
        parsed = request_bodies.read(body_bytes, self.settings.model)
        parsed["refused"] = parsed["refused"] or is_refused(parsed["text"])
        return Completion(**parsed, messages=messages, format=style.format)


def _pause(error: openai.APIStatusError, retries: int) -> float | None:
    """Return the seconds before a retry, None if a retry is useless."""
    if error.status_code in (408, 409, 429) or error.status_code >= 500:
        after = error.response.headers.get("retry-after", "")
        if after.replace(".", "", 1).isdigit():
            return float(after)
        return None if error.status_code == 501 else _backoff(retries)
    return None


def _backoff(retries: int) -> float:
    return float(0.3 * 2**retries * (1 + random.random() / 4))
