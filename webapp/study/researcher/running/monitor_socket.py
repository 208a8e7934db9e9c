"""The socket of a monitor's page, for signed-in researchers who may run the study.

After each notice (which has no content), and every few seconds, it reads the page once and sends
the changes as JSON (`monitor.frames`). Session, role and blinding are checked again each time.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from contextlib import suppress
from importlib import import_module
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.urls import path

from webapp.play import rate_limits
from webapp.play.live.broadcaster import CROWD, OUTSIDER, UNKNOWN, in_thread
from webapp.play.live.notifier import group
from webapp.proxies import address_of_scope
from webapp.study.models import Study
from webapp.study.monitor import frames, researcher_blinding
from webapp.study.permissions import MONITOR_SOCKET, Access, find_access
from webapp.study.researcher.access import researcher_of
from webapp.study.researcher.running.monitor_page import page_content
from webapp.study.sessions import notices

logger = logging.getLogger(__name__)

PING, PONG = "?", "."  # the same values are in static/js/monitor.js
POLL_EVERY_S = 5.0  # seconds without a notice: durations grow, and participants go away
LEAST_PAUSE = 1.0  # seconds between two reads
SHARE = 10  # reads take at most a tenth of the time


class Closed(Exception):
    """The page gets no more updates. Its argument is the code to close with."""


class MonitorConsumer(AsyncWebsocketConsumer):
    """One open page of the monitor."""

    async def connect(self) -> None:
        self.name = uuid.uuid4().hex
        self.places: list[str] = []
        self.groups_joined: set[str] = set()
        self.wake, self.sent = asyncio.Event(), frames.SentParts()
        self.watching: asyncio.Task[None] | None = None
        self.messages = rate_limits.messages()
        self.study = 0
        route = self.scope["url_route"]["kwargs"]
        self.code, self.about = route["code"], route.get("about", "")
        code = await in_thread(self._admit)()
        await self.accept()
        if code:
            await self.close(code)
            return
        self.wake.set()
        self.watching = asyncio.create_task(self._watch())

    def _session(self) -> SessionBase:
        store: type[SessionBase] = import_module(settings.SESSION_ENGINE).SessionStore
        return store(self.scope["session"].session_key)

    def _access(self, session: SessionBase) -> Access:
        researcher = researcher_of(session)
        if researcher is None:
            raise Closed(OUTSIDER)
        study = Study.objects.filter(code=self.code).first()
        access = find_access(study, researcher.pk) if study else None
        if access is None or not access.may(MONITOR_SOCKET):
            raise Closed(UNKNOWN)
        return access

    def _admit(self) -> int:
        """Check the session and acquire a place for the socket.

        Returns the code to close with, or 0.
        """
        address = address_of_scope(self.scope)
        if not rate_limits.sockets_opened.allows(address):
            return CROWD
        try:
            self.study = self._access(self._session()).study.pk
        except Closed as closed:
            return int(closed.args[0])
        socket_places = rate_limits.take_slots(address, self.name, member=True)
        self.places = socket_places or []
        return 0 if socket_places else CROWD

    async def _watch(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_EVERY_S):
                    await self.wake.wait()
            self.wake.clear()
            began = time.monotonic()
            try:
                text, games = await in_thread(self._poll)()
                await self._listen({notices.monitor_group(self.study), *map(group, games)})
                if text:
                    await self.send(text_data=text)
            except Closed as closed:
                await self.close(closed.args[0])
                return
            except Exception:
                logger.exception("a look at study %s failed; the next one follows", self.study)
            await asyncio.sleep(max(LEAST_PAUSE, SHARE * (time.monotonic() - began)))

    def _poll(self) -> tuple[str, frozenset[int]]:
        session = self._session()
        access = self._access(session)
        lifted = researcher_blinding.is_lifted(session, access)
        look = page_content(access.study, self.about, lifted)
        if look is None:
            raise Closed(UNKNOWN)
        news = self.sent.news(look)
        return (frames.serialize(news) if news else ""), look.games

    async def _listen(self, wanted_groups: set[str]) -> None:
        """Join the groups of the study and of the games shown.

        Without Redis the socket only polls.
        """
        layer = self.channel_layer
        try:
            for name in wanted_groups - self.groups_joined:
                await layer.group_add(name, self.channel_name)
                self.groups_joined.add(name)
                self.wake.set()  # notices before the group was joined were missed
            for name in self.groups_joined - wanted_groups:
                await layer.group_discard(name, self.channel_name)
                self.groups_joined.discard(name)
        except Exception as error:
            logger.warning("no news for a monitor: %s", error)

    async def look_again(self, _event: dict[str, Any]) -> None:
        self.wake.set()

    async def game_changed(self, _event: dict[str, Any]) -> None:
        self.wake.set()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if not self.messages.allows(self.name):
            await self.close(CROWD)
        elif text_data == PING:
            await self.send(text_data=PONG)

    async def disconnect(self, code: int) -> None:
        if self.watching:
            self.watching.cancel()
        await self._listen(set())
        if self.places:
            await in_thread(rate_limits.release_slots)(self.places, self.name)


websocket_urlpatterns = [
    path("ws/study/<str:code>/", MonitorConsumer.as_asgi(), name=MONITOR_SOCKET),  # type: ignore[arg-type]
    path("ws/study/<str:code>/<path:about>/", MonitorConsumer.as_asgi(), name=MONITOR_SOCKET),  # type: ignore[arg-type]
]
