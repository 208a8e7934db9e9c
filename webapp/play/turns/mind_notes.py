"""Database rows of the notes of computer players' minds."""

from __future__ import annotations

from collections.abc import Iterable

from agents.mind import Note
from game import sql_statements
from game.models import Game, moment_columns
from webapp.play.models import MindNote

# key in a note's or a reply's data: its text was removed, or it consisted of removed text
WITHDRAWN = "withdrawn"


def notes_of(game: Game, seat: int) -> list[Note]:
    """Return all notes of the seat's mind, in the order they were written."""
    rows = sql_statements.select(MindNote, order="id", game_id=game.pk, seat=seat)
    return [note_of(row) for row in rows]


def usable_notes(game: Game, seat: int) -> list[Note]:
    """Return the notes that the mind may still use, without withdrawn ones."""
    return [n for n in notes_of(game, seat) if not n.data.get(WITHDRAWN)]


def note_of(row: MindNote) -> Note:
    return Note(row.faculty, row.moment, row.data, "" if row.preparation else row.window)


def store_notes(game: Game, seat: int, key: str, notes: Iterable[Note]) -> None:
    """Store notes. key: of the window or the preparation in which they were made."""
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
