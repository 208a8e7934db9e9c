"""Any OpenAI-compatible endpoint as a backend (SPEC 2.1-2.5)."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any

from agents.backends.catalog import Settings
from agents.model.line import Line
from agents.model.prompting import frame, messages, template_of
from agents.model.reading import reply_of
from agents.model.schemas import schema_of
from agents.model.speaking import fault_of, mended
from agents.scene import BackendError, Reply, Request

_lines: dict[Settings, tuple[Line, threading.Semaphore]] = {}
_lock = threading.Lock()


class OpenAIBackend:
    """Asks a model for everything. What a server can't do is remembered for the process."""

    def __init__(self, settings: Settings) -> None:
        self.name, self.settings = settings.name, settings
        with _lock:  # a client costs tens of milliseconds; one a backend serves all threads
            if settings not in _lines:
                _lines[settings] = (Line(settings), threading.Semaphore(settings.parallel))
        self._line, self._places = _lines[settings]

    def reply(self, step: str, request: Request, seconds: float | None = None) -> Reply:
        """The reply, with what went over the line under "exchange"; so has a BackendError's."""
        limit = min(self.settings.seconds, seconds or self.settings.seconds)
        told, version = messages(request)
        exchange: dict[str, Any] = {
            "model": self.settings.model,
            "messages": told,
            "template": version,
        }
        until = time.monotonic() + limit
        if not self._places.acquire(timeout=limit):
            raise BackendError("busy", "too many requests at once", exchange)
        try:
            left = until - time.monotonic()
            warmth = self.settings.temperature
            warmth = warmth if request.temperature is None else request.temperature
            schema, name = schema_of(request), template_of(request)
            answered = self._line.ask(told, schema, name, left, warmth)
        except BackendError as error:
            error.exchange = exchange
            raise
        finally:
            self._places.release()
        exchange |= {
            "answer": answered.text[:20_000],
            "model": answered.model,
            "usage": answered.usage,
            "retries": answered.retries,
            "format": answered.format,
            "seconds": round(answered.seconds, 3),
        }
        try:
            return {**_checked(reply_of(answered.text, request), request), "exchange": exchange}
        except BackendError as error:
            error.exchange = exchange
            raise


def _checked(reply: Reply, request: Request) -> Mapping[str, Any]:
    """The reply with its words put right. BackendError where they can't be spoken."""
    if "text" not in reply:
        return reply
    text, labels = mended(str(reply["text"]), request.scene)
    if why := fault_of(text, request.scene, frame(request.scene)):
        raise BackendError("unspeakable", why)
    return {**reply, "text": text, "labels": labels}
