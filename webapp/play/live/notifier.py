"""Notifies sockets and workers that a game changed, from a background thread.

A simulation or a test receives the changes instead (`diverted`).

A request that changed a game must neither wait for Redis nor fail without it. So the message is put
into a queue in memory. A background thread with its own event loop and connection sends it. The
sweeper and the broadcasters' periodic polls make up for lost messages.
"""

import asyncio
import logging
import os
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from channels.layers import get_channel_layer
from django.db import close_old_connections
from django.dispatch import receiver

from game import cached_games, selectors
from game.signals import game_changed
from webapp.play.readings import request_claims

logger = logging.getLogger(__name__)

CLOSE_TIMEOUT_S = 2.0
# Called with a game's id and the keys of the new windows that agents may have to answer.
ChangeHandler = Callable[[int, list[str]], None]


def game_group(game_id: int) -> str:
    return f"game.{game_id}"


class Message(NamedTuple):
    """A message to the sockets of a channel group, and what to do after it is sent."""

    channel_group: str
    kind: str
    follow_up: Callable[[], None] = lambda: None


CLOSE_MESSAGE = Message("", "")  # Ends the thread that reads the queue.


class Notifier:
    """Notifies sockets and workers of changes. It never blocks and never raises."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._pid = 0
        self._thread: threading.Thread | None = None

    def notify(self, game_id: int, opened: list[str]) -> None:
        """Make the game's sockets check for changes, and queue the work of the agents.

        Workers also read the new statements for the table's sheet of claims. `opened` are the keys
        of the new windows.
        """
        queue_work = partial(self._queue_work, game_id, opened)
        self._enqueue(Message(game_group(game_id), "game.changed", queue_work))

    def send(self, channel_group: str, kind: str) -> None:
        """Send the sockets of a channel group a message that has only the type `kind`."""
        self._enqueue(Message(channel_group, kind))

    def _enqueue(self, message: Message) -> None:
        with self._lock:
            if self._pid != os.getpid():  # first use, or a forked child without the thread
                self._queue = queue.SimpleQueue()
                self._thread = threading.Thread(target=self._run, name="notifier", daemon=True)
                self._thread.start()
                self._pid = os.getpid()
        self._queue.put(message)

    def close(self) -> None:
        """Send the queued messages, for at most `CLOSE_TIMEOUT_S`, and end the thread.

        A command must call it before it ends: otherwise messages are lost, and a thread that is
        inside an extension module when the interpreter ends may abort the process.
        """
        with self._lock:
            if self._thread and self._pid == os.getpid():
                self._queue.put(CLOSE_MESSAGE)
                self._thread.join(CLOSE_TIMEOUT_S)
            self._pid = 0

    def _run(self) -> None:
        loop = asyncio.new_event_loop()
        is_failing = False
        while True:
            message = self._queue.get()
            if message is CLOSE_MESSAGE:
                loop.close()
                return
            try:
                loop.run_until_complete(_send(message))
                is_failing = False
            except Exception as error:  # the sockets poll every few seconds
                level = logging.DEBUG if is_failing else logging.WARNING  # warn once, not per game
                logger.log(level, "could not notify %s: %s", message.channel_group, error)
                is_failing = True
            try:
                message.follow_up()
            except Exception as error:  # the sweeper will find the work
                logger.warning("could not queue the work of %s: %s", message.channel_group, error)
            finally:
                close_old_connections()

    @staticmethod
    def _queue_work(game_id: int, opened: list[str]) -> None:
        from webapp.play.tasks import fill, prepare
        from webapp.play.turns import answering

        if opened:
            _game, position = cached_games.current_game(game_id)
            for key, seat in answering.find_preparations(position, opened):
                prepare.delay(game_id, seat, key)
            for key, seat in selectors.agents_missing(position, opened):
                fill.delay(game_id, seat, key)
        request_claims(game_id)


async def _send(message: Message) -> None:
    layer = get_channel_layer()
    assert layer is not None
    data = {"type": message.kind}
    try:
        await layer.group_send(message.channel_group, data)
    except Exception:  # the first send after a restart of Redis fails
        await layer.group_send(message.channel_group, data)


notifier = Notifier()
_handle_change: ChangeHandler = notifier.notify


@receiver(game_changed, dispatch_uid="play")
def _on_game_changed(sender: object, game: int, opened: list[str], **kwargs: Any) -> None:
    _handle_change(game, opened)


@contextmanager
def diverted(handler: ChangeHandler) -> Iterator[None]:
    """Pass changes to `handler` instead of the notifier."""
    global _handle_change
    previous, _handle_change = _handle_change, handler
    try:
        yield
    finally:
        _handle_change = previous
