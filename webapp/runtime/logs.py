"""The children's log files: one for each child, appended to, and kept below a size."""

import shutil
from pathlib import Path
from typing import IO

from webapp.runtime.log_redaction import remove_keys

MAX_LOG_BYTES = 5_000_000  # one older part of this size is kept beside it
TAIL_BYTES = 20_000  # the part of a log's end that `tail` reads


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
