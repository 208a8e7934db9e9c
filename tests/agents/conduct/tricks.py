"""Ways for a Werewolf to come off cheaply: to say nothing, or to confess. A game of each."""

from __future__ import annotations

from collections.abc import Callable

from game.engine.forms import NOTHING, say
from game.engine.visibility import View
from game.engine.windows import Answer, Window
from tests.agents.table import Person, play

CONFESSION = "Fine. I am the Werewolf."
Trick = Callable[[int], str | None]  # round -> its words, "" for none, None: what it would say

TRICKS: dict[str, Trick] = {
    "plays": lambda round_: None,
    "says nothing": lambda round_: "",
    "says only dots": lambda round_: "…",
    "confesses, then plays": lambda round_: CONFESSION if round_ == 1 else None,
    "confesses, then is silent": lambda round_: CONFESSION if round_ == 1 else "",
    "confesses last": lambda round_: CONFESSION if round_ == 3 else None,
}


def person(trick: Trick, role: str = "werewolf") -> Person:
    """Speaks for the holder of `role` as `trick` says; all else is the house player's."""

    def answer(view: View, window: Window) -> Answer | None:
        if window.kind != "statement" or view.role != role:
            return None
        words = trick(view.state.round)
        if words is None:
            return None
        return Answer(say(words) if words else NOTHING)

    return answer


def voted_out(name: str, seed: str, method: str = "baseline") -> str:
    """The role that is out at the end of a game in which the Werewolf plays that trick."""
    game = play(seed, person=person(TRICKS[name]), method=method)
    return next(game.roles[e["seat"]] for e in game.log if e.kind == "out")
