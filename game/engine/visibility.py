"""Computes what a viewer may see, for pages, agents and exports. No other module redacts."""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import merge

from game.engine.events import Audience, Event
from game.engine.state import State, Turn, evolve, turn_of
from game.engine.text_checks import readable_text


@dataclass(frozen=True)
class Viewer:
    """The reader of a log.

    Attributes:
        kind: `public` (a spectator), `seat`, `aftermath` (a player once the game is over) or
            `moderator`.
    """

    kind: str
    seat: int = 0

    def can_see(self, audience: Audience) -> bool:
        """Return whether this viewer may see events for `audience`."""
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
    """Return the viewer in seat `number` while the game runs."""
    return Viewer("seat", number)


@dataclass(frozen=True)
class View:
    """Everything that `viewer` may know: the visible events, and data derived from them.

    A position is the place of an event in `events`, from 1. Lists of positions are ascending.

    Attributes:
        state: the fold of the visible events.
        turns: the turns to speak in public, oldest first.
        positions_by_kind: kind -> positions of its events.
        removed_texts: positions of statements whose text was removed.
    """

    viewer: Viewer
    events: tuple[Event, ...] = ()
    state: State = field(default_factory=State)
    turns: tuple[Turn, ...] = ()
    positions_by_kind: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    removed_texts: tuple[int, ...] = ()

    @property
    def seat(self) -> int:
        """The viewer's own seat, 0 for viewers without one."""
        return self.viewer.seat

    @property
    def role(self) -> str:
        """The viewer's own role key, "" before the deal and for viewers without a seat."""
        return self.state.roles.get(self.seat, "")

    def name(self, number: int) -> str:
        return self.state.seats[number - 1]

    def newest_events(self, kinds: Collection[str]) -> Iterator[tuple[int, Event]]:
        """Yield (position, event) of every event of those kinds, the newest first."""
        positions = [reversed(self.positions_by_kind.get(kind, ())) for kind in kinds]
        for position in merge(*positions, reverse=True):
            yield position, self.events[position - 1]

    def phase_position(self, position: int) -> int:
        """Return the position at which the phase of the event at `position` opened, 0 for none."""
        opened = self.positions_by_kind.get("phase_opened", ())
        index = bisect_right(opened, position)
        return opened[index - 1] if index else 0


def visible_events(
    events: Iterable[Event], viewer: Viewer, *, should_hide_labels: bool = False
) -> list[Event]:
    """Return the events that the viewer may see.

    `should_hide_labels`: only the moderator sees labels, which would reveal who is a person.
    """
    own_events = [_readable_event(e) for e in events if viewer.can_see(e.audience)]
    if should_hide_labels and viewer.kind != "moderator":
        return [replace(e, labels=()) for e in own_events]
    return own_events


def view_of(events: Sequence[Event], viewer: Viewer, *, is_revealed: bool = False) -> View:
    """Return the view of a log. `is_revealed`: the host has revealed who is a person."""
    hide_labels = is_blind(events, is_revealed=is_revealed)
    own_events = visible_events(events, viewer, should_hide_labels=hide_labels)
    return extend_view(View(viewer), own_events)


def is_blind(log: Sequence[Event], *, is_revealed: bool) -> bool:
    """Return whether only the moderator may see the log's labels."""
    return not is_revealed and bool(log and log[0].data.get("settings", {}).get("blind"))


def extend_view(view: View, new: Iterable[Event]) -> View:
    """Return the view extended by the events `new` that its viewer may see."""
    new_events, state = tuple(new), view.state
    turns: list[Turn] = []
    positions: dict[str, list[int]] = {}
    removed_texts: list[int] = []
    for position, event in enumerate(new_events, len(view.events) + 1):
        if turn := turn_of(event, state, len(view.turns) + len(turns) + 1, position):
            turns.append(turn)
        if has_removed_text(event):
            removed_texts.append(position)
        positions.setdefault(event.kind, []).append(position)
        state = evolve(state, event)
    return View(
        view.viewer,
        (*view.events, *new_events),
        state,
        (*view.turns, *turns),
        {
            **view.positions_by_kind,
            **{k: (*view.positions_by_kind.get(k, ()), *those) for k, those in positions.items()},
        },
        (*view.removed_texts, *removed_texts),
    )


def has_removed_text(event: Event) -> bool:
    """Return whether the event is a statement whose text was removed."""
    is_statement = event.data.get("manner") == "say" and "window" in event.data
    return is_statement and not event.data.get("text")


def view_prefix(view: View, count: int) -> View:
    """Return the view as it was when its viewer had seen `count` events."""
    return extend_view(View(view.viewer), view.events[:count])


def steps_with_states(view: View) -> Iterator[tuple[Event, State]]:
    """Yield each event of the view with the state after it."""
    state = State()
    for event in view.events:
        state = evolve(state, event)
        yield event, state


def _readable_event(event: Event) -> Event:
    """Return the event with its text as pages show it. The log keeps the original text."""
    text = event.data.get("text")
    if not isinstance(text, str) or (clean_text := readable_text(text)) == text:
        return event
    return replace(event, data={**event.data, "text": clean_text})
