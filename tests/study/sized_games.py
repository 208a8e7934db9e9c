"""One-night games with other numbers of seats."""

from __future__ import annotations

from typing import Any

from game.engine import rulesets
from game.engine.rulesets.one_night import OneNight
from game.models import Game
from tests.study.world import ended_game

NAMES = (*OneNight.seat_names, "Iota", "Kappa", "Lambda", "Sigma", "Omega")
DECK = ("seer", "mason", "mason", "werewolf", "minion", "tanner")


def register_ruleset(seats: int) -> str:
    """Register a one-night ruleset for 5 to 13 seats. Returns: its name.

    The ruleset stays registered for all later tests of the process.
    """
    name = f"one-night-{seats}"
    deck = (*DECK[:seats], *["villager"] * (seats - len(DECK)))
    sized = type("Sized", (OneNight,), {"name": name, "seat_names": NAMES[:seats], "deck": deck})
    rulesets.register(sized())
    return name


def finished_sized_game(seats: int, seed: str = "1", **more: Any) -> Game:
    """Return a finished game with that number of seats."""
    return ended_game(seed, ruleset=register_ruleset(seats), **more)
