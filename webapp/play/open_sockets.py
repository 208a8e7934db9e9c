"""Limits of the number of open sockets, per address and in total.

Redis has a sorted set for each key: the open sockets, each with the time of its last renewal.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Iterable
from functools import partial

from webapp.play.rate_limits import CROWD, TOTAL_FACTOR
from webapp.rate_counters import keyed_digest, rate_storage

RENEWAL_INTERVAL_S = 15.0
EXPIRY_S = 50  # three renewals may be missing
MAX_WATCHER_SOCKETS = 2 * CROWD  # Sockets of visitors without a membership, from one address.
MAX_SOCKETS = 10 * CROWD  # Sockets of all visitors from one address.
MAX_SOCKETS_IN_TOTAL = TOTAL_FACTOR * MAX_SOCKETS

ACQUIRE_SCRIPT = """
local now = tonumber(redis.call('TIME')[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - tonumber(ARGV[2]))
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now, ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1
"""
RENEW_SCRIPT = """
local now = tonumber(redis.call('TIME')[1])
for n = 2, #ARGV do redis.call('ZADD', KEYS[1], now, ARGV[n]) end
redis.call('EXPIRE', KEYS[1], ARGV[1])
"""


class OpenSockets:
    """Limits the number of open sockets of each key, such as an address.

    Redis counts them for all processes together. Each process renews its sockets: one that was not
    renewed for EXPIRY_S belonged to a process that died. Without Redis each process counts its own.
    """

    def __init__(self) -> None:
        self._own_sockets: defaultdict[str, set[str]] = defaultdict(set)
        self._lock = threading.Lock()
        self._is_renewing = False
        self._acquire = rate_storage.redis.register_script(ACQUIRE_SCRIPT)
        self._renew = rate_storage.redis.register_script(RENEW_SCRIPT)

    def acquire(self, key: str, max_sockets: int, socket_id: str) -> bool:
        """Count a socket. Return False if the key is full."""
        args = [max_sockets, EXPIRY_S, socket_id]
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
        """Stop counting the socket."""
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
            time.sleep(RENEWAL_INTERVAL_S)
            self.renew()

    def renew(self) -> None:
        """Renew the sockets of this process."""
        with self._lock:
            sockets_by_key = {key: [*socket_ids] for key, socket_ids in self._own_sockets.items()}
        for key, socket_ids in sockets_by_key.items():
            args = [EXPIRY_S, *socket_ids]
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
    """Stop counting a socket by these keys."""
    for key in keys:
        open_sockets.release(key, socket_id)
