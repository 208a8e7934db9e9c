"""The context in which a ruleset's script runs: the state so far, and the calls that add events."""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from game.engine.events import (
    MODERATOR,
    PUBLIC,
    RECORD,
    Action,
    Audience,
    Event,
    only_seats,
    record_audience,
    say,
)
from game.engine.forms import Form, Ratings, rating
from game.engine.seeded_random import SeededRandom
from game.engine.side_questions import ASK_ROLE_GUESSES, ROLE_GUESS_KIND, VOTE_REASON
from game.engine.state import State, evolve
from game.engine.windows import Answer, Window

Answers = Mapping[str, Mapping[int, Answer]]  # window key -> seat -> answer


@dataclass(frozen=True)
class Wait:
    """A stop of the script until `window` is answered by those whom the script waits for."""

    window: Window
    waits_for: str  # "all", "people" or "nobody"


Result = TypeVar("Result")
Choosable = TypeVar("Choosable", int, str)
Script = Generator[Wait, None, None]
Step = Generator[Wait, None, Result]  # a part of a script that returns a result
IsReady = Callable[[Wait], bool]


class LogMismatch(Exception):
    """The log contains an event that these rules cannot produce there."""


class ScriptContext:
    """The state so far, with methods that add events and open windows.

    When a script runs again over a recorded log, each method returns the recorded result instead of
    adding an event.

    Attributes:
        log: may be replaced by a longer one that begins with the same events.
        new_events: those that follow it.
        answers: the answers to open windows.
    """

    def __init__(self, log: Sequence[Event], rng: SeededRandom) -> None:
        self.state = State()
        self.new_events: list[Event] = []
        self.answers: Answers = {}
        self.log, self._log_index = log, 0
        self._rng = rng
        self._keys: set[str] = set()
        self._deck: tuple[str, ...] = ()
        # window's key -> the rating windows that accompany it
        self._guess_windows: dict[str, list[Window]] = {}

    @property
    def seats(self) -> tuple[int, ...]:
        return tuple(range(1, len(self.state.seats) + 1))

    @property
    def is_behind(self) -> bool:
        """Whether the log has events that the script has not repeated yet."""
        return self._next_recorded() is not None

    def _next_recorded(self) -> Event | None:
        return self.log[self._log_index] if self._log_index < len(self.log) else None

    def is_next_logged(self, kind: str) -> bool:
        """Return whether the next recorded event is of `kind`.

        Scripts use it for draws that the rules did not have when older logs were written.
        """
        recorded = self._next_recorded()
        return recorded is not None and recorded.kind == kind

    def emit(
        self, kind: str, audience: Audience, labels: tuple[str, ...] = (), /, **data: Any
    ) -> Event:
        """Add the next event to the log. Raise LogMismatch if the log has another event there."""
        event = Event(kind, audience, data, labels)
        if recorded := self._next_recorded():
            if not recorded.is_equal_in_digest(event):
                raise LogMismatch(
                    f"event {self._log_index + 1} is {recorded}, the rules say {event}"
                )
            event = recorded
        else:
            self.new_events.append(event)
        self._log_index += 1
        self.state = evolve(self.state, event)
        return event

    def give_badge(self, badge: str, seat: int) -> None:
        """Give the badge to `seat`, or to no one with seat 0."""
        self.emit("badge_given", PUBLIC, badge=badge, seat=seat)

    def open_phase(self, phase: str, *, day: int, round: int = 0) -> None:
        """Open a phase, visible to everyone."""
        self.emit("phase_opened", PUBLIC, phase=phase, day=day, round=round)

    def draw(self, purpose: str, options: Sequence[Choosable], audience: Audience) -> Choosable:
        """Draw one of `options` from the game's seed, record it and return it.

        The `purpose` is unique in the game. Its part before a "/" selects the wording.
        """
        recorded = self._next_recorded()
        result: Choosable = recorded["result"] if recorded else self._rng.choice(purpose, options)
        self.emit("drawn", audience, purpose=purpose, among=list(options), result=result)
        return result

    def draw_order(
        self,
        purpose: str,
        items: Sequence[Any],
        audience: Audience,
        rng: SeededRandom | None = None,
    ) -> list[Any]:
        """Draw an order of all `items`, by `rng` or by the game's seed, record it and return it."""
        if recorded := self._next_recorded():
            result = list(recorded["result"])
        else:
            result = (rng or self._rng).shuffled(purpose, items)
        self.emit("drawn", audience, purpose=purpose, among=list(items), result=result)
        return result

    def deal(self, deck: Sequence[str], first: str = "") -> None:
        """Deal one role to every seat, in secret.

        The first seat gets the role `first`, if any, by a swap with a seat that drew it.
        """
        self._deck = tuple(deck)
        dealt = self.draw_order("deal", deck, MODERATOR, self._rng.deal_generator)
        if first:
            holder = dealt.index(first)
            dealt[0], dealt[holder] = dealt[holder], dealt[0]
        for seat, role in zip(self.seats, dealt, strict=True):
            self.emit("role_dealt", only_seats(seat), seat=seat, role=role)

    def open_window(
        self,
        kind: str,
        seats: Sequence[int],
        answer_form: Form,
        *,
        turn: str = "",
        pass_: int = 0,
        answer_audience: Audience | None,
        window_audience: Audience,
        raters: Sequence[int] | None = None,
        **terms: Any,
    ) -> Window:
        """Open a window: a question to `seats`. Raise ValueError if its key is taken.

        Args:
            turn: distinguishes windows of one kind and round.
            pass_: the pass of talk, from 1, if talk runs in passes.
            raters: the seats whose people also rate the other players. None: `seats`, if the table
                has ratings before every action.
            terms: further fields of the `Window`.
        """
        state = self.state
        key = ".".join(filter(None, (kind, str(state.day), str(state.round), turn)))
        if raters is None:
            is_action = terms.get("asks") != "agents" and not isinstance(answer_form, Ratings)
            raters = seats if is_action and self.must_rate_first else ()
        action = f"{kind}.{turn}" if turn else kind
        people = [s for s in raters if s in state.people]
        self._guess_windows[key] = [
            self._open_guess_window(f"{action}/{s}", s, pass_, terms) for s in people
        ]
        if key in self._keys:
            raise ValueError(f"two windows called {key}: give them different turns")
        self._keys.add(key)
        window = Window(
            key,
            kind,
            tuple(seats),
            answer_form,
            answer_audience,
            window_audience,
            moment=replace(state.moment, pass_=pass_),
            **terms,
        )
        self.emit("window_opened", window_audience, **window.to_json())
        return window

    @property
    def must_rate_first(self) -> bool:
        """Whether people must guess the roles before every action now.

        No one has to in the first phase, in which no one knows anything yet.
        """
        has_role_guesses = bool(self.state.settings.get(ASK_ROLE_GUESSES))
        return has_role_guesses and self.state.moment.phase_number > 1

    def _open_guess_window(
        self, turn: str, seat: int, pass_: int, terms: Mapping[str, Any]
    ) -> Window:
        """Open a window for role guesses: what a person believes the other players to be.

        It stays open as long as the question that it accompanies, which has the `terms`. No one
        else sees it, so that it does not reveal who is a person.
        """
        other_seats = [s for s in self.state.living() if s != seat]
        return self.open_window(
            ROLE_GUESS_KIND,
            [seat],
            rating(other_seats, self._deck),
            turn=turn,
            pass_=pass_,
            answer_audience=record_audience(seat),
            window_audience=record_audience(seat),
            raters=(),
            asks="people",
            default="nothing",
            **{term: terms[term] for term in ("clock", "share") if term in terms},
        )

    def _close_guess_windows(self, window: Window) -> Step[None]:
        for guess_window in self._guess_windows.pop(window.key, ()):
            yield from self.close_window(guess_window)

    def wait_for(self, window: Window) -> Step[None]:
        """Wait until the required seats have answered. The window stays open for late answers."""
        yield from self._close_guess_windows(window)
        if not self.is_behind:
            yield Wait(window, window.waits_for)

    def close_window(self, window: Window) -> Step[dict[int, Answer]]:
        """Wait for every answer, record them in seat order, and return them by seat.

        The reason for a choice goes on record; no player ever sees it.
        """
        yield from self._close_guess_windows(window)
        if not self.is_behind:
            yield Wait(window, "all")
        if self.is_behind:
            answers = self._repeat_answers(window)
        else:
            answers = dict(sorted(self.answers.get(window.key, {}).items()))
            for seat, answer in answers.items():
                action = answer.action
                data = (action if action.kind == "say" else replace(action, text="")).to_json()
                audience = window.audience_of(seat)
                self.emit(
                    window.kind, audience, answer.labels, window=window.key, seat=seat, **data
                )
            for seat, answer in answers.items():
                if answer.action.text and answer.action.kind != "say":
                    reason = say(answer.action.text).to_json()
                    self.emit(VOTE_REASON, RECORD, window=window.key, seat=seat, **reason)
        self.emit("window_closed", window.window_audience, window=window.key)
        return answers

    def _repeat_answers(self, window: Window) -> dict[int, Answer]:
        """Return the recorded answers without checks: their texts may have been erased since."""
        answers = {}
        while (event := self._next_recorded()) and event.data.get("window") == window.key:
            if event.kind not in (window.kind, VOTE_REASON):
                break
            self.emit(event.kind, event.audience, event.labels, **event.data)
            if event.kind == window.kind:
                answers[int(event["seat"])] = Answer(Action.from_json(event.data), event.labels)
        return answers
