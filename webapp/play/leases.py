"""Leases: one worker at a time computes an answer; a lease without heartbeat lapses."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from webapp.connections import unsynced
from webapp.play.models import Lease

BEAT = 3.0  # seconds between heartbeats
LAPSES = timedelta(seconds=10)  # a lease without a beat for so long is nobody's


def live(game_id: int) -> set[tuple[str, int]]:
    """(window key, seat) of the game's leases that are being worked on."""
    rows = Lease.objects.filter(game_id=game_id, beat_at__range=_lately())
    return set(rows.values_list("window", "seat"))


def _lately() -> tuple[datetime, datetime]:
    """When a living lease last beat; a beat from the future is of a clock since set back."""
    now = timezone.now()
    return now - LAPSES, now + LAPSES


def _take(game_id: int, seat: int, key: str, holder: uuid.UUID) -> bool:
    now = timezone.now()
    what = {"game_id": game_id, "seat": seat, "window": key}
    with unsynced():
        try:
            with transaction.atomic():
                Lease.objects.create(**what, holder=holder, beat_at=now)
            return True
        except IntegrityError:
            lapsed = Lease.objects.filter(**what).exclude(beat_at__range=_lately())
            return bool(lapsed.update(holder=holder, beat_at=now))


@contextmanager
def lease(game_id: int, seat: int, key: str) -> Iterator[bool]:
    """Hold the lease of an answer while thinking; gives False where another one thinks."""
    holder = uuid.uuid4()
    if not _take(game_id, seat, key, holder):
        yield False
        return
    done = threading.Event()
    beat = threading.Thread(target=_beat, args=(holder, done), daemon=True)
    beat.start()
    try:
        yield True
    finally:
        done.set()
        with unsynced():
            Lease.objects.filter(holder=holder).delete()


def _beat(holder: uuid.UUID, done: threading.Event) -> None:
    while not done.wait(BEAT):
        with unsynced():
            Lease.objects.filter(holder=holder).update(beat_at=timezone.now())
    connection.close()
