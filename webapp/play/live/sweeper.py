"""Keeps every game going: settles deadlines, queues lost work, resumes interrupted withdrawals.

It reads everything from the database, so it works without Redis and without a worker. Once a day it
deletes expired data.
"""

import logging
import threading
import time
from collections.abc import Callable
from datetime import timedelta

from django.db import close_old_connections
from django.utils import timezone

from game import cached_games, deadlines, selectors
from game.deadlines import pop_time_without_pages, restore_lost_time
from webapp.connections import asynchronous_commits
from webapp.housekeeping import Housekeeping
from webapp.play import presence, readings, shredding
from webapp.play.signals import time_without_pages
from webapp.play.turns import leases, withdrawals

logger = logging.getLogger(__name__)

TICK_S = 0.2  # the sweeper sleeps this long between two sweeps
LOST_WORK_INTERVAL_S = 2.0  # lost work is searched for this often
UNWATCHED_INTERVAL_S = 30.0  # unwatched tables are searched for this often
LOST_AFTER = timedelta(seconds=4)  # a window that an agent has not answered by then is queued
REQUEUE_AFTER_S = 15.0  # an answer that is still missing after this time is queued again

# Jobs of other apps, called in every sweep with the time before it in which no sweeper ran. A job
# decides itself whether it has work, and several sweepers may call it at once.
SWEEP_JOBS: list[Callable[[timedelta], None]] = []


class Sweeper:
    """The sweeper. Any number may run at once, because everything it does is idempotent."""

    def __init__(self) -> None:
        # (game id, window key, seat) -> time.
        self._queued_at: dict[tuple[int, str, int], float] = {}
        self._lost_work_checked_at = 0.0
        self._unwatched_checked_at = 0.0
        self._housekeeping = Housekeeping()

    def run(self, stop: threading.Event) -> None:
        while not stop.wait(TICK_S):
            try:
                self.sweep()
            except Exception:
                logger.exception("a sweep failed; the next one follows")
            close_old_connections()

    def sweep(self) -> None:
        """Make one pass: extend deadlines by lost time, settle them, and do what else is due."""
        with asynchronous_commits():
            lost, without_pages = restore_lost_time(), pop_time_without_pages()
        if lost:
            logger.warning("no sweeper ran for %s: all deadlines are later by that time", lost)
            presence.credit_downtime(lost)
        if without_pages:
            logger.warning("no process served pages for %s: no one counts as away", without_pages)
            presence.credit_downtime(without_pages)
            time_without_pages.send(Sweeper, lost=without_pages)
        for game_id in selectors.due_games(timezone.now()):
            try:
                deadlines.settle_deadlines(game_id)
            except Exception:
                logger.exception("game %s could not be settled", game_id)
        if time.monotonic() - self._lost_work_checked_at >= LOST_WORK_INTERVAL_S:
            self._lost_work_checked_at = time.monotonic()
            self._requeue_lost_work()
            readings.request_overdue_claims()
            withdrawals.resume_withdrawals()
            shredding.retry_shredding()
        for job in SWEEP_JOBS:
            try:
                job(lost)
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
            _game, position = cached_games.current_game(game_id)
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
