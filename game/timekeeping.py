"""Time as games know it: what passed while nobody kept it costs nobody their turn.

A sweeper beats the pulse. Whoever finds it behind (a power cut, a laptop that slept, a clock set
forward) or ahead (a clock set back) moves the clocks of all running games by the difference.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import F

from game import clock
from game.models import Game, Pulse
from game.models import Window as WindowRow

BEATS_EVERY = timedelta(seconds=1)
MISSED = timedelta(seconds=5)  # a pulse this far off: nobody kept the time


def keep_time() -> timedelta:
    """Beat the pulse; gives by how much the games' clocks had to be moved."""
    with transaction.atomic():
        pulse = Pulse.objects.select_for_update().filter(pk=1).first()
        at = clock.now()
        if pulse is None:
            Pulse.objects.get_or_create(pk=1, defaults={"at": at})
            return timedelta()
        gap = at - pulse.at
        if timedelta() <= gap < BEATS_EVERY:
            return timedelta()
        missed = gap if abs(gap) > MISSED else timedelta()
        if missed:
            _shift(missed)
        pulse.at = at
        pulse.save(update_fields=["at"])
        return missed


def _shift(by: timedelta) -> None:
    running = Game.objects.filter(ended_at=None, started_at__isnull=False)
    WindowRow.objects.filter(closed_at=None, game__in=running.filter(paused_at=None)).update(
        opened_at=F("opened_at") + by,
        not_before=F("not_before") + by,
        expires_at=F("expires_at") + by,
    )
    running.filter(paused_at=None).update(phase_at=F("phase_at") + by, due_at=F("due_at") + by)
