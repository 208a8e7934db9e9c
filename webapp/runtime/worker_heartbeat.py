"""The worker's sign of life: a key in Redis that only a worker consuming the queue keeps alive.

The key is set again by a timer of the very event loop that takes tasks from the queue, from the
moment it takes them. A worker that is dead, stuck, or cut off from Redis stops renewing it, and it
expires by itself; so one read tells /healthz the truth, without asking the workers.
"""

import os
import socket
from typing import Any

import redis
from celery import bootsteps
from celery.utils.log import get_logger

KEY = "fabula:worker"
EVERY = 1.0  # seconds
EXPIRES = 4  # seconds; how long a dead worker may pass for a live one
TIMEOUT = 1.0  # seconds

logger = get_logger(__name__)


def client(url: str) -> "redis.Redis":
    """Return a connection that gives up after a second and is not tried again."""
    return redis.Redis.from_url(
        url, socket_timeout=TIMEOUT, socket_connect_timeout=TIMEOUT, retry=None
    )


class WorkerHeartbeat(bootsteps.StartStopStep):
    """Part of the worker's consumer.

    Celery calls `register_with_event_loop` as consuming begins, on every reconnection again, and
    drops the timer itself when the connection is lost.
    """

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, consumer: Any, **options: Any) -> None:
        super().__init__(consumer, **options)
        self._redis = client(consumer.app.conf.broker_url)
        self._value = f"{socket.gethostname()} {os.getpid()}"

    def register_with_event_loop(self, consumer: Any, hub: Any) -> None:
        hub.call_soon(self._beat)
        hub.timer.call_repeatedly(EVERY, self._beat)

    def _beat(self) -> None:
        try:
            self._redis.set(KEY, self._value, ex=EXPIRES)
        except redis.RedisError as error:
            logger.warning("No sign of life could be given: %s", error)
