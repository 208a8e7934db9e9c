"""Limits the number of open sockets, of each address and of the site.

Redis counts them for all processes: in a sorted set for each key, with the time of each socket's
last renewal. Each process renews its sockets. One that was not renewed for SOCKET_EXPIRY_S belonged
to a process that died. Without Redis each process counts its own.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Iterable
from functools import partial

from webapp.play.rate_limits import CROWD, TOTAL_FACTOR
from webapp.rate_counters import keyed_digest, rate_storage

SOCKET_RENEWAL_INTERVAL_S = 15.0
SOCKET_EXPIRY_S = 50
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
    """The open sockets of each key. A key is an address, or stands for the whole site."""

    def __init__(self) -> None:
        self._own_sockets: defaultdict[str, set[str]] = defaultdict(set)
        self._lock = threading.Lock()
        self._is_renewing = False
        self._acquire = rate_storage.redis.register_script(ACQUIRE_SCRIPT)
        self._renew = rate_storage.redis.register_script(RENEW_SCRIPT)

    def acquire(self, key: str, max_sockets: int, socket_id: str) -> bool:
        """Count a socket. Return False if the key is full."""
        args = [max_sockets, SOCKET_EXPIRY_S, socket_id]
        has_room = rate_storage.redis_or_local(
            lambda: bool(self._acquire(keys=[_redis_key(key)], args=args)),
            lambda: self._acquire_locally(key, max_sockets, socket_id),
        )
        if has_room:
            with self._lock:
                self._own_sockets[key].add(socket_id)
                must_start, self._is_renewing = not self._is_renewing, True
            if must_start:
                threading.Thread(target=self._renew_forever, name="sockets", daemon=True).start()
        return has_room

    def _acquire_locally(self, key: str, max_sockets: int, socket_id: str) -> bool:
        with self._lock:
            has_room = len(self._own_sockets.get(key, ())) < max_sockets
            if has_room:
                self._own_sockets[key].add(socket_id)
        return has_room

    def release(self, key: str, socket_id: str) -> None:
        with self._lock:
            self._own_sockets[key].discard(socket_id)
            if not self._own_sockets[key]:
                del self._own_sockets[key]
        remove = partial(rate_storage.redis.zrem, _redis_key(key), socket_id)
        rate_storage.redis_or_local(remove, lambda: None)

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
