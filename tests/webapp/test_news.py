"""Tests of frames over HTTP for pages without a socket, and of the ping."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from game.models import Game
from tests.game.table import answer, new_game, open_window, play_until
from tests.webapp.sockets import (
    connect_and_get_code,
    open_socket,
    open_watched_game,
    run_in_event_loop,
)
from tests.webapp.tables import host_table, join_table, player_of, post_act
from webapp.play import rate_limits
from webapp.play.live.consumers import PONG
from webapp.play.models import Desk
from webapp.play.page.table_page import Page
from webapp.play.visitors import Guest
from webapp.rate_counters import ProcessRate

Sit = Callable[[Game, int | None], Client]


def request_news(client: Client, game: Game, **query: str):  # type: ignore[no-untyped-def]
    headers = {"If-None-Match": query.pop("tag")} if "tag" in query else {}
    return client.get(f"/games/{game.code}/news", query, headers={"HX-Request": "true", **headers})


@pytest.mark.django_db
def test_page_without_a_socket_fetches_missing_lines(sit: Sit) -> None:
    game = new_game(1)
    play_until(game, "statement")
    client = sit(game, 1)
    cursor = Page(Guest(game, game.players.get(seat=1))).cursor
    first = request_news(client, game, cursor=str(cursor))
    assert 'id="say-send"' in first.content.decode()
    assert 'hx-swap-oob="beforeend"' not in first.content.decode()
    unchanged = request_news(client, game, cursor=str(cursor), tag=first["ETag"])
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    answer(game, 1, open_window(game, "statement"))
    update = request_news(client, game, cursor=str(cursor), tag=first["ETag"])
    assert update.status_code == 200
    assert 'id="transcript" hx-swap-oob="beforeend"' in update.content.decode()


@pytest.mark.django_db
def test_news_request_marks_presence_and_serves_the_lobby() -> None:
    host = Client()
    game = host_table(host)
    anna = join_table(game, "Anna")
    desk = Desk.objects.get(player=player_of(anna, game))
    assert desk.seen_at is None
    frame = request_news(anna, game, cursor="0", lobby="1").content.decode()
    assert 'id="lobby"' in frame
    desk.refresh_from_db()
    assert desk.seen_at
    post_act(host, game, "start")
    assert "data-go" in request_news(anna, game, cursor="0", lobby="1").content.decode()


@pytest.mark.django_db
def test_news_requests_are_rate_limited(sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "poll_rate", ProcessRate(2, 60))
    game = new_game(1)
    client = sit(game, 1)
    assert [request_news(client, game).status_code for _ in range(3)] == [200, 200, 429]


@pytest.mark.django_db(transaction=True)
@run_in_event_loop
async def test_socket_ping_is_answered() -> None:
    from asgiref.sync import sync_to_async

    game = await sync_to_async(open_watched_game)()
    client = open_socket(game, "192.0.2.7")
    assert await connect_and_get_code(client) == 0
    await client.send_to(text_data='{"ping": true}')
    while (message := await client.receive_output(10)).get("text") != PONG:
        assert message["type"] == "websocket.send"
    await client.disconnect(timeout=10)
