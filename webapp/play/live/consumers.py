"""The WebSocket of a table's page. Its game's broadcaster decides what it sends.

The client's first message is its cursor, `{"cursor": 12}`. A lobby's page sends `{"lobby": true}`.
Later messages are drafts (`{"draft": "…"}`), typing signals (`{"typing": true}`) and pings
(`{"ping": true}`). The answer to a ping is `PONG`: without it the page notices that its connection
has died silently. All other messages are ignored.
"""

from __future__ import annotations

import json
import time
import uuid
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import DatabaseError
from django.template.loader import render_to_string

from game.models import Game, Player
from webapp import storage_errors
from webapp.play import rate_limits, visitors
from webapp.play.live import broadcaster
from webapp.play.live.broadcaster import in_thread
from webapp.play.live.notifier import notifier
from webapp.play.page import desk_storage
from webapp.proxies import socket_client_address

MAX_CURSOR = 10**9  # larger cursors are cut to this; no game has as many events
PONG = "."  # static/js/live.js expects this answer.
TYPING_INTERVAL_S = 2.0  # typing signals within this time of a stored one are dropped


class TableConsumer(AsyncWebsocketConsumer):
    """One guest's open page. The broadcaster, not the consumer, listens to Redis."""

    channel_layer_alias = "process"

    async def connect(self) -> None:
        self.open_page: broadcaster.OpenPage | None = None
        self.game_id = 0
        self.typed_at = 0.0  # when the last typing signal was stored, on the monotonic clock
        self.socket_id = uuid.uuid4().hex
        self.connection_slots: list[str] = []
        self.message_limit = rate_limits.message_limit()
        self.cursor_limit = rate_limits.cursor_limit()
        session = await session_data(self.scope["session"])
        self.visitor = visitors.visitor_of(session)
        code = await in_thread(self._admit)(session)
        await self.accept()
        if code:
            await self.close(code)
            return
        open_page = broadcaster.OpenPage(self.visitor, self._send, self.close)
        if broadcaster.add_page(self.game_id, open_page):
            self.open_page = open_page
        else:
            await self.close(broadcaster.CLOSE_CROWD)

    def _admit(self, session: dict[str, Any]) -> int:
        """Find the game and take a connection slot. Return the code to close with, or 0."""
        address = visitors.link_of(session) or socket_client_address(self.scope)
        if not rate_limits.sockets_opened.try_acquire(address):
            return broadcaster.CLOSE_CROWD
        try:
            guest = visitors.find_guest(self.visitor, self.scope["url_route"]["kwargs"]["code"])
        except Game.DoesNotExist:
            return broadcaster.CLOSE_UNKNOWN
        if guest is None:
            return broadcaster.CLOSE_OUTSIDER
        slots = rate_limits.acquire_slots(address, self.socket_id, is_member=guest.is_member)
        if slots is None:
            return broadcaster.CLOSE_CROWD
        self.game_id, self.connection_slots = guest.game.pk, slots
        return 0

    async def _send(self, text: str) -> None:
        await self.send(text_data=text)

    async def disconnect(self, code: int) -> None:
        if self.open_page:
            broadcaster.remove_page(self.game_id, self.open_page)
        if self.connection_slots:
            await in_thread(rate_limits.release_slots)(self.connection_slots, self.socket_id)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if not self.message_limit.try_acquire(self.socket_id):
            await self.close(broadcaster.CLOSE_CROWD)
            return
        try:
            message = json.loads(text_data or "")
        except (ValueError, RecursionError):
            return
        if not isinstance(message, dict) or self.open_page is None:
            return
        if message.get("ping"):
            await self._send(PONG)
        cursor, in_lobby = message.get("cursor"), bool(message.get("lobby"))
        cursor = cursor if type(cursor) is int else None
        if (cursor is not None or in_lobby) and self.cursor_limit.try_acquire(self.socket_id):
            self.open_page.in_lobby = in_lobby
            self.open_page.new_cursor = min(max(0, cursor or 0), MAX_CURSOR)
            broadcaster.wake(self.game_id)
        if isinstance(message.get("draft"), str) or message.get("typing"):
            try:
                await self._save_desk(message)
            except DatabaseError as error:
                await self._send_storage_fault(error)

    async def _send_storage_fault(self, error: DatabaseError) -> None:
        """Send the reason why nothing can be stored. The socket stays open for updates."""
        fault = storage_errors.kind_of(error)
        if not fault:
            raise error
        text = {"text": storage_errors.explain(fault)}
        await self._send(render_to_string("play/refused.html", text))

    async def _save_desk(self, message: dict[str, Any]) -> None:
        player = await in_thread(_find_player)(self.visitor, self.game_id)
        if player is None:
            return
        if not rate_limits.desk_limit.try_acquire(f"{self.game_id}/{player.seat}"):
            return
        if isinstance(message.get("draft"), str):
            secret = bool(message.get("secret"))
            await in_thread(desk_storage.save_draft)(player, message["draft"], is_secret=secret)
        if message.get("typing") and time.monotonic() - self.typed_at > TYPING_INTERVAL_S:
            self.typed_at = time.monotonic()
            await in_thread(desk_storage.note_typing)(player)
            notifier.notify(self.game_id, [])


def _find_player(visitor: uuid.UUID | None, game_id: int) -> Player | None:
    """Return the player in the visitor's seat, None if the visitor has lost it."""
    if visitor is None:
        return None
    return Player.objects.filter(membership__visitor=visitor, membership__game=game_id).first()


@database_sync_to_async
def session_data(session: Any) -> dict[str, Any]:
    return dict(session.items())
