"""Time as games know it: what passed while nobody kept it costs nobody their turn.

A sweeper beats the pulse. Whoever finds it behind (a power cut, a laptop that slept, a clock set
forward) or ahead (a clock set back) moves the clocks of all running games by the difference.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F

from game import clock
from game.models import Game, Pulse
from game.models import Window as WindowRow

BEATS_EVERY = timedelta(seconds=1)
MISSED = timedelta(seconds=5)  # a pulse this far off: nobody kept the time


def keep_time() -> timedelta:
    """Beat the pulse; gives by how much the games' clocks had to be moved."""
    if timedelta() <= clock.now() - _last_beat() < BEATS_EVERY:
        return timedelta()
    with transaction.atomic():
        pulse = Pulse.objects.select_for_update().get(pk=1)
        at = clock.now()
        gap = at - pulse.at
        if abs(gap) > MISSED:
            _shift(pulse.at, at)
        pulse.at = at
        pulse.save(update_fields=["at"])
    return gap if abs(gap) > MISSED else timedelta()


def _last_beat() -> datetime:
    pulse, _ = Pulse.objects.get_or_create(pk=1, defaults={"at": clock.now()})
    return pulse.at


def _shift(before: datetime, at: datetime) -> None:
    """Move the clocks of what was open at `before`, the last beat, by what passed since."""
    by = at - before
    games = Game.objects.filter(ended_at=None, paused_at=None, started_at__isnull=False)
    rows = WindowRow.objects.filter(closed_at=None, game__in=games)
    if by > timedelta():
        rows, old = rows.filter(opened_at__lte=before), games.filter(phase_at__lte=before)
    else:  # what was opened by the new clock already is at most a beat old
        fresh = (at - BEATS_EVERY, at)
        rows, old = rows.exclude(opened_at__range=fresh), games.exclude(phase_at__range=fresh)
    rows.update(
        opened_at=F("opened_at") + by,
        not_before=F("not_before") + by,
        expires_at=F("expires_at") + by,
    )
    old.update(phase_at=F("phase_at") + by)
    games.exclude(due_at=None).update(due_at=at)  # to be reckoned anew
