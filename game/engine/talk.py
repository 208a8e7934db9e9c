"""What was said to everybody, turn by turn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from game.engine.events import PUBLIC, Event
from game.engine.moments import Moment
from game.engine.state import State, evolve

SPEECH = ("say", "skip", "over", "nothing")  # the manners of answers to a question of speech


@dataclass(frozen=True)
class Turn:
    """One turn to speak before everybody, taken or passed.

    number: of all turns of the game, silent ones included, from 1. position: of its event among
    those that were given, from 1. round: which round of talk, from 1 on over all days. moment:
    when its window opened. text: "" for a turn without words.
    """

    number: int
    position: int
    seat: int
    window: str
    round: int
    moment: Moment
    text: str


def turns(events: Iterable[Event]) -> list[Turn]:
    """All turns to speak before everybody, oldest first."""
    found: list[Turn] = []
    state = State()
    for position, event in enumerate(events, 1):
        if event.audience == PUBLIC and event.data.get("manner") in SPEECH and "seat" in event.data:
            window = state.windows.get(event["window"])
            when = window.moment if window else state.moment
            found.append(
                Turn(
                    len(found) + 1,
                    position,
                    event["seat"],
                    event["window"],
                    len(state.rounds),
                    when,
                    event.data.get("text", ""),
                )
            )
        state = evolve(state, event)
    return found
