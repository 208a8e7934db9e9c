"""Rate limits, counted in Redis for all processes together.

While Redis is unavailable, each process counts for itself. The requests that notice this wait for
`REDIS_TIMEOUT_S`. Afterwards only a background thread tries to reach Redis again.
"""

import hashlib
import logging
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.conf import settings
from limits import RateLimitItemPerSecond
from limits.errors import StorageError
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import MovingWindowRateLimiter
from redis import RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

logger = logging.getLogger(__name__)

REDIS_TIMEOUT_S = 0.25
MAX_CLOCK_DIFFERENCE_S = 5.0  # clocks of the machines that count may differ by this much
RECONNECT_INTERVAL_S = 2.0
MAX_PROCESS_KEYS = 10_000  # a `ProcessRate` with more keys drops those that are idle
T = TypeVar("T")


class RedisOrMemory:
    """Counts in Redis (client: `redis`) while it is available, else in this process's memory."""

    def __init__(self, url: str) -> None:
        quick = {"socket_timeout": REDIS_TIMEOUT_S, "socket_connect_timeout": REDIS_TIMEOUT_S}
        options: dict[str, Any] = {**quick, "retry": Retry(NoBackoff(), 0)}
        storage = RedisStorage(url, key_prefix="fabula:rates", wrap_exceptions=True, **options)
        self.redis = storage.storage
        self._in_redis = MovingWindowRateLimiter(storage)
        self._memory = MemoryStorage()
        self._in_process = MovingWindowRateLimiter(self._memory)
        self._redis_down = threading.Event()
        self._lock = threading.Lock()

    @property
    def is_redis_down(self) -> bool:
        return self._redis_down.is_set()

    def redis_or_local(self, in_redis: Callable[[], T], in_process: Callable[[], T]) -> T:
        """Return the result of `in_redis()`, of `in_process()` while Redis is unavailable."""
        if not self.is_redis_down:
            try:
                return in_redis()
            except (StorageError, RedisError, OSError) as error:
                self._on_redis_error(error)
        return in_process()

    def with_limiter(self, use: Callable[[MovingWindowRateLimiter], T]) -> T:
        """Return `use(limiter)`, with a limiter in Redis or with this process's own one."""
        return self.redis_or_local(lambda: use(self._in_redis), lambda: use(self._in_process))

    def reset(self) -> None:
        """Reset the counts of this process."""
        self._memory.reset()

    def _on_redis_error(self, error: Exception) -> None:
        with self._lock:
            if self.is_redis_down:
                return
            self._redis_down.set()
        logger.warning("Redis is away (%s): this process counts for itself", type(error).__name__)
        threading.Thread(target=self._wait_for_redis, name="rates", daemon=True).start()

    def _wait_for_redis(self) -> None:
        while True:
            time.sleep(RECONNECT_INTERVAL_S)
            try:
                self.redis.ping()
            except Exception:  # every error of the driver means that Redis is still unavailable
                continue
            self._redis_down.clear()
            logger.info("Redis is back: all processes count together again")
            return


rate_storage = RedisOrMemory(settings.REDIS_URL)


def keyed_digest(key: str) -> str:
    """Return a keyed hash, which is stored in place of an address or a name."""
    secret = hashlib.sha256(settings.SECRET_KEY.encode()).digest()
    return hashlib.blake2s(key.encode("utf-8", "replace"), key=secret, digest_size=16).hexdigest()


class Rate:
    """Allows at most `limit` events for each key in any period of `seconds`."""

    def __init__(self, name: str, limit: int, seconds: int) -> None:
        self.name, self._seconds = name, seconds
        self._item = RateLimitItemPerSecond(limit, seconds, namespace=name)

    def try_acquire(self, key: str) -> bool:
        """Count an event for `key` unless it exceeds the rate. Return whether it was counted."""
        return self._hit(key) or (not self.seconds_until_allowed(key) and self._hit(key))

    def _hit(self, key: str) -> bool:
        return rate_storage.with_limiter(lambda limiter: limiter.hit(self._item, keyed_digest(key)))

    def seconds_until_allowed(self, key: str) -> float:
        """Return the seconds until an event is allowed for `key`, 0 if it is now.

        Resets the count of `key` if a clock that has been set back since counted it.
        """
        stats = rate_storage.with_limiter(
            lambda limiter: limiter.get_window_stats(self._item, keyed_digest(key))
        )
        wait = max(0.0, stats.reset_time - time.time()) if stats.remaining < 1 else 0.0
        if wait > self._seconds + MAX_CLOCK_DIFFERENCE_S:
            self.reset(key)
            return 0.0
        return wait

    def reset(self, key: str) -> None:
        rate_storage.with_limiter(lambda limiter: limiter.clear(self._item, keyed_digest(key)))


class ProcessRate:
    """As `Rate`, but each process counts for itself."""

    def __init__(self, limit: int, seconds: float) -> None:
        self.limit, self.seconds = limit, seconds
        self._events: defaultdict[str, deque[float]] = defaultdict(deque)
        self._lock = threading.Lock()

    def try_acquire(self, key: str) -> bool:
        """Count an event for `key` unless it exceeds the rate. Return whether it was counted."""
        now = time.monotonic()
        with self._lock:
            if len(self._events) > MAX_PROCESS_KEYS:
                begin = now - self.seconds
                self._events = defaultdict(
                    deque, {k: times for k, times in self._events.items() if times[-1] > begin}
                )
            events = self._events[key]
            while events and events[0] <= now - self.seconds:
                events.popleft()
            if len(events) >= self.limit:
                return False
            events.append(now)
            return True


class EscalatingRate:
    """Several rates (limit, seconds) at once, so that the wait grows with every attempt."""

    def __init__(self, name: str, steps: Sequence[tuple[int, int]]) -> None:
        self._rates = [Rate(f"{name}/{seconds}", limit, seconds) for limit, seconds in steps]

    def try_acquire(self, key: str) -> bool:
        """Count an event for `key` unless it must wait. Return whether every rate counted it."""
        if self.seconds_until_allowed(key):
            return False
        results = [rate.try_acquire(key) for rate in self._rates]  # every rate counts the attempt
        return all(results)

    def seconds_until_allowed(self, key: str) -> float:
        """Return the seconds until an event is allowed for `key`, 0 if it is now."""
        return max(rate.seconds_until_allowed(key) for rate in self._rates)

    def reset(self, key: str) -> None:
        for rate in self._rates:
            rate.reset(key)
