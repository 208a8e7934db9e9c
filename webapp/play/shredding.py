"""Erases the bytes of deleted rows from SQLite's files. Other databases need none of this.

Code that deletes rows calls `overwrite_deleted_rows` before it, `record_shredding` in the same
transaction, and `shred_recorded` after the commit. An active reader prevents truncating the
journal. Then the sweeper does it later.
"""

import time
from datetime import timedelta

from django.db import connection
from django.utils import timezone

from webapp.play.models import Shredding

FINISHED_RETENTION = timedelta(days=30)  # how long records of finished shreddings are kept
MAX_TRIES = 4  # attempts to truncate the journal
PAUSE_S = 0.1  # between two attempts


def overwrite_deleted_rows() -> None:
    """Let SQLite overwrite the bytes of rows that this connection deletes from now on."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA secure_delete=ON")


def record_shredding() -> None:
    """Record that deleted rows must be erased from the files, too. Only SQLite needs it."""
    if connection.vendor == "sqlite":
        Shredding.objects.create()


def shred_recorded() -> bool:
    """Truncate SQLite's journal and mark the recorded deletions as finished.

    Return False if a reader blocks the journal. Then the sweeper retries.
    """
    pending_ids = list(Shredding.objects.filter(done_at=None).values_list("pk", flat=True))
    # SQLite truncates even if nothing is pending: a caller may have deleted rows, such as a
    # participant's sessions, after another process finished the record of the deletion.
    if not pending_ids and connection.vendor != "sqlite":
        return True
    if not shred_journal():
        return False
    now = timezone.now()
    Shredding.objects.filter(pk__in=pending_ids).update(done_at=now)
    if pending_ids:
        Shredding.objects.filter(done_at__lt=now - FINISHED_RETENTION).delete()
    return True


def retry_shredding() -> None:
    """Try again to erase the bytes of pending deletions. The sweeper calls it."""
    if Shredding.objects.filter(done_at=None).exists():
        shred_recorded()


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
