"""One request over the line to an OpenAI-compatible server, within a deadline of our own."""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass, field, replace
from typing import Any

import openai

from agents.backends.catalog import Settings
from agents.scene import BackendError

MOST_BYTES = 1_000_000  # of a response
FORMATS = ("json_schema", "json_object", "text")
CAUSES = {400: "refused_request", 401: "key", 403: "key", 404: "model", 408: "timeout", 429: "rate"}


@dataclass
class Answered:
    """What came back, and what it took."""

    text: str
    model: str
    usage: dict[str, int]
    retries: int
    format: str
    seconds: float


@dataclass
class Line:
    """A server, what it can do as far as we know, and our manners toward it."""

    settings: Settings
    format: str = "json_schema"
    dropped: set[str] = field(default_factory=set)  # parameters it has refused

    def __post_init__(self) -> None:
        self.format = self.settings.format
        self.client = openai.OpenAI(
            api_key=self.settings.key or "none",
            base_url=self.settings.url or None,
            max_retries=0,
        )
        # What the library looks up at the first request, looked up before anybody waits for it.
        self.client.platform_headers()
        _ = self.client.chat.completions.with_streaming_response

    def ask(
        self,
        messages: list[dict[str, str]],
        schema: dict[str, Any],
        name: str,
        seconds: float,
        temperature: float | None = None,
    ) -> Answered:
        """The model's answer. Raises BackendError with a one-word cause, at the latest after
        `seconds`. Refused parameters are left out from then on; what may pass is tried again."""
        began, retries = time.monotonic(), 0
        until = began + seconds
        while True:
            format_ = self.format
            try:
                body = self._post(messages, schema, name, format_, until, temperature)
                text, model, usage = _read(body, self.settings.model)
                return Answered(text, model, usage, retries, format_, time.monotonic() - began)
            except openai.APIStatusError as error:
                if error.status_code == 400 and self._step_down(error, format_):
                    continue
                pause = _pause(error, retries)
                cause = CAUSES.get(error.status_code, "server")
                detail = f"{error.status_code}: {_brief(error)}"
            except openai.APITimeoutError:
                raise BackendError("timeout", f"no answer within {seconds:.0f} s") from None
            except openai.APIConnectionError as error:
                cause, pause, detail = (
                    "unreachable",
                    _backoff(retries),
                    repr(error.__cause__ or error),
                )
            if pause is None or retries >= self.settings.retries:
                raise BackendError(cause, detail)
            if time.monotonic() + pause >= until:
                raise BackendError(cause, detail)
            time.sleep(pause)
            retries += 1

    def _post(
        self,
        messages: list[dict[str, str]],
        schema: dict[str, Any],
        name: str,
        format_: str,
        until: float,
        temperature: float | None,
    ) -> bytes:
        """The response's bytes, read piece by piece: a server that drips can't outlast `until`."""
        left = until - time.monotonic()
        if left <= 0:
            raise BackendError("timeout", "no time was left")
        extra: dict[str, Any] = {}
        if temperature is not None and "temperature" not in self.dropped:
            extra["temperature"] = temperature
        if format_ == "json_schema":
            kept = {"name": name, "schema": schema, "strict": True}
            extra["response_format"] = {"type": "json_schema", "json_schema": kept}
        elif format_ == "json_object":
            extra["response_format"] = {"type": "json_object"}
        create: Any = self.client.chat.completions.with_streaming_response.create
        found = b""
        timeout = openai.Timeout(left, connect=min(left, self.settings.connect))
        try:
            with create(
                model=self.settings.model, messages=messages, timeout=timeout, **extra
            ) as response:
                for piece in response.iter_bytes():
                    found += piece
                    if len(found) > MOST_BYTES:
                        raise BackendError("too_long", "the response never ended")
                    if time.monotonic() > until:
                        raise BackendError("timeout", "the response came too slowly")
        except (BackendError, openai.OpenAIError):
            raise
        except Exception as error:  # the connection broke while the body was read
            raise BackendError("unreachable", repr(error)) from error
        return found

    def _step_down(self, error: openai.APIStatusError, format_: str) -> bool:
        """Whether there is a plainer way to ask, which is used from now on."""
        told = f"{error.message} {error.body}".lower()
        if "temperature" in told and "temperature" not in self.dropped:
            self.dropped.add("temperature")
            return True
        if any(
            word in told for word in ("response_format", "json_schema", "json_object", "schema")
        ):
            at = FORMATS.index(format_)
            if at + 1 < len(FORMATS):
                self.format = FORMATS[at + 1]
                return True
        return False


def _read(body: bytes, model: str) -> tuple[str, str, dict[str, int]]:
    """(text, model, usage) of a response's body. BackendError where there is no answer in it."""
    try:
        data = json.loads(body)
        choice = data["choices"][0]
        message = choice["message"]
    except (ValueError, KeyError, IndexError, TypeError):
        raise BackendError("garbage", "the server's response was no completion") from None
    if message.get("refusal"):
        raise BackendError("refusal", str(message["refusal"])[:200])
    text = message.get("content") or ""
    if not isinstance(text, str) or not text.strip():
        raise BackendError("empty", "the answer was empty")
    usage = data.get("usage") or {}
    counts = {k: int(usage.get(k) or 0) for k in ("prompt_tokens", "completion_tokens")}
    return text, str(data.get("model") or model), counts


def _pause(error: openai.APIStatusError, retries: int) -> float | None:
    """Seconds before another try; None where one is no use."""
    if error.status_code == 429 or error.status_code >= 500:
        after = error.response.headers.get("retry-after", "")
        if after.replace(".", "", 1).isdigit():
            return float(after)
        return _backoff(retries)
    return None


def _backoff(retries: int) -> float:
    return float(0.3 * 2**retries * (1 + random.random() / 4))


def _brief(error: openai.APIStatusError) -> str:
    return str(error.message)[:300]


def trouble_of(settings: Settings) -> str:
    """Why a server can't be asked, found with one small request: key, model, unreachable …"""
    line = Line(replace(settings, retries=0, format="text"))
    told = [{"role": "user", "content": "Say yes."}]
    try:
        line.ask(told, {}, "check", min(10.0, settings.seconds))
    except BackendError as error:
        return "" if error.cause in ("empty", "refusal", "rate") else error.cause
    return ""
