"""The pace of the computer players: its buttons, who may change it, and what a page shows.

One person alone with computer players may change it during the game, as may the host of a table
without people. At the pace quick the page of a person stands still between two of their answers: it
shows the game up to the first window that opened after the last answer. Everything that the agents
say until the person's next turn then appears together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from game import clock
from game.cached_games import CachedGame
from game.engine import visibility
from game.engine.events import Event
from game.engine.forms import Illegal
from game.models import Game, Player
from webapp.play.disclosure import Disclosure
from webapp.play.models import Table
from webapp.play.visitors import Guest

PACE_KEY = "pace"  # session key of the pace that the browser chose last


@dataclass(frozen=True)
class PaceButtons:
    """Buttons for the computer players' pace (`#tempo`): `do=` values, "" for none."""

    slower: str
    faster: str
    next: str  # ends a pause that was made for pace
    skip: str  # continues at once, to the viewer's turn or to the end
    can_skip_to_end: bool  # the viewer gets no more turns
    is_instant: bool  # and no line waits for them


def build_pace_buttons(
    game: Game,
    table: Table | None,
    players: Iterable[Player],
    *,
    is_host: bool,
    is_awaited: bool,
    is_playing: bool,
) -> PaceButtons | None:
    """Build the buttons of the pace, None if the viewer cannot change it.

    Args:
        is_awaited: Whether the table waits for the viewer.
        is_playing: Whether the viewer has a seat and is not out.
    """
    if not is_host or game.ended_at or not can_choose_pace(game, table, players):
        return None
    paces = _paces(players)
    index = paces.index(game.pace) if game.pace in paces else len(paces)
    # At the pace quick no line waits for a viewer who is out.
    can_play_out = not is_playing and clock.QUICK in paces
    is_instant = can_play_out and game.pace == clock.QUICK
    return PaceButtons(
        slower=f"pace:{paces[index - 1]}" if index else "",
        faster=f"pace:{paces[index + 1]}" if index + 1 < len(paces) else "",
        next="" if is_awaited or game.paused_at or is_instant else "next",
        skip=f"pace:{clock.QUICK}" if can_play_out else "next",
        can_skip_to_end=not is_playing,
        is_instant=is_instant,
    )


def _people_playing(players: Iterable[Player]) -> list[Player]:
    return [p for p in players if p.kind == Player.PERSON and p.left_at is None]


def _paces(players: Iterable[Player]) -> Sequence[str]:
    """Return the paces from slow to quick. The pace quick needs a person who plays."""
    return clock.PACE_STEPS if _people_playing(players) else clock.PACE_STEPS[:-1]


def can_choose_pace(game: Game, table: Table | None, players: Iterable[Player]) -> bool:
    """Return whether the pace can be chosen.

    It is fixed if several people play, for research, at a blind table, and if it is "even".
    """
    is_for_research = table is not None and table.research
    is_fixed = is_for_research or clock.is_even(game.pace)
    return len(_people_playing(players)) <= 1 and Disclosure(game).can_change_pace and not is_fixed


def check_pace(guest: Guest, pace: str = "") -> None:
    """Check that the guest may choose a pace now, or this `pace` if it is given.

    Raises:
        Illegal: `not_begun`, `pace_fixed`, or `not_alone` for the pace quick if no person plays.
    """
    game, players = guest.game, guest.game.players.all()
    table = Table.objects.filter(game=game).first()
    if not game.started_at:
        raise Illegal("not_begun")
    if not can_choose_pace(game, table, players):
        raise Illegal("pace_fixed")
    if pace and pace not in _paces(players):
        raise Illegal("not_alone")


def preferred_pace(session: Mapping[str, Any], mode: str = "play") -> str:
    """Return the pace that this browser chose last, for the mode "play" or "watch"."""
    pace = str(session.get(PACE_KEY, ""))
    if pace == clock.QUICK and mode == "watch":
        return clock.BRISK
    return pace if pace in clock.PACES else "natural"


def count_events_shown(game: Game, position: CachedGame, player: Player | None) -> int | None:
    """Return how many events of the log a player's page shows at the pace quick.

    Return None if the page shows all events: at other paces, to other viewers, while a window is
    open to the person, and when they are out.
    """
    if game.pace != clock.QUICK or game.ended_at or game.paused_at:
        return None
    if player is None or not player.is_person_now or player.left_at:
        return None
    seat, log = player.seat, position.log
    awaited = (seat in o.asked for o in position.open_windows if o.window.waits_for != "nobody")
    if seat in position.view(visibility.PUBLIC).state.out or any(awaited):
        return None
    later = range(_events_at_last_answer(log, seat), len(log))
    return next((n for n in later if log[n].kind == "window_opened"), len(log))


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
