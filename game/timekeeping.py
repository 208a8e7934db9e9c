"""Time as games know it: what passed while nobody kept it costs nobody their turn.

A sweeper beats the pulse. Whoever finds it behind (a power cut, a laptop that slept, a clock set
forward) or ahead (a clock set back) moves the clocks of all running games by the difference.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction

from game import clock, store
from game.models import Pulse

BEATS_EVERY = timedelta(seconds=1)
MISSED = timedelta(seconds=5)  # a pulse this far off: nobody kept the time


def keep_time() -> timedelta:
    """Beat the pulse; gives by how much the games' clocks had to be moved."""
    if timedelta() <= clock.now() - store.beaten().at < BEATS_EVERY:
        return timedelta()
    with transaction.atomic():
        pulse = Pulse.objects.select_for_update().get(pk=1)
        at = clock.now()
        gap = at - pulse.at
        if abs(gap) > MISSED:
            store.shift_clocks(pulse.at, at, BEATS_EVERY)
        store.beat(pulse, at)
    return gap if abs(gap) > MISSED else timedelta()
