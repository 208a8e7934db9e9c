"""Tests of connections that stay open, and of commits without a disk sync."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest
from django.core.signals import request_finished
from django.db import close_old_connections, connection, connections, transaction

from webapp.connections import asynchronous_commits, keep_open
from webapp.play.models import Lease
from webapp.play.tables.opening import TableOptions, open_table
from webapp.play.turns.leases import hold_lease

SYNCED, UNSYNCED = 2, 1  # SQLite's FULL and NORMAL


def synchronous_mode() -> int:
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
def test_asynchronous_commits_block_skips_disk_sync_only_outside_transactions() -> None:
    assert synchronous_mode() == SYNCED
    with asynchronous_commits():
        assert synchronous_mode() == UNSYNCED
    assert synchronous_mode() == SYNCED
    with transaction.atomic(), asynchronous_commits():
        assert synchronous_mode() == SYNCED


@pytest.mark.django_db(transaction=True)
def test_writes_after_a_lease_are_synced_again() -> None:
    game = open_table(uuid.uuid4(), TableOptions(mode="watch", pace="none"))
    with hold_lease(game.pk, 1, "w") as is_held:
        assert is_held
        assert synchronous_mode() == SYNCED
        with hold_lease(game.pk, 1, "w") as is_held_again:  # refused by the database
            assert not is_held_again
            assert synchronous_mode() == SYNCED
    assert synchronous_mode() == SYNCED
    assert not Lease.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_connection_stays_open_after_a_task_and_closes_after_a_request(kept_open: None) -> None:
    connection.ensure_connection()
    database_connection = connection.connection
    close_old_connections()  # as before and after every task and search
    assert connection.connection is database_connection
    request_finished.send(sender=None)
    assert connection.connection is None
