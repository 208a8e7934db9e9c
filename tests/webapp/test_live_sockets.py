"""Tests of the live page's socket: missed lines, drafts and outsiders."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from channels.testing import WebsocketCommunicator

from game import selectors
from game.models import Game
from tests.game.table import answer
from tests.webapp.sockets import seat_person
from tests.webapp.viewers import guest_in_seat
from webapp.asgi import application
from webapp.play.live.notifier import game_group
from webapp.play.models import Desk
from webapp.play.page.table_page import Page


def open_socket(
    game: Game, cookie: str = "", origin: str = "http://localhost"
) -> WebsocketCommunicator:
    headers = [(b"origin", origin.encode()), (b"host", b"localhost")]
    if cookie:
        headers.append((b"cookie", cookie.encode()))
    return WebsocketCommunicator(application, f"/ws/games/{game.code}/", headers)


async def receive_until(client: WebsocketCommunicator, expected: str) -> str:
    """Receive frames until one holds `expected`. Return them joined."""
    text = ""
    while expected not in text:
        text += await client.receive_from(timeout=10)
    return text


@sync_to_async
def line_positions(game: Game) -> list[int]:
    return [e.position for e in Page(guest_in_seat(game, 1)).entries]


def lines_in(frame: str) -> list[int]:
    return [int(n) for n in re.findall(r'<li[^<>]*\bid="e(\d+)"', frame)]


def run_async(coroutine_function: Callable[[], object]) -> None:
    asyncio.run(coroutine_function())  # type: ignore[arg-type]


@pytest.mark.django_db(transaction=True)
def test_socket_sends_missed_lines_and_then_new_ones() -> None:
    game, cookie = seat_person()
    position = Page(guest_in_seat(game, 1)).cursor

    async def follow_game() -> None:
        client = open_socket(game, cookie)
        assert (await client.connect(10))[0]
        await client.send_to(text_data="{broken")
        await client.send_to(text_data=json.dumps({"cursor": 0}))
        first = await receive_until(client, 'id="cursor"')
        assert lines_in(first) == await line_positions(game)
        window = (await sync_to_async(selectors.open_windows)(game))[0]
        await sync_to_async(answer)(game, 1, window)
        await get_channel_layer().group_send(game_group(game.pk), {"type": "game.changed"})
        next_frame = await receive_until(client, "Seat 1 speaks")
        assert min(lines_in(next_frame)) > position, "no line is repeated"
        await client.disconnect(timeout=10)
        second_socket = open_socket(game, cookie)
        assert (await second_socket.connect(10))[0]
        await second_socket.send_to(text_data=json.dumps({"cursor": position}))
        missed_frame = await receive_until(second_socket, "Seat 1 speaks")
        assert lines_in(missed_frame) == lines_in(next_frame), "no gap, no repetition"
        await second_socket.disconnect(timeout=10)

    run_async(follow_game)


@pytest.mark.django_db(transaction=True)
def test_socket_stores_the_draft() -> None:
    game, cookie = seat_person()

    async def send_draft() -> None:
        client = open_socket(game, cookie)
        await client.connect(10)
        await client.send_to(text_data=json.dumps({"typing": True, "draft": "half a sent"}))
        await client.send_to(text_data=json.dumps({"cursor": 0}))
        await receive_until(client, 'id="cursor"')
        await client.disconnect(timeout=10)

    run_async(send_draft)
    assert Desk.objects.get(player__game=game, player__seat=1).draft == "half a sent"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("outsider", "code"), [("stranger", 4403), ("unknown table", 4404), ("foreign origin", None)]
)
def test_sockets_of_outsiders_are_closed_without_content(outsider: str, code: int | None) -> None:
    game, cookie = seat_person()
    if outsider == "unknown table":
        game = Game(code="nowhere")

    async def connect() -> None:
        foreign_origin = "http://evil.example"
        client = open_socket(game, cookie, foreign_origin) if code is None else open_socket(game)
        connected, _ = await client.connect(10)
        if code is None:
            assert not connected
            return
        message = await client.receive_output(timeout=5)
        assert (message["type"], message.get("code")) == ("websocket.close", code)

    run_async(connect)
