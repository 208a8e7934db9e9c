"""Counts the open sockets, in Redis for all processes together.

A socket that has not been renewed for `EXPIRY_S` is dropped, because its process died. Without
Redis each process counts its own sockets.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from functools import partial

from webapp.rate_counters import digest, shared

RENEWAL_INTERVAL_S = 15.0
EXPIRY_S = 50  # three renewals may be missing

TAKE_SCRIPT = """
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


def _key(key: str) -> str:
    return f"fabula:places:{digest(key)}"


class OpenSockets:
    """Limits the number of open sockets per key (an address or a visitor)."""

    def __init__(self) -> None:
        self._own_holders: defaultdict[str, set[str]] = defaultdict(set)
        self._lock = threading.Lock()
        self._is_renewing = False
        self._take = shared.redis.register_script(TAKE_SCRIPT)
        self._renew = shared.redis.register_script(RENEW_SCRIPT)

    def acquire(self, key: str, most: int, holder: str) -> bool:
        """Count the socket `holder`. Return False if the key already has `most` sockets."""
        is_free = shared.redis_or_local(
            lambda: bool(self._take(keys=[_key(key)], args=[most, EXPIRY_S, holder])),
            lambda: self._count_locally(key, holder, most),
        )
        if is_free:
            self._count_locally(key, holder)
            self._start_renewing()
        return is_free

    def _count_locally(self, key: str, holder: str, most: int | None = None) -> bool:
        """Count the socket in this process. Return False if that would exceed `most`."""
        with self._lock:
            if most is not None and len(self._own_holders.get(key, ())) >= most:
                return False
            self._own_holders[key].add(holder)
            return True

    def release(self, key: str, holder: str) -> None:
        with self._lock:
            holders = self._own_holders.get(key, set())
            holders.discard(holder)
            if not holders:
                self._own_holders.pop(key, None)
        shared.redis_or_local(lambda: shared.redis.zrem(_key(key), holder), lambda: None)

    def _start_renewing(self) -> None:
        with self._lock:
            if self._is_renewing:
                return
            self._is_renewing = True
        threading.Thread(target=self._renew_forever, name="places", daemon=True).start()

    def _renew_forever(self) -> None:
        while True:
            time.sleep(RENEWAL_INTERVAL_S)
            self.renew()

    def renew(self) -> None:
        """Renew the sockets of this process."""
        with self._lock:
            holders_by_key = {
                key: list(holders) for key, holders in self._own_holders.items() if holders
            }
        for key, holders in holders_by_key.items():
            args = [EXPIRY_S, *holders]
            renew_key = partial(self._renew, keys=[_key(key)], args=args)
            shared.redis_or_local(renew_key, lambda: None)


open_sockets = OpenSockets()
