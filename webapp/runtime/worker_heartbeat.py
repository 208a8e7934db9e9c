"""The worker's heartbeat: a key in Redis that exists while a worker takes tasks from the queue.

The event loop that takes the tasks renews the key by a timer. If the worker is dead, stuck or cut
off from Redis, nothing renews the key, and it expires. So /healthz needs one read and no request to
the workers.
"""

import os
import socket
from typing import Any

import redis
from celery import bootsteps
from celery.utils.log import get_logger

KEY = "fabula:worker"
BEAT_INTERVAL_S = 1.0
KEY_LIFETIME_S = 4  # A dead worker may still seem alive for this long.
TIMEOUT_S = 1.0  # time limit for connecting, and for one request

logger = get_logger(__name__)


def connect(url: str) -> "redis.Redis":
    """Return a client that gives up after a second and does not retry."""
    return redis.Redis.from_url(
        url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S, retry=None
    )


class WorkerHeartbeat(bootsteps.StartStopStep):
    """A step of the worker's consumer.

    Celery calls `register_with_event_loop` when consuming begins, also after every reconnection,
    and drops the timer itself when the connection is lost.
    """

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, consumer: Any, **options: Any) -> None:
        super().__init__(consumer, **options)
        self._redis = connect(consumer.app.conf.broker_url)
        self._value = f"{socket.gethostname()} {os.getpid()}"

    def register_with_event_loop(self, consumer: Any, hub: Any) -> None:
        hub.call_soon(self._beat)
        hub.timer.call_repeatedly(BEAT_INTERVAL_S, self._beat)

    def _beat(self) -> None:
        try:
            self._redis.set(KEY, self._value, ex=KEY_LIFETIME_S)
        except redis.RedisError as error:
            logger.warning("No sign of life could be given: %s", error)
