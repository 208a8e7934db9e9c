"""Keeps track of deleted rows until their bytes are erased from the database's journal too.

Code that deletes rows calls `record_shredding` in the same transaction, and `shred_recorded` after
the commit. An active reader prevents truncating the journal. Then the sweeper does it later.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import connection
from django.utils import timezone

from webapp.play.models import Shredding
from webapp.sqlite.shredding import shred_journal

FINISHED_RETENTION = timedelta(days=30)  # Records of finished shreddings are kept this long.


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
