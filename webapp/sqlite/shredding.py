"""Erases the bytes of deleted data from SQLite's files. It does nothing on other databases."""

import time

from django.db import connection

# Attempts to truncate the journal, and the pause between two of them.
MAX_TRIES, PAUSE_S = 4, 0.1


def overwrite_deleted_rows() -> None:
    """Let SQLite overwrite the bytes of rows that this connection deletes from now on."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA secure_delete=ON")


def shred_journal() -> bool:
    """Erase deleted data from SQLite's journal. Return False if the database is in use now.

    A checkpoint that truncates blocks every writer while it waits for readers, up to the
    connection's timeout (20 s). So this function does not wait. It tries a few times within half a
    second, without the lock in between, and the caller tries again later.
    """
    if connection.vendor != "sqlite":
        return True
    if connection.in_atomic_block:
        return False
    with connection.cursor() as cursor:
        busy_timeout_ms = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        cursor.execute("PRAGMA busy_timeout=0")
        try:
            for tries_left in reversed(range(MAX_TRIES)):
                if not cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                    return True
                if tries_left:
                    time.sleep(PAUSE_S)
        finally:
            cursor.execute(f"PRAGMA busy_timeout={int(busy_timeout_ms)}")
    return False
