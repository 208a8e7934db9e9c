"""The socket of a monitor's page, for signed-in researchers who may run the study.

After each notice, and every few seconds without one, the socket reads the page and sends the
changes as JSON (`monitor.frames`). It checks session, role and blinding again each time.
"""

import asyncio
import logging
import time
from contextlib import suppress
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.urls import path

from webapp.play.live.broadcaster import CLOSE_OUTSIDER, CLOSE_UNKNOWN, in_thread
from webapp.play.live.consumers import LimitedConsumer, SocketRefused
from webapp.play.live.notifier import game_group
from webapp.study.models import Study
from webapp.study.monitor import frames, researcher_blinding
from webapp.study.monitor.page_content import find_page_content
from webapp.study.permissions import MONITOR_SOCKET, Access, find_access
from webapp.study.researcher.access import researcher_of
from webapp.study.sessions import study_events

logger = logging.getLogger(__name__)

PING, PONG = "?", "."  # the same values are in static/js/monitor.js
# The page is polled even without a notice, because durations grow and participants go away.
POLL_EVERY_S = 5.0
MIN_PAUSE_S = 1.0  # shortest pause between two reads
PAUSE_FACTOR = 10  # a pause is ten times as long as the read before, which limits the load


class MonitorConsumer(LimitedConsumer):
    watch_task: asyncio.Task[None] | None = None

    def identify(self, session: dict[str, Any]) -> bool:
        route = self.scope["url_route"]["kwargs"]
        self.study_code, self.about = route["code"], route.get("about", "")
        self.study_id = self._check_access(self._load_session()).study.pk
        return True

    async def on_admitted(self) -> None:
        self.wake_event, self.sent_parts = asyncio.Event(), frames.SentParts()
        self.joined_groups: set[str] = set()
        self.wake_event.set()
        self.watch_task = asyncio.create_task(self._send_changes())

    def _load_session(self) -> SessionBase:
        """Load the session again, because it may have ended since the last read."""
        store: type[SessionBase] = import_module(settings.SESSION_ENGINE).SessionStore
        return store(self.scope["session"].session_key)

    def _check_access(self, session: SessionBase) -> Access:
        """Return the researcher's access to the study, or raise SocketRefused without access."""
        researcher = researcher_of(session)
        if researcher is None:
            raise SocketRefused(CLOSE_OUTSIDER)
        study = Study.objects.filter(code=self.study_code).first()
        access = find_access(study, researcher.pk) if study else None
        if access is None or not access.may(MONITOR_SOCKET):
            raise SocketRefused(CLOSE_UNKNOWN)
        return access

    async def _send_changes(self) -> None:
        """Send the changes of the page after each notice, and every POLL_EVERY_S."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_EVERY_S):
                    await self.wake_event.wait()
            self.wake_event.clear()
            started_at = time.monotonic()
            try:
                text, games = await in_thread(self._read_changes)()
                await self._join_groups(
                    {study_events.monitor_group(self.study_id), *map(game_group, games)}
                )
                if text:
                    await self.send(text_data=text)
            except SocketRefused as refusal:
                await self.close(refusal.args[0])
                return
            except Exception:
                logger.exception("the page of study %s could not be read", self.study_id)
            await asyncio.sleep(max(MIN_PAUSE_S, PAUSE_FACTOR * (time.monotonic() - started_at)))

    def _read_changes(self) -> tuple[str, frozenset[int]]:
        """Return (changes as JSON, "" for none; ids of the games shown)."""
        session = self._load_session()
        access = self._check_access(session)
        is_lifted = researcher_blinding.is_lifted(session, access)
        content = find_page_content(access.study, self.about, is_lifted)
        if content is None:
            raise SocketRefused(CLOSE_UNKNOWN)
        changes = self.sent_parts.find_changes(content)
        return (frames.serialize(changes) if changes else ""), content.games

    async def _join_groups(self, wanted_groups: set[str]) -> None:
        """Join the groups whose notices wake the socket, and leave all others.

        Without Redis the socket only polls.
        """
        layer = self.channel_layer
        try:
            for name in wanted_groups - self.joined_groups:
                await layer.group_add(name, self.channel_name)
                self.joined_groups.add(name)
                self.wake_event.set()  # notices before the group was joined were missed
            for name in self.joined_groups - wanted_groups:
                await layer.group_discard(name, self.channel_name)
                self.joined_groups.discard(name)
        except Exception as error:
            logger.warning("no news for a monitor: %s", error)

    async def look_again(self, _event: dict[str, Any]) -> None:
        """Handle a notice about the study or a game shown."""
        self.wake_event.set()

    game_changed = look_again  # Channels calls the method named like the notice.

    async def on_message(self, text: str) -> None:
        if text == PING:
            await self.send(text_data=PONG)

    async def disconnect(self, code: int) -> None:
        if self.watch_task:
            self.watch_task.cancel()
            await self._join_groups(set())
        await super().disconnect(code)


websocket_urlpatterns = [
    path("ws/study/<str:code>/", MonitorConsumer.as_asgi(), name=MONITOR_SOCKET),  # type: ignore[arg-type]
    path("ws/study/<str:code>/<path:about>/", MonitorConsumer.as_asgi(), name=MONITOR_SOCKET),  # type: ignore[arg-type]
]
