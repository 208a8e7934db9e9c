"""Notifies sockets and workers that a game changed, from a background thread.

A request that changed a game must neither wait for Redis nor fail without it. So the message goes
to a queue in memory, and one background thread with its own event loop and connection sends it. If
a message is lost, the sweeper and the broadcasters' periodic polls of the log make up for it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import threading
from collections.abc import Callable
from functools import partial

from channels.layers import get_channel_layer
from django.db import close_old_connections

from game import selectors
from webapp.play.claims.requests import request_claims

logger = logging.getLogger(__name__)

CLOSE_TIMEOUT_S = 2.0
CLOSE = ("", "", lambda: None)  # in place of a message: the thread ends


def group(game_id: int) -> str:
    """Return the channel group of a game's sockets."""
    return f"game.{game_id}"


class Notifier:
    """Notifies sockets and workers of changes. It never blocks and never raises."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[tuple[str, str, Callable[[], None]]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._pid = 0
        self._thread: threading.Thread | None = None

    def notify(self, game_id: int, opened: list[str]) -> None:
        """Make the game's sockets check for changes, and queue the work that follows.

        Agents answer the windows `opened`; what was said is read for the sheet of claims.
        """
        self._enqueue(group(game_id), "game.changed", partial(self._queue_work, game_id, opened))

    def send(self, to: str, kind: str) -> None:
        """Send the sockets of channel group `to` an empty message of type `kind`."""
        self._enqueue(to, kind, lambda: None)

    def _enqueue(self, to: str, kind: str, then: Callable[[], None]) -> None:
        with self._lock:
            if self._pid != os.getpid():  # first use, or a forked child without the thread
                self._queue = queue.SimpleQueue()
                self._thread = threading.Thread(target=self._run, name="notifier", daemon=True)
                self._thread.start()
                self._pid = os.getpid()
        self._queue.put((to, kind, then))

    def close(self) -> None:
        """Send what is queued, for at most `CLOSE_TIMEOUT_S` seconds, and end the thread.

        For a command that ends: messages would be lost, and a thread that the end of the
        interpreter finds inside an extension module may abort the process.
        """
        with self._lock:
            if self._thread and self._pid == os.getpid():
                self._queue.put(CLOSE)
                self._thread.join(CLOSE_TIMEOUT_S)
            self._pid = 0

    def _run(self) -> None:
        loop = asyncio.new_event_loop()
        is_failing = False
        while True:
            to, kind, then = message = self._queue.get()
            if message is CLOSE:
                loop.close()
                return
            try:
                loop.run_until_complete(_send(to, kind))
                is_failing = False
            except Exception as error:  # the sockets poll every few seconds
                level = logging.DEBUG if is_failing else logging.WARNING  # said once, not per game
                logger.log(level, "could not tell %s: %s", to, error)
                is_failing = True
            try:
                then()
            except Exception as error:  # the sweeper will find the work
                logger.warning("could not queue the work of %s: %s", to, error)
            finally:
                close_old_connections()

    @staticmethod
    def _queue_work(game_id: int, opened: list[str]) -> None:
        from webapp.play.tasks import fill, prepare
        from webapp.play.turns import preparation

        if opened:
            _game, position = selectors.current(game_id)
            for key, seat in preparation.find_preparations(position, opened):
                prepare.delay(game_id, seat, key)
            for key, seat in selectors.agents_missing(position, opened):
                fill.delay(game_id, seat, key)
        request_claims(game_id)


async def _send(to: str, kind: str) -> None:
    layer = get_channel_layer()
    assert layer is not None
    try:
        await layer.group_send(to, {"type": kind})
    except Exception:  # after a broker's restart the first send fails once
        await layer.group_send(to, {"type": kind})


notifier = Notifier()
