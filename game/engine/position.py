"""`Position`: a game at one moment, for search and tests. It needs no clock, database or agent."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple, Self

from game.engine import visibility
from game.engine.events import ABSTAIN, NOTHING, Action, Event, Rating, pick, rate, say
from game.engine.forms import Pick, Ratings, Speech
from game.engine.ruleset import Ruleset, ScriptRun
from game.engine.script_context import Wait
from game.engine.seeded_random import SeededRandom
from game.engine.state import fold
from game.engine.visibility import View
from game.engine.windows import Answer, Window

Answers = dict[str, dict[int, Answer]]  # window key -> seat -> answer


class PendingQuestion(NamedTuple):
    """A question that a seat has not answered yet."""

    window: Window
    seat: int


class Position:
    """A game of any ruleset at one moment. `apply` answers a question and continues the game.

    Questions to several seats at once are answered one by one. The game continues when no question
    is pending, so no answer depends on the order of the answers.

    Attributes:
        log: all events so far.
        state: what the log leads to.
        answers: all answers so far, by the keys of their windows.
        people: the seats of people, if the rules depend on them.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        seed: str,
        log: Iterable[Event] = (),
        answers: Mapping[str, Mapping[int, Answer]] | None = None,
        opening: Mapping[str, Any] | None = None,
    ) -> None:
        """Continue `log`. Use `start` for a new game."""
        self.ruleset = ruleset
        self.log = list(log)
        self.answers: Answers = {key: dict(by_seat) for key, by_seat in (answers or {}).items()}
        self.state = fold(self.log)
        self._rng = SeededRandom(seed)
        self._opening = opening
        self.people: Sequence[int] = (opening or {}).get("people", self.state.people)
        self._run: ScriptRun | None = None

    @classmethod
    def start(
        cls,
        ruleset: Ruleset,
        seed: str,
        settings: Mapping[str, Any] | None = None,
        people: Sequence[int] = (),
    ) -> Self:
        """Return a new game at its first question.

        `settings` are those that differ from the defaults, `people` the seats of people.
        """
        opening = {"seats": ruleset.seat_names, "settings": settings or {}, "people": people}
        position = cls(ruleset, seed, opening=opening)
        position._run_script()
        return position

    def clone(self, seed: str = "") -> Self:
        """Return an independent copy. With a `seed`, its later random results are drawn by that.

        The first `apply` that continues the copy runs its script over the log again, in time
        proportional to the log's length.
        """
        return type(self)(
            self.ruleset, seed or self._rng.seed, self.log, self.answers, self._opening
        )

    @property
    def is_over(self) -> bool:
        return self.state.is_over

    @property
    def pending(self) -> list[PendingQuestion]:
        """The open questions, in the order of the windows and then of the seats."""
        return [
            PendingQuestion(window, seat)
            for window in self.state.windows.values()
            for seat in window.respondents(self.people)
            if seat not in self.answers.get(window.key, {})
        ]

    def legal_actions(self, question: PendingQuestion, texts: Sequence[str] = ()) -> list[Action]:
        """Return the actions with which the seat may answer.

        Two forms allow more actions than can be listed. Of statements, the list has those with
        `texts`, to everyone and to each addressee. Of ratings, it has the empty one and those of
        one player.
        """
        return list(_list_actions(question, texts))

    def apply(self, question: PendingQuestion, action: Action | None) -> None:
        """Answer a pending question, and continue the game if it was the last one.

        The action is None if the seat lets its time run out. Raise Illegal if the rules do not
        allow it; nothing has changed then.
        """
        window, seat = question
        if action is None:
            answer = window.default_for(seat, self._rng)
        else:
            answer = window.accept(seat, action, self.ruleset.seat_names)
        self.answers.setdefault(window.key, {})[seat] = answer
        if not self.pending:
            self._run_script()

    def returns(self) -> dict[int, float]:
        """Return seat -> 1 if it has won, -1 if it has lost, 0 if no one has (yet)."""
        seats = range(1, len(self.state.seats) + 1)
        end = self.log[-1]
        if not self.is_over or not end["winners"]:
            return dict.fromkeys(seats, 0.0)
        return {seat: 1.0 if seat in end["winners"] else -1.0 for seat in seats}

    def view(self, seat: int) -> View:
        """Return the view of `seat`: the events it may see, and what follows from them."""
        return visibility.view_of(self.log, visibility.seat(seat))

    def _run_script(self) -> None:
        """Run the script until a question is pending or the game is over."""
        self._run = self._run or ScriptRun(self.ruleset, tuple(self.log), self._rng, self._opening)
        while not (self.is_over or self.pending):
            new = self._run.advance(self.answers, self._is_ready)
            if not new:
                raise RuntimeError(f"the script waits for no answer after {self.log[-1]}")
            self.log += new
            self.state = fold(new, self.state)

    def _is_ready(self, wait: Wait) -> bool:
        """Return whether all seats that the script waits for have answered."""
        asked_seats = set(wait.window.respondents(self.people))
        return wait.waits_for != "all" or asked_seats <= set(self.answers.get(wait.window.key, {}))


def _list_actions(question: PendingQuestion, texts: Sequence[str]) -> Iterator[Action]:
    window, seat = question
    legal, options = window.legal, window.options_for(seat)
    if isinstance(legal, Pick):
        yield from (pick(*chosen) for chosen in combinations(options, legal.count))
        if legal.may_abstain:
            yield ABSTAIN
    elif isinstance(legal, Ratings):
        yield NOTHING
        levels = range(legal.min_confidence, legal.max_confidence + 1)
        yield from (
            rate(Rating(int(o), role, level))
            for o in options for role in legal.choices for level in levels
        )  # fmt: skip
    elif isinstance(legal, Speech):
        yield from (say(text, to) for text in texts for to in (None, *options))
        yield from [Action("skip")] if legal.may_skip else []
        yield from [Action("over")] if legal.may_over else []
