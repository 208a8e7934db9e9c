"""Stores and loads the notes of the agents' minds."""

from __future__ import annotations

from collections.abc import Iterable

from agents.mind import Note
from game import sql_statements
from game.models import Game, moment_columns
from webapp.play.models import MindNote

# Key in the data of a note or a reply that held only text, which was removed.
WITHDRAWN = "withdrawn"


def load_notes(game: Game, seat: int) -> list[Note]:
    """Return all notes of the seat's mind, in the order they were written."""
    rows = sql_statements.select(MindNote, order="id", game_id=game.pk, seat=seat)
    return [note_of(row) for row in rows]


def usable_notes(game: Game, seat: int) -> list[Note]:
    """Return the notes that the mind may still use, without withdrawn ones."""
    return [n for n in load_notes(game, seat) if not n.data.get(WITHDRAWN)]


def note_of(row: MindNote) -> Note:
    """Return a stored note as the mind reads it."""
    return Note(row.faculty, row.moment, row.data, "" if row.preparation else row.window)


def store_notes(game: Game, seat: int, key: str, notes: Iterable[Note]) -> None:
    """Store the notes that a mind made.

    Args:
        key: That of the window or of the preparation.
    """
    rows = [
        MindNote(
            game=game,
            seat=seat,
            window=key,
            preparation=not n.window,
            faculty=n.faculty,
            data=n.data,
            **moment_columns(n.moment),
        )
        for n in notes
    ]
    sql_statements.insert(rows)
