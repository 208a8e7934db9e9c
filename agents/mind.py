"""An agent's mind: append-only notes, selected by time when they are read (`mind_at`)."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Any

from game.engine.events import Moment

FAILED = "failed"  # `faculty` of notes on failed preparations; their data: {"faculty", "cause"}


@dataclass(frozen=True)
class Note:
    """A note of a faculty.

    Attributes:
        faculty: name of the faculty.
        moment: when its window opened, or when the round began for a preparation of a round.
        data: the content, JSON-shaped.
        window: key of its window, "" for a preparation of a round.
    """

    faculty: str
    moment: Moment
    data: dict[str, Any]
    window: str = ""


@dataclass(frozen=True)
class Mind:
    """The notes that one seat may read at a moment, oldest first (`mind_at`)."""

    notes: tuple[Note, ...] = ()

    def of(self, faculty: str) -> tuple[Note, ...]:
        """Return the notes of one faculty, oldest first."""
        return tuple(n for n in self.notes if n.faculty == faculty)

    def latest(self, faculty: str) -> dict[str, Any]:
        """Return the newest note's data, {} if there is none."""
        notes = self.of(faculty)
        return notes[-1].data if notes else {}

    def plus(self, notes: Iterable[Note]) -> Mind:
        return Mind((*self.notes, *notes))


def mind_at(notes: Iterable[Note], moment: Moment, closed: Container[str]) -> Mind:
    """Return the mind at `moment`.

    Notes prepared for a round are valid from the beginning of the round. Notes of a window are
    valid once that window is closed. If notes of open windows were valid, an answer would depend on
    the speed of other workers. The order of the notes does not depend on it either.

    Args:
        closed: keys of the windows that were closed by then.
    """
    valid_notes = [n for n in notes if (n.window in closed if n.window else n.moment <= moment)]
    # The sort is stable: notes of one window keep the order in which they were made.
    return Mind(tuple(sorted(valid_notes, key=lambda n: (n.moment, bool(n.window), n.window))))
