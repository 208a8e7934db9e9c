"""Memory: which of the others' words come back to mind (SPEC 2.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

DECAY = 0.95  # a turn
WEIGHTS = (0.5, 2.0, 2.0)  # recency, importance, fondness
KEPT = 10


@dataclass(frozen=True)
class Remembered:
    """An utterance as one agent keeps it.

    turn: the speaking turn it was said in, from 1. touched: the turn it was last heard or
    retrieved. then: the favor toward its speaker when it was said; now: the favor now.
    """

    turn: int
    speaker: int
    text: str
    touched: int
    then: float
    now: float


@dataclass(frozen=True)
class Retrieved:
    """A retrieved memory with its three scores, each in [0, 1], and their sum."""

    memory: Remembered
    recency: float
    importance: float
    fondness: float

    @property
    def score(self) -> float:
        return sum(
            w * x
            for w, x in zip(WEIGHTS, (self.recency, self.importance, self.fondness), strict=True)
        )


def retrieve(memories: Sequence[Remembered], turn: int, count: int = KEPT) -> list[Retrieved]:
    """The `count` memories with the highest scores at speaking turn `turn`, in the order they
    were said; of equal ones the later.
    """
    recency = scaled([DECAY ** (turn - m.touched) for m in memories])
    importance = scaled([m.then for m in memories])
    fondness = scaled([m.now for m in memories])
    scored = [Retrieved(*row) for row in zip(memories, recency, importance, fondness, strict=True)]
    best = sorted(scored, key=lambda r: (-r.score, -r.memory.turn))[:count]
    return sorted(best, key=lambda r: r.memory.turn)


def scaled(values: Sequence[float]) -> list[float]:
    """Min–max mapped to 0 … 1.

    A constant column maps to 0.
    """
    if not values:
        return []
    low, high = min(values), max(values)
    return [(v - low) / (high - low) if high > low else 0.0 for v in values]
