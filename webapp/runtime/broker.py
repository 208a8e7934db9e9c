"""kombu's Redis transport, for a worker that outlives its Redis.

A worker that loses Redis while it holds tasks would crash twice (kombu 5.7): it tries to return the
messages over the connection it has just closed, and later to acknowledge them there. Both are
needless here. The sweeper finds unfinished work again, Redis delivers an unacknowledged message
again after the visibility timeout, and a task that is already done has no effect.
"""

from typing import Any

from kombu.transport import redis


class QoS(redis.QoS):
    restore_at_shutdown = False

    def ack(self, delivery_tag: str) -> None:
        if not self.channel.closed:
            super().ack(delivery_tag)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        if not self.channel.closed:
            super().reject(delivery_tag, requeue)


class Channel(redis.Channel):
    QoS: Any = QoS


class Transport(redis.Transport):
    Channel: Any = Channel
