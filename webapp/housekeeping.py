"""Daily cleanup by the sweeper: expired sessions, and the jobs that apps add.

A job deletes a few rows and returns their number; it is called again until it returns 0. Each call
must be short, because the sweeper keeps the games' clocks between the calls. Several sweepers may
run a job at once.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

logger = logging.getLogger(__name__)

Job = Callable[[], int]

DAY_S = 24 * 3600.0  # seconds
MAX_ROWS_AT_ONCE = 200  # rows that one call of a job deletes at most


def delete_some(rows: QuerySet[Any]) -> int:
    """Delete up to MAX_ROWS_AT_ONCE of the rows. Return how many."""
    keys = list(rows.order_by("pk").values_list("pk", flat=True)[:MAX_ROWS_AT_ONCE])
    if keys:
        rows.model._default_manager.filter(pk__in=keys).delete()
    return len(keys)


def clear_sessions() -> int:
    """Delete expired sessions. Return how many."""
    from django.contrib.sessions.models import Session

    return delete_some(Session.objects.filter(expire_date__lt=timezone.now()))


JOBS: list[Job] = [clear_sessions]


class Housekeeping:
    """Runs all jobs once a day, one step with each `step`."""

    def __init__(self) -> None:
        self._due_at = 0.0
        self._pending_jobs: list[Job] = []

    def step(self) -> None:
        """Run one step of the current job, if any is due."""
        if not self._pending_jobs:
            if time.monotonic() < self._due_at:
                return
            self._due_at, self._pending_jobs = time.monotonic() + DAY_S, list(JOBS)
        job = self._pending_jobs[0]
        try:
            cleared = job()
        except Exception:
            logger.exception("%s failed; it is tried again tomorrow", job.__name__)
            cleared = 0
        if not cleared:
            self._pending_jobs.pop(0)
