"""HTTP client for an OpenAI-compatible server: one request within a total deadline."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import openai

from agents.decision import BackendError
from agents.llm import refusals, request_bodies
from agents.llm.capabilities import CachedCapabilities, RequestForm
from agents.llm.reply_parsing import is_prose, is_refused
from agents.llm.server_refusals import (
    ServerRefusal,
    plainer_by_guess,
    plainer_by_message,
    plainer_format,
)
from agents.model_catalog import ModelSettings

MAX_RESPONSE_BYTES = 1_000_000
MAX_SERVER_MESSAGE_CHARS = 300
MIN_WAIT_S = 0.05  # With less time left, a broken connection counts as a timeout.
# The wait before the first retry. Each further one doubles it and adds up to a quarter.
BACKOFF_S = 0.3
CAUSE_BY_STATUS = {
    400: "refused_request",
    401: "key",
    403: "key",
    404: "model",
    408: "timeout",
    429: "rate",
}


@dataclass
class Completion:
    """Answer of a model, with the cost of the request."""

    text: str
    thoughts: str  # reasoning that the server returned in a separate field
    model: str  # the model's name as stated by the server
    usage: dict[str, int]  # "prompt_tokens" and "completion_tokens" -> number, 0 if unknown
    is_cut: bool  # whether the answer ended at the token limit
    is_refused: bool  # whether the server or the model refused, in a separate field or in prose
    messages: request_bodies.Messages  # the messages as they were sent
    format: str  # the request's format, one of FORMATS
    retries: int = 0
    seconds: float = 0.0  # duration of the request with its retries


@dataclass
class Call:
    """One request, which may be sent in several forms."""

    messages: request_bodies.Messages
    schema: dict[str, Any]  # JSON schema of the answer
    name: str  # the kind of the request
    deadline: float  # time of the monotonic clock
    temperature: float | None
    retries: int = 0  # number of retries so far
    # The messages as they were sent last.
    sent_messages: request_bodies.Messages = field(default_factory=list)

    @property
    def seconds_left(self) -> float:
        return self.deadline - time.monotonic()


class PromptTooLong(BackendError):
    """The prompt does not fit.

    Attributes:
        context: context size in tokens as stated by the server, 0 if unknown.
    """

    def __init__(self, detail: str, context: int) -> None:
        super().__init__("context", detail)
        self.context = context


class FormRefused(Exception):
    """The server refused or ignored a request form, and a plainer one exists.

    Attributes:
        plainer_form: the form to try next.
        failure: the error to raise if the plainer form is not tried.
        prose: the completion with prose instead of JSON, None if the server refused the form.
    """

    def __init__(
        self, plainer_form: RequestForm, failure: BackendError, prose: Completion | None = None
    ) -> None:
        super().__init__(failure)
        self.plainer_form, self.failure, self.prose = plainer_form, failure, prose


class Client:
    """Client for one server, with its known capabilities."""

    def __init__(self, settings: ModelSettings) -> None:
        self.settings = settings
        self.capabilities = CachedCapabilities(settings)
        self._search_lock = threading.Lock()  # held by the request that searches for a form
        self._search_failed_at = 0.0  # time of the monotonic clock, 0 for no failed search
        self.client = openai.OpenAI(
            api_key=settings.api_key or "none", base_url=settings.url or None, max_retries=0
        )
        # The library looks this up at the first request. Do it before a player waits for it.
        self.client.platform_headers()
        _ = self.client.chat.completions.with_streaming_response

    def complete(
        self,
        messages: request_bodies.Messages,
        schema: dict[str, Any],
        name: str,
        timeout_s: float,
        temperature: float | None = None,
    ) -> Completion:
        """Return the model's completion within `timeout_s`.

        A request that the server refuses is repeated in a plainer form, which is then used for all
        later requests. If several requests are refused at once, one of them searches for the form
        and the others wait for it.

        Raises:
            BackendError: with a one-word cause, at the latest after `timeout_s`.
        """
        began = time.monotonic()
        if temperature is None:
            temperature = self.settings.temperature
        call = Call(messages, schema, name, began + timeout_s, temperature)
        try:
            completion = self._complete_in_known_form(call)
        except BackendError as error:
            error.exchange = {"messages": call.sent_messages or messages, "retries": call.retries}
            raise
        completion.retries, completion.seconds = call.retries, time.monotonic() - began
        return completion

    def _complete_in_known_form(self, call: Call) -> Completion:
        """Return the completion in the form that worked last, or else in a plainer one."""
        while True:
            request_form = self.capabilities.current.form_for(call.name)
            started_at = time.monotonic()
            try:
                completion = self._send_with_retries(call, request_form)
            except FormRefused as refused:
                if answer := self._find_form(call, request_form, started_at, refused):
                    return answer
                continue
            if not (completion.is_refused or is_prose(completion.text)):
                self.capabilities.save_format(call.name, request_form.format)
            return completion

    def _find_form(
        self, call: Call, request_form: RequestForm, started_at: float, refused: FormRefused
    ) -> Completion | None:
        """Return the completion in a plainer form, and store that form.

        Only one request searches at a time. Returns None if another request has found a
        form meanwhile, raises its error if that request failed after `started_at`.
        """
        if not self._search_lock.acquire(timeout=max(0.0, call.seconds_left)):
            raise refused.failure
        try:
            if self.capabilities.current.form_for(call.name) == request_form:
                self.capabilities.reload()
            if self.capabilities.current.form_for(call.name) != request_form:
                return None
            if self._search_failed_at > started_at:
                raise refused.failure
            try:
                return self._try_plainer(call, refused)
            except BackendError:
                self._search_failed_at = time.monotonic()
                raise
        finally:
            self._search_lock.release()

    def _try_plainer(self, call: Call, refused: FormRefused) -> Completion:
        """Return the completion in the first plainer form that works, and store that form."""
        is_refused_by_server = refused.prose is None
        while True:
            try:
                completion = self._send_with_retries(call, refused.plainer_form)
            except FormRefused as refused_again:
                refused = refused_again
                is_refused_by_server = is_refused_by_server or refused.prose is None
                continue
            # If every form returned prose, the model is the cause, not the form. Prose is
            # usable only as a statement.
            is_unusable = is_prose(completion.text) and call.name != "statement"
            if is_refused_by_server or not (is_unusable or completion.is_refused):
                self.capabilities.save_form(call.name, refused.plainer_form)
            return completion

    def _send_with_retries(self, call: Call, request_form: RequestForm) -> Completion:
        """Return the completion in one request form. Transient errors are retried."""
        while True:
            try:
                completion = self._send(call, request_form)
                break
            except openai.APIStatusError as error:
                failure, retry_delay_s = self._classify(error, call, request_form)
            except openai.APIConnectionError as error:
                if isinstance(error, openai.APITimeoutError) and call.seconds_left <= MIN_WAIT_S:
                    raise BackendError("timeout", "there was no answer in time") from None
                failure = BackendError("unreachable", repr(error.__cause__ or error))
                retry_delay_s = _backoff_s(call.retries)
            except BackendError as error:
                if error.cause not in ("garbage", "unreachable"):
                    raise
                failure, retry_delay_s = error, _backoff_s(call.retries)
            retries_left = call.retries < self.settings.retries
            if retry_delay_s is None or not retries_left or retry_delay_s >= call.seconds_left:
                raise failure
            time.sleep(retry_delay_s)
            call.retries += 1
        plainer_form = plainer_format(request_form)
        # A refusal in prose says nothing about the format.
        has_ignored_format = is_prose(completion.text) and not completion.is_refused
        if plainer_form and has_ignored_format and not self._is_proven(call.name, request_form):
            raise FormRefused(plainer_form, BackendError("unusable", "no JSON"), completion)
        return completion

    def _is_proven(self, name: str, request_form: RequestForm) -> bool:
        """Return whether the form's format has worked for this kind of request."""
        return self.capabilities.current.formats.get(name) == request_form.format

    def _classify(
        self, error: openai.APIStatusError, call: Call, request_form: RequestForm
    ) -> tuple[BackendError, float | None]:
        """Return (failure, seconds before a retry). The delay is None if a retry is useless.

        FormRefused is raised if there is a plainer form, PromptTooLong if the prompt does not fit.
        """
        refusal, status = ServerRefusal.of(error), error.status_code
        detail = f"{status}: {str(error.message)[:MAX_SERVER_MESSAGE_CHARS]}"
        if refusal.is_too_long:
            raise PromptTooLong(detail, refusal.context)
        if refusal.is_filtered:
            return BackendError("refusal", refusals.REFUSAL_DETAIL), None
        cause = "model" if refusal.is_unknown_model else CAUSE_BY_STATUS.get(status, "server")
        failure = BackendError(cause, detail)
        sent_parameters = tuple(
            request_bodies.optional_parameters(self.settings, request_form, call.temperature)
        )
        if next_form := plainer_by_message(request_form, refusal, sent_parameters):
            raise FormRefused(next_form, failure)
        retry_delay_s = _retry_delay_s(error, call.retries)
        will_retry = retry_delay_s is not None and call.retries < self.settings.retries
        next_form = None if will_retry else plainer_by_guess(request_form, refusal, sent_parameters)
        if next_form and not self._is_proven(call.name, request_form):
            raise FormRefused(next_form, failure)
        return failure, retry_delay_s

    def _send(self, call: Call, request_form: RequestForm) -> Completion:
        """Send one request and read its response.

        It is read in pieces, so that the deadline holds even if the server sends very slowly.
        """
        if call.seconds_left <= 0:
            raise BackendError("timeout", "no time was left")
        messages = call.sent_messages = request_bodies.arrange_messages(
            call.messages, request_form, call.schema
        )
        body = {
            "model": self.settings.model,
            "messages": messages,
            **request_bodies.response_format(request_form, call.schema, call.name),
            **request_bodies.optional_parameters(self.settings, request_form, call.temperature),
        }
        create: Any = self.client.chat.completions.with_streaming_response.create
        body_bytes = b""
        timeout = openai.Timeout(
            call.seconds_left, connect=min(call.seconds_left, self.settings.connect)
        )
        try:
            # The library requires `model` and `messages`; `extra_body` replaces them.
            with create(model="", messages=[], timeout=timeout, extra_body=body) as response:
                for piece in response.iter_bytes():
                    body_bytes += piece
                    if len(body_bytes) > MAX_RESPONSE_BYTES:
                        raise BackendError("too_long", "the response never ended")
                    if call.seconds_left < 0:
                        raise BackendError("timeout", "the response came too slowly")
        except (BackendError, openai.OpenAIError):
            raise
        except Exception as error:  # the connection broke, or hung, while the body was read
            cause = "unreachable" if call.seconds_left > MIN_WAIT_S else "timeout"
            raise BackendError(cause, repr(error)) from error
        parsed = request_bodies.parse_response(body_bytes, self.settings.model)
        parsed["is_refused"] = parsed["is_refused"] or is_refused(parsed["text"])
        return Completion(**parsed, messages=messages, format=request_form.format)


def _retry_delay_s(error: openai.APIStatusError, retries: int) -> float | None:
    """Return the seconds before a retry, None if a retry is useless."""
    if error.status_code not in (408, 409, 429) and error.status_code < 500:
        return None
    retry_after = error.response.headers.get("retry-after", "")
    if retry_after.replace(".", "", 1).isdigit():
        return float(retry_after)
    return None if error.status_code == 501 else _backoff_s(retries)


def _backoff_s(retries: int) -> float:
    """Return the seconds before the next retry, random so that requests do not retry together."""
    return float(BACKOFF_S * 2**retries * (1 + random.random() / 4))
