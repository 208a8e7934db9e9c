"""Removes secret keys from URLs in logs. Only the kind of the URL stays.

The log formatter of the settings applies `remove_keys`. The streams of the server processes
(`redacted_program.py`) apply it to text that bypasses the formatter: an access log, a traceback.
"""

import logging
import re
from typing import Any, TextIO

REDACTED = "***"
_SLASH = r"(?:/|%2F)"
# The parts of a URL before a key; shared links are /rate/<key>/ and /take/<key>/.
_KEY = re.compile(
    rf"({_SLASH}(?:(?:rate|take){_SLASH}as|rate|take|join|seat|study{_SLASH}invited){_SLASH})"
    rf"(?!(?:as|item){_SLASH})[^/?#&%\s\"'<>\\]+",
    re.IGNORECASE,
)
# The query of a URL, whose parameters identify a rater or participant (PROLIFIC_PID=…). A URL
# without a query matches as a whole too. Otherwise the search would start again from each "/rate/"
# in it.
_QUERY = re.compile(rf"({_SLASH}(?:rate|take){_SLASH}[^?\s\"'<>]*)(\?[^\s\"'<>]+)?", re.IGNORECASE)


def remove_keys(text: str) -> str:
    """Return `text` without keys: "/seat/Xc81.../" becomes "/seat/***/"."""
    text = _KEY.sub(rf"\1{REDACTED}", text)
    return _QUERY.sub(lambda m: f"{m[1]}?{REDACTED}" if m[2] else m[0], text)


class Formatter(logging.Formatter):
    """A log formatter that removes keys from messages and tracebacks."""

    def format(self, record: logging.LogRecord) -> str:
        return remove_keys(super().format(record))


class RedactingStream:
    """A text stream that removes keys from what is written to it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(remove_keys(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
