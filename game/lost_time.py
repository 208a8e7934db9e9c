"""Gives games and people the time back that was lost while processes were down.

A sweeper writes a heartbeat once a second. The last one may be older than `MAX_HEARTBEAT_GAP`
(power cut, sleeping laptop, clock set forward) or in the future (clock set back). Then the
deadlines of all running games move by the difference.

Processes that serve pages write a heartbeat too. While none of them runs, no page can be open.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction

from game import clock, store
from game.models import Heartbeat

HEARTBEAT_INTERVAL = timedelta(seconds=1)
MAX_HEARTBEAT_GAP = timedelta(seconds=5)  # a larger gap means that the sweeper was down


def restore_lost_time() -> timedelta:
    """Write a heartbeat, and move the games' clocks if time was lost.

    Returns:
        by how much the clocks were moved, mostly zero; negative if the system's clock was set back.
    """
    if timedelta() <= clock.now() - store.get_or_create_heartbeat().at < HEARTBEAT_INTERVAL:
        return timedelta()
    with transaction.atomic():
        heartbeat = Heartbeat.objects.select_for_update().get(pk=Heartbeat.SWEEPER)
        now = clock.now()
        gap = now - heartbeat.at
        if abs(gap) > MAX_HEARTBEAT_GAP:
            store.shift_clocks(heartbeat.at, now, HEARTBEAT_INTERVAL)
            # This time is given back here, so it must not count again as time without pages.
            if pages := Heartbeat.objects.filter(pk=Heartbeat.PAGES).first():
                store.save_heartbeat(pages, min(now, pages.at + abs(gap)))
        store.save_heartbeat(heartbeat, now)
    return gap if abs(gap) > MAX_HEARTBEAT_GAP else timedelta()


def record_page_heartbeat() -> None:
    """Record that a process serves pages now."""
    store.save_heartbeat(store.get_or_create_heartbeat(Heartbeat.PAGES), clock.now())


def pop_time_without_pages() -> timedelta:
    """Return the time without pages since the last call, mostly zero, and reset it."""
    rows = Heartbeat.objects.filter(pk=Heartbeat.PAGES)
    # Before the first heartbeat there is no row, so the time is zero.
    if not rows.filter(at__lt=clock.now() - MAX_HEARTBEAT_GAP).exists():
        return timedelta()
    with transaction.atomic():
        heartbeat = rows.select_for_update().get()
        now = clock.now()
        gap = now - heartbeat.at
        if gap <= MAX_HEARTBEAT_GAP:
            return timedelta()
        store.save_heartbeat(heartbeat, now)
    return gap
