"""Django's SQLite engine, with a queue for the writers of one process.

SQLite permits one writer at a time. The others sleep and retry. Among hundreds of threads (a
simulation of twenty games, a worker) some would retry in vain until their timeout: "database is
locked". With this backend the threads of a process wait in a queue, and only locks of other
processes are retried.
"""

import threading
from collections import defaultdict
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

LOCK_TIMEOUT_S = 60.0  # a writer waits at most this long for its turn
WRITE_KEYWORDS = ("INSERT", "UPDATE", "DELETE", "REPLACE")

_writer_locks: dict[str, threading.Lock] = defaultdict(threading.Lock)  # database file -> its lock


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that waits for its file's lock before it writes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._holds_lock = False  # whether a transaction of this connection holds the lock

    def acquire_lock(self) -> threading.Lock:
        """Wait for the lock of this connection's file. The caller releases it."""
        lock = _writer_locks[str(self.settings_dict["NAME"])]
        if not lock.acquire(timeout=LOCK_TIMEOUT_S):  # the error that SQLite itself would raise
            raise OperationalError("database is locked")
        return lock

    def _start_transaction_under_autocommit(self) -> None:
        self.acquire_lock()
        self._holds_lock = True
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._release_lock()
            raise

    def _release_lock(self) -> None:
        """Release the lock once this connection has no transaction any more."""
        if self._holds_lock and not (self.connection and self.connection.in_transaction):
            self._holds_lock = False
            _writer_locks[str(self.settings_dict["NAME"])].release()

    def _commit(self) -> None:
        try:
            super()._commit()  # type: ignore[misc]
        finally:
            self._release_lock()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._release_lock()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self.connection = None
            self._release_lock()

    def create_cursor(self, name: str | None = None) -> "Cursor":
        cursor: Cursor = self.connection.cursor(factory=Cursor)
        cursor.wrapper = self
        return cursor


class Cursor(base.SQLiteCursorWrapper):
    """A cursor whose writes outside a transaction wait for the lock as well."""

    wrapper: DatabaseWrapper

    def execute(self, query: str, params: Any = None) -> Any:
        if (
            not query.startswith(WRITE_KEYWORDS)
            or self.wrapper.in_atomic_block
            or self.wrapper._holds_lock
        ):
            return super().execute(query, params)
        lock = self.wrapper.acquire_lock()
        try:
            return super().execute(query, params)
        finally:
            lock.release()
