"""Erases deleted data from SQLite's files too. Other databases don't need it."""

from __future__ import annotations

import time

from django.db import connection

TRIES, NAP = 4, 0.1  # checks of the journal, and seconds between them


def overwrite_what_is_deleted() -> None:
    """Let SQLite overwrite deleted rows on this connection from now on.

    Otherwise their bytes stay in the database file.
    """
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA secure_delete=ON")


def shred_journal() -> bool:
    """Erase deleted data from SQLite's journal. Return False if the database is in use at the
    moment.

    A checkpoint that truncates blocks every writer while it waits for readers, up to the
    connection's timeout (20 s). So it does not wait here: it is tried a few times within half a
    second, without the lock in between, and the caller tries again later.
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
