"""The threads of one process write to SQLite in turn: nobody is told that it is locked."""

from __future__ import annotations

import threading

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction

from game.models import Heartbeat

pytestmark = pytest.mark.django_db(transaction=True)
THREADS, TIMES = 16, 12


def write(at_once: threading.Barrier, errors: list[Exception]) -> None:
    """Add to the one pulse, in transactions and outside, without SQLite's own patience."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout=0")
        at_once.wait()
        for _ in range(TIMES):
            with transaction.atomic():
                pulse = Heartbeat.objects.select_for_update().get()
                pulse.at = pulse.at.replace(microsecond=pulse.at.microsecond + 1)
                pulse.save()
            Heartbeat.objects.filter(pk=0).update(at=pulse.at)
    except (OperationalError, threading.BrokenBarrierError) as error:
        errors.append(error)
    finally:
        connection.close()


def test_threads_write_in_turn_and_no_write_is_lost() -> None:
    Heartbeat.objects.create(at="2026-11-21T00:00:00Z")
    at_once, errors = threading.Barrier(THREADS), []
    crowd = [threading.Thread(target=write, args=(at_once, errors)) for _ in range(THREADS)]
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join(60)
    assert not errors
    assert Heartbeat.objects.get().at.microsecond == THREADS * TIMES


def test_a_transaction_that_fails_or_is_left_open_gives_its_turn_back() -> None:
    def in_vain() -> None:
        Heartbeat.objects.create(pk=1, at="2026-11-21T00:00:00Z")
        with pytest.raises(IntegrityError), transaction.atomic():
            Heartbeat.objects.create(pk=1, at="2026-11-21T00:00:00Z")
        transaction.atomic().__enter__()
        Heartbeat.objects.create(at="2026-11-21T00:00:00Z")
        connection.close()

    other = threading.Thread(target=in_vain)
    other.start()
    other.join(30)
    assert Heartbeat.objects.create(at="2026-11-21T00:00:00Z").pk
    assert Heartbeat.objects.count() == 2, "what was not committed is gone"
