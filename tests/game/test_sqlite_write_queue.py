"""Threads of one process write to SQLite in turn, without "database is locked" errors."""

from __future__ import annotations

import threading

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction

from game.models import Heartbeat

pytestmark = pytest.mark.django_db(transaction=True)
THREADS, TIMES = 16, 12


def write(barrier: threading.Barrier, errors: list[Exception]) -> None:
    """Update the heartbeat in and outside of transactions, without SQLite's busy timeout."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout=0")
        barrier.wait()
        for _ in range(TIMES):
            with transaction.atomic():
                heartbeat = Heartbeat.objects.select_for_update().get()
                heartbeat.at = heartbeat.at.replace(microsecond=heartbeat.at.microsecond + 1)
                heartbeat.save()
            # Outside a transaction: no row has key 0, but the statement needs the write lock.
            Heartbeat.objects.filter(pk=0).update(at=heartbeat.at)
    except (OperationalError, threading.BrokenBarrierError) as error:
        errors.append(error)
    finally:
        connection.close()


def test_threads_write_in_turn_without_losing_writes() -> None:
    Heartbeat.objects.create(at="2026-11-21T00:00:00Z")
    barrier, errors = threading.Barrier(THREADS), []
    threads = [threading.Thread(target=write, args=(barrier, errors)) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not errors
    assert Heartbeat.objects.get().at.microsecond == THREADS * TIMES


def test_failed_or_open_transaction_releases_its_turn() -> None:
    def fail_transactions() -> None:
        Heartbeat.objects.create(pk=1, at="2026-11-21T00:00:00Z")
        with pytest.raises(IntegrityError), transaction.atomic():
            Heartbeat.objects.create(pk=1, at="2026-11-21T00:00:00Z")
        transaction.atomic().__enter__()
        Heartbeat.objects.create(at="2026-11-21T00:00:00Z")
        connection.close()

    thread = threading.Thread(target=fail_transactions)
    thread.start()
    thread.join(30)
    assert Heartbeat.objects.create(at="2026-11-21T00:00:00Z").pk
    assert Heartbeat.objects.count() == 2, "the open transaction is rolled back"
