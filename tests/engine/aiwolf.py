"""Games of the contest whose hands are led: silent by default, other by kind of window."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from game.engine import rulesets
from game.engine.forms import Action, Pick, pick
from game.engine.ruleset import Ruleset
from game.engine.seeded_random import SeededRandom
from game.engine.windows import Window
from tests.engine.playing import Hand, Round, drawing_hand, play

SEED = "aiwolf"
SMALL, LARGE = rulesets.get("aiwolf-5"), rulesets.get("aiwolf-13")
CONTEST: dict[str, Any] = dict(LARGE.presets[0].settings)
Led = Callable[[Window, int], Action | None]
OVER = Action("over")


@cache
def dealt(ruleset: Ruleset) -> Mapping[str, list[int]]:
    """role -> the seats that hold it in games of SEED."""
    seats: dict[str, list[int]] = {}
    for event in play(ruleset, SEED, drawing_hand(SEED)).log:
        if event.kind == "role_dealt":
            seats.setdefault(event["role"], []).append(event["seat"])
    return seats


def silent(window: Window, seat: int) -> Action:
    """Over to every question of speech, and the first legal choice."""
    if isinstance(window.legal, Pick):
        return pick(window.options_for(seat)[0])
    return OVER


def led(ruleset: Ruleset, settings: dict[str, Any] | None = None, **by_kind: Led) -> Round:
    """A game to its end: windows of a kind in `by_kind` are answered by it, all others silently."""

    def hand(window: Window, seat: int) -> Action | None:
        return by_kind.get(window.kind, silent)(window, seat)

    return play(ruleset, SEED, hand, settings)


def all_for(*targets: int) -> Led:
    """Everybody chooses targets[0] on day 1, targets[1] on day 2, …, and then the last one.

    Who may not choose it takes the first legal choice. 0: lets the time run out.
    """

    def hand(window: Window, seat: int) -> Action | None:
        day = max(1, window.moment.day)
        wanted = targets[min(day, len(targets)) - 1]
        if not wanted:
            return None
        return pick(wanted) if wanted in window.options_for(seat) else silent(window, seat)

    return hand


def wild_hand(seed: str) -> Hand:
    """Talks long, short, blank and to others; skips, ends and misses turns; chooses by lot."""
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
