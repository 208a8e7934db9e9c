"""Crashes between any two steps of one piece of work.

Before each transaction, and before each write outside one. A crash within a transaction leaves what
a crash before it leaves.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any
from unittest import mock

from django.db import connection
from django.db.transaction import Atomic

from game import cached_games

WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE")


class Killed(BaseException):
    """The process ends here: no `except Exception` sees it."""


@contextmanager
def killed_before(step: int) -> Iterator[list[int]]:
    """Raise Killed before that step, counted from 1. Yields the list of steps that were begun."""
    begun: list[int] = []
    enter = Atomic.__enter__

    def count() -> None:
        if not connection.in_atomic_block:
            begun.append(len(begun) + 1)
            if begun[-1] == step:
                raise Killed

    def counted_enter(self: Atomic) -> None:
        count()
        enter(self)

    def counted_write(execute: Any, sql: str, *more: Any) -> Any:
        if sql.startswith(WRITES):
            count()
        return execute(sql, *more)

    patched = mock.patch.object(Atomic, "__enter__", counted_enter)
    with patched, connection.execute_wrapper(counted_write), suppress(Killed):
        yield begun


def crash_everywhere(work: Callable[[], object], check: Callable[[], object]) -> int:
    """Do the work again and again from the same rows, each time killed one step later, at last not
    at all; `check` after each. Returns: the number of steps. SQLite only."""
    connection.ensure_connection()
    with closing(sqlite3.connect(":memory:")) as saved:
        connection.connection.backup(saved)
        step = 0
        while True:
            step += 1
            with killed_before(step) as begun:
                work()
            check()
            if len(begun) < step:
                return len(begun)
            saved.backup(connection.connection)
            cached_games.clear_cache()
