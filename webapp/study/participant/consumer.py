"""A participant's WebSocket: it sends `REFRESH`, and answers `PING` and `INPUT`.

It carries no data, and the page also polls every few seconds, so a lost socket loses nothing. On
the consent page there is no participant yet: the key is that of the study's link, and the socket
only answers `PING`.
"""

from __future__ import annotations

import logging
import uuid
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from django.urls import path

from webapp.play import open_sockets, rate_limits, visitors
from webapp.play.live.broadcaster import CROWD, OUTSIDER, UNKNOWN, in_thread
from webapp.play.live.consumers import session_data
from webapp.proxies import socket_client_address
from webapp.study.models import Participant, Study
from webapp.study.sessions import participant_state, study_events
from webapp.study.sessions.participant_state import record_input, record_presence

logger = logging.getLogger(__name__)

PING, INPUT, PONG, REFRESH = "?", "i", ".", "!"  # the same values are in static/js/take_news.js


class ParticipantConsumer(AsyncWebsocketConsumer):
    """The socket of one open page of a participant, or of a visitor's consent page."""

    async def connect(self) -> None:
        self.name = uuid.uuid4().hex
        self.socket_places: list[str] = []
        self.participant: Participant | None = None
        self.messages = rate_limits.message_limit()
        code = await in_thread(self._admit)(await session_data(self.scope["session"]))
        await self.accept()
        if code:
            await self.close(code)
        elif self.participant:
            await self._change_group("group_add")

    def _admit(self, session: dict[str, Any]) -> int:
        """Identify the participant, and take a slot of the rate limit for the socket.

        Return the code to close the socket with, 0 to keep it open.
        """
        address = visitors.link_of(session) or socket_client_address(self.scope)
        if not rate_limits.sockets_opened.try_acquire(address):
            return CROWD
        key = self.scope["url_route"]["kwargs"]["key"]
        participant = Participant.objects.filter(key=key).select_related("study").first()
        if participant is None and not Study.objects.filter(key=key).exists():
            return UNKNOWN
        if participant and not participant_state.uses_browser(session, participant):
            return OUTSIDER
        slots = open_sockets.acquire_slots(address, self.name, is_member=participant is not None)
        if slots is None:
            return CROWD
        self.participant = participant
        self.socket_places = slots
        return 0

    async def _change_group(self, method_name: str) -> None:
        """Join (`group_add`) or leave (`group_discard`) the participant's group.

        Without Redis the page only polls.
        """
        assert self.participant
        try:
            group = study_events.participant_group(self.participant.key)
            await getattr(self.channel_layer, method_name)(group, self.channel_name)
        except Exception as error:
            logger.warning("no news for a participant: %s", error)

    async def look_again(self, _event: dict[str, Any]) -> None:
        """Handle a channel message of the type `study_events.REFRESH`."""
        await self.send(text_data=REFRESH)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if not self.messages.try_acquire(self.name):
            await self.close(CROWD)
        elif text_data in (PING, INPUT):
            await self.send(text_data=PONG)
            if self.participant:
                record = record_input if text_data == INPUT else record_presence
                await in_thread(record)(self.participant)

    async def disconnect(self, code: int) -> None:
        if self.participant:
            await self._change_group("group_discard")
        if self.socket_places:
            await in_thread(open_sockets.release_slots)(self.socket_places, self.name)


websocket_urlpatterns = [path("ws/take/<str:key>/", ParticipantConsumer.as_asgi())]  # type: ignore[arg-type]
