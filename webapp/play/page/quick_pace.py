"""The pace quick: the page of a person stands still between two of their answers.

It shows the game up to the first window that opened after the last answer. Everything that the
agents say until the person's next turn then appears together.
"""

from __future__ import annotations

from collections.abc import Sequence

from game import clock
from game.cached_games import CachedGame
from game.engine import visibility
from game.engine.events import Event
from game.models import Game, Player


def events_shown(game: Game, position: CachedGame, player: Player | None) -> int | None:
    """Return how many events of the log a player's page shows at the pace quick.

    Return None if the page shows all events: at other paces, to other viewers, while a window is
    open to the person, and when they are out.
    """
    if game.pace != clock.QUICK or game.ended_at or game.paused_at:
        return None
    if player is None or not player.by_person or player.left_at:
        return None
    seat, log = player.seat, position.log
    awaited = (seat in o.asked for o in position.open if o.window.waits_for != "nobody")
    if seat in position.view(visibility.PUBLIC).state.out or any(awaited):
        return None
    return _events_before_opening(log, _events_at_last_answer(log, seat))


def _events_at_last_answer(log: Sequence[Event], seat: int) -> int:
    """Return how many events there were when the seat's last window closed, 0 before that."""
    closed: dict[str, int] = {}  # window key -> how many events there were when it closed
    for number in range(len(log), 0, -1):
        event = log[number - 1]
        if event.kind == "window_closed":
            closed[event["window"]] = number
        elif event.kind == "window_opened" and event["key"] in closed and seat in event["seats"]:
            return closed[event["key"]]
    return 0


def _events_before_opening(log: Sequence[Event], begin: int) -> int:
    """Return how many events precede the first window that opened after event `begin`."""
    later = range(begin, len(log))
    return next((n for n in later if log[n].kind == "window_opened"), len(log))
