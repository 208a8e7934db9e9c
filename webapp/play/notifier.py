"""Tells sockets and workers that a game changed, from a background thread.

A request that changed a game must neither wait for Redis nor fail without it. So the message goes
to a queue in memory, and one background thread with its own event loop and connection sends it. If
a message is lost, the sweeper and the broadcasters' periodic check of the log make up for it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import threading

from channels.layers import get_channel_layer
from django.db import close_old_connections

from game import selectors

logger = logging.getLogger(__name__)


def group(game_id: int) -> str:
    """The channel group of a game's sockets."""
    return f"game.{game_id}"


class Notifier:
    """Sends messages that games changed; never blocks, never raises."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[tuple[int, list[str]]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._pid = 0

    def notify(self, game_id: int, opened: list[str]) -> None:
        """Make the game's sockets check for changes, and queue agents' work in windows `opened`."""
        with self._lock:
            if self._pid != os.getpid():  # first use, or a forked child without the thread
                self._queue = queue.SimpleQueue()
                threading.Thread(target=self._run, name="notifier", daemon=True).start()
                self._pid = os.getpid()
        self._queue.put((game_id, opened))

    def _run(self) -> None:
        loop = asyncio.new_event_loop()
        while True:
            game_id, opened = self._queue.get()
            try:
                loop.run_until_complete(_send(game_id))
            except Exception as error:  # the sockets look by themselves every few seconds
                logger.warning("could not ring for game %s: %s", game_id, error)
            try:
                self._queue_fills(game_id, opened)
            except Exception as error:  # the sweeper will find the work
                logger.warning("could not queue the agents of game %s: %s", game_id, error)
            finally:
                close_old_connections()

    @staticmethod
    def _queue_fills(game_id: int, opened: list[str]) -> None:
        from webapp.play import preparation
        from webapp.play.tasks import fill, prepare

        if not opened:
            return
        _game, position = selectors.current(game_id)
        for key, seat in preparation.called_for(position, opened):
            prepare.delay(game_id, seat, key)
        for key, seat in selectors.agents_missing(position, opened):
            fill.delay(game_id, seat, key)


async def _send(game_id: int) -> None:
    layer = get_channel_layer()
    assert layer is not None
    message = {"type": "game.changed"}
    try:
        await layer.group_send(group(game_id), message)
    except Exception:  # after a broker's restart the first send fails once
        await layer.group_send(group(game_id), message)


notifier = Notifier()
