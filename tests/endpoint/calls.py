"""Recorded calls of the endpoint, and their thread-safe ledger."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

Json = Any  # what json.loads gives
Body = dict[str, Json]


@dataclass(eq=False)
class Call:
    """One request, with times in seconds since 1970."""

    number: int  # from 1, in the order of arrival
    arrived: float
    method: str
    path: str
    headers: dict[str, str]  # names in lower case, keys starred
    body: Body  # empty unless it is a JSON object
    answered: float | None = None  # set when answered, as is `status`
    status: int = 0
    fault: str = ""
    answer: str = ""  # the content that was sent
    left: bool = False  # the client left or the endpoint closed before the answer

    @property
    def model(self) -> str:
        """The requested model."""
        return str(self.body.get("model", ""))

    @property
    def messages(self) -> list[Body]:
        """The chat's messages."""
        messages = self.body.get("messages")
        return [m for m in messages if isinstance(m, dict)] if isinstance(messages, list) else []

    @cached_property
    def prompt(self) -> str:
        """All messages' text joined, or all texts to embed."""
        if self.messages:
            return "\n".join(text_of(message.get("content")) for message in self.messages)
        return text_of(self.body.get("input"))

    @property
    def schema(self) -> Body | None:
        """The schema of `response_format`, if it carries one."""
        wrapped = self.format.get("json_schema")
        schema = wrapped.get("schema") if isinstance(wrapped, dict) else None
        return schema if isinstance(schema, dict) else None

    @property
    def format(self) -> Body:
        """`response_format`, or an empty object without one."""
        value = self.body.get("response_format")
        return value if isinstance(value, dict) else {}

    @cached_property
    def seed(self) -> str:
        """A hash of the request's body."""
        text = json.dumps(self.body, sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


When = str | Callable[[Call], bool] | None


def matches(call: Call, when: When) -> bool:
    """Return whether `when` is part of the prompt or accepts the call. None always matches."""
    if when is None:
        return True
    return when in call.prompt if isinstance(when, str) else when(call)


def text_of(content: Json) -> str:
    """Return the text of a message's content or of an input: a string, or a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [part.get("text") if isinstance(part, dict) else part for part in content]
    return "\n".join(text for text in texts if isinstance(text, str))


class Ledger:
    """Record of all calls, with waiting. Hold `changed` for several steps."""

    def __init__(self, keep: int | None = None) -> None:
        self.changed = threading.Condition(threading.RLock())
        self.count = 0
        self.most_open = 0
        self._calls: deque[Call] = deque(maxlen=keep)
        self._open: set[Call] = set()

    def calls(self) -> list[Call]:
        """Return the calls so far, in the order of arrival."""
        with self.changed:
            return list(self._calls)

    def open(self) -> int:
        """Return the number of unanswered calls."""
        with self.changed:
            return len(self._open)

    def add(self, call: Call) -> None:
        """Number a call and record it as open."""
        with self.changed:
            self.count += 1
            call.number = self.count
            self._calls.append(call)
            self._open.add(call)
            self.most_open = max(self.most_open, len(self._open))
            self.changed.notify_all()

    def close(self, call: Call) -> None:
        """Mark a call as answered or left. Can be repeated."""
        with self.changed:
            self._open.discard(call)
            self.changed.notify_all()

    def wait(
        self, is_done: Callable[[], bool], describe: Callable[[], str], timeout: float
    ) -> None:
        """Wait for `is_done`, or raise TimeoutError with `describe()` after `timeout` seconds."""
        with self.changed:
            if not self.changed.wait_for(is_done, timeout):
                raise TimeoutError(f"not within {timeout:g} s: {describe()}")
