"""Tricks of a Werewolf: silence, confession, copying, following. Each plays a game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from agents.packs import Pack, pack_of
from agents.talk.dialogue import Dialogue
from agents.understanding.understand import understand
from game.engine import rulesets
from game.engine.events import NOTHING, Action, say
from game.engine.forms import Speech
from game.engine.visibility import View
from game.engine.windows import Answer, Window
from tests.agents.table import Person, play

CONFESSION = "Fine. I am the Werewolf."
Trick = Callable[[View], str | None]  # returns a text, "" for silence, None for the usual statement


def _pack(view: View) -> Pack:
    return pack_of(rulesets.get(view.state.ruleset))


def _copied_report(view: View) -> str | None:
    """Return the first report of another player, in the same words."""
    for number, turn in enumerate(view.turns):
        before = view.turns[number - 1].seat if number else 0
        acts = understand(turn.text, turn.seat, view.state.seats, before, _pack(view))
        if turn.seat != view.seat and any(a.kind == "report" for a in acts):
            return turn.text
    return None


def _vote_with_majority(view: View) -> str | None:
    """Return only a vote announcement for the most pressed player."""
    talk = Dialogue.of(view, _pack(view))
    pressed = Counter(talk.suspect_of(s) for s in talk.speakers if s != view.seat)
    target = next((t for t, _ in pressed.most_common() if t not in (0, view.seat)), 0)
    return f"I vote for {view.name(target)}." if target else "I'm a Villager."


def _speak_once(number: int, words: str, otherwise: str | None) -> Trick:
    """Return `words` in round `number`, or on day `number` in games without rounds."""
    return lambda view: words if (view.state.round or view.state.day) == number else otherwise


TRICKS: dict[str, Trick] = {
    "plays": lambda view: None,
    "says nothing": lambda view: "",
    "says only dots": lambda view: "…",
    "says Villager once": _speak_once(1, "I'm a Villager.", ""),
    "copies the Seer": _copied_report,
    "joins the crowd": _vote_with_majority,
    "confesses, then plays": _speak_once(1, CONFESSION, None),
    "confesses, then is silent": _speak_once(1, CONFESSION, ""),
    "confesses last": _speak_once(3, CONFESSION, None),
}


def person(trick: Trick, role: str = "werewolf") -> Person:
    """Speak for the holder of `role` by `trick`. The house player decides everything else."""

    def answer(view: View, window: Window) -> Answer | None:
        if window.kind != "statement" or view.role != role:
            return None
        words = trick(view)
        if words is None:
            return None
        if words:
            return Answer(say(words))
        may_over = isinstance(window.legal, Speech) and window.legal.may_over
        return Answer(Action("over") if may_over else NOTHING)

    return answer


def werewolves_win(name: str, seed: str, ruleset: str = "aiwolf-5") -> bool:
    """Return whether the Werewolves win a contest game in which all of them play the trick."""
    return play(seed, ruleset, person=person(TRICKS[name])).winner == "werewolf"


def voted_out_role(name: str, seed: str, method: str = "baseline") -> str:
    """Return the role that is voted out in a game in which the Werewolf plays the trick."""
    game = play(seed, person=person(TRICKS[name]), method=method)
    return next(game.roles[e["seat"]] for e in game.log if e.kind == "out")
