"""How long this process's database connections stay open, and what its writes survive."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.signals import request_finished
from django.db import connection, connections

AGE = 300  # seconds
# Statements that let a commit return before the disk has it, and that end this.
_UNSYNCED = {"sqlite": "PRAGMA synchronous=NORMAL", "postgresql": "SET synchronous_commit TO off"}
_SYNCED = {"sqlite": "PRAGMA synchronous=FULL", "postgresql": "SET synchronous_commit TO on"}


def keep_open() -> None:
    """From now on the connections of this process's threads are used again, and asked whether they
    still work first. For processes whose threads last: opening one takes longer than a query.

    A request has a thread of its own, and still closes its connection as it ends.
    """
    connections.settings["default"] |= {"CONN_MAX_AGE": AGE, "CONN_HEALTH_CHECKS": True}
    request_finished.connect(_close, dispatch_uid="connections")


def _close(**_: Any) -> None:
    connections.close_all()


@contextmanager
def unsynced() -> Iterator[None]:
    """What is written in here survives the end of every process, but may be lost in a power cut:
    the commit does not wait for the disk. For what is true for seconds: a lease, who is there.

    Inside a transaction it changes nothing.
    """
    if connection.in_atomic_block:
        yield
        return
    _say(_UNSYNCED)
    try:
        yield
    finally:
        _say(_SYNCED)


def unsynced_for_good() -> None:
    """The same for all that this thread's connection will ever write."""
    _say(_UNSYNCED)


def _say(statements: dict[str, str]) -> None:
    """Tell the server, past Django, which would count and log it as a query."""
    connection.ensure_connection()
    with connection.wrap_database_errors:
        connection.connection.execute(statements[connection.vendor])
