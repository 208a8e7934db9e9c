"""HTTP client for an OpenAI-compatible server: one request within a total deadline."""

import random
import threading
import time
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import openai

from agents.decision import BackendError
from agents.llm import refusals
from agents.llm.capabilities import CachedCapabilities, RequestForm
from agents.llm.reply_parsing import is_prose, is_prose_refusal
from agents.llm.request_forms import (
    Completion,
    Messages,
    ServerRefusal,
    arrange_messages,
    optional_parameters,
    parse_response,
    plainer_by_guess,
    plainer_by_message,
    plainer_format,
    response_format,
)
from agents.model_catalog import ModelSettings

MAX_RESPONSE_BYTES = 1_000_000
MAX_SERVER_MESSAGE_CHARS = 300
# A connection that breaks with less time left was most likely closed by the timeout itself.
TIMEOUT_TOLERANCE_S = 0.05
# HTTP status -> cause of the BackendError. The cause of every other status is "server".
CAUSE_BY_STATUS = {
    400: "refused_request",
    401: "key",
    403: "key",
    404: "model",
    408: "timeout",
    429: "rate",
}
BACKOFF_S = 0.3  # base of the wait before the first retry; it doubles with each further retry
BACKOFF_JITTER = 0.25  # up to this share of a wait is added at random
# Client errors that pass: the server's own timeout, a lock, and too many requests. Other 4xx are
# mistakes in the request.
RETRIED_CLIENT_ERRORS = (408, 409, 429)
# Causes of a BackendError from a broken connection, or from a response that is no completion.
RETRIED_CAUSES = ("garbage", "unreachable")


@dataclass
class Call:
    """One request, which may be sent in several forms."""

    messages: Messages
    schema: dict[str, Any]  # JSON schema of the answer
    kind: str  # the request's kind, such as "vote": formats that work are stored by kind
    deadline: float  # time of the monotonic clock
    temperature: float | None
    retries: int = 0  # number of retries so far
    # The messages as they were sent last.
    sent_messages: Messages = field(default_factory=list)

    @property
    def seconds_left(self) -> float:
        return self.deadline - time.monotonic()


class PromptTooLong(BackendError):
    """The prompt does not fit. `context`: the size that the server states in tokens, or 0."""

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
        # The library's retries know no total deadline. `retries` is used in their place.
        self._openai = openai.OpenAI(
            api_key=settings.api_key or "none", base_url=settings.url or None, max_retries=0
        )
        # At its first request the library finds out the platform and imports its chat module. Both
        # are slow, so this does it before a player waits.
        self._openai.platform_headers()
        _ = self._openai.chat.completions.with_streaming_response

    def complete(
        self,
        messages: Messages,
        schema: dict[str, Any],
        kind: str,
        timeout_s: float,
        temperature: float | None = None,
    ) -> Completion:
        """Return the model's completion within `timeout_s`.

        A request that the server refuses is repeated in a plainer form, which is then used for all
        later requests. Only a format that has worked is kept by kind. If several requests are
        refused at once, one of them searches for the form and the others wait for it. `temperature`
        is that of the settings if it is None.

        Raises:
            PromptTooLong: the prompt does not fit the model's context.
            BackendError: any other failure, with a one-word cause, at the latest after `timeout_s`.
                It has the messages and the number of retries in `exchange`.
        """
        started_at = time.monotonic()
        if temperature is None:
            temperature = self.settings.temperature
        call = Call(messages, schema, kind, started_at + timeout_s, temperature)
        try:
            completion = self._complete_in_known_form(call)
        except BackendError as error:
            error.exchange = {"messages": call.sent_messages or messages, "retries": call.retries}
            raise
        completion.retries, completion.seconds = call.retries, time.monotonic() - started_at
        return completion

    def _complete_in_known_form(self, call: Call) -> Completion:
        """Return the completion in the known form for its kind, or else in a plainer one."""
        while True:
            request_form = self.capabilities.current.form_for(call.kind)
            started_at = time.monotonic()
            try:
                completion = self._complete_in_form(call, request_form)
            except FormRefused as refused:
                if answer := self._complete_by_search(call, request_form, started_at, refused):
                    return answer
                continue
            if not (completion.is_refused or is_prose(completion.text)):
                self.capabilities.save_format(call.kind, request_form.format)
            return completion

    def _complete_by_search(
        self, call: Call, request_form: RequestForm, started_at: float, refused: FormRefused
    ) -> Completion | None:
        """Return the completion in a plainer form, None if another request has changed the form.

        Only one request searches at a time. The others wait and then use what it found. The refused
        request was sent at `started_at`, on the monotonic clock.

        Raises:
            BackendError: no form worked, here or in a search that failed after `started_at`; or
                there was no time to wait for the other search.
        """
        if not self._search_lock.acquire(timeout=max(0.0, call.seconds_left)):
            raise refused.failure
        try:
            if self.capabilities.current.form_for(call.kind) == request_form:
                self.capabilities.reload()
            if self.capabilities.current.form_for(call.kind) != request_form:
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
        """Return the completion in the first plainer form that is not refused.

        The form is stored if it made the difference: the server refused another one, or the answer
        is usable where the earlier forms got prose.
        """
        is_refused_by_server = refused.prose is None
        while True:
            try:
                completion = self._complete_in_form(call, refused.plainer_form)
            except FormRefused as refused_again:
                refused = refused_again
                is_refused_by_server = is_refused_by_server or refused.prose is None
                continue
            # If every form returned prose, the model is the cause, not the form. Prose is
            # usable only as a statement.
            is_unusable = is_prose(completion.text) and call.kind != "statement"
            if is_refused_by_server or not (is_unusable or completion.is_refused):
                self.capabilities.save_form(call.kind, refused.plainer_form)
            return completion

    def _complete_in_form(self, call: Call, request_form: RequestForm) -> Completion:
        """Return the completion in one request form.

        Raises:
            FormRefused: the server refused or ignored the form, and a plainer one exists.
            BackendError: the request failed for another reason.
        """
        completion = self._send_with_retries(call, request_form)
        plainer_form = plainer_format(request_form)
        # A refusal in prose says nothing about the format.
        has_ignored_format = is_prose(completion.text) and not completion.is_refused
        if plainer_form and has_ignored_format and not self._is_proven(call.kind, request_form):
            raise FormRefused(plainer_form, BackendError("unusable", "no JSON"), completion)
        return completion

    def _send_with_retries(self, call: Call, request_form: RequestForm) -> Completion:
        """Return the first response, after retries. Raises as `_complete_in_form`."""
        while True:
            may_retry = call.retries < self.settings.retries
            try:
                return self._send(call, request_form)
            except openai.APIStatusError as error:
                refusal = ServerRefusal.of(error)
                failure, delay_s = _status_failure(error, refusal), None
                if may_retry and not refusal.is_about_content:
                    delay_s = _status_delay_s(error, call.retries)
                will_retry = delay_s is not None
                if form := self._plainer_form(call, request_form, refusal, will_retry=will_retry):
                    raise FormRefused(form, failure) from error
            except openai.APIConnectionError as error:
                is_timeout = isinstance(error, openai.APITimeoutError)
                failure = BackendError("unreachable", repr(error.__cause__ or error))
                delay_s = backoff_s(call.retries)
                if is_timeout and call.seconds_left <= TIMEOUT_TOLERANCE_S:  # at the deadline
                    failure, delay_s = BackendError("timeout", "there was no answer in time"), None
            except BackendError as error:
                failure, delay_s = error, None
                if error.cause in RETRIED_CAUSES:
                    delay_s = backoff_s(call.retries)
            if not may_retry or delay_s is None or delay_s >= call.seconds_left:
                raise failure
            time.sleep(delay_s)
            call.retries += 1

    def _is_proven(self, kind: str, request_form: RequestForm) -> bool:
        """Return whether the form's format has worked for this kind of request."""
        return self.capabilities.current.formats.get(kind) == request_form.format

    def _plainer_form(
        self, call: Call, request_form: RequestForm, refusal: ServerRefusal, *, will_retry: bool
    ) -> RequestForm | None:
        """Return the form to try after a refusal, None to keep the form.

        A reason that the server states counts at once. Without one the form may not be the cause,
        so a guess waits until the retries are used up, and never replaces a format that has worked.
        """
        if not refusal.may_concern_form:
            return None
        sent_parameters = optional_parameters(self.settings, request_form, call.temperature)
        if plainer_form := plainer_by_message(request_form, refusal, sent_parameters):
            return plainer_form
        if will_retry or self._is_proven(call.kind, request_form):
            return None
        return plainer_by_guess(request_form, sent_parameters)

    def _send(self, call: Call, request_form: RequestForm) -> Completion:
        """Send one request, and return the completion in its response.

        Raises:
            openai.APIStatusError: the server answered with an error status.
            openai.APIConnectionError: there was no answer.
            BackendError: the time ran out, the response was too long or broke off, or it is no
                completion.
        """
        if call.seconds_left <= 0:
            raise BackendError("timeout", "no time was left")
        messages = call.sent_messages = arrange_messages(call.messages, request_form, call.schema)
        body = {
            "model": self.settings.model,
            "messages": messages,
            **response_format(request_form, call.schema, call.kind),
            **optional_parameters(self.settings, request_form, call.temperature),
        }
        response_body = self._read_response(call, body)
        completion = parse_response(
            response_body, messages, self.settings.model, request_form.format
        )
        completion.is_refused = completion.is_refused or is_prose_refusal(completion.text)
        return completion

    def _read_response(self, call: Call, body: dict[str, Any]) -> bytes:
        """Return the response to a request with this body. Raises as `_send`.

        It is read in pieces, so that the deadline holds even if the server sends very slowly.
        """
        create: Any = self._openai.chat.completions.with_streaming_response.create
        content = b""
        seconds = call.seconds_left
        timeout = openai.Timeout(seconds, connect=min(seconds, self.settings.connect))
        try:
            # The library requires `model` and `messages`; `extra_body` replaces them.
            with create(model="", messages=[], timeout=timeout, extra_body=body) as response:
                for piece in response.iter_bytes():
                    content += piece
                    if len(content) > MAX_RESPONSE_BYTES:
                        raise BackendError("too_long", "the response never ended")
                    if call.seconds_left < 0:
                        raise BackendError("timeout", "the response came too slowly")
        except (BackendError, openai.OpenAIError):
            raise
        except Exception as error:  # the connection broke, or hung, while the body was read
            cause = "unreachable" if call.seconds_left > TIMEOUT_TOLERANCE_S else "timeout"
            raise BackendError(cause, repr(error)) from error
        return content


def _status_failure(error: openai.APIStatusError, refusal: ServerRefusal) -> BackendError:
    """Return the failure that an error status stands for."""
    detail = f"{error.status_code}: {str(error.message)[:MAX_SERVER_MESSAGE_CHARS]}"
    if refusal.is_too_long:
        return PromptTooLong(detail, refusal.context)
    if refusal.is_filtered:
        return BackendError("refusal", refusals.REFUSAL_DETAIL)
    if refusal.is_unknown_model:
        return BackendError("model", detail)
    return BackendError(CAUSE_BY_STATUS.get(error.status_code, "server"), detail)


def _status_delay_s(error: openai.APIStatusError, retries: int) -> float | None:
    """Return the seconds before a retry after an error status, None if a retry is useless.

    `Retry-After` counts if it is a number of seconds. A date there is ignored.
    """
    status = error.status_code
    if status not in RETRIED_CLIENT_ERRORS and status < HTTPStatus.INTERNAL_SERVER_ERROR:
        return None
    retry_after = error.response.headers.get("retry-after", "")
    if retry_after.replace(".", "", 1).isdigit():
        return float(retry_after)
    return None if status == HTTPStatus.NOT_IMPLEMENTED else backoff_s(retries)


def backoff_s(retries: int) -> float:
    """Return the seconds before the next retry, random so that requests do not retry together."""
    return float(BACKOFF_S * 2**retries * (1 + random.random() * BACKOFF_JITTER))
