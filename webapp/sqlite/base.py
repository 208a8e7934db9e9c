"""Django's SQLite engine, with a queue for the writers of one process.

SQLite lets one writer in at a time; those who wait nap and look again, and out of hundreds of
threads (a simulation of twenty games, a worker) some look in vain until their patience ends:
"database is locked". Here the threads of a process stand in a queue, and only other processes are
napped for.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

PATIENCE = 60.0  # seconds
WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE")

_turns: dict[str, threading.Lock] = defaultdict(threading.Lock)  # by database file


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that waits its turn before it writes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._mine = False  # a transaction of this connection has the turn

    def _wait(self) -> threading.Lock:
        turn = _turns[str(self.settings_dict["NAME"])]
        if not turn.acquire(timeout=PATIENCE):
            raise OperationalError("database is locked")
        return turn

    @contextmanager
    def turn(self) -> Iterator[None]:
        """For one statement outside any transaction."""
        turn = self._wait()
        try:
            yield
        finally:
            turn.release()

    def _start_transaction_under_autocommit(self) -> None:
        self._wait()
        self._mine = True
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._release()
            raise

    def _release(self) -> None:
        """The next one's turn, once this connection is in no transaction any more."""
        if self._mine and not (self.connection and self.connection.in_transaction):
            self._mine = False
            _turns[str(self.settings_dict["NAME"])].release()

    def _commit(self) -> None:
        try:
            super()._commit()  # type: ignore[misc]
        finally:
            self._release()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._release()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self.connection = None
            self._release()

    def create_cursor(self, name: str | None = None) -> Cursor:
        cursor: Cursor = self.connection.cursor(factory=Cursor)
        cursor.wrapper = self
        return cursor


class Cursor(base.SQLiteCursorWrapper):
    """A cursor whose writes outside a transaction wait their turn as well."""

    wrapper: DatabaseWrapper

    def execute(self, query: str, params: Any = None) -> Any:
        if not query.startswith(WRITES) or self.wrapper.in_atomic_block or self.wrapper._mine:
            return super().execute(query, params)
        with self.wrapper.turn():
            return super().execute(query, params)
