"""Contest games with scripted hands: silent by default, replaceable by kind of window."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from game.engine import rulesets
from game.engine.events import Action, pick
from game.engine.forms import Pick
from game.engine.ruleset import Ruleset
from game.engine.seeded_random import SeededRandom
from game.engine.windows import Window
from tests.engine.playing import GameRun, Hand, drawing_hand, play

SEED = "aiwolf"
SMALL, LARGE = rulesets.get("aiwolf-5"), rulesets.get("aiwolf-13")
CONTEST: dict[str, Any] = dict(LARGE.presets[0].settings)
KindHand = Callable[[Window, int], Action | None]
OVER = Action("over")


@cache
def seats_by_role(ruleset: Ruleset) -> Mapping[str, list[int]]:
    """Map roles to the seats that hold them in games of SEED."""
    seats: dict[str, list[int]] = {}
    for event in play(ruleset, SEED, drawing_hand(SEED)).log:
        if event.kind == "role_dealt":
            seats.setdefault(event["role"], []).append(event["seat"])
    return seats


def silent(window: Window, seat: int) -> Action:
    """Answer speech with Over, and other windows with the first legal choice."""
    if isinstance(window.legal, Pick):
        return pick(window.options_for(seat)[0])
    return OVER


def run(ruleset: Ruleset, settings: dict[str, Any] | None = None, **by_kind: KindHand) -> GameRun:
    """Play a game to its end with the hands `by_kind`. Other windows are answered silently."""

    def hand(window: Window, seat: int) -> Action | None:
        return by_kind.get(window.kind, silent)(window, seat)

    return play(ruleset, SEED, hand, settings)


def all_for(*targets: int) -> KindHand:
    """Build a hand that chooses targets[day - 1], or the last target on later days.

    An illegal target is replaced by the first legal choice. A target of 0 means a timeout.
    """

    def hand(window: Window, seat: int) -> Action | None:
        day = max(1, window.moment.day)
        target = targets[min(day, len(targets)) - 1]
        if not target:
            return None
        return pick(target) if target in window.options_for(seat) else silent(window, seat)

    return hand


def wild_hand(seed: str) -> Hand:
    """Build a random hand with all kinds of statements, passes, timeouts and choices."""
    rng = SeededRandom(seed)
    draw = drawing_hand(seed)

    def hand(window: Window, seat: int) -> Action | None:
        where = f"{window.key}/{seat}"
        if rng.below(f"{where}/late", 8) == 0:
            return None
        if isinstance(window.legal, Pick):
            return draw(window, seat)
        manner = rng.choice(f"{where}/manner", ("say", "say", "say", "skip", "over"))
        if manner != "say":
            return Action(manner)
        words = rng.choice(
            f"{where}/words",
            (
                "",
                "hi",
                "@everyone hello",
                "terribly-long " * 20,
                "@Arlo you and @Bram too",
                "ä 🐺 ＠Arlo",
            ),
        )
        name = rng.choice(f"{where}/name", LARGE.seat_names)
        return Action("say", f"{words} @{name} {words}".strip() if seat % 2 else words.strip())

    return hand
