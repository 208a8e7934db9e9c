"""One-night games at tables of another size, for what depends on the number of seats."""

from __future__ import annotations

from typing import Any

from game.engine import rulesets
from game.engine.rulesets.one_night import OneNight
from game.models import Game
from tests.study.world import ended_game

NAMES = (*OneNight.seat_names, "Iota", "Kappa", "Lambda", "Sigma", "Omega")
DECK = ("seer", "mason", "mason", "werewolf", "minion", "tanner")


def register_ruleset(seats: int) -> str:
    """The name of a ruleset for so many seats (5 to 13), as the one-night game else."""
    name = f"one-night-{seats}"
    deck = (*DECK[:seats], *["villager"] * (seats - len(DECK)))
    sized = type("Sized", (OneNight,), {"name": name, "seat_names": NAMES[:seats], "deck": deck})
    rulesets.register(sized())
    return name


def finished_sized_game(seats: int, seed: str = "1", **more: Any) -> Game:
    """A game of so many seats that is over."""
    return ended_game(seed, ruleset=register_ruleset(seats), **more)
