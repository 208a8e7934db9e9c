"""Effect of each faculty on votes: the same deals, played with one faculty removed."""

from __future__ import annotations

from dataclasses import dataclass

from agents.recipe import Recipe
from tests.agents.table import play

FACULTIES = ("persona", "favor", "memory", "judgement", "strategy")


@dataclass(frozen=True)
class ReducedRecipe(Recipe):
    """A recipe without the faculty `removed`, or with all faculties for ""."""

    removed: str = ""

    @property
    def faculties(self) -> tuple[str, ...]:
        return tuple(f for f in super().faculties if f != self.removed)


def votes(seed: str, removed: str = "") -> dict[int, int]:
    """Return the votes by seat in the game of `seed`, played without the faculty `removed`."""
    game = play(seed, recipe=ReducedRecipe(removed=removed))
    return {e["seat"]: e["targets"][0] for e in game.log if e.kind == "vote"}


def count_changed_votes(seed: str) -> dict[str, int]:
    """Number of the eight votes that change without each faculty."""
    full = votes(seed)
    return {f: sum(full[s] != t for s, t in votes(seed, f).items()) for f in FACULTIES}
