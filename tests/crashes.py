"""Crashes between any two steps of one piece of work.

A step is a transaction, or a write outside of one. A crash within a transaction has the effect of
a crash before it.
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

WRITE_STATEMENTS = ("INSERT", "UPDATE", "DELETE", "REPLACE")


class Killed(BaseException):
    """The end of the process, which no `except Exception` catches."""


@contextmanager
def crash_before(step: int) -> Iterator[list[int]]:
    """Raise Killed before that step, counted from 1. Yield the list of begun steps."""
    begun_steps: list[int] = []
    enter = Atomic.__enter__

    def count() -> None:
        if not connection.in_atomic_block:
            begun_steps.append(len(begun_steps) + 1)
            if begun_steps[-1] == step:
                raise Killed

    def enter_and_count(self: Atomic) -> None:
        count()
        enter(self)

    def execute_and_count(execute: Any, sql: str, *arguments: Any) -> Any:
        if sql.startswith(WRITE_STATEMENTS):
            count()
        return execute(sql, *arguments)

    patch = mock.patch.object(Atomic, "__enter__", enter_and_count)
    with patch, connection.execute_wrapper(execute_and_count), suppress(Killed):
        yield begun_steps


def crash_everywhere(work: Callable[[], object], check: Callable[[], object]) -> int:
    """Repeat the work from the same rows, and crash one step later each time.

    The last run does not crash. Calls `check` after each run. Returns: the number of steps. SQLite
    only.
    """
    connection.ensure_connection()
    with closing(sqlite3.connect(":memory:")) as snapshot:
        connection.connection.backup(snapshot)
        step = 0
        while True:
            step += 1
            with crash_before(step) as begun_steps:
                work()
            check()
            if len(begun_steps) < step:
                return len(begun_steps)
            snapshot.backup(connection.connection)
            cached_games.clear_cache()
