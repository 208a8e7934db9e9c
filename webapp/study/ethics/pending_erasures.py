"""Continues erasures that wait for something or were interrupted. The sweeper calls `step`."""

from __future__ import annotations

import logging
import time
from datetime import timedelta

from webapp.study.ethics import participant_erasure
from webapp.study.models import Erasure

logger = logging.getLogger(__name__)

INTERVAL_S = 20.0  # seconds
ERASURES_PER_STEP = 1  # erasures in one pass, so that games are not delayed


class PendingErasures:
    """Iterates over all unfinished erasures."""

    def __init__(self) -> None:
        self._looked, self._after = float("-inf"), 0

    def step(self, _lost: timedelta = timedelta()) -> None:
        """Continue a few erasures. The next call resumes after them."""
        if not self._after and time.monotonic() - self._looked < INTERVAL_S:
            return
        self._looked = time.monotonic()
        open_ones = Erasure.objects.filter(done_at=None, pk__gt=self._after).order_by("pk")
        pending = list(open_ones[:ERASURES_PER_STEP])
        for erasure in pending:
            try:
                participant_erasure.continue_erasure(erasure)
            except Exception:
                logger.exception("erasure %s could not go on", erasure.pk)
        self._after = pending[-1].pk if len(pending) == ERASURES_PER_STEP else 0


step = PendingErasures().step
