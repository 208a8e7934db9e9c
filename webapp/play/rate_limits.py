"""Rate limits of play, far above normal use.

Each process counts limits per visitor and seat for itself. Redis counts limits per address and in
total for all processes (`webapp.rate_counters`).
"""

from __future__ import annotations

import threading
import time
import uuid
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from typing import Any

from django.conf import settings

from webapp.play import visitors
from webapp.play.open_sockets import open_sockets
from webapp.rate_counters import Rate

MAX_KEYS = 10_000  # above this a `Limit` drops its idle keys


class Limit:
    """A limit of `most` calls in any `seconds` for each key."""

    def __init__(self, most: int, seconds: float) -> None:
        self.most, self.seconds = most, seconds
        self._calls: defaultdict[str, deque[float]] = defaultdict(deque)
        self._lock = threading.Lock()

    def allows(self, key: str) -> bool:
        """Count one call for `key`. Return False if it exceeds the limit."""
        now = time.monotonic()
        with self._lock:
            if len(self._calls) > MAX_KEYS:  # drop idle keys
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
desk = Limit(60, 10)  # drafts, notes, guesses and signs of typing, per seat
news = Limit(30, 10)  # frames for a page without a socket, per visitor or address
tables = Limit(20, 60)  # per visitor
styles = Limit(6, 60)  # trials of a style, per visitor or address


# By address and in total, for all processes together.
CROWD = settings.CROWD  # people who may share one address, such as a class
TOTAL_FACTOR = 10  # the limit in total is this many times the limit of one address
DAY_S = 86_400

tables_by_address_now = Rate("tables/address", 3 * CROWD, 600)
tables_in_all = Rate("tables/site", TOTAL_FACTOR * 3 * CROWD, 600)
# A game takes at least ten minutes, so no person plays 40 of them in a day.
tables_by_link = Rate("tables/link/day", 40, DAY_S)
tables_by_address = Rate("tables/address/day", 10 * CROWD, DAY_S)
sockets_opened = Rate("sockets/address", 20 * CROWD, 60)
public_replays = Rate("replays/address", 20 * CROWD, 60)  # pages, parts of pages, pictures
# Open sockets of one address: of visitors without a membership at the table, and of all.
MAX_WATCHER_SOCKETS = 2 * CROWD
MAX_SOCKETS = 10 * CROWD
MAX_SOCKETS_IN_TOTAL = TOTAL_FACTOR * MAX_SOCKETS


def count_table(visitor: uuid.UUID, session: Mapping[str, Any], address: str) -> str:
    """Count a table that a visitor wants to open.

    A visitor with a personal study link is counted by that link and, over a day, by the address. So
    within minutes a class with links may open more tables than one address may.

    Returns:
        "" if the table may be opened, else the error code (a key of `sentences.CONTENT`).
    """
    link = visitors.link_of(session)
    if not tables.allows(visitor.hex) or (link and not tables.allows(f"link/{link}")):
        return "many_tables"
    if not link and not (tables_by_address_now.allows(address) and tables_in_all.allows("site")):
        return "many_tables"
    if link and not tables_by_link.allows(link):
        return "many_tables_by_link"
    return "" if tables_by_address.allows(address) else "many_tables_today"


def messages() -> Limit:
    """Return the limit of one socket's messages. A page sends drafts while its user types."""
    return Limit(120, 10)


def cursors() -> Limit:
    """Return the limit of one socket's cursors. A page sends its cursor once."""
    return Limit(10, 10)


def take_slots(address: str, holder: str, *, is_member: bool) -> list[str] | None:
    """Count a socket at `address`. Return the keys it is counted by, None if a limit is reached.

    Args:
        is_member: The visitor has a membership at the table. Others share fewer sockets an address.
    """
    limits = [(f"sockets/{address}", MAX_SOCKETS), ("sockets", MAX_SOCKETS_IN_TOTAL)]
    if not is_member:
        limits.insert(0, (f"watchers/{address}", MAX_WATCHER_SOCKETS))
    taken_keys: list[str] = []
    for key, max_sockets in limits:
        if not open_sockets.acquire(key, max_sockets, holder):
            release_slots(taken_keys, holder)
            return None
        taken_keys.append(key)
    return taken_keys


def release_slots(keys: Iterable[str], holder: str) -> None:
    """Stop counting the socket `holder` by these keys."""
    for key in keys:
        open_sockets.release(key, holder)
