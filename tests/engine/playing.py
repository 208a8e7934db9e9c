"""Play games on the bare engine: hands that answer every window, and the resulting log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from game.engine.events import ABSTAIN, Action, Event, Rating, pick, rate, say
from game.engine.forms import Pick, Ratings, Speech
from game.engine.position import Position
from game.engine.ruleset import Ruleset, ScriptRun
from game.engine.script_context import Answers, IsReady, Wait
from game.engine.seeded_random import SeededRandom
from game.engine.windows import Answer, Window

Hand = Callable[[Window, int], Action | None]
# ruleset -> settings that keep all windows of a game of many players, with fewer statements
FEW_STATEMENTS = {"aiwolf-13": {"talk_per_agent": 1, "whisper_per_agent": 1}}


@dataclass
class GameRun:
    """A whole game: its log and its answers."""

    log: list[Event] = field(default_factory=list)
    answers: dict[str, dict[int, Answer]] = field(default_factory=dict)


def drawing_hand(seed: str) -> Hand:
    """Build a hand that gives random legal answers, determined by `seed`."""
    rng = SeededRandom(seed)

    def hand(window: Window, seat: int) -> Action:
        where = f"{window.key}/{seat}"
        legal = window.legal
        options = window.options_for(seat)
        if isinstance(legal, Pick):
            if legal.may_abstain and rng.below(f"{where}/abstain", 4) == 0:
                return ABSTAIN
            return pick(*rng.sample(where, options, legal.count))
        if isinstance(legal, Ratings):
            seats = rng.sample(where, options, rng.below(f"{where}/count", len(options) + 1))
            return rate(*(_rating(legal, int(o), rng, where) for o in seats))
        assert isinstance(legal, Speech)
        manners: list[str] = ["say", "say"]
        manners += ["skip"] if legal.may_skip else []
        manners += ["over"] if legal.may_over else []
        if rng.choice(where, manners) == "say":
            to = rng.choice(f"{where}/to", (None, *options))
            return say(f"words {rng.below(where + '/words', 10**6)}", to)
        return Action("over" if legal.may_over else "skip")

    return hand


def _rating(legal: Ratings, seat: int, rng: SeededRandom, where: str) -> Rating:
    confidence = legal.min_confidence + rng.below(
        f"{where}/{seat}/surely", legal.max_confidence - legal.min_confidence + 1
    )
    return Rating(seat, rng.choice(f"{where}/{seat}/role", legal.choices), confidence)


def ready_with(
    answers: dict[str, dict[int, Answer]], people: Sequence[int] = ()
) -> Callable[[Wait], bool]:
    """Build a `ready` callback: a wait ends when all its seats have answered."""

    def ready(wait: Wait) -> bool:
        answered = set(answers.get(wait.window.key, {}))
        awaited = [s for s in wait.window.seats if is_asked(wait.window, s, people)]
        return wait.waits_for != "all" or set(awaited) <= answered

    return ready


def is_asked(window: Window, seat: int, people: Sequence[int]) -> bool:
    """Return whether the window asks `seat`, if the seats in `people` are people."""
    return window.asks == "everyone" or (seat in people) == (window.asks == "people")


def play(
    ruleset: Ruleset,
    seed: str,
    hand: Hand,
    settings: dict[str, Any] | None = None,
    people: Sequence[int] = (),
) -> GameRun:
    """Play a game to its end with a script that runs on. A hand returns None for a timeout.

    test_rules compares it with a script that is started again for each step.

    Raises:
        AssertionError: A window never closed.
    """
    position = Position.start(ruleset, seed, settings, people)
    for _ in range(5000):
        if position.is_over:
            return GameRun(position.log, position.answers)
        for request in position.pending:
            position.apply(request, hand(request.window, request.seat))
    raise AssertionError("the game never ended")


def run_script(
    ruleset: Ruleset,
    log: Sequence[Event],
    *,
    answers: Answers,
    ready: IsReady,
    rng: SeededRandom,
    opening: Mapping[str, Any] | None = None,
) -> list[Event]:
    """Return the events that follow `log`. Use a `ScriptRun` for several steps of one game."""
    return ScriptRun(ruleset, log, rng, opening).advance(answers, ready)


def step(
    ruleset: Ruleset,
    seed: str,
    game: GameRun,
    opening: dict[str, Any] | None = None,
    people: Sequence[int] = (),
) -> list[Event]:
    return run_script(
        ruleset,
        game.log,
        answers=game.answers,
        ready=ready_with(game.answers, people),
        rng=SeededRandom(seed),
        opening=opening,
    )


def seats_of(ruleset: Ruleset) -> Sequence[int]:
    return range(1, len(ruleset.deck) + 1)
