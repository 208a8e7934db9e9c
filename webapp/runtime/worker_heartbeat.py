"""The worker's heartbeat: a key in Redis that only a worker consuming the queue keeps alive.

A timer of the event loop that takes tasks from the queue renews the key. A worker that is dead,
stuck, or cut off from Redis stops renewing it, and the key expires; so /healthz needs one read and
no request to the workers.
"""

import os
import socket
from typing import Any

import redis
from celery import bootsteps
from celery.utils.log import get_logger

KEY = "fabula:worker"
BEAT_INTERVAL_S = 1.0
KEY_LIFETIME_S = 4  # for this long a dead worker may still seem alive
TIMEOUT_S = 1.0  # for connecting, and for one request

logger = get_logger(__name__)


def client(url: str) -> "redis.Redis":
    """Return a connection that gives up after a second and does not retry."""
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
        self._redis = client(consumer.app.conf.broker_url)
        self._value = f"{socket.gethostname()} {os.getpid()}"

    def register_with_event_loop(self, consumer: Any, hub: Any) -> None:
        hub.call_soon(self._beat)
        hub.timer.call_repeatedly(BEAT_INTERVAL_S, self._beat)

    def _beat(self) -> None:
        try:
            self._redis.set(KEY, self._value, ex=KEY_LIFETIME_S)
        except redis.RedisError as error:
            logger.warning("No sign of life could be given: %s", error)
