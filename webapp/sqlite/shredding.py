"""What is deleted leaves SQLite's files too. Nothing to do for other databases."""

from __future__ import annotations

import time

from django.db import connection

TRIES, NAP = 4, 0.1  # looks at the journal, and seconds between them


def overwrite_what_is_deleted() -> None:
    """From now on, on this connection.

    SQLite would leave the bytes of deleted rows in its file.
    """
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA secure_delete=ON")


def shred() -> bool:
    """Let SQLite's journal forget as well.

    Returns False where somebody reads or writes at this moment.

    A checkpoint that truncates keeps every writer out while it waits for readers, for as long as
    the connection is patient (20 s). So it waits for nobody here: it is tried a few times within
    half a second, without the lock in between, and whoever asked tries again later.
    """
    if connection.vendor != "sqlite":
        return True
    if connection.in_atomic_block:
        return False
    with connection.cursor() as cursor:
        patience = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        cursor.execute("PRAGMA busy_timeout=0")
        try:
            for left in reversed(range(TRIES)):
                if not cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                    return True
                if left:
                    time.sleep(NAP)
        finally:
            cursor.execute(f"PRAGMA busy_timeout={int(patience)}")
    return False
