"""A move: one thing to say. A statement is a few moves, the most pressing of those there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum


class Place(IntEnum):
    """Where in a statement a move stands; of most places at most one move is said."""

    OPEN = 0
    REPLY = 1
    CLAIM = 2
    TABLE = 3
    TURN = 4  # why one changes one's mind
    LEAD = 5  # who wanted to hear what follows
    DOUBT = 6
    TRUST = 7
    VOTE = 8
    ASK = 9
    CLOSE = 10


@dataclass(frozen=True)
class Move:
    """kind: of the phrases. weight: the heaviest are said. names: slot -> seat, or ready words.

    about: the seat it is about, where saying it twice would be tiresome.
    """

    kind: str
    weight: float
    place: Place
    names: Mapping[str, int | str] = field(default_factory=dict)
    about: int = 0

    @property
    def key(self) -> str:
        """How it is remembered as having been said."""
        return f"{self.kind}:{self.about}"
