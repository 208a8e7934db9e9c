"""Rate limits of play, far above normal use.

Limits per visitor and seat are counted in this process. Limits per address and in total are counted
in Redis for all processes (`webapp.rate_counters`). Lengths are checked elsewhere.
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
desk = Limit(60, 10)  # drafts, notes, guesses and signs of typing, per seat
news = Limit(30, 10)  # frames for a page without a socket, per visitor or address
tables = Limit(20, 60)  # per visitor


# By address and in total, over all processes: a class of CROWD people may share one address.
CROWD = settings.CROWD
TOGETHER = 10  # the total limit is this many times the limit of one address
DAY = 86_400

tables_here = Rate("tables/address", 3 * CROWD, 600)
tables_in_all = Rate("tables/site", TOGETHER * 3 * CROWD, 600)
# Per day. A game takes ten minutes at least, so nobody plays 40 of them in person.
tables_by_link = Rate("tables/link/day", 40, DAY)
tables_by_address = Rate("tables/address/day", 10 * CROWD, DAY)
sockets_opened = Rate("sockets/address", 20 * CROWD, 60)
public_replays = Rate("replays/address", 20 * CROWD, 60)  # pages, parts of pages, pictures
MOST_WATCHERS = 2 * CROWD  # open sockets of one address without a seat or a membership at the table
MOST_SOCKETS = 10 * CROWD  # open sockets of one address
MOST_IN_ALL = TOGETHER * MOST_SOCKETS


def refuse_table(visitor: uuid.UUID, session: Mapping[str, Any], address: str) -> str:
    """Count a table that a visitor wants to open.

    A visitor who came by a personal link of a study is counted by that link and, over a day, by the
    address. Within minutes a class with links may open more than an address may.

    Returns:
        "" if it may be opened, else why not: a key of `sentences.CONTENT`.
    """
    link = visitors.link_of(session)
    if not tables.allows(visitor.hex) or (link and not tables.allows(f"link/{link}")):
        return "many_tables"
    if not link and not (tables_here.allows(address) and tables_in_all.allows("site")):
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


def take_places(address: str, holder: str, *, member: bool) -> list[str] | None:
    """Count a socket at `address`. Return its keys, None if a limit is reached.

    member: the visitor belongs to the table. Others, who only watch, get fewer sockets.
    """
    limits = [(f"sockets/{address}", MOST_SOCKETS), ("sockets", MOST_IN_ALL)]
    if not member:
        limits.insert(0, (f"watchers/{address}", MOST_WATCHERS))
    places_taken: list[str] = []
    for key, most in limits:
        if not open_sockets.acquire(key, most, holder):
            leave_places(places_taken, holder)
            return None
        places_taken.append(key)
    return places_taken


def leave_places(keys: Iterable[str], holder: str) -> None:
    for key in keys:
        open_sockets.release(key, holder)
