"""Tests of the sockets of participants' pages and of the monitor."""

from __future__ import annotations

import asyncio
import json

import pytest
from channels.db import database_sync_to_async as later
from channels.layers import get_channel_layer
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User
from django.test import Client

from tests.study import studies
from tests.study.desk import sign_in
from tests.study.entering import enrol
from tests.study.sockets import close_code, open_socket
from webapp.play.live import broadcaster
from webapp.study.models import Study, StudyRole
from webapp.study.participant.consumer import PING, PONG, REFRESH
from webapp.study.researcher.running import monitor_socket
from webapp.study.sessions import messages, study_events

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
            study_events.participant_group(participant.key), {"type": study_events.REFRESH_TYPE}
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
        assert await close_code(outsider) == broadcaster.CLOSE_OUTSIDER
        assert await close_code(await open_socket("/ws/take/none/")) == broadcaster.CLOSE_UNKNOWN
        door = await open_socket(f"/ws/take/{study.key}/")
        await door.send_to(text_data=PING)
        assert await door.receive_from(10) == PONG
        await door.disconnect()

    asyncio.run(talk())


async def open_monitor(study: Study, client: Client, path: str = "") -> WebsocketCommunicator:
    return await open_socket(f"/ws/study/{study.code}/{path}", client)


def test_monitor_socket_rejects_other_researchers() -> None:
    study, _people = studies.create_busy_study()
    eve = sign_in("eve")
    nobody = Client()

    async def talk() -> None:
        assert await close_code(await open_monitor(study, nobody)) == broadcaster.CLOSE_OUTSIDER
        assert await close_code(await open_monitor(study, eve)) == broadcaster.CLOSE_UNKNOWN
        assert (
            await close_code(await open_monitor(study, eve, "people/P001/"))
            == broadcaster.CLOSE_UNKNOWN
        )

    asyncio.run(talk())


def test_monitor_socket_accepts_monitors_but_not_analysts() -> None:
    study, _people = studies.create_busy_study()
    mo, ann = sign_in("mo"), sign_in("ann")
    for name, role in {"mo": StudyRole.MONITOR, "ann": StudyRole.ANALYST}.items():
        study.roles.create(account=User.objects.get(username=name), role=role)

    async def talk() -> None:
        assert await close_code(await open_monitor(study, ann)) == broadcaster.CLOSE_UNKNOWN
        socket = await open_monitor(study, mo)
        assert "monitor-people" in await socket.receive_from(10)
        await socket.disconnect()

    asyncio.run(talk())


def test_monitor_socket_sends_blinded_changes_until_sign_out(
    monkeypatch: pytest.MonkeyPatch, ada: Client
) -> None:
    monkeypatch.setattr(monitor_socket, "MIN_PAUSE_S", 0.0)
    monkeypatch.setattr(monitor_socket, "PAUSE_FACTOR", 0)
    monkeypatch.setattr(monitor_socket, "POLL_EVERY_S", 0.3)
    study, people = studies.create_busy_study()

    async def talk() -> None:
        socket = await open_monitor(study, ada)
        first = await socket.receive_from(10)
        assert not any(name in first for name in studies.UNIQUE_NAMES)
        assert json.loads(first)["calls"] == 0
        await later(messages.request_help)(people[3], "Is anybody there?")
        layer = get_channel_layer()
        assert layer is not None
        await layer.group_send(
            study_events.monitor_group(study.pk), {"type": study_events.REFRESH_TYPE}
        )
        news = json.loads(await socket.receive_from(10))
        while not news.get("calls"):
            news = json.loads(await socket.receive_from(10))
        assert "Is anybody there?" in news["parts"]["monitor-calls"]
        await later(ada.logout)()
        message = await socket.receive_output(10)
        while message["type"] != "websocket.close":
            message = await socket.receive_output(10)
        assert message["code"] == broadcaster.CLOSE_OUTSIDER

    asyncio.run(talk())
