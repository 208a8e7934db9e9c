"""How long this process's database connections stay open, and how durable its writes are."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.signals import request_finished
from django.db import connection, connections

AGE = 300  # seconds
# Statements that let a commit return before the disk has the data, and that undo this.
_UNSYNCED = {"sqlite": "PRAGMA synchronous=NORMAL", "postgresql": "SET synchronous_commit TO off"}
_SYNCED = {"sqlite": "PRAGMA synchronous=FULL", "postgresql": "SET synchronous_commit TO on"}

_thread = threading.local()  # .unsynced: its connection never waits for the disk


def keep_open() -> None:
    """Keep database connections open between tasks, with health checks.

    For processes with long-lived threads: opening a connection takes longer than a query. A request
    has a thread of its own, and still closes its connection when it ends.
    """
    connections.settings["default"] |= {"CONN_MAX_AGE": AGE, "CONN_HEALTH_CHECKS": True}
    request_finished.connect(_close, dispatch_uid="connections")


def _close(**_: Any) -> None:
    connections.close_all()


@contextmanager
def unsynced() -> Iterator[None]:
    """Commit without waiting for the disk inside the block.

    Such writes survive the end of every process, but a power cut may lose them. Use it for
    short-lived data such as leases and presence. Inside a transaction it has no effect.
    """
    if connection.in_atomic_block or getattr(_thread, "unsynced", False):
        yield
        return
    _say(_UNSYNCED)
    try:
        yield
    finally:
        _say(_SYNCED)


def turn_off_sync() -> None:
    """Turn off synchronous commits on this thread's connection for good."""
    _say(_UNSYNCED)
    _thread.unsynced = True  # or the end of `unsynced` would turn it on again


def _say(statements: dict[str, str]) -> None:
    """Send a statement without Django's query log, which would count it."""
    connection.ensure_connection()
    with connection.wrap_database_errors:
        connection.connection.execute(statements[connection.vendor])
