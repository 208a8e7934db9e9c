"""Public statements, turn by turn."""

from __future__ import annotations

from dataclasses import dataclass

from game.engine.events import PUBLIC, Event
from game.engine.moments import Moment
from game.engine.state import State

SPEECH_MANNERS = ("say", "skip", "over", "nothing")  # of answers to a question of speech


@dataclass(frozen=True)
class Turn:
    """One turn to speak before everybody, used or passed.

    Attributes:
        number: among all turns of the game, silent ones included, from 1.
        position: of its event in the given events, from 1.
        round: the round of talk, counted from 1 over all days.
        moment: when its window opened.
        text: "" for a turn without words.
    """

    number: int
    position: int
    seat: int
    window: str
    round: int
    moment: Moment
    text: str


def turn_of(event: Event, state: State, number: int, position: int) -> Turn | None:
    """Return the turn that `event` records, None for other events.

    Args:
        state: before the event.
        number: of the turn among all turns.
        position: of the event.
    """
    if event.audience != PUBLIC or event.data.get("manner") not in SPEECH_MANNERS:
        return None
    if "seat" not in event.data:
        return None
    window = state.windows.get(event["window"])
    when = window.moment if window else state.moment
    text = event.data.get("text", "")
    round_number = len(state.rounds)
    return Turn(number, position, event["seat"], event["window"], round_number, when, text)
