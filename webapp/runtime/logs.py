"""The logs of all processes: their files, which stay below a size, and the removal of secret keys.

Of a URL in a log only the kind stays. The log formatter of the settings applies `remove_keys`. The
streams of the server processes (`redacted_program.py`) apply it to text that bypasses the
formatter: an access log, a traceback.
"""

import logging
import re
import shutil
from pathlib import Path
from typing import IO, Any, TextIO

MAX_LOG_BYTES = 5_000_000  # one older part of this size is kept beside it
TAIL_BYTES = 20_000  # the part of a log's end that `tail` reads
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


def open_log(file: Path) -> IO[bytes]:
    """Open the file for appending, so that a child's writes survive a truncation of the file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    return open(file, "ab", buffering=0)


def bound_size(file: Path, limit: int = MAX_LOG_BYTES) -> None:
    """Move a file of more than `limit` bytes to `<name>.1`, replacing an older one.

    The file is copied and emptied, not renamed, because a running child keeps its descriptor. A
    line written between the two steps is lost, which is acceptable for these logs.
    """
    try:
        if file.stat().st_size <= limit:
            return
        shutil.copyfile(file, file.with_name(file.name + ".1"))
        with open(file, "r+b") as handle:
            handle.truncate(0)
    except OSError:
        return  # a full or vanished disk must not stop the game


def redact_logs(folder: Path) -> None:
    """Remove keys from the logs of an older version. Call it while no process writes to them."""
    for file in folder.glob("*.log*"):
        try:
            before = file.read_text(errors="replace")
            if (after := remove_keys(before)) != before:
                file.write_text(after)
        except OSError:
            continue


def tail(file: Path, start: int = 0, lines: int = 20) -> list[str]:
    """Return the last `lines` non-empty lines of a log, none from before byte `start`."""
    try:
        with open(file, "rb") as handle:
            size = handle.seek(0, 2)
            first_byte = start if start <= size else 0  # the file was emptied meanwhile
            handle.seek(max(first_byte, size - TAIL_BYTES))
            text = handle.read().decode(errors="replace")
    except OSError:
        return []
    return [line for line in text.splitlines() if line.strip()][-lines:]
