"""Tests of the broker: a busy worker keeps its message, a dead worker's is delivered again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kombu import Connection, Queue
from kombu.transport import redis

from tests.live import wait_until
from webapp.runtime import broker
from webapp.runtime.embedded_redis import EmbeddedRedis
from webapp.runtime.process_group import ProcessGroup

TIMEOUT_S = 10
QUEUE = Queue("fabula")


class Worker:
    """A worker's connection to its queue."""

    def __init__(self, url: str) -> None:
        options = {"visibility_timeout": TIMEOUT_S}
        self.connection = Connection(url, transport=broker.Transport, transport_options=options)
        self.channel: Any = self.connection.channel()
        QUEUE(self.channel).declare()

    def take(self) -> Any:
        return QUEUE(self.channel).get()

    def restore(self) -> None:
        self.channel.qos.restore_visible(interval=1)


class Clock:
    now = 1_000.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Control the time of kombu's transport and of the broker module."""
    clock = Clock()
    for module in (redis, broker):
        monkeypatch.setattr(module, "time", lambda: clock.now)
    return clock


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    server = EmbeddedRedis(tmp_path)
    with ProcessGroup(tmp_path / "logs") as group:
        group.start(server.child())
        wait_until(server.answers, "Redis answers")
        yield server.url


def test_message_of_a_dead_worker_is_redelivered_and_of_a_busy_one_is_not(
    url: str, clock: Clock
) -> None:
    busy, idle = Worker(url), Worker(url)
    with busy.connection, idle.connection:
        busy.connection.Producer(busy.channel).publish("results", routing_key="fabula")
        message = busy.take()
        assert message.payload == "results"
        for _ in range(4):
            clock.now += TIMEOUT_S / 2
            busy.restore()
            idle.restore()
        assert idle.take() is None
        clock.now += 2 * TIMEOUT_S  # nothing renews it: its worker is dead
        idle.restore()
        redelivered = idle.take()
        assert redelivered.payload == "results"
        redelivered.ack()
        busy.restore()  # comes back to life
        clock.now += 2 * TIMEOUT_S
        idle.restore()
        assert idle.take() is None


def test_acknowledged_message_is_not_delivered_again(url: str, clock: Clock) -> None:
    worker = Worker(url)
    with worker.connection:
        worker.connection.Producer(worker.channel).publish("results", routing_key="fabula")
        worker.take().ack()
        worker.restore()
        clock.now += 2 * TIMEOUT_S
        worker.restore()
        assert worker.take() is None
