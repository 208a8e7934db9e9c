"""What the endpoint was asked: each call, and the thread-safe record of all of them."""

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
    """One request. Times are seconds since 1970; `answered` and `status` are set on answering."""

    number: int  # from 1, in the order of arrival
    arrived: float
    method: str
    path: str
    headers: dict[str, str]  # names in lower case, keys starred
    body: Body  # empty where it wasn't a JSON object
    answered: float | None = None
    status: int = 0
    fault: str = ""
    answer: str = ""  # the content that was sent
    left: bool = False  # the client went, or the endpoint closed, before the answer

    @property
    def model(self) -> str:
        """The model that was asked for."""
        return str(self.body.get("model", ""))

    @property
    def messages(self) -> list[Body]:
        """The chat's messages."""
        given = self.body.get("messages")
        return [m for m in given if isinstance(m, dict)] if isinstance(given, list) else []

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
        """`response_format`, empty where none was given."""
        given = self.body.get("response_format")
        return given if isinstance(given, dict) else {}

    @cached_property
    def seed(self) -> str:
        """A hash of the request's body: the same for the same question."""
        text = json.dumps(self.body, sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


When = str | Callable[[Call], bool] | None


def matches(call: Call, when: When) -> bool:
    """Whether `when` is part of the prompt, or says yes to the call; None always does."""
    if when is None:
        return True
    return when in call.prompt if isinstance(when, str) else when(call)


def text_of(content: Json) -> str:
    """The text of a message's content or of an input: a string, or a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [part.get("text") if isinstance(part, dict) else part for part in content]
    return "\n".join(text for text in texts if isinstance(text, str))


class Ledger:
    """All calls, how many are open, and waiting for them. Hold `changed` for several steps."""

    def __init__(self, keep: int | None = None) -> None:
        self.changed = threading.Condition(threading.RLock())
        self.count = 0
        self.most_open = 0
        self._calls: deque[Call] = deque(maxlen=keep)
        self._open: set[Call] = set()

    def calls(self) -> list[Call]:
        """The calls so far, in the order of arrival."""
        with self.changed:
            return list(self._calls)

    def open(self) -> int:
        """How many calls have arrived and aren't answered."""
        with self.changed:
            return len(self._open)

    def add(self, call: Call) -> None:
        """Numbers a call and records it as open."""
        with self.changed:
            self.count += 1
            call.number = self.count
            self._calls.append(call)
            self._open.add(call)
            self.most_open = max(self.most_open, len(self._open))
            self.changed.notify_all()

    def close(self, call: Call) -> None:
        """The call is answered or was left. May be said twice."""
        with self.changed:
            self._open.discard(call)
            self.changed.notify_all()

    def wait(self, done: Callable[[], bool], what: Callable[[], str], timeout: float) -> None:
        """Returns when `done`. TimeoutError telling `what` there is after `timeout` seconds."""
        with self.changed:
            if not self.changed.wait_for(done, timeout):
                raise TimeoutError(f"not within {timeout:g} s: {what()}")
