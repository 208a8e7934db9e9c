"""How fast posts may come: far above what an honest player does. Counted in this process."""

from __future__ import annotations

import threading
import time
from collections import defaultdict, deque


class Limit:
    """At most `most` calls in any `seconds` for each key."""

    def __init__(self, most: int, seconds: float) -> None:
        self.most, self.seconds = most, seconds
        self._calls: defaultdict[str, deque[float]] = defaultdict(deque)
        self._lock = threading.Lock()

    def allows(self, key: str) -> bool:
        """Count one call for `key`; False where it is one too many."""
        now = time.monotonic()
        with self._lock:
            if len(self._calls) > 10_000:  # forget the idle ones
                self._calls = defaultdict(
                    deque,
                    {k: c for k, c in self._calls.items() if c and c[-1] > now - self.seconds},
                )
            calls = self._calls[key]
            while calls and calls[0] <= now - self.seconds:
                calls.popleft()
            if len(calls) >= self.most:
                return False
            calls.append(now)
            return True


answers = Limit(30, 10)  # per seat
desk = Limit(60, 10)  # drafts, notes and signs of typing, per seat
tables = Limit(20, 60)  # per visitor
