"""What is deleted leaves SQLite's files too. Nothing to do for other databases."""

from __future__ import annotations

from django.db import connection


def overwrite_what_is_deleted() -> None:
    """From now on, on this connection: SQLite would leave the bytes of deleted rows in its file."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA secure_delete=ON")


def shred() -> None:
    """Let SQLite's journal forget as well, where nobody is reading from it."""
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
