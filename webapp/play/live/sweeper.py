"""Keeps every game going: settles deadlines, queues lost work, resumes interrupted withdrawals.

It reads everything from the database, so it works without Redis and without a worker. Once a day it
deletes expired data.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from datetime import timedelta

from django.db import close_old_connections
from django.utils import timezone

from game import selectors, services
from game.lost_time import pop_time_without_pages, restore_lost_time
from webapp.connections import unsynced
from webapp.housekeeping import Housekeeping
from webapp.play import pending_shredding, presence, readings
from webapp.play.signals import time_without_pages
from webapp.play.turns import leases, withdrawals

logger = logging.getLogger(__name__)

TICK_S = 0.2  # between two sweeps
LOST_WORK_INTERVAL_S = 2.0  # between searches for lost work
UNWATCHED_INTERVAL_S = 30.0  # between searches for unwatched tables
LOST_AFTER = timedelta(seconds=4)  # then the work of an agent's open window counts as lost
REQUEUE_AFTER_S = 15.0  # before the same work is queued once more

# Jobs of other apps, called in every sweep with the time for which no sweeper ran before it. A job
# decides itself whether it has work, and must be safe for any number of sweepers.
JOBS: list[Callable[[timedelta], None]] = []


class Sweeper:
    """The sweeper. Any number may run at once, because everything it does is idempotent."""

    def __init__(self) -> None:
        self._queued_at: dict[tuple[int, str, int], float] = {}
        self._searched_at = 0.0
        self._housekeeping = Housekeeping()
        self._unwatched_checked_at = 0.0

    def run(self, stop: threading.Event) -> None:
        """Sweep until `stop` is set."""
        while not stop.wait(TICK_S):
            try:
                self.sweep()
            except Exception:
                logger.exception("a sweep failed; the next one follows")
            close_old_connections()

    def sweep(self) -> None:
        """Make one pass: give back lost time, settle deadlines, and do other work that is due."""
        with unsynced():
            missed, unserved = restore_lost_time(), pop_time_without_pages()
        if missed:
            logger.warning("nobody kept the time for %s: every game gets it back", missed)
            presence.give_back(missed)
        if unserved:
            logger.warning("no process served pages for %s: nobody was away then", unserved)
            presence.give_back(unserved)
            time_without_pages.send(Sweeper, lost=unserved)
        for game_id in selectors.due_games(timezone.now()):
            try:
                services.settle_deadlines(game_id)
            except Exception:
                logger.exception("game %s could not be settled", game_id)
        if time.monotonic() - self._searched_at >= LOST_WORK_INTERVAL_S:
            self._searched_at = time.monotonic()
            self._requeue_lost_work()
            readings.request_overdue_claims()
            withdrawals.resume_withdrawals()
            pending_shredding.retry_shredding()
        for job in JOBS:
            try:
                job(missed)
            except Exception:
                logger.exception("%s failed; the next sweep follows", job)
        self._housekeeping.step()
        if time.monotonic() - self._unwatched_checked_at >= UNWATCHED_INTERVAL_S:
            self._unwatched_checked_at = time.monotonic()
            presence.pause_unwatched()

    def _requeue_lost_work(self) -> None:
        from webapp.play.tasks import fill

        now = time.monotonic()
        self._queued_at = {w: t for w, t in self._queued_at.items() if now - t < REQUEUE_AFTER_S}
        waiting = selectors.windows_waiting_for_agents(timezone.now() - LOST_AFTER)
        for game_id, keys in waiting.items():
            leased = leases.active_leases(game_id)
            _game, position = selectors.current_game(game_id)
            for key, seat in selectors.agents_missing(position, keys):
                work = (game_id, key, seat)
                if (key, seat) in leased or work in self._queued_at:
                    continue
                try:
                    fill.delay(game_id, seat, key)
                except Exception as error:  # the broker is away: try again soon
                    logger.warning("could not queue %s: %s", work, error)
                    return
                self._queued_at[work] = now
