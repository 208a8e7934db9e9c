"""A participant's WebSocket: it notifies an open page, and records that the participant is there.

The server sends `REFRESH` when the page has to read its state again. The page sends `INPUT` every
few seconds if the participant has pressed, typed or scrolled, and `PING` otherwise. Both are
answered with `PONG`. No message has other content, and the page also polls its state, so a lost
socket loses nothing.

On the consent page there is no participant yet. The key is that of the study's link, nothing is
recorded, and no `REFRESH` is sent.
"""

import logging
from typing import Any

from django.urls import path

from webapp.play.live.broadcaster import CLOSE_OUTSIDER, CLOSE_UNKNOWN, in_thread
from webapp.play.live.consumers import LimitedConsumer, SocketRefused
from webapp.study.models import Participant, Study
from webapp.study.sessions import participant_state, study_events
from webapp.study.sessions.participant_state import record_input, record_presence

logger = logging.getLogger(__name__)

PING, INPUT, PONG, REFRESH = "?", "i", ".", "!"  # the same values are in static/js/take_news.js


class ParticipantConsumer(LimitedConsumer):
    """The socket of one open page of a participant, or of a visitor's consent page."""

    participant: Participant | None = None

    def identify(self, session: dict[str, Any]) -> bool:
        key = self.scope["url_route"]["kwargs"]["key"]
        participant = Participant.objects.filter(key=key).select_related("study").first()
        if participant is None and not Study.objects.filter(key=key).exists():
            raise SocketRefused(CLOSE_UNKNOWN)
        if participant and not participant_state.uses_browser(session, participant):
            raise SocketRefused(CLOSE_OUTSIDER)
        self.participant = participant
        return participant is not None

    async def on_admitted(self) -> None:
        if self.participant:
            await self._change_group("group_add")

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

    async def on_message(self, text: str) -> None:
        if text in (PING, INPUT):
            await self.send(text_data=PONG)
            if self.participant:
                record = record_input if text == INPUT else record_presence
                await in_thread(record)(self.participant)

    async def disconnect(self, code: int) -> None:
        if self.participant:
            await self._change_group("group_discard")
        await super().disconnect(code)


websocket_urlpatterns = [path("ws/take/<str:key>/", ParticipantConsumer.as_asgi())]  # type: ignore[arg-type]
