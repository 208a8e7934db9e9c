"""kombu's Redis transport, for workers that outlive their Redis and run long tasks.

With kombu 5.7 a worker that loses Redis while it holds tasks would crash twice: it tries to return
the messages over the connection it has just closed, and later to acknowledge them there. Both are
unnecessary here. The sweeper finds unfinished work again, Redis delivers an unacknowledged message
again after the visibility timeout, and a task that is already done has no effect.

A worker renews the messages that it holds. Otherwise a task that takes longer than the visibility
timeout (on a busy machine, the results of a study) would be delivered again and run several times
at once.
"""

from time import time
from typing import Any

from kombu.transport import redis


class QoS(redis.QoS):
    """kombu's bookkeeping of unacknowledged messages, with the changes above."""

    channel: Any
    restore_at_shutdown = False

    def ack(self, delivery_tag: str) -> None:
        if not self.channel.closed:
            super().ack(delivery_tag)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        if not self.channel.closed:
            super().reject(delivery_tag, requeue)

    def restore_visible(self, *args: Any, **kwargs: Any) -> None:
        """Renew this worker's messages, then deliver those of dead workers again."""
        self._renew()
        super().restore_visible(*args, **kwargs)

    def _renew(self) -> None:
        now, acknowledged = time(), self._dirty or ()
        scores = {tag: now for tag in self._delivered or () if tag not in acknowledged}
        if scores:
            with self.channel.conn_or_acquire() as client:
                # xx: another thread may have acknowledged a message meanwhile
                client.zadd(self.unacked_index_key, scores, xx=True)


class Channel(redis.Channel):
    QoS: Any = QoS


class Transport(redis.Transport):
    Channel: Any = Channel
