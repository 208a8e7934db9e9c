"""The children's log files: one each, appended to, kept below a size."""

import shutil
from pathlib import Path
from typing import IO

from webapp.runtime.log_redaction import cut

LIMIT = 5_000_000  # bytes; one older piece of this size is kept beside it


def open_log(file: Path) -> IO[bytes]:
    """The file, opened for appending: what a child writes survives a truncation below it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    return open(file, "ab", buffering=0)


def bound(file: Path, limit: int = LIMIT) -> None:
    """Moves a file that has outgrown `limit` bytes to `<name>.1`, replacing an older one.

    Copied and emptied, not renamed: a running child keeps its descriptor. A line written between
    the two is lost, which a log of this kind can bear.
    """
    try:
        if file.stat().st_size <= limit:
            return
        shutil.copyfile(file, file.with_name(file.name + ".1"))
        with open(file, "r+b") as handle:
            handle.truncate(0)
    except OSError:
        return  # a full or vanished disk must not stop the game


def cut_keys(folder: Path) -> None:
    """Cuts keys out of the logs an older version has left. Only while nobody writes to them."""
    for file in folder.glob("*.log*"):
        try:
            before = file.read_text(errors="replace")
            if (after := cut(before)) != before:
                file.write_text(after)
        except OSError:
            continue


def tail(file: Path, start: int = 0, lines: int = 20) -> list[str]:
    """Return the last non-empty lines of a log, not reaching back before byte `start`."""
    try:
        with open(file, "rb") as handle:
            size = handle.seek(0, 2)
            begin = start if start <= size else 0  # emptied meanwhile
            handle.seek(max(begin, size - 20_000))
            text = handle.read().decode(errors="replace")
    except OSError:
        return []
    return [line for line in text.splitlines() if line.strip()][-lines:]
