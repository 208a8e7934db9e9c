"""Gives clock time that was lost while the sweeper was down back to every running game.

A sweeper writes a heartbeat once a second. If the last one is more than `MISSED` old (power cut,
sleeping laptop, clock set forward) or in the future (clock set back), the deadlines of all running
games are moved by the difference.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction

from game import clock, store
from game.models import Heartbeat

BEATS_EVERY = timedelta(seconds=1)
MISSED = timedelta(seconds=5)  # if the last heartbeat is this far off, the sweeper was down


def give_back_lost_time() -> timedelta:
    """Write a heartbeat. Return by how much the games' clocks were moved, often zero."""
    if timedelta() <= clock.now() - store.last_heartbeat().at < BEATS_EVERY:
        return timedelta()
    with transaction.atomic():
        heartbeat = Heartbeat.objects.select_for_update().get(pk=1)
        at = clock.now()
        gap = at - heartbeat.at
        if abs(gap) > MISSED:
            store.shift_clocks(heartbeat.at, at, BEATS_EVERY)
        store.beat(heartbeat, at)
    return gap if abs(gap) > MISSED else timedelta()
