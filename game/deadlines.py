"""Deadlines of open windows: default answers when they pass, and more time on request.

`clock.Pacing` sets them when a window opens. `LockedGame` stores when the next one passes
(`Game.due_at`), and the sweeper settles it then.
"""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.db import transaction

from game import clock, store
from game.engine.forms import Illegal
from game.engine.seeded_random import SeededRandom
from game.locked_game import LockedGame, lock_running_game

DEFAULT_EXTENSION_S = 60


def settle_deadlines(game_id: int) -> None:
    """Give default answers for seats whose time ran out, and continue the game.

    Pauses that are over end, too.

    It may be called at any time, any number of times. Only the sweeper calls it, after it has given
    back lost time (`game.lost_time`). Until then a deadline may have passed only because the
    machine slept.
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
                # As if the answer had been given under the longer limit.
                for answer in locked.open_answers[row.key].values():
                    row.not_before = locked.pacing.speech_end(row, answer)
        locked.changed_windows |= locked.rows.keys()
        if any(row.data["clock"] == "night" for row in locked.rows.values()):
            # Windows that open later in this night end later by the same time.
            locked.game.phase_at += by
        locked.advance()
