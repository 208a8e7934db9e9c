"""Random numbers that depend only on the game's seed and the purpose of the draw."""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class SeededRandom:
    """Draws that depend on (seed, purpose) alone, not on their order, the machine or Python."""

    def __init__(self, seed: str) -> None:
        self.seed = seed

    @property
    def deal_generator(self) -> "SeededRandom":
        """The generator for the deal, which uses only the part of the seed before a "#".

        So games with the seeds "a#1" and "a#2" have the same deal.
        """
        return SeededRandom(self.seed.partition("#")[0])

    def below(self, purpose: str, bound: int) -> int:
        """Return a number in [0, bound). The bound must be positive."""
        if bound < 1:
            raise ValueError(f"nothing to draw from for {purpose}")
        # The bias is negligible: 128 bits, and bounds of a few hundred at most.
        name = f"{self.seed}\x00{purpose}".encode()
        return int.from_bytes(hashlib.sha256(name).digest()[:16], "big") % bound

    def choice(self, purpose: str, options: Sequence[T]) -> T:
        return options[self.below(purpose, len(options))]

    def shuffled(self, purpose: str, items: Sequence[T]) -> list[T]:
        """Return all `items` in a drawn order (Fisher-Yates shuffle)."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            partner = self.below(f"{purpose}/{last}", last + 1)
            result[last], result[partner] = result[partner], result[last]
        return result

    def sample(self, purpose: str, items: Sequence[T], count: int) -> list[T]:
        """Return `count` different elements of `items`, in their original order."""
        chosen = set(self.shuffled(purpose, range(len(items)))[:count])
        return [item for i, item in enumerate(items) if i in chosen]
