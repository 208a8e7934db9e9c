"""Memory retrieval: which statements of other players an agent recalls (SPEC 2.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

DECAY = 0.95  # per turn
WEIGHTS = (0.5, 2.0, 2.0)  # recency, importance, fondness
MAX_MEMORIES = 10


@dataclass(frozen=True)
class Remembered:
    """Statement in one agent's memory.

    Attributes:
        turn: the speaking turn of the statement, from 1.
        last_access: the turn when it was last heard or retrieved.
        favor_then: favor toward its speaker when it was said.
        favor_now: favor toward its speaker at retrieval.
    """

    turn: int
    speaker: int
    text: str
    last_access: int
    favor_then: float
    favor_now: float


@dataclass(frozen=True)
class Retrieved:
    """A memory with the three figures of its score, each scaled to 0 … 1."""

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


def retrieve(
    memories: Sequence[Remembered], turn: int, count: int = MAX_MEMORIES
) -> list[Retrieved]:
    """Return the `count` memories with the highest scores at turn `turn`, by time.

    Among equal scores the later memory wins.
    """
    recency = _scale_min_max([DECAY ** (turn - m.last_access) for m in memories])
    importance = _scale_min_max([m.favor_then for m in memories])
    fondness = _scale_min_max([m.favor_now for m in memories])
    retrievals = [
        Retrieved(*row) for row in zip(memories, recency, importance, fondness, strict=True)
    ]
    best = sorted(retrievals, key=lambda r: (-r.score, -r.memory.turn))[:count]
    return sorted(best, key=lambda r: r.memory.turn)


def _scale_min_max(values: Sequence[float]) -> list[float]:
    """Return the values scaled to 0 … 1 by their minimum and maximum, all 0 if they are equal."""
    if not values:
        return []
    low, high = min(values), max(values)
    return [(v - low) / (high - low) if high > low else 0.0 for v in values]
