"""Leases of answers, so that one worker at a time computes an answer.

A lease without a heartbeat has expired: its worker died. A lease counts these workers, except those
that waited for a model, because waiting does not kill a process. After `MAX_ENDED_WORKERS` deaths
it is set aside, and its window gets the default answer. Otherwise one answer could kill worker
after worker and stop every table.

A worker computes several answers at once, and its death does not show which one is the cause. So
suspects (leases with a death) are computed one at a time: the next death shows it.
"""

import logging
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from time import monotonic, sleep
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from game import sql_statements
from webapp.connections import asynchronous_commits
from webapp.play.models import Lease, LLMCall

logger = logging.getLogger(__name__)

HEARTBEAT_INTERVAL_S = 3.0
TICK_S = 0.5  # heartbeats that are due are looked for this often
LEASE_TIMEOUT = timedelta(seconds=10)  # a lease without a heartbeat for this long has expired
MAX_ENDED_WORKERS = 3  # two deaths can be chance: a machine that restarts its workers twice
MAX_SUSPECT_WAIT_S = 20.0  # a suspect waits at most this long for others
SUSPECT_POLL_INTERVAL_S = 0.05  # this often, a suspect checks whether another one is done


def active_leases(game_id: int) -> set[tuple[str, int]]:
    """Return (window key, seat) of the game's active leases."""
    rows = Lease.objects.filter(game_id=game_id, beat_at__range=_active_heartbeats())
    return set(rows.values_list("window", "seat"))


def _active_heartbeats() -> tuple[datetime, datetime]:
    """Return the range of heartbeats of an active lease.

    It includes future heartbeats: the clock may have been set back since.
    """
    now = timezone.now()
    return now - LEASE_TIMEOUT, now + LEASE_TIMEOUT


def is_set_aside(lease: Lease) -> bool:
    """Return whether this answer has killed too many workers to be computed again."""
    return lease.ended_workers >= MAX_ENDED_WORKERS


def _take_lease(game_id: int, seat: int, key: str) -> Lease | None:
    """Take the lease, or take over an expired one. Return None while another worker holds it."""
    subject = {"game_id": game_id, "seat": seat, "window": key}
    lease = Lease(**subject, holder=uuid.uuid4(), beat_at=timezone.now())
    with asynchronous_commits():
        return lease if sql_statements.insert_missing([lease]) else _take_over(subject)


def _take_over(subject: dict[str, Any]) -> Lease | None:
    """Take over an expired lease. Count its worker's death, unless it waited for a model."""
    expired = Lease.objects.filter(**subject).exclude(beat_at__range=_active_heartbeats())
    lease = expired.first()
    if lease is None:
        return None
    in_flight = LLMCall.objects.filter(
        game=lease.game_id, seat=lease.seat, reply__isnull=True, failure=""
    )
    ended = lease.ended_workers + (0 if in_flight.exists() else 1)
    if 0 < ended < MAX_ENDED_WORKERS:
        _wait_for_suspects(lease)
    new_values = {"holder": uuid.uuid4(), "beat_at": timezone.now(), "ended_workers": ended}
    if not expired.filter(holder=lease.holder).update(**new_values):
        return None  # another worker was faster
    lease.refresh_from_db()
    if is_set_aside(lease):
        answer = f"{lease.window} of seat {lease.seat} of {lease.game}"
        logger.error("the answer %s ended %s workers: it is set aside", answer, ended)
    return lease


def _wait_for_suspects(lease: Lease) -> None:
    """Wait until no other seat's suspect is being computed, at most MAX_SUSPECT_WAIT_S."""
    suspects = Lease.objects.exclude(game=lease.game_id, seat=lease.seat).filter(
        ended_workers__gt=0
    )
    end = monotonic() + MAX_SUSPECT_WAIT_S
    while monotonic() < end and suspects.filter(beat_at__range=_active_heartbeats()).exists():
        sleep(SUSPECT_POLL_INTERVAL_S)


@contextmanager
def hold_lease(game_id: int, seat: int, key: str) -> Iterator[Lease | None]:
    """Hold the lease of an answer while thinking. Yields None while another worker holds it."""
    lease = _take_lease(game_id, seat, key)
    if lease is None:
        yield None
        return
    _heartbeats.add(lease.holder)
    try:
        yield lease
    finally:
        if _heartbeats.remove(lease.holder):
            with asynchronous_commits():
                sql_statements.delete(Lease, holder=lease.holder)


def release_lease(lease: Lease) -> None:
    """Delete the lease, in the transaction that stores its answer.

    A transaction of its own would take longer than some answers.
    """
    sql_statements.delete(Lease, holder=lease.holder)
    transaction.on_commit(partial(_heartbeats.remove, lease.holder))


class _Heartbeats:
    """Renews the leases of this process in one thread, which starts with the first lease.

    Starting a thread for each lease would take as long as some answers of a built-in player.
    """

    def __init__(self) -> None:
        # Holder -> time of its last renewal on the monotonic clock.
        self._renewed_at: dict[uuid.UUID, float] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._never = threading.Event()  # is never set: waiting for it is a sleep

    def add(self, holder: uuid.UUID) -> None:
        with self._lock:
            self._renewed_at[holder] = monotonic()
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, daemon=True, name="heartbeats")
                self._thread.start()

    def remove(self, holder: uuid.UUID) -> bool:
        """Stop renewing this lease. Return whether it was being renewed."""
        with self._lock:
            return self._renewed_at.pop(holder, None) is not None

    def _run(self) -> None:
        while not self._never.wait(TICK_S):
            now = monotonic()
            with self._lock:
                due = [h for h, at in self._renewed_at.items() if now - at >= HEARTBEAT_INTERVAL_S]
                self._renewed_at.update(dict.fromkeys(due, now))
            if due:
                self._renew(due)

    def _renew(self, holders: list[uuid.UUID]) -> None:
        try:
            Lease.objects.filter(holder__in=holders).update(beat_at=timezone.now())
        except DatabaseError as error:  # the next heartbeat may be in time
            logger.warning("%s leases could not be renewed: %s", len(holders), error)
        finally:
            connection.close()


_heartbeats = _Heartbeats()
