"""A participant's WebSocket: it notifies an open page, and records that the participant is there.

The server sends `REFRESH` when the page has to read its state again. The page sends `INPUT` every
few seconds if the participant has pressed, typed or scrolled, and `PING` otherwise. Both are
answered with `PONG`. No message has other content, and the page also polls its state, so a lost
socket loses nothing.

On the consent page there is no participant yet. The key is that of the study's link, nothing is
recorded, and no `REFRESH` is sent.
"""

from __future__ import annotations

import logging
import uuid
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from django.urls import path

from webapp.play import rate_limits, visitors
from webapp.play.live.broadcaster import CLOSE_CROWD, CLOSE_OUTSIDER, CLOSE_UNKNOWN, in_thread
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
        self.socket_id = uuid.uuid4().hex
        self.socket_slots: list[str] = []
        self.participant: Participant | None = None
        self.message_limit = rate_limits.message_limit()
        close_code = await in_thread(self._admit)(await session_data(self.scope["session"]))
        await self.accept()
        if close_code:
            await self.close(close_code)
        elif self.participant:
            await self._change_group("group_add")

    def _admit(self, session: dict[str, Any]) -> int:
        """Identify the participant and acquire the socket's slots. Return a closing code, or 0."""
        address = visitors.link_of(session) or socket_client_address(self.scope)
        if not rate_limits.sockets_opened.try_acquire(address):
            return CLOSE_CROWD
        key = self.scope["url_route"]["kwargs"]["key"]
        participant = Participant.objects.filter(key=key).select_related("study").first()
        if participant is None and not Study.objects.filter(key=key).exists():
            return CLOSE_UNKNOWN
        if participant and not participant_state.uses_browser(session, participant):
            return CLOSE_OUTSIDER
        is_member = participant is not None
        slots = rate_limits.acquire_slots(address, self.socket_id, is_member=is_member)
        if slots is None:
            return CLOSE_CROWD
        self.participant = participant
        self.socket_slots = slots
        return 0

    async def _change_group(self, method_name: str) -> None:
        """Join (`group_add`) or leave (`group_discard`) the participant's group.

        A failure is only logged, because without Redis the page still polls.
        """
        assert self.participant
        try:
            group = study_events.participant_group(self.participant.key)
            await getattr(self.channel_layer, method_name)(group, self.channel_name)
        except Exception as error:
            logger.warning("no news for a participant: %s", error)

    async def look_again(self, _event: dict[str, Any]) -> None:
        """Handle a channel message of the type `study_events.REFRESH_TYPE`."""
        await self.send(text_data=REFRESH)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if not self.message_limit.try_acquire(self.socket_id):
            await self.close(CLOSE_CROWD)
        elif text_data in (PING, INPUT):
            await self.send(text_data=PONG)
            if self.participant:
                record = record_input if text_data == INPUT else record_presence
                await in_thread(record)(self.participant)

    async def disconnect(self, code: int) -> None:
        if self.participant:
            await self._change_group("group_discard")
        if self.socket_slots:
            await in_thread(rate_limits.release_slots)(self.socket_slots, self.socket_id)


websocket_urlpatterns = [path("ws/take/<str:key>/", ParticipantConsumer.as_asgi())]  # type: ignore[arg-type]
