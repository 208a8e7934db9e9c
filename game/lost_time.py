"""Gives time that was lost while processes were down back to games and people.

A sweeper writes a heartbeat once a second. If the last one is older than `MAX_HEARTBEAT_GAP` (power
cut, sleeping laptop, clock set forward) or in the future (clock set back), the deadlines of all
running games are moved by the difference.

Processes that serve pages write a heartbeat too. While none of them runs, no page can be open.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction

from game import clock, store
from game.models import Heartbeat

HEARTBEAT_INTERVAL = timedelta(seconds=1)
MAX_HEARTBEAT_GAP = timedelta(seconds=5)  # with a larger one the sweeper was down


def give_back_lost_time() -> timedelta:
    """Write a heartbeat. Return by how much the games' clocks were moved, often zero."""
    if timedelta() <= clock.now() - store.last_heartbeat().at < HEARTBEAT_INTERVAL:
        return timedelta()
    with transaction.atomic():
        heartbeat = Heartbeat.objects.select_for_update().get(pk=Heartbeat.SWEEPER)
        at = clock.now()
        gap = at - heartbeat.at
        if abs(gap) > MAX_HEARTBEAT_GAP:
            store.shift_clocks(heartbeat.at, at, HEARTBEAT_INTERVAL)
            # This time is given back here, so it must not count again as time without pages.
            if pages := Heartbeat.objects.filter(pk=Heartbeat.PAGES).first():
                store.save_heartbeat(pages, min(at, pages.at + abs(gap)))
        store.save_heartbeat(heartbeat, at)
    return gap if abs(gap) > MAX_HEARTBEAT_GAP else timedelta()


def beat_for_pages() -> None:
    """Record that a process serves pages now."""
    store.save_heartbeat(store.last_heartbeat(Heartbeat.PAGES), clock.now())


def take_time_without_pages() -> timedelta:
    """Return the time without pages since the last call, often zero, and reset it."""
    row = Heartbeat.objects.filter(pk=Heartbeat.PAGES)
    # Before the first heartbeat there is no row, so the time is zero.
    if not row.filter(at__lt=clock.now() - MAX_HEARTBEAT_GAP).exists():
        return timedelta()
    with transaction.atomic():
        heartbeat, at = row.select_for_update().get(), clock.now()
        gap = at - heartbeat.at
        if gap <= MAX_HEARTBEAT_GAP:
            return timedelta()
        store.save_heartbeat(heartbeat, at)
    return gap
