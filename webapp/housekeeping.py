"""Daily cleanup by the sweeper: expired sessions, and the jobs that apps add to DAILY_JOBS.

A job deletes a few rows and returns their number. The sweeper calls it again until it returns 0.
Each call must be short, because the sweeper serves the games' clocks between the calls. Several
sweepers may run a job at once. Work that cannot wait a day is in `sweeper.SWEEP_JOBS`.
"""

import logging
import time
from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

logger = logging.getLogger(__name__)

Job = Callable[[], int]

DAY_S = 24 * 3600.0
BATCH_SIZE = 200  # maximum number of rows that one call of a job deletes


def delete_batch(rows: QuerySet[Any]) -> int:
    """Delete up to BATCH_SIZE of the rows. Return how many."""
    keys = list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH_SIZE])
    if keys:
        rows.model._default_manager.filter(pk__in=keys).delete()
    return len(keys)


def clear_sessions() -> int:
    """Delete expired sessions. Return how many."""
    from django.contrib.sessions.models import Session

    return delete_batch(Session.objects.filter(expire_date__lt=timezone.now()))


DAILY_JOBS: list[Job] = [clear_sessions]


class Housekeeping:
    """Runs all jobs at the start and then daily, one call of a job with each `step`."""

    def __init__(self) -> None:
        self._due_at = 0.0
        self._pending_jobs: list[Job] = []

    def step(self) -> None:
        """Call the current job once, if a job is due."""
        if not self._pending_jobs:
            if time.monotonic() < self._due_at:
                return
            self._due_at = time.monotonic() + DAY_S
            self._pending_jobs = list(DAILY_JOBS)
        job = self._pending_jobs[0]
        try:
            deleted_count = job()
        except Exception:
            logger.exception("%s failed; it is tried again in a day", job.__name__)
            deleted_count = 0
        if not deleted_count:
            self._pending_jobs.pop(0)
