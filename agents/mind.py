"""A mind is append-only: notes of (round, faculty) that are folded when they are needed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Note:
    """What a faculty wrote down. `data` is JSON-shaped; `round` counts as the ruleset's rounds."""

    faculty: str
    round: int
    data: dict[str, Any]


@dataclass(frozen=True)
class Mind:
    """The notes one seat may read: those of windows that were closed before this one opened.

    (Notes of windows still open would make a thought depend on who was faster.)
    """

    notes: tuple[Note, ...] = ()

    def of(self, faculty: str) -> tuple[Note, ...]:
        """The notes of one faculty, oldest first."""
        return tuple(n for n in self.notes if n.faculty == faculty)

    def latest(self, faculty: str) -> dict[str, Any]:
        """The newest note's data, {} where there is none."""
        notes = self.of(faculty)
        return notes[-1].data if notes else {}

    def plus(self, notes: Iterable[Note]) -> Mind:
        return Mind((*self.notes, *notes))
