"""Playing games on the bare engine: a hand that answers every window, and the log that follows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from game.engine.draws import Draws
from game.engine.events import Event
from game.engine.roles import Ruleset
from game.engine.rules import Wait, decide
from game.engine.state import fold
from game.engine.windows import Action, Answer, Window, pick, say

Hand = Callable[[Window, int], Action]


@dataclass
class Round:
    """A whole game: its log, and the answers that made it."""

    log: list[Event] = field(default_factory=list)
    answers: dict[str, dict[int, Answer]] = field(default_factory=dict)


def drawing_hand(seed: str) -> Hand:
    """Answers legally and by lot, the same for the same seed."""
    draws = Draws(seed)

    def hand(window: Window, seat: int) -> Action:
        where = f"{window.key}/{seat}"
        if window.legal.form == "pick":
            if window.legal.may_abstain and draws.below(f"{where}/abstain", 4) == 0:
                return Action("abstain")
            options = window.options_for(seat)
            return pick(*draws.sample(where, options, window.legal.count))
        manners: list[str] = ["say", "say"]
        manners += ["skip"] if window.legal.may_skip else []
        manners += ["over"] if window.legal.may_over else []
        if draws.choice(where, manners) == "say":
            return say(f"words {draws.below(where + '/words', 10**6)}")
        return Action("over" if window.legal.may_over else "skip")

    return hand


def ready_with(answers: dict[str, dict[int, Answer]]) -> Callable[[Wait], bool]:
    """Nobody is a person, nothing takes time: a wait is over when all have answered."""

    def ready(wait: Wait) -> bool:
        given = set(answers.get(wait.window.key, {}))
        return wait.whom != "all" or set(wait.window.seats) <= given

    return ready


def play(ruleset: Ruleset, seed: str, hand: Hand, settings: dict[str, Any] | None = None) -> Round:
    """A game to its end. AssertionError where a window stays open for good."""
    game = Round()
    opening = {"seats": ruleset.seat_names, "settings": settings or {}}
    game.log = step(ruleset, seed, game, opening)
    for _ in range(1000):
        state = fold(game.log)
        if state.over:
            return game
        for window in state.windows.values():
            given = game.answers.setdefault(window.key, {})
            for seat in window.seats:
                if seat not in given:
                    action = hand(window, seat)
                    window.check(seat, action)
                    given[seat] = Answer(action)
        new = step(ruleset, seed, game)
        assert new, f"stuck at {game.log[-1]}"
        game.log = [*game.log, *new]
    raise AssertionError("the game never ended")


def step(
    ruleset: Ruleset, seed: str, game: Round, opening: dict[str, Any] | None = None
) -> list[Event]:
    return decide(
        ruleset,
        game.log,
        answers=game.answers,
        ready=ready_with(game.answers),
        draws=Draws(seed),
        opening=opening,
    )


def seats_of(ruleset: Ruleset) -> Sequence[int]:
    return range(1, len(ruleset.deck) + 1)
