"""The state of a game, folded from its events. A viewer's state is folded from the visible ones.

`evolve` is the same for all rulesets and contains no rules.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from game.engine.events import BEFORE_FIRST_PHASE, PUBLIC, Event, Moment
from game.engine.windows import Window


@dataclass(frozen=True)
class Death:
    """The departure of a player from the game.

    Attributes:
        cause: a key of `Wording.causes`, such as "vote".
        moment: when the phase of the departure opened.
    """

    seat: int
    cause: str
    moment: Moment


@dataclass(frozen=True)
class State:
    """The state of a game after a sequence of events.

    Attributes:
        seats: the names in order: seat n has `seats[n - 1]`.
        roles: seat -> role key, as far as the folded events reveal it.
        moment: when the present phase opened.
        rounds: when each round of public talk began, oldest first. In rulesets without rounds each
            day is one.
        out: seat that has left the game -> cause.
        deaths: the same in order.
        badges: badge -> its holder.
        protected: the seats that can't be killed in this phase.
        people: the seats of people, if the rules depend on them. Only events on record reveal them.
        windows: the open windows by key.
        winner: a team's key; "" while the game runs and if no one won.
    """

    ruleset: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    seats: tuple[str, ...] = ()
    roles: dict[int, str] = field(default_factory=dict)
    moment: Moment = BEFORE_FIRST_PHASE
    rounds: tuple[Moment, ...] = ()
    phase: str = ""
    out: dict[int, str] = field(default_factory=dict)
    deaths: tuple[Death, ...] = ()
    badges: dict[str, int] = field(default_factory=dict)
    protected: frozenset[int] = frozenset()
    people: tuple[int, ...] = ()
    windows: dict[str, Window] = field(default_factory=dict)
    winner: str = ""

    @property
    def day(self) -> int:
        return self.moment.day

    @property
    def round(self) -> int:
        """The round in the ruleset's count for the day, 0 if the phase has none."""
        return self.moment.round

    @property
    def is_over(self) -> bool:
        return self.phase == "over"

    def living(self) -> tuple[int, ...]:
        """Return the seats still in the game, in order."""
        return tuple(s for s in range(1, len(self.seats) + 1) if s not in self.out)

    def others_around(self, seat: int) -> tuple[int, ...]:
        """Return the other living seats in order, beginning with the one on the right of `seat`."""
        living = self.living()
        return (*(s for s in living if s > seat), *(s for s in living if s < seat))

    def holders(self, role: str) -> tuple[int, ...]:
        """Return the seats known to hold `role`, in order, out or not."""
        return tuple(sorted(s for s, r in self.roles.items() if r == role))


def _copy_with(state: State, **changes: Any) -> State:
    """Return a changed copy, faster than `dataclasses.replace`, which visits every field."""
    copy = object.__new__(State)
    copy.__dict__.update(state.__dict__, **changes)
    return copy


# Only these events change `State.roles`.
ROLE_EVENTS = ("role_dealt", "role_revealed", "acquainted")


def evolve(state: State, event: Event) -> State:
    """Return the state after `event`."""
    data = event.data
    match event.kind:
        case "game_opened":
            return _copy_with(
                state,
                ruleset=data["ruleset"],
                settings=dict(data["settings"]),
                seats=tuple(data["seats"]),
            )
        case "role_dealt" | "role_revealed":
            return _copy_with(state, roles={**state.roles, data["seat"]: data["role"]})
        case "acquainted":
            known_roles = {int(seat): str(data["role"]) for seat in data["seats"]}
            return _copy_with(state, roles={**state.roles, **known_roles})
        case "phase_opened":
            number = state.moment.phase_number + 1
            now = Moment(number, 0, data["day"], data["phase"], data["round"])
            return _copy_with(state, phase=data["phase"], moment=now, protected=frozenset())
        case "window_opened":
            window = Window.from_json(data, state.moment)
            windows = {**state.windows, window.key: window}
            return _copy_with(state, windows=windows, rounds=_rounds(state, window))
        case "window_closed":
            open_windows = {k: w for k, w in state.windows.items() if k != data["window"]}
            return _copy_with(state, windows=open_windows)
        case "out":
            death = Death(data["seat"], data["cause"], state.moment)
            out = {**state.out, death.seat: death.cause}
            return _copy_with(state, out=out, deaths=(*state.deaths, death))
        case "badge_given":
            other_badges = {k: s for k, s in state.badges.items() if k != data["badge"]}
            new_badge = {data["badge"]: data["seat"]} if data["seat"] else {}
            return _copy_with(state, badges={**other_badges, **new_badge})
        case "protected":
            return _copy_with(state, protected=state.protected | {data["seat"]})
        case "people_seated":
            return _copy_with(state, people=tuple(data["seats"]))
        case "game_over":
            return _copy_with(state, phase="over", winner=data["winner"])
    return state


def fold(events: Iterable[Event], state: State | None = None) -> State:
    """Return the state that `events` lead to."""
    state = state or State()
    for event in events:
        state = evolve(state, event)
    return state


def _rounds(state: State, window: Window) -> tuple[Moment, ...]:
    """Return the rounds including `window`: the first public speech of a round begins it."""
    now, last = window.moment, state.rounds[-1] if state.rounds else None
    if not window.is_public_speech or (last and (last.day, last.round) == (now.day, now.round)):
        return state.rounds
    return (*state.rounds, now.phase_start)


SPEECH_MANNERS = ("say", "skip", "over", "nothing")  # Manners of answers to a question of speech.


@dataclass(frozen=True)
class Turn:
    """One turn to speak in public, used or passed.

    Attributes:
        number: counts all turns of the game from 1, silent ones included.
        position: the place of its event among the events that were folded, from 1.
        window: the key of its window.
        round: counts the rounds of talk from 1, over all days.
        moment: when its window opened.
        text: "" for a pass.
    """

    number: int
    position: int
    seat: int
    window: str
    round: int
    moment: Moment
    text: str


def turn_of(event: Event, state: State, number: int, position: int) -> Turn | None:
    """Return the turn that `event` records, None for other events. `state` is the one before it."""
    data = event.data
    is_speech = data.get("manner") in SPEECH_MANNERS and "seat" in data
    if event.audience != PUBLIC or not is_speech:
        return None
    window = state.windows.get(data["window"])
    when, text = window.moment if window else state.moment, data.get("text", "")
    return Turn(number, position, data["seat"], data["window"], len(state.rounds), when, text)
