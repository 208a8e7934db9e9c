"""What of a mind its votes show: the same deals, played by minds that lack one faculty."""

from __future__ import annotations

from dataclasses import dataclass

from agents.recipe import Recipe
from tests.agents.table import play

FACULTIES = ("persona", "favor", "memory", "judgement", "strategy")


@dataclass(frozen=True)
class Lacking(Recipe):
    """A recipe without one of its faculties; "" for all of them."""

    lacks: str = ""

    @property
    def faculties(self) -> tuple[str, ...]:
        return tuple(f for f in super().faculties if f != self.lacks)


def votes(seed: str, lacks: str = "") -> dict[int, int]:
    """seat -> whom it votes for in the game of that seed; all minds full but for `lacks`."""
    game = play(seed, recipe=Lacking(lacks=lacks))
    return {e["seat"]: e["targets"][0] for e in game.log if e.kind == "vote"}


def changed(seed: str) -> dict[str, int]:
    """faculty -> how many of the eight votes are others where nobody has it."""
    full = votes(seed)
    return {f: sum(full[s] != t for s, t in votes(seed, f).items()) for f in FACULTIES}
