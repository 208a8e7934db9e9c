"""Deleted rows whose bytes a journal may still hold: on record until they are gone from it.

Whoever deletes notes it in the same transaction (`owe`), and shreds after it (`settle`). While
somebody reads from the database the journal can't be cut; the sweeper then does it later.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import connection
from django.utils import timezone

from webapp.play.models import Shredding
from webapp.sqlite.shredding import shred

KEPT = timedelta(days=30)  # that it was done


def owe() -> None:
    """Note that deleted rows are to leave the files, too.

    Nothing for other databases.
    """
    if connection.vendor == "sqlite":
        Shredding.objects.create()


def settle() -> bool:
    """Shred what is owed.

    Returns False where it can't be done now, for it will be.
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
    """For the sweeper: shred where something is owed."""
    if Shredding.objects.filter(done_at=None).exists():
        settle()
