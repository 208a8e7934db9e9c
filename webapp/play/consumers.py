"""A table's socket: a doorbell and a pipe. What it sends is always read from the log.

The client's first message is its cursor. From then on, whenever the bell rings and every few
seconds by itself, the consumer looks what is new for this guest and sends it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer

from game import services
from game.models import Game
from webapp.play import clocks, desk, limits, push, visitors
from webapp.play.bell import bell, group
from webapp.play.build import Guest, page_for

logger = logging.getLogger(__name__)

LOOK_EVERY = 4.0  # seconds
TYPING_EVERY = 2.0  # seconds between notes of typing that are taken
OUTSIDER, UNKNOWN = 4403, 4404  # close codes: the page says so and does not try again


class TableConsumer(AsyncWebsocketConsumer):
    """One guest's open page."""

    async def connect(self) -> None:
        self.guest: Guest | None = None
        self.cursor: int | None = None
        self.sent: dict[str, int] = {}
        self.joined = False
        self.typed = 0.0
        self.wake = asyncio.Event()
        self.task: asyncio.Task[None] | None = None
        code = await self._find_guest()
        await self.accept()
        if code:
            await self.close(code)
            return
        assert self.guest
        self.task = asyncio.create_task(self._watch())

    async def _find_guest(self) -> int:
        visitor = visitors.visitor_of(await _session_data(self.scope["session"]))
        code = self.scope["url_route"]["kwargs"]["code"]
        try:
            self.guest = await _in_thread(visitors.guest)(visitor, code)
        except Game.DoesNotExist:
            return UNKNOWN
        return 0 if self.guest else OUTSIDER

    async def disconnect(self, code: int) -> None:
        if self.task:
            self.task.cancel()
        if self.joined and self.guest:
            try:
                await self.channel_layer.group_discard(group(self.guest.game.pk), self.channel_name)
            except Exception as error:
                logger.info("could not leave the group: %s", error)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        try:
            message = json.loads(text_data or "")
        except ValueError:
            return
        if not isinstance(message, dict) or self.guest is None:
            return
        if isinstance(message.get("cursor"), int):
            self.cursor = max(0, message["cursor"])
            self.sent = {}
            self.wake.set()
        player = self.guest.player
        if player is None or not limits.desk.allows(f"{self.guest.game.pk}/{player.seat}"):
            return
        if isinstance(message.get("draft"), str):
            await _in_thread(desk.save_draft)(player, message["draft"])
        if message.get("typing") and time.monotonic() - self.typed > TYPING_EVERY:
            self.typed = time.monotonic()
            await _in_thread(desk.note_typing)(player)
            bell.ring(self.guest.game.pk, [])

    async def game_changed(self, event: dict[str, Any]) -> None:
        """The bell."""
        self.wake.set()

    async def _watch(self) -> None:
        """Send what is new whenever there may be something, until the socket closes."""
        while True:
            try:
                await self._join()
                async with asyncio.timeout(LOOK_EVERY):
                    await self.wake.wait()
            except TimeoutError:
                pass
            except Exception as error:  # Redis is away: look by ourselves, slower
                logger.warning("no bell for a socket: %s", error)
                await asyncio.sleep(1)
            self.wake.clear()
            if self.cursor is None:
                continue
            try:
                text = await _in_thread(self._news)()
            except Exception:
                logger.exception("a look at the table failed; the next one follows")
                continue
            if text:
                await self.send(text_data=text)

    async def _join(self) -> None:
        if not self.joined and self.guest:
            await self.channel_layer.group_add(group(self.guest.game.pk), self.channel_name)
            self.joined = True

    def _news(self) -> str:
        """What is new for this guest since the last look, as one frame; "" for nothing."""
        assert self.guest is not None
        assert self.cursor is not None
        self.guest.game.refresh_from_db()
        if clocks.is_due(self.guest.game):
            services.expire(self.guest.game.pk)
            self.guest.game.refresh_from_db()
        page = page_for(self.guest, self.cursor)
        parts = []
        for name in push.PARTS:
            seen = hash(push.part(page, name))
            if self.sent.get(name) != seen:
                parts.append(name)
                self.sent[name] = seen
        moved = page.cursor != self.cursor
        self.cursor = page.cursor
        return push.frame(page, parts) if parts or moved else ""


def _in_thread(function: Any) -> Any:
    return database_sync_to_async(function, thread_sensitive=False)


@database_sync_to_async
def _session_data(session: Any) -> dict[str, Any]:
    return dict(session.items())
