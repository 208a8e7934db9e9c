"""Connections that stay open, and commits that don't wait for the disk."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest
from django.core.signals import request_finished
from django.db import close_old_connections, connection, connections, transaction

from webapp.connections import keep_open, unsynced
from webapp.play.models import Lease
from webapp.play.tables.opening import TableOptions, open_table
from webapp.play.turns.leases import hold_lease

SYNCED, UNSYNCED = 2, 1  # SQLite's FULL and NORMAL


def synchronous() -> int:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA synchronous")
        return int(cursor.fetchone()[0])


@pytest.fixture
def kept_open() -> Iterator[None]:
    before = dict(connections.settings["default"])
    connection.close()  # its age counts from when it is opened
    keep_open()
    yield
    request_finished.disconnect(dispatch_uid="connections")
    connections.settings["default"] |= before
    connection.close()


@pytest.mark.django_db(transaction=True)
def test_unsynced_block_skips_disk_sync_only_outside_transactions() -> None:
    assert synchronous() == SYNCED
    with unsynced():
        assert synchronous() == UNSYNCED
    assert synchronous() == SYNCED
    with transaction.atomic(), unsynced():
        assert synchronous() == SYNCED


@pytest.mark.django_db(transaction=True)
def test_writes_after_a_lease_are_synced_again() -> None:
    game = open_table(uuid.uuid4(), TableOptions(mode="watch", pace="none"))
    with hold_lease(game.pk, 1, "w") as mine:
        assert mine
        assert synchronous() == SYNCED
        with hold_lease(game.pk, 1, "w") as again:  # refused by the database, in the midst of it
            assert not again
            assert synchronous() == SYNCED
    assert synchronous() == SYNCED
    assert not Lease.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_connection_stays_open_after_a_task_and_closes_after_a_request(kept_open: None) -> None:
    connection.ensure_connection()
    raw = connection.connection
    close_old_connections()  # as before and after every task and look
    assert connection.connection is raw
    request_finished.send(sender=None)
    assert connection.connection is None
