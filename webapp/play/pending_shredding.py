"""Records deleted rows whose bytes a journal may still hold, until they are gone from it.

Code that deletes records this in the same transaction (`owe`), and shreds after it (`settle`).
While a reader is active the journal can't be cut. The sweeper then does it later.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import connection
from django.utils import timezone

from webapp.play.models import Shredding
from webapp.sqlite.shredding import shred

KEPT = timedelta(days=30)  # that it was done


def owe() -> None:
    """Record that deleted rows must leave the files, too.

    Other databases than SQLite need nothing.
    """
    if connection.vendor == "sqlite":
        Shredding.objects.create()


def settle() -> bool:
    """Shred what is recorded.

    Returns False where it can't be done now: the sweeper will retry.
    """
    pending_ids = list(Shredding.objects.filter(done_at=None).values_list("pk", flat=True))
    if not pending_ids and connection.vendor != "sqlite":
        return True
    if not shred():
        return False
    now = timezone.now()
    Shredding.objects.filter(pk__in=pending_ids).update(done_at=now)
    if pending_ids:
        Shredding.objects.filter(done_at__lt=now - KEPT).delete()
    return True


def resume() -> None:
    """Shred what is still recorded. Called by the sweeper."""
    if Shredding.objects.filter(done_at=None).exists():
        settle()
