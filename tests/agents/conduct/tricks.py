"""Ways to come off cheaply: saying nothing, confessing, copying, following. A game of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from agents.packs import Pack, pack_of
from agents.talk.dialogue import Dialogue
from agents.understanding.understand import understand
from game.engine import rulesets
from game.engine.forms import NOTHING, Action, Speech, say
from game.engine.visibility import View
from game.engine.windows import Answer, Window
from tests.agents.table import Person, play

CONFESSION = "Fine. I am the Werewolf."
Trick = Callable[[View], str | None]  # -> its words, "" for none, None: what it would say


def _pack(view: View) -> Pack:
    return pack_of(rulesets.get(view.state.ruleset))


def _copied(view: View) -> str | None:
    """The first look that somebody else has told of, in the same words."""
    for number, turn in enumerate(view.turns):
        before = view.turns[number - 1].seat if number else 0
        acts = understand(turn.text, turn.seat, view.state.seats, before, _pack(view))
        if turn.seat != view.seat and any(a.kind == "report" for a in acts):
            return turn.text
    return None


def _with_the_crowd(view: View) -> str | None:
    """A vote for whom most press, and no more."""
    talk = Dialogue.of(view, _pack(view))
    pressed = Counter(talk.suspect_of(s) for s in talk.speakers if s != view.seat)
    target = next((t for t, _ in pressed.most_common() if t not in (0, view.seat)), 0)
    return f"I vote for {view.name(target)}." if target else "I'm a Villager."


def _at(number: int, words: str, otherwise: str | None) -> Trick:
    """`words` in that round; on that day where talk runs in passes."""
    return lambda view: words if (view.state.round or view.state.day) == number else otherwise


TRICKS: dict[str, Trick] = {
    "plays": lambda view: None,
    "says nothing": lambda view: "",
    "says only dots": lambda view: "…",
    "says Villager once": _at(1, "I'm a Villager.", ""),
    "copies the Seer": _copied,
    "joins the crowd": _with_the_crowd,
    "confesses, then plays": _at(1, CONFESSION, None),
    "confesses, then is silent": _at(1, CONFESSION, ""),
    "confesses last": _at(3, CONFESSION, None),
}


def person(trick: Trick, role: str = "werewolf") -> Person:
    """Speaks for the holder of `role` as `trick` says; all else is the house player's."""

    def answer(view: View, window: Window) -> Answer | None:
        if window.kind != "statement" or view.role != role:
            return None
        words = trick(view)
        if words is None:
            return None
        may_over = isinstance(window.legal, Speech) and window.legal.may_over
        return Answer(say(words) if words else Action("over") if may_over else NOTHING)

    return answer


def wins(name: str, seed: str, ruleset: str = "aiwolf-5") -> bool:
    """Whether the Werewolves win a game of the contest in which they all play that trick."""
    return play(seed, ruleset, person=person(TRICKS[name])).winner == "werewolf"


def voted_out(name: str, seed: str, method: str = "baseline") -> str:
    """The role that is out at the end of a game in which the Werewolf plays that trick."""
    game = play(seed, person=person(TRICKS[name]), method=method)
    return next(game.roles[e["seat"]] for e in game.log if e.kind == "out")
