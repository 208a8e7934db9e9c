"""A mind: append-only notes of one agent, selected by time when they are read (`mind_at`)."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Any

from game.engine.moments import Moment

FAILED = "failed"  # of notes that tell what could not be prepared: {"faculty", "cause"}


@dataclass(frozen=True)
class Note:
    """A note that a faculty wrote.

    `data` is JSON-shaped.

    moment: when its window opened; of what was prepared for a round, when the round began.
    window: the key of the window it was thought in, "" for what was prepared for a round.
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
        """Return the newest note's data, {} where there is none."""
        notes = self.of(faculty)
        return notes[-1].data if notes else {}

    def plus(self, notes: Iterable[Note]) -> Mind:
        return Mind((*self.notes, *notes))


def mind_at(notes: Iterable[Note], moment: Moment, closed: Container[str]) -> Mind:
    """Return what an agent remembers at `moment`, when the windows `closed` were closed.

    What was prepared for a round holds from then on until the next round's is made, the final
    vote included. What was thought in a window holds once that window is closed: notes of open
    windows would make a thought depend on who was faster. The order depends on no race either;
    `notes` of one window come as they were made.
    """
    notes_held = [n for n in notes if (n.window in closed if n.window else n.moment <= moment)]
    return Mind(tuple(sorted(notes_held, key=lambda n: (n.moment, bool(n.window), n.window))))
