"""The WebSocket of a table's page, and the base class of all sockets.

The game's broadcaster decides what a table's socket sends. The client's first message is its
cursor, `{"cursor": 12}`. A lobby's page sends `{"lobby": true}`. Later messages are drafts
(`{"draft": "…"}`), typing signals (`{"typing": true}`) and pings (`{"ping": true}`). The answer to
a ping is `PONG`: without it the page notices that its connection has died silently. All other
messages are ignored.
"""

import json
import time
import uuid
from abc import ABC, abstractmethod
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import DatabaseError
from django.template.loader import render_to_string

from game.models import Game, Player
from webapp import storage_errors
from webapp.play import rate_limits, visitors
from webapp.play.live import broadcaster, open_sockets
from webapp.play.live.broadcaster import in_thread
from webapp.play.live.notifier import notifier
from webapp.play.page import desk_storage
from webapp.proxies import socket_client_address
from webapp.rate_counters import ProcessRate

MAX_CURSOR = 10**9  # larger cursors are cut to this; no game has as many events
PONG = "."  # static/js/live.js expects this answer.
TYPING_INTERVAL_S = 2.0  # typing signals within this time of a stored one are dropped


class SocketRefused(Exception):
    """The socket must close. The argument is its close code, one of `broadcaster`."""


class LimitedConsumer(AsyncWebsocketConsumer, ABC):
    """A socket that counts toward the limits of its address, and whose messages are limited.

    A subclass defines `identify`, `on_admitted` and `on_message`.
    """

    async def connect(self) -> None:
        self.socket_id = uuid.uuid4().hex
        self.slots: list[str] = []
        self.message_rate = ProcessRate(120, 10)  # a page sends drafts while its user types
        code = await in_thread(self._admit)()
        await self.accept()
        if code:
            await self.close(code)
        else:
            await self.on_admitted()

    def _admit(self) -> int:
        """Identify the visitor and take the socket's slots. Return the code to close with, or 0."""
        session = dict(self.scope["session"].items())
        address = visitors.link_of(session) or socket_client_address(self.scope)
        if not rate_limits.socket_rate.try_acquire(address):
            return broadcaster.CLOSE_CROWD
        try:
            is_member = self.identify(session)
        except SocketRefused as refusal:
            return int(refusal.args[0])
        slots = open_sockets.acquire_slots(address, self.socket_id, is_member=is_member)
        self.slots = slots or []
        return 0 if slots else broadcaster.CLOSE_CROWD

    @abstractmethod
    def identify(self, session: dict[str, Any]) -> bool:
        """Find what the socket is for. Return whether the visitor has a part in it.

        Raise SocketRefused for visitors who may not open the socket.
        """

    async def on_admitted(self) -> None:
        """Start to send updates."""

    @abstractmethod
    async def on_message(self, text: str) -> None:
        """Handle a message of the page."""

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if not self.message_rate.try_acquire(self.socket_id):
            await self.close(broadcaster.CLOSE_CROWD)
        elif self.slots:  # a refused socket may send before it is closed
            await self.on_message(text_data or "")

    async def disconnect(self, code: int) -> None:
        if self.slots:
            await in_thread(open_sockets.release_slots)(self.slots, self.socket_id)


class TableConsumer(LimitedConsumer):
    """One guest's open page. The broadcaster, not the consumer, listens to Redis."""

    channel_layer_alias = "process"

    async def connect(self) -> None:
        self.open_page: broadcaster.OpenPage | None = None
        self.typed_at = 0.0  # when the last typing signal was stored, on the monotonic clock
        self.cursor_rate = ProcessRate(10, 10)  # a page sends its cursor once
        await super().connect()

    def identify(self, session: dict[str, Any]) -> bool:
        self.visitor = visitors.visitor_of(session)
        try:
            guest = visitors.find_guest(self.visitor, self.scope["url_route"]["kwargs"]["code"])
        except Game.DoesNotExist:
            raise SocketRefused(broadcaster.CLOSE_UNKNOWN) from None
        if guest is None:
            raise SocketRefused(broadcaster.CLOSE_OUTSIDER)
        self.game_id = guest.game.pk
        return guest.is_member

    async def on_admitted(self) -> None:
        open_page = broadcaster.OpenPage(self.visitor, self.send, self.close)
        if broadcaster.add_page(self.game_id, open_page):
            self.open_page = open_page
        else:
            await self.close(broadcaster.CLOSE_CROWD)

    async def disconnect(self, code: int) -> None:
        if self.open_page:
            broadcaster.remove_page(self.game_id, self.open_page)
        await super().disconnect(code)

    async def on_message(self, text: str) -> None:
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            return
        if not isinstance(message, dict) or self.open_page is None:
            return
        if message.get("ping"):
            await self.send(PONG)
        cursor, in_lobby = message.get("cursor"), bool(message.get("lobby"))
        cursor = cursor if type(cursor) is int else None
        if (cursor is not None or in_lobby) and self.cursor_rate.try_acquire(self.socket_id):
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
        await self.send(render_to_string("play/refused.html", text))

    async def _save_desk(self, message: dict[str, Any]) -> None:
        player = await in_thread(_find_player)(self.visitor, self.game_id)
        if player is None:
            return
        if not rate_limits.desk_rate.try_acquire(f"{self.game_id}/{player.seat}"):
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
