"""Frames over HTTP, for pages without a socket; and the question whether the server is there."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from game.models import Game
from tests.game.table import answer, new_game, open_window, play_until
from tests.webapp.test_invitations import act, join, seat_of, set_table
from tests.webapp.test_sockets import code_of, in_a_loop, line, watched
from webapp.play import rate_limits
from webapp.play.live.consumers import PONG
from webapp.play.models import Desk
from webapp.play.page.page_builder import page_for
from webapp.play.rate_limits import Limit
from webapp.play.visitors import Guest

Sit = Callable[[Game, int | None], Client]


def news(client: Client, game: Game, **more: str):  # type: ignore[no-untyped-def]
    tag = {"If-None-Match": more.pop("tag")} if "tag" in more else {}
    return client.get(f"/games/{game.code}/news", more, headers={"HX-Request": "true", **tag})


@pytest.mark.django_db
def test_a_page_without_a_socket_fetches_what_it_has_not_shown(sit: Sit) -> None:
    game = new_game(1)
    play_until(game, "statement")
    client = sit(game, 1)
    cursor = page_for(Guest(game, game.players.get(seat=1))).cursor
    first = news(client, game, cursor=str(cursor))
    assert 'id="say-send"' in first.content.decode()
    assert 'hx-swap-oob="beforeend"' not in first.content.decode()
    again = news(client, game, cursor=str(cursor), tag=first["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    answer(game, 1, open_window(game, "statement"))
    found = news(client, game, cursor=str(cursor), tag=first["ETag"])
    assert found.status_code == 200
    assert 'id="transcript" hx-swap-oob="beforeend"' in found.content.decode()


@pytest.mark.django_db
def test_whoever_fetches_is_there_and_the_lobby_is_fetched_too() -> None:
    host = Client()
    game = set_table(host)
    anna = join(game, "Anna")
    desk = Desk.objects.get(player=seat_of(anna, game))
    assert desk.seen_at is None
    frame = news(anna, game, cursor="0", lobby="1").content.decode()
    assert 'id="lobby"' in frame
    desk.refresh_from_db()
    assert desk.seen_at
    act(host, game, "start")
    assert "data-go" in news(anna, game, cursor="0", lobby="1").content.decode()


@pytest.mark.django_db
def test_who_fetches_too_often_waits(sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "news", Limit(2, 60))
    game = new_game(1)
    client = sit(game, 1)
    assert [news(client, game).status_code for _ in range(3)] == [200, 200, 429]


@pytest.mark.django_db(transaction=True)
@in_a_loop
async def test_a_page_that_asks_whether_the_server_is_there_is_answered() -> None:
    from asgiref.sync import sync_to_async

    game = await sync_to_async(watched)()
    client = line(game, "192.0.2.7")
    assert await code_of(client) == 0
    await client.send_to(text_data='{"ping": true}')
    while (message := await client.receive_output(10)).get("text") != PONG:
        assert message["type"] == "websocket.send"
    await client.disconnect(timeout=10)
