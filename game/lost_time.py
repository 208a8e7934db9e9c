"""Gives clock time that was lost while a process was down back to games and people.

A sweeper writes a heartbeat once a second. If the last one is more than `MISSED` old (power cut,
sleeping laptop, clock set forward) or in the future (clock set back), the deadlines of all running
games are moved by the difference.

Processes that serve pages write one too. While none of them runs, nobody can have a page open.
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
        heartbeat = Heartbeat.objects.select_for_update().get(pk=Heartbeat.SWEEPER)
        at = clock.now()
        gap = at - heartbeat.at
        if abs(gap) > MISSED:
            store.shift_clocks(heartbeat.at, at, BEATS_EVERY)
            # This time is given back here: it is not to count once more as time without pages.
            if pages := Heartbeat.objects.filter(pk=Heartbeat.PAGES).first():
                store.beat(pages, min(at, pages.at + abs(gap)))
        store.beat(heartbeat, at)
    return gap if abs(gap) > MISSED else timedelta()


def beat_for_pages() -> None:
    """Record that a process serves pages now."""
    store.beat(store.last_heartbeat(Heartbeat.PAGES), clock.now())


def take_time_without_pages() -> timedelta:
    """Return the time without pages that was not yet returned, often zero."""
    row = Heartbeat.objects.filter(pk=Heartbeat.PAGES)
    if not row.filter(at__lt=clock.now() - MISSED).exists():  # zero, too, before the first one
        return timedelta()
    with transaction.atomic():
        heartbeat, at = row.select_for_update().get(), clock.now()
        gap = at - heartbeat.at
        if gap <= MISSED:
            return timedelta()
        store.beat(heartbeat, at)
    return gap
