"""The order of speakers: candidates as drawn in an election, round the table on every day."""

from __future__ import annotations

from game.engine.state import State
from game.engine.visibility import View

BADGE = "sheriff"


def round_table(state: State, sheriff: int, side: str) -> list[int]:
    """Return the other living seats in order, from the side that the Sheriff chose.

    "left" begins at the next lower seat.
    """
    clockwise = state.others_around(sheriff)
    return list(clockwise if side == "right" else clockwise[::-1])


def speakers(view: View) -> list[int]:
    """Return the current order of speakers, [] outside of talk.

    In an election the candidates speak; after the choice of the side all living players, the
    Sheriff last.
    """
    state = view.state
    for position, event in view.newest_events(("candidates", "first_side")):
        if view.phase_position(position) != view.phase_position(len(view.events)):
            return []
        if event.kind == "candidates":
            return list(event["seats"])
        sheriff = state.badges[BADGE]
        return [*round_table(state, sheriff, event["targets"][0]), sheriff]
    return []
