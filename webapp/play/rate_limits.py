"""Rate limits of play, far above normal use, and limits of the number of open sockets.

Each process counts limits per visitor and seat for itself. Redis counts limits per address and in
total for all processes (`webapp.rate_counters`): calls, and in a sorted set for each key the open
sockets, each with the time of its last renewal.
"""

import threading
import time
import uuid
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from django.conf import settings

from webapp.play import visitors
from webapp.rate_counters import Rate, keyed_digest, rate_storage

CROWD = settings.CROWD  # people who may share one address, such as a class
TOTAL_FACTOR = 10  # the limit in total is this many times the limit of one address
DAY_S = 86_400
MAX_KEYS = 10_000  # a `Limit` with more keys drops those that are idle
SOCKET_RENEWAL_INTERVAL_S = 15.0
SOCKET_EXPIRY_S = 50  # a socket counts until this time has passed since its last renewal
MAX_WATCHER_SOCKETS = 2 * CROWD  # Sockets of visitors without a membership, from one address.
MAX_SOCKETS = 10 * CROWD  # Sockets of all visitors from one address.
MAX_SOCKETS_IN_TOTAL = TOTAL_FACTOR * MAX_SOCKETS
ACQUIRE_SOCKET_SCRIPT = """
local now = tonumber(redis.call('TIME')[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - tonumber(ARGV[2]))
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now, ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1
"""
RENEW_SOCKETS_SCRIPT = """
local now = tonumber(redis.call('TIME')[1])
for n = 2, #ARGV do redis.call('ZADD', KEYS[1], now, ARGV[n]) end
redis.call('EXPIRE', KEYS[1], ARGV[1])
"""


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

# Limits that all processes share: name, maximum, seconds.
recent_tables_by_address = Rate("tables/address", 3 * CROWD, 600)
recent_tables = Rate("tables/site", TOTAL_FACTOR * 3 * CROWD, 600)
# A game takes at least ten minutes, so no person plays 40 of them in a day.
daily_tables_by_link = Rate("tables/link/day", 40, DAY_S)
daily_tables_by_address = Rate("tables/address/day", 10 * CROWD, DAY_S)
sockets_opened = Rate("sockets/address", 20 * CROWD, 60)
public_replays = Rate("replays/address", 20 * CROWD, 60)  # pages, parts of pages, pictures


def count_table(visitor: uuid.UUID, session: Mapping[str, Any], address: str) -> str:
    """Count a table that a visitor wants to open. Return "" or the key of a refusal (`refusals`).

    A visitor with a personal study link is counted by that link, and by the address only over a
    day. So a class with such links may open more tables within minutes than one address may.
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


class OpenSockets:
    """Limits the number of open sockets of each key, such as an address.

    Redis counts them for all processes together. Each process renews its sockets: one that was not
    renewed for SOCKET_EXPIRY_S belonged to a process that died. Without Redis each process counts
    its own.
    """

    def __init__(self) -> None:
        self._own_sockets: defaultdict[str, set[str]] = defaultdict(set)
        self._lock = threading.Lock()
        self._is_renewing = False
        self._acquire = rate_storage.redis.register_script(ACQUIRE_SOCKET_SCRIPT)
        self._renew = rate_storage.redis.register_script(RENEW_SOCKETS_SCRIPT)

    def acquire(self, key: str, max_sockets: int, socket_id: str) -> bool:
        """Count a socket. Return False if the key is full."""
        args = [max_sockets, SOCKET_EXPIRY_S, socket_id]
        has_room = rate_storage.redis_or_local(
            lambda: bool(self._acquire(keys=[_redis_key(key)], args=args)),
            lambda: self._count_locally(key, socket_id, max_sockets),
        )
        if has_room:
            self._count_locally(key, socket_id)
            self._start_renewing()
        return has_room

    def _count_locally(self, key: str, socket_id: str, max_sockets: int | None = None) -> bool:
        """Count the socket in this process. Return False if that would exceed `max_sockets`."""
        with self._lock:
            if max_sockets is not None and len(self._own_sockets.get(key, ())) >= max_sockets:
                return False
            self._own_sockets[key].add(socket_id)
            return True

    def release(self, key: str, socket_id: str) -> None:
        with self._lock:
            self._own_sockets[key].discard(socket_id)
            if not self._own_sockets[key]:
                del self._own_sockets[key]
        remove = partial(rate_storage.redis.zrem, _redis_key(key), socket_id)
        rate_storage.redis_or_local(remove, lambda: None)

    def _start_renewing(self) -> None:
        with self._lock:
            if self._is_renewing:
                return
            self._is_renewing = True
        threading.Thread(target=self._renew_forever, name="open sockets", daemon=True).start()

    def _renew_forever(self) -> None:
        while True:
            time.sleep(SOCKET_RENEWAL_INTERVAL_S)
            self.renew()

    def renew(self) -> None:
        with self._lock:
            sockets_by_key = {key: [*socket_ids] for key, socket_ids in self._own_sockets.items()}
        for key, socket_ids in sockets_by_key.items():
            args = [SOCKET_EXPIRY_S, *socket_ids]
            renew_key = partial(self._renew, keys=[_redis_key(key)], args=args)
            rate_storage.redis_or_local(renew_key, lambda: None)


def _redis_key(key: str) -> str:
    return f"fabula:places:{keyed_digest(key)}"


open_sockets = OpenSockets()


def acquire_slots(address: str, socket_id: str, *, is_member: bool) -> list[str] | None:
    """Count a socket. Return the keys it is counted by, None if a limit is reached.

    Visitors without a membership at the table get fewer sockets an address.
    """
    limits = [(f"sockets/{address}", MAX_SOCKETS), ("sockets", MAX_SOCKETS_IN_TOTAL)]
    if not is_member:
        limits.insert(0, (f"watchers/{address}", MAX_WATCHER_SOCKETS))
    acquired_keys: list[str] = []
    for key, max_sockets in limits:
        if not open_sockets.acquire(key, max_sockets, socket_id):
            release_slots(acquired_keys, socket_id)
            return None
        acquired_keys.append(key)
    return acquired_keys


def release_slots(keys: Iterable[str], socket_id: str) -> None:
    for key in keys:
        open_sockets.release(key, socket_id)
