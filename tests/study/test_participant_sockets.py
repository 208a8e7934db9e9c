"""Tests that the socket of a participant's page sends a refresh to their own browser only."""

from __future__ import annotations

import asyncio

import pytest
from channels.layers import get_channel_layer

from tests.study import studies
from tests.study.entering import enrol
from tests.study.sockets import close_code, open_socket
from webapp.play.live import broadcaster
from webapp.study.participant.consumer import PING, PONG, REFRESH
from webapp.study.sessions import study_events

pytestmark = pytest.mark.django_db(transaction=True)


def test_socket_answers_pings_and_sends_refresh() -> None:
    client, participant = enrol(studies.create_study())

    async def talk() -> None:
        socket = await open_socket(f"/ws/take/{participant.key}/", client)
        await socket.send_to(text_data=PING)
        assert await socket.receive_from(10) == PONG
        layer = get_channel_layer()
        assert layer is not None
        await layer.group_send(
            study_events.participant_group(participant.key), {"type": study_events.REFRESH}
        )
        assert await socket.receive_from(10) == REFRESH
        await socket.disconnect()

    asyncio.run(talk())


def test_socket_rejects_other_browsers_and_shared_link_only_answers() -> None:
    study = studies.create_study()
    _client, participant = enrol(study)
    stranger, _other_participant = enrol(study)

    async def talk() -> None:
        outsider = await open_socket(f"/ws/take/{participant.key}/", stranger)
        assert await close_code(outsider) == broadcaster.OUTSIDER
        assert await close_code(await open_socket("/ws/take/none/")) == broadcaster.UNKNOWN
        door = await open_socket(f"/ws/take/{study.key}/")
        await door.send_to(text_data=PING)
        assert await door.receive_from(10) == PONG
        await door.disconnect()

    asyncio.run(talk())
