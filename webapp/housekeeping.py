"""Daily cleanup by the sweeper: expired sessions, and the jobs that apps add.

A job deletes a few rows and returns how many; it is called again until it returns 0. The sweeper
keeps the games' clocks between the calls, so each must be short. Any number of sweepers may run it
at once.
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

DAY = 24 * 3600.0  # seconds
AT_ONCE = 200  # rows that one call of a job deletes at most


def delete_some(rows: QuerySet[Any]) -> int:
    """Delete up to AT_ONCE of the rows. Return how many."""
    keys = list(rows.order_by("pk").values_list("pk", flat=True)[:AT_ONCE])
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
        self._due = 0.0
        self._left: list[Job] = []

    def step(self) -> None:
        """Run one step of the current job, if any is due."""
        if not self._left:
            if time.monotonic() < self._due:
                return
            self._due, self._left = time.monotonic() + DAY, list(JOBS)
        job = self._left[0]
        try:
            cleared = job()
        except Exception:
            logger.exception("%s failed; it is tried again tomorrow", job.__name__)
            cleared = 0
        if not cleared:
            self._left.pop(0)
