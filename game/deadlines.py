"""Deadlines of open windows: default answers when they pass, more time, and lost time given back.

`clock.Pacing` sets them when a window opens. `LockedGame` stores when the next one passes
(`Game.due_at`), and the sweeper settles it then.

A sweeper writes a heartbeat once a second. The last one may be older than `MAX_HEARTBEAT_GAP`
(power cut, sleeping laptop, clock set forward) or in the future (clock set back). Then the
deadlines of all running games move by the difference. Processes that serve pages write a heartbeat
too. While none of them runs, no page can be open.
"""

import uuid
from datetime import timedelta

from django.db import transaction

from game import clock, store
from game.engine.forms import Illegal
from game.engine.seeded_random import SeededRandom
from game.locked_game import LockedGame, lock_running_game
from game.models import Heartbeat

DEFAULT_EXTENSION_S = 60
HEARTBEAT_INTERVAL = timedelta(seconds=1)
MAX_HEARTBEAT_GAP = timedelta(seconds=5)  # a larger gap means that the sweeper was down


def settle_deadlines(game_id: int) -> None:
    """Give default answers for seats whose time ran out, and continue the game.

    Pauses that are over end, too.

    The function may be called at any time, any number of times. Only the sweeper calls it, and only
    after it gave back lost time (`restore_lost_time`). Until then a deadline may have passed only
    because the machine slept.
    """
    with transaction.atomic():
        locked = LockedGame(game_id, can_extend_cache=True)
        game = locked.game
        if game.paused_at or game.due_at is None or game.due_at > locked.now:
            return
        rng = SeededRandom(game.seed)
        for row in list(locked.rows.values()):
            if row.expires_at and row.expires_at <= locked.now:
                window = store.to_window(row)
                for seat in set(row.asked) - set(locked.open_answers[row.key]):
                    default = window.default_for(seat, rng)
                    locked.add_answer(row.key, seat, default, uuid.uuid4())
                row.not_before = min(row.not_before, locked.now)
                locked.changed_windows.add(row.key)
        locked.advance()


def extend_deadlines(game_id: int, seconds: int = DEFAULT_EXTENSION_S) -> None:
    """Extend the open deadlines by `seconds`, for the host or a researcher.

    A night of fixed length becomes longer even if no answer is missing. At a blind table every
    deadline moves, because one that stays would reveal that the answer is in.

    Raises:
        Illegal: `no_deadline` if none can be extended, `not_begun` or `over`.
    """
    with lock_running_game(game_id) as locked:
        is_blind, by = locked.game.blind, timedelta(seconds=seconds)
        if not any(o.can_be_extended(is_blind=is_blind) for o in locked.cached.open_windows):
            raise Illegal("no_deadline")
        for row in locked.rows.values():
            is_night = row.data["clock"] == "night"
            if row.expires_at and (is_blind or is_night or not locked.is_answered(row)):
                row.expires_at += by
            # A window that everyone has answered stays open longer too.
            if is_night and locked.pacing.is_held_to_deadline(row.data):
                row.not_before += by
            elif is_blind and clock.is_speech(row.data):
                # The window closes as if the answer had been given under the longer limit.
                for answer in locked.open_answers[row.key].values():
                    row.not_before = locked.pacing.speech_end(row, answer)
        locked.changed_windows |= locked.rows.keys()
        if any(row.data["clock"] == "night" for row in locked.rows.values()):
            # Windows that open later in this night end later by the same time.
            locked.game.phase_at += by
        locked.advance()


def restore_lost_time() -> timedelta:
    """Write a heartbeat, and move the games' clocks if time was lost.

    Returns by how much: mostly zero; negative if the system's clock was set back.
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
