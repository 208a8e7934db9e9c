"""The lifetime of this process's database connections, and the durability of its writes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.signals import request_finished
from django.db import connection, connections

MAX_AGE_S = 300
# Statements that let a commit return before the disk has the data, and statements that undo this.
_UNSYNCED = {"sqlite": "PRAGMA synchronous=NORMAL", "postgresql": "SET synchronous_commit TO off"}
_SYNCED = {"sqlite": "PRAGMA synchronous=FULL", "postgresql": "SET synchronous_commit TO on"}

_thread = threading.local()  # attribute `unsynced`: its connection never waits for the disk


def keep_open() -> None:
    """Keep database connections open between tasks, with health checks.

    Use it in processes with long-lived threads, because opening a connection takes longer than a
    query. A request has a thread of its own and still closes its connection at its end.
    """
    connections.settings["default"] |= {"CONN_MAX_AGE": MAX_AGE_S, "CONN_HEALTH_CHECKS": True}
    request_finished.connect(_close, dispatch_uid="connections")


def _close(**_: Any) -> None:
    connections.close_all()


@contextmanager
def unsynced() -> Iterator[None]:
    """Commit without waiting for the disk inside the block.

    Such writes survive the end of every process, but a power cut may lose them. Use the block for
    short-lived data such as leases and presence. It has no effect inside a transaction.
    """
    if connection.in_atomic_block or getattr(_thread, "unsynced", False):
        yield
        return
    _execute(_UNSYNCED)
    try:
        yield
    finally:
        _execute(_SYNCED)


def turn_off_sync() -> None:
    """Turn off synchronous commits on this thread's connection for good."""
    _execute(_UNSYNCED)
    _thread.unsynced = True  # otherwise the end of `unsynced` would turn it on again


def _execute(statements: dict[str, str]) -> None:
    """Execute the statement for the current database, past Django's query log that tests count."""
    connection.ensure_connection()
    with connection.wrap_database_errors:
        connection.connection.execute(statements[connection.vendor])
