"""Sheriff games with scripted hands: calm by default, replaceable by kind of window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from game.engine import rulesets
from game.engine.events import ABSTAIN, Action, Event, pick, rate, say
from game.engine.forms import Pick, Ratings
from game.engine.state import fold
from game.engine.windows import Window
from tests.engine.playing import GameRun, drawing_hand, play

SEED = "sheriff"
ONE_DAY = {"max_rounds": 1}  # settings
RULESET = rulesets.get("sheriff")
KindHand = Callable[[Window, int], Action]


def seats_by_role(seed: str = SEED) -> dict[str, list[int]]:
    """Map roles to the seats that hold them."""
    log = play(RULESET, seed, drawing_hand(seed)).log
    seats: dict[str, list[int]] = {}
    for event in log:
        if event.kind == "role_dealt":
            seats.setdefault(event["role"], []).append(event["seat"])
    return seats


ROLES = seats_by_role()
(SEER,), (GUARD,), VILLAGERS, WOLVES = (ROLES[r] for r in ("seer", "guard", "villager", "werewolf"))


def calm(window: Window, seat: int) -> Action:
    """Answer without effect: Werewolves disagree, all others abstain where they can."""
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


def run(
    settings: dict[str, Any] | None = None, people: Sequence[int] = (), **by_kind: KindHand
) -> GameRun:
    """Play a game to its end with the hands `by_kind`. Other windows are answered by `calm`."""

    def hand(window: Window, seat: int) -> Action:
        return by_kind.get(window.kind, calm)(window, seat)

    return play(RULESET, SEED, hand, settings, people)


def all_for(*targets: int) -> KindHand:
    """Build a hand that picks the target of the day. The last one repeats, 0 means calm."""

    def hand(window: Window, seat: int) -> Action:
        target = targets[min(window.moment.day, len(targets)) - 1]
        legal = target in window.options_for(seat)
        return pick(target) if target and legal else calm(window, seat)

    return hand


def events_of(game: GameRun, *kinds: str) -> list[Event]:
    return [event for event in game.log if event.kind in kinds]


def end(game: GameRun) -> tuple[str, str]:
    """Return (winner, reason) of a finished game."""
    over = game.log[-1]
    return over["winner"], over["reason"]


def drawn_candidates(game: GameRun) -> list[int]:
    """Return the candidates in the order of the draw."""
    return list(next(e for e in game.log if e.kind == "candidates")["seats"])


def windows(game: GameRun, kind: str) -> list[Window]:
    """Return the windows of `kind` in order of opening."""
    return [
        fold(game.log[: at + 1]).windows[event["key"]]
        for at, event in enumerate(game.log)
        if event.kind == "window_opened" and event["kind"] == kind
    ]


def deaths(game: GameRun) -> list[tuple[int, str, str]]:
    """Return (seat, cause, phase) of every death."""
    all_deaths = fold(game.log).deaths
    return [(d.seat, d.cause, d.moment.phase) for d in all_deaths]


def badges(game: GameRun) -> list[int]:
    return [event["seat"] for event in events_of(game, "badge_given")]


def for_seat(seat: int, *voters: int) -> KindHand:
    """Build a hand that picks `seat` for `voters` and is calm for other seats."""

    def hand(window: Window, voter: int) -> Action:
        return pick(seat) if voter in voters else calm(window, voter)

    return hand
