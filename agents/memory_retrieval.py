"""Memory retrieval: which statements of other players an agent recalls (SPEC 2.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

DECAY = 0.95  # per turn
WEIGHTS = (0.5, 2.0, 2.0)  # recency, importance, fondness
KEPT = 10


@dataclass(frozen=True)
class Remembered:
    """Statement in one agent's memory.

    Attributes:
        turn: the speaking turn of the statement, from 1.
        touched: the turn when it was last heard or retrieved.
        then: favor toward its speaker at the time of the statement.
        now: favor toward its speaker now.
    """

    turn: int
    speaker: int
    text: str
    touched: int
    then: float
    now: float


@dataclass(frozen=True)
class Retrieved:
    """Retrieved memory with its three figures, each scaled to 0 … 1."""

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
    """Return the `count` memories with the highest scores at turn `turn`, by time.

    Among equal scores the later memory wins.
    """
    recency = scaled([DECAY ** (turn - m.touched) for m in memories])
    importance = scaled([m.then for m in memories])
    fondness = scaled([m.now for m in memories])
    scored = [Retrieved(*row) for row in zip(memories, recency, importance, fondness, strict=True)]
    best = sorted(scored, key=lambda r: (-r.score, -r.memory.turn))[:count]
    return sorted(best, key=lambda r: r.memory.turn)


def scaled(values: Sequence[float]) -> list[float]:
    """Return the values scaled min–max to 0 … 1, all 0 if they are constant."""
    if not values:
        return []
    low, high = min(values), max(values)
    return [(v - low) / (high - low) if high > low else 0.0 for v in values]
