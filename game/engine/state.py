"""The state of a game as its events tell it. A viewer's state is folded from the viewer's events.

`evolve` is the same for every ruleset and knows no rule: it only takes note.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from game.engine.events import Event
from game.engine.windows import Window


@dataclass(frozen=True)
class State:
    """seats: names in order, seat n is `seats[n - 1]`. roles: those that the folded events tell.

    out: seat -> cause. windows: the open ones by key. winner: team key, "" while the game runs.
    """

    ruleset: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    seats: tuple[str, ...] = ()
    roles: dict[int, str] = field(default_factory=dict)
    day: int = 0
    round: int = 0
    phase: str = ""
    out: dict[int, str] = field(default_factory=dict)
    windows: dict[str, Window] = field(default_factory=dict)
    winner: str = ""

    @property
    def over(self) -> bool:
        return self.phase == "over"

    def living(self) -> tuple[int, ...]:
        """Seats still in the game, in order."""
        return tuple(s for s in range(1, len(self.seats) + 1) if s not in self.out)

    def holders(self, role: str) -> tuple[int, ...]:
        """Seats known to hold `role`, in order, out or not."""
        return tuple(sorted(s for s, r in self.roles.items() if r == role))


def evolve(state: State, event: Event) -> State:
    """The state after `event`."""
    data = event.data
    match event.kind:
        case "game_opened":
            return replace(
                state,
                ruleset=data["ruleset"],
                settings=dict(data["settings"]),
                seats=tuple(data["seats"]),
            )
        case "role_dealt" | "role_revealed":
            return replace(state, roles={**state.roles, data["seat"]: data["role"]})
        case "acquainted":
            known = {int(seat): str(data["role"]) for seat in data["seats"]}
            return replace(state, roles={**state.roles, **known})
        case "phase_opened":
            return replace(state, phase=data["phase"], day=data["day"], round=data["round"])
        case "window_opened":
            window = Window.of(data)
            return replace(state, windows={**state.windows, window.key: window})
        case "window_closed":
            rest = {k: w for k, w in state.windows.items() if k != data["window"]}
            return replace(state, windows=rest)
        case "out":
            return replace(state, out={**state.out, data["seat"]: data["cause"]})
        case "game_over":
            return replace(state, phase="over", winner=data["winner"])
    return state


def fold(events: Iterable[Event], state: State | None = None) -> State:
    """The state that `events` lead to."""
    state = state or State()
    for event in events:
        state = evolve(state, event)
    return state
