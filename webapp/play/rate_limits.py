"""Rate limits of play, far above normal use. Numbers of open sockets: `open_sockets.py`.

Each process counts limits per visitor and seat for itself. Redis counts limits per address and in
total for all processes (`webapp.rate_counters`).
"""

from __future__ import annotations

import threading
import time
import uuid
from collections import defaultdict, deque
from collections.abc import Mapping
from functools import partial
from typing import Any

from django.conf import settings

from webapp.play import visitors
from webapp.rate_counters import Rate

MAX_KEYS = 10_000  # above this a `Limit` drops its idle keys


class Limit:
    """A limit of `max_calls` in any `seconds` for each key."""

    def __init__(self, max_calls: int, seconds: float) -> None:
        self.max_calls, self.seconds = max_calls, seconds
        self._calls: defaultdict[str, deque[float]] = defaultdict(deque)
        self._lock = threading.Lock()

    def try_acquire(self, key: str) -> bool:
        """Count one call for `key`. Return False if it exceeds the limit."""
        now = time.monotonic()
        with self._lock:
            if len(self._calls) > MAX_KEYS:
                for idle in [k for k, c in self._calls.items() if c[-1] <= now - self.seconds]:
                    del self._calls[idle]
            calls = self._calls[key]
            while calls and calls[0] <= now - self.seconds:
                calls.popleft()
            if len(calls) >= self.max_calls:
                return False
            calls.append(now)
            return True


# Limits that each process counts.
answer_limit = Limit(30, 10)  # key: a seat
desk_limit = Limit(60, 10)  # drafts, notes, guesses and other actions; key: a seat or a visitor
poll_limit = Limit(30, 10)  # updates of a page without a socket; key: a visitor or an address
table_limit = Limit(20, 60)  # tables opened or joined; key: a visitor or a study link
style_trial_limit = Limit(6, 60)  # key: a visitor or an address

# Limits that all processes share.
CROWD = settings.CROWD  # people who may share one address, such as a class
TOTAL_FACTOR = 10  # the limit in total is this many times the limit of one address
DAY_S = 86_400

# Name, maximum, seconds.
recent_tables_by_address = Rate("tables/address", 3 * CROWD, 600)
recent_tables = Rate("tables/site", TOTAL_FACTOR * 3 * CROWD, 600)
# A game takes at least ten minutes, so no person plays 40 of them in a day.
daily_tables_by_link = Rate("tables/link/day", 40, DAY_S)
daily_tables_by_address = Rate("tables/address/day", 10 * CROWD, DAY_S)
sockets_opened = Rate("sockets/address", 20 * CROWD, 60)
public_replays = Rate("replays/address", 20 * CROWD, 60)  # pages, parts of pages, pictures


def count_table(visitor: uuid.UUID, session: Mapping[str, Any], address: str) -> str:
    """Count a table that a visitor wants to open.

    A visitor with a personal study link is counted by that link, and by the address only over a
    day. So a class with such links may open more tables within minutes than one address may.

    Returns:
        "" if the table may be opened, else the error code (a key of `refusals.CONTENT_ERRORS`).
    """
    link = visitors.link_of(session)
    if not table_limit.try_acquire(visitor.hex):
        return "many_tables"
    if link:
        if not table_limit.try_acquire(f"link/{link}"):
            return "many_tables"
        if not daily_tables_by_link.try_acquire(link):
            return "many_tables_by_link"
    elif not (recent_tables_by_address.try_acquire(address) and recent_tables.try_acquire("site")):
        return "many_tables"
    return "" if daily_tables_by_address.try_acquire(address) else "many_tables_today"


# Limits of one socket: of its messages (a page sends drafts while its user types), and of its
# cursors (a page sends its cursor once).
message_limit = partial(Limit, 120, 10)
cursor_limit = partial(Limit, 10, 10)
