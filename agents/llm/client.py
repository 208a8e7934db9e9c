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
from agents.llm.capabilities import ServerKnowledge, Way
from agents.llm.reply_parsing import is_prose, is_refused
from agents.llm.server_refusals import ServerRefusal, guessed_plainer, plainer, told_plainer

MOST_BYTES = 1_000_000  # of a response
CAUSES = {400: "refused_request", 401: "key", 403: "key", 404: "model", 408: "timeout", 429: "rate"}


@dataclass
class Completion:
    """What came back, and what it took.

    messages: as they were sent. thoughts: reasoning that the server kept apart. cut: the answer
    ended at its limit of tokens. refused: by the server or the model, in a field of its own or in
    prose.
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
    """One request, whichever way it goes. until: of the monotonic clock."""

    told: request_bodies.Messages
    schema: dict[str, Any]
    name: str  # of its kind
    until: float
    temperature: float | None
    retries: int = 0
    sent: request_bodies.Messages = field(default_factory=list)

    @property
    def left(self) -> float:
        return self.until - time.monotonic()


class PromptTooLong(BackendError):
    """The prompt does not fit. context: the tokens the server takes, 0 where it doesn't say."""

    def __init__(self, detail: str, context: int) -> None:
        super().__init__("context", detail)
        self.context = context


class WayRefused(Exception):
    """The server refused a way of asking, and there is a plainer one.

    failure: what to raise where the plainer one is no way either; prose: the answer it gave instead
    of JSON.
    """

    def __init__(
        self, request_form: Way, failure: BackendError, prose: Completion | None = None
    ) -> None:
        super().__init__(failure)
        self.way, self.failure, self.prose = request_form, failure, prose


class Client:
    """A client for one server, with its known capabilities and our limits towards it."""

    def __init__(self, settings: ModelSettings) -> None:
        self.settings = settings
        self.known = ServerKnowledge(settings)
        self._finding = threading.Lock()  # held by the one that finds out how to ask
        self._vain = 0.0  # when somebody last tried to find out, in vain
        self.client = openai.OpenAI(
            api_key=settings.key or "none", base_url=settings.url or None, max_retries=0
        )
        # What the library looks up at the first request, looked up before anybody waits for it.
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
        """Return the model's answer.

        Raises BackendError with a one-word cause, at the latest after `seconds`. What a server
        refuses is asked in a plainer way, now and from then on; many that are refused at once wait
        for the one of them that finds out how to ask.
        """
        began = time.monotonic()
        call = Call(messages, schema, name, began + seconds, temperature)
        try:
            answered = self._ask_until_done(call)
        except BackendError as error:
            error.exchange = {"messages": call.sent or messages, "retries": call.retries}
            raise
        answered.retries, answered.seconds = call.retries, time.monotonic() - began
        return answered

    def _ask_until_done(self, call: Call) -> Completion:
        while True:
            request_form, started_at = self.known.facts.way(call.name), time.monotonic()
            try:
                answered = self._answer(call, request_form)
            except WayRefused as refused:
                if answer := self._find_out(call, request_form, started_at, refused):
                    return answer
                continue
            if not (answered.refused or is_prose(answered.text)):
                self.known.worked(call.name, request_form.format)
            return answered

    def _find_out(
        self, call: Call, request_form: Way, started_at: float, refused: WayRefused
    ) -> Completion | None:
        """Return the answer to a plainer way, which is kept.

        Returns None where somebody else has found one since `request_form` was `started_at`.
        """
        if not self._finding.acquire(timeout=max(0.0, call.left)):
            raise refused.failure
        try:
            if self.known.facts.way(call.name) == request_form:
                self.known.again()
            if self.known.facts.way(call.name) != request_form:
                return None
            if self._vain > started_at:
                raise refused.failure
            return self._plainly(call, refused)
        except BackendError:
            self._vain = time.monotonic()
            raise
        finally:
            self._finding.release()

    def _plainly(self, call: Call, refused: WayRefused) -> Completion:
        """Asks in ever plainer ways until one works."""
        said_so = refused.prose is None
        while True:
            try:
                answered = self._answer(call, refused.way)
            except WayRefused as further:
                refused = further
                said_so = said_so or further.prose is None
                continue
            # Where nothing but prose came back whatever was asked for, that was the model's doing;
            # only with a statement is prose of use.
            prose = is_prose(answered.text) and call.name != "statement"
            if said_so or not (prose or answered.refused):
                self.known.found(call.name, refused.way)
            return answered

    def _answer(self, call: Call, request_form: Way) -> Completion:
        """Return the answer to one way of asking.

        Returns what may pass is tried again.
        """
        while True:
            try:
                answered = self._send(call, request_form)
                break
            except openai.APIStatusError as error:
                failure, pause = self._classify(error, call, request_form)
            except openai.APIConnectionError as error:
                if isinstance(error, openai.APITimeoutError) and call.left <= 0.05:
                    raise BackendError("timeout", "there was no answer in time") from None
                failure = BackendError("unreachable", repr(error.__cause__ or error))
                pause = _backoff(call.retries)
            except BackendError as error:
                if error.cause not in ("garbage", "unreachable"):
                    raise
                failure, pause = error, _backoff(call.retries)
            if pause is None or call.retries >= self.settings.retries or pause >= call.left:
                raise failure
            time.sleep(pause)
            call.retries += 1
        further = plainer(request_form)
        prose = is_prose(answered.text) and not answered.refused  # which says nothing of the format
        if further and prose and not self._proven(call.name, request_form):
            raise WayRefused(further, BackendError("unusable", "no JSON"), answered)
        return answered

    def _proven(self, name: str, request_form: Way) -> bool:
        """Return whether the format has worked for this kind of request."""
        return self.known.facts.formats.get(name) == request_form.format

    def _classify(
        self, error: openai.APIStatusError, call: Call, request_form: Way
    ) -> tuple[BackendError, float | None]:
        """Return (what it is, seconds before another try; None where one is no use).

        Raises Refused where there is a plainer way, TooLong.
        """
        refusal, status = ServerRefusal.of(error), error.status_code
        detail = f"{status}: {str(error.message)[:300]}"
        if refusal.too_long:
            raise PromptTooLong(detail, refusal.context)
        if refusal.filtered:
            return BackendError("refusal", refusals.DETAIL), None
        cause = "model" if refusal.no_model else CAUSES.get(status, "server")
        failure = BackendError(cause, detail)
        sent_parameters = tuple(
            request_bodies.optional(self.settings, request_form, call.temperature)
        )
        if way_on := told_plainer(request_form, refusal, sent_parameters):
            raise WayRefused(way_on, failure)
        pause = _pause(error, call.retries)
        may_pass = pause is not None and call.retries < self.settings.retries
        way_on = None if may_pass else guessed_plainer(request_form, refusal, sent_parameters)
        if way_on and not self._proven(call.name, request_form):
            raise WayRefused(way_on, failure)
        return failure, pause

    def _send(self, call: Call, request_form: Way) -> Completion:
        """Return one request and its response, read piece by piece.

        A server that drips can't outlast the deadline.
        """
        if call.left <= 0:
            raise BackendError("timeout", "no time was left")
        messages = call.sent = request_bodies.arranged(call.told, request_form, call.schema)
        body = {
            "model": self.settings.model,
            "messages": messages,
            **request_bodies.response_format(request_form, call.schema, call.name),
            **request_bodies.optional(self.settings, request_form, call.temperature),
        }
        create: Any = self.client.chat.completions.with_streaming_response.create
        found = b""
        timeout = openai.Timeout(call.left, connect=min(call.left, self.settings.connect))
        try:
            with create(model="", messages=[], timeout=timeout, extra_body=body) as response:
                for piece in response.iter_bytes():
                    found += piece
                    if len(found) > MOST_BYTES:
                        raise BackendError("too_long", "the response never ended")
                    if call.left < 0:
                        raise BackendError("timeout", "the response came too slowly")
        except (BackendError, openai.OpenAIError):
            raise
        except Exception as error:  # the connection broke, or hung, while the body was read
            cause = "unreachable" if call.left > 0.05 else "timeout"
            raise BackendError(cause, repr(error)) from error
        read = request_bodies.read(found, self.settings.model)
        read["refused"] = read["refused"] or is_refused(read["text"])
        return Completion(**read, messages=messages, format=request_form.format)


def _pause(error: openai.APIStatusError, retries: int) -> float | None:
    """Return seconds before another try.

    Returns None where one is no use.
    """
    if error.status_code in (408, 409, 429) or error.status_code >= 500:
        after = error.response.headers.get("retry-after", "")
        if after.replace(".", "", 1).isdigit():
            return float(after)
        return None if error.status_code == 501 else _backoff(retries)
    return None


def _backoff(retries: int) -> float:
    return float(0.3 * 2**retries * (1 + random.random() / 4))
