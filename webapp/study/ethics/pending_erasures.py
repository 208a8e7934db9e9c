"""Continues erasures that are postponed or were interrupted. The sweeper calls `step`."""

from __future__ import annotations

import logging
import time
from datetime import timedelta

from webapp.study.ethics import participant_erasure
from webapp.study.models import Erasure

logger = logging.getLogger(__name__)

INTERVAL_S = 20.0
ERASURES_PER_STEP = 1  # so that a step does not delay games


class PendingErasures:
    """A job of the sweeper, which goes through all unfinished erasures."""

    def __init__(self) -> None:
        self._last_pass_s, self._after_pk = float("-inf"), 0

    def step(self, _lost: timedelta = timedelta()) -> None:
        """Continue a few erasures. The next call resumes after them."""
        if not self._after_pk and time.monotonic() - self._last_pass_s < INTERVAL_S:
            return
        self._last_pass_s = time.monotonic()
        unfinished = Erasure.objects.filter(done_at=None, pk__gt=self._after_pk).order_by("pk")
        pending = list(unfinished[:ERASURES_PER_STEP])
        for erasure in pending:
            try:
                participant_erasure.continue_erasure(erasure)
            except Exception:
                logger.exception("erasure %s could not go on", erasure.pk)
        self._after_pk = pending[-1].pk if len(pending) == ERASURES_PER_STEP else 0


step = PendingErasures().step
