"""Games with a Sheriff whose hands are led: calm by default, other by kind of window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from game.engine import rulesets
from game.engine.events import Event
from game.engine.forms import ABSTAIN, Action, Pick, Ratings, pick, rate, say
from game.engine.state import fold
from game.engine.windows import Window
from tests.engine.playing import Round, drawing_hand, play

SEED = "sheriff"
ONE_DAY = {"max_rounds": 1}  # settings
RULESET = rulesets.get("sheriff")
Led = Callable[[Window, int], Action]


def dealt(seed: str = SEED) -> dict[str, list[int]]:
    """role -> the seats that hold it."""
    log = play(RULESET, seed, drawing_hand(seed)).log
    found: dict[str, list[int]] = {}
    for event in log:
        if event.kind == "role_dealt":
            found.setdefault(event["role"], []).append(event["seat"])
    return found


ROLES = dealt()
(SEER,), (GUARD,), VILLAGERS, WOLVES = (ROLES[r] for r in ("seer", "guard", "villager", "werewolf"))


def calm(window: Window, seat: int) -> Action:
    """Nobody dies and nobody chooses anybody: Werewolves disagree, everyone abstains."""
    legal, options = window.legal, window.options_for(seat)
    if window.kind == "attack":
        return pick(options[WOLVES.index(seat)])
    if window.kind == "protection":
        return pick(seat)
    if isinstance(legal, Pick):
        return ABSTAIN if legal.may_abstain else pick(*options[: legal.count])
    if isinstance(legal, Ratings):
        return rate()
    return say(f"Seat {seat} in {window.key}.")


def led(
    settings: dict[str, Any] | None = None, people: Sequence[int] = (), **by_kind: Led
) -> Round:
    """A game to its end: windows of a kind in `by_kind` are answered by it, all others calmly."""

    def hand(window: Window, seat: int) -> Action:
        return by_kind.get(window.kind, calm)(window, seat)

    return play(RULESET, SEED, hand, settings, people)


def all_for(*targets: int) -> Led:
    """Everybody picks the target of that day (from 1; the last one from then on), 0: calm."""

    def hand(window: Window, seat: int) -> Action:
        target = targets[min(window.moment.day, len(targets)) - 1]
        legal = target in window.options_for(seat)
        return pick(target) if target and legal else calm(window, seat)

    return hand


def of(game: Round, *kinds: str) -> list[Event]:
    return [event for event in game.log if event.kind in kinds]


def end(game: Round) -> tuple[str, str]:
    """(winner, reason)"""
    over = game.log[-1]
    return over["winner"], over["reason"]


def lots(game: Round) -> list[int]:
    """The candidates as they were drawn."""
    return list(next(e for e in game.log if e.kind == "candidates")["seats"])


def windows(game: Round, kind: str) -> list[Window]:
    """The windows of that kind, in the order in which they opened."""
    return [
        fold(game.log[: at + 1]).windows[event["key"]]
        for at, event in enumerate(game.log)
        if event.kind == "window_opened" and event["kind"] == kind
    ]


def deaths(game: Round) -> list[tuple[int, str, str]]:
    """(seat, cause, phase)"""
    found = fold(game.log).deaths
    return [(d.seat, d.cause, d.moment.phase) for d in found]


def badges(game: Round) -> list[int]:
    return [event["seat"] for event in of(game, "badge_given")]


def for_seat(seat: int, *voters: int) -> Led:
    """`voters` pick `seat`, the others are calm."""

    def hand(window: Window, voter: int) -> Action:
        return pick(seat) if voter in voters else calm(window, voter)

    return hand
