"""The lifetime of this process's database connections, and the durability of its writes."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.signals import request_finished
from django.db import connection, connections

MAX_AGE_S = 300
# Statements that let a commit return before the disk has the data, and statements that undo this.
_SYNC_OFF = {"sqlite": "PRAGMA synchronous=NORMAL", "postgresql": "SET synchronous_commit TO off"}
_SYNC_ON = {"sqlite": "PRAGMA synchronous=FULL", "postgresql": "SET synchronous_commit TO on"}

_thread = threading.local()  # is_asynchronous: its connection never waits for the disk


def keep_open() -> None:
    """Keep database connections open between tasks, with health checks.

    Use it in processes with long-lived threads, because opening a connection takes longer than a
    query. Each request runs in its own thread and closes its connection when it finishes.
    """
    connections.settings["default"] |= {"CONN_MAX_AGE": MAX_AGE_S, "CONN_HEALTH_CHECKS": True}
    request_finished.connect(close_all_connections, dispatch_uid="connections")


def close_all_connections(**_: Any) -> None:
    connections.close_all()


@contextmanager
def asynchronous_commits() -> Iterator[None]:
    """Commit without waiting for the disk inside the block.

    Such writes survive the end of every process, but a power cut may lose them. Use the block for
    short-lived data such as leases and presence. It has no effect inside a transaction.
    """
    if connection.in_atomic_block or getattr(_thread, "is_asynchronous", False):
        yield
        return
    _execute(_SYNC_OFF)
    try:
        yield
    finally:
        _execute(_SYNC_ON)


def disable_synchronous_commit() -> None:
    """Turn off synchronous commits on this thread's connection, until it reconnects."""
    _execute(_SYNC_OFF)
    # Otherwise the end of `asynchronous_commits` would turn them on again.
    _thread.is_asynchronous = True


def _execute(statements: dict[str, str]) -> None:
    """Execute the statement for the current database, past Django's query log that tests count."""
    connection.ensure_connection()
    with connection.wrap_database_errors:
        connection.connection.execute(statements[connection.vendor])
