"""The only redactor: what a viewer may know is made here, for pages, agents and exports alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from game.engine.events import Audience, Event
from game.engine.state import State, evolve
from game.engine.talk import Turn, turn_of


@dataclass(frozen=True)
class Viewer:
    """`public` (a spectator), `seat`, `aftermath` (a player once the game is over), `moderator`."""

    kind: str
    seat: int = 0

    def sees(self, audience: Audience) -> bool:
        """Whether events for `audience` are this viewer's."""
        match self.kind:
            case "moderator":
                return True
            case "aftermath":
                return audience.kind != "record"
            case "seat":
                return audience.kind == "public" or self.seat in audience.seats
        return audience.kind == "public"


MODERATOR = Viewer("moderator")
AFTERMATH = Viewer("aftermath")
PUBLIC = Viewer("public")


def seat(number: int) -> Viewer:
    return Viewer("seat", number)


@dataclass(frozen=True)
class View:
    """Everything `viewer` may know: its events, and what is folded from them alone: the state, and
    the turns to speak before everybody, oldest first."""

    viewer: Viewer
    events: tuple[Event, ...] = ()
    state: State = field(default_factory=State)
    turns: tuple[Turn, ...] = ()

    @property
    def seat(self) -> int:
        """The viewer's own seat, 0 for those who have none."""
        return self.viewer.seat

    @property
    def role(self) -> str:
        """The viewer's own role key, "" before the deal and for those without a seat."""
        return self.state.roles.get(self.seat, "")

    def name(self, number: int) -> str:
        return self.state.seats[number - 1]


def visible(events: Iterable[Event], viewer: Viewer, *, blind: bool = False) -> list[Event]:
    """The viewer's own stream; a cursor is a position in it.

    At a blind table labels are for the moderator alone: they would tell who is a person.
    """
    mine = [e for e in events if viewer.sees(e.audience)]
    if blind and viewer.kind != "moderator":
        return [replace(e, labels=()) for e in mine]
    return mine


def view_of(events: Sequence[Event], viewer: Viewer, *, revealed: bool = False) -> View:
    """The view of a whole log, or of its beginning.

    revealed: the owner of a blind table has told who is a person.
    """
    blind = is_blind(events, revealed=revealed)
    return grown(View(viewer), visible(events, viewer, blind=blind))


def is_blind(log: Sequence[Event], *, revealed: bool) -> bool:
    """Whether the log's labels are the moderator's alone."""
    return not revealed and bool(log and log[0].data.get("settings", {}).get("blind"))


def grown(view: View, new: Iterable[Event]) -> View:
    """The view once its viewer has seen the events `new` as well (`visible`)."""
    events, state, turns = [*view.events], view.state, [*view.turns]
    for event in new:
        events.append(event)
        if turn := turn_of(event, state, len(turns) + 1, len(events)):
            turns.append(turn)
        state = evolve(state, event)
    return View(view.viewer, tuple(events), state, tuple(turns))


def upto(view: View, count: int) -> View:
    """The view as it was when its viewer had seen `count` events."""
    return grown(View(view.viewer), view.events[:count])


def steps(view: View) -> Iterator[tuple[Event, State]]:
    """Each event of the view with the state after it."""
    state = State()
    for event in view.events:
        state = evolve(state, event)
        yield event, state
