"""Sockets: whose pages may open them, how many there may be, and how much they may say."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import wraps

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.test import Client

from game.models import Game
from tests.game.table import new_game, play_until
from tests.webapp.test_live import seated
from webapp import asgi
from webapp.asgi import application
from webapp.play import rate_limits
from webapp.play.live import broadcaster
from webapp.play.models import Desk, Table
from webapp.play.page import drafts
from webapp.rate_counters import Rate


def in_a_loop(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """The test, run by an event loop of its own."""

    @wraps(test)
    def run(*args: object, **kwargs: object) -> None:
        asyncio.run(test(*args, **kwargs))  # type: ignore[arg-type]

    return run


CROWDED, OUTSIDER = broadcaster.CROWD, broadcaster.OUTSIDER


def scope(origin: str, host: str = "localhost:8000", **more: object) -> dict[str, object]:
    headers = [(b"host", host.encode())]
    if origin:
        headers.append((b"origin", origin.encode()))
    forwarded = more.pop("proto", "")
    if forwarded:
        headers.append((b"x-forwarded-proto", str(forwarded).encode()))
    made = {"type": "websocket", "scheme": "ws", "headers": headers, "client": ["10.0.0.1", 1]}
    return {**made, **more}


@pytest.mark.parametrize(
    ("own", "asked"),
    [
        (True, scope("http://localhost:8000")),
        (True, scope("http://localhost", "localhost")),
        (True, scope("http://localhost:80", "localhost")),
        (True, scope("HTTP://LOCALHOST:8000")),
        (True, scope("https://localhost:8000", scheme="wss")),
        (True, scope("http://[::1]:8000", "[::1]:8000")),
        (True, scope("https://play.example.org", "play.example.org")),  # a proxy ended TLS
        (True, scope("https://play.example.org:8443", "play.example.org:8443", proto="https")),
        (False, scope("https://play.example.org:8443", "play.example.org:8443")),
        (False, scope("http://localhost:3000")),
        (False, scope("http://localhost")),
        (False, scope("https://localhost:8000")),
        (False, scope("http://127.0.0.1:8000")),
        (False, scope("http://localhost:8000", scheme="wss")),
        (False, scope("http://play.example.org", "play.example.org", proto="https")),
        (False, scope("http://evil.example:8000", "evil.example:8000")),
        (False, scope("http://play.example.org.evil.example", "play.example.org")),
        (False, scope("null")),
        (False, scope("")),
        (False, scope("http://localhost:99999")),
        (False, scope("http://localhost:8000/path")),
    ],
)
def test_a_sockets_origin_is_compared_with_scheme_and_port(
    own: bool, asked: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "ALLOWED_HOSTS", ["localhost", "[::1]", "play.example.org"])
    monkeypatch.setattr(settings, "CSRF_TRUSTED_ORIGINS", ["https://play.example.org"])
    monkeypatch.setattr(settings, "PROXIES", ["10.0.0.0/8"])
    assert asgi.is_own_page(asked) is own


def test_a_trusted_origin_may_stand_for_a_whole_domain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "CSRF_TRUSTED_ORIGINS", ["https://*.example.org"])
    assert asgi.is_own_page(scope("https://a.example.org"))
    assert not asgi.is_own_page(scope("https://aexample.org"))


def watched() -> Game:
    game = new_game(0)
    Table.objects.create(game=game, spectators=True)
    return game


def line(game: Game, address: str, cookie: str = "") -> WebsocketCommunicator:
    headers = [(b"origin", b"http://localhost"), (b"host", b"localhost")]
    if cookie:
        headers.append((b"cookie", cookie.encode()))
    made = WebsocketCommunicator(application, f"/ws/games/{game.code}/", headers)
    made.scope["client"] = [address, 4711]
    return made


async def code_of(client: WebsocketCommunicator) -> int:
    """The code it is closed with; 0 where it stays open and brings what it is asked for."""
    connected, _protocol = await client.connect(10)
    assert connected
    await client.send_to(text_data='{"cursor": 0}')
    message = await client.receive_output(10)
    return int(message.get("code", 0))


@pytest.mark.django_db(transaction=True)
@in_a_loop
async def test_an_address_has_so_many_sockets_open_and_a_closed_one_makes_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rate_limits, "MAX_WATCHER_SOCKETS", 4)
    game, (mine, cookie) = await sync_to_async(watched)(), await sync_to_async(seated)()
    lines = [line(game, "192.0.2.7") for _ in range(7)]
    codes = [await code_of(client) for client in lines]
    assert codes == [0] * 4 + [CROWDED] * 3
    member, elsewhere = line(mine, "192.0.2.7", cookie), line(game, "198.51.100.9")
    assert await code_of(member) == 0, "who sits at a table always has room at it"
    assert await code_of(elsewhere) == 0
    await lines[0].disconnect(timeout=10)
    later = line(game, "192.0.2.7")
    assert await code_of(later) == 0
    for client in (*lines[1:], member, elsewhere, later):
        await client.disconnect(timeout=10)


@pytest.mark.django_db(transaction=True)
@in_a_loop
async def test_whoever_knocks_and_knocks_is_not_even_looked_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rate_limits, "sockets_opened", Rate("sockets/address", 5, 60))
    game = await sync_to_async(new_game)(1)
    codes = [await code_of(line(game, "192.0.2.7")) for _ in range(7)]
    assert codes == [OUTSIDER] * 5 + [CROWDED] * 2


def test_a_class_watches_one_table_and_comes_back_after_a_break() -> None:
    here = "192.0.2.7"
    for turn in range(4):
        names = [f"{turn}/{n}" for n in range(40)]
        taken = {}
        for name in names:
            assert rate_limits.sockets_opened.allows(here)
            taken[name] = rate_limits.take_slots(here, name, is_member=False)
            assert taken[name]
        for name, keys in taken.items():
            rate_limits.release_slots(keys or (), name)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_limits_stand_still")
@in_a_loop
async def test_a_socket_tells_where_it_stands_a_few_times_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = await sync_to_async(watched)()
    woken: list[int] = []
    client = line(game, "192.0.2.7")
    assert await code_of(client) == 0
    monkeypatch.setattr(broadcaster, "wake", woken.append)
    for n in range(50):
        await client.send_to(text_data=json.dumps({"cursor": n}))
    await client.send_to(text_data="x")
    await client.disconnect(timeout=10)
    assert 1 <= len(woken) <= 10, "the first one and at most ten in all"


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_limits_stand_still")
@in_a_loop
async def test_a_socket_that_never_stops_talking_is_closed() -> None:
    game = await sync_to_async(watched)()
    client = line(game, "192.0.2.7")
    assert await code_of(client) == 0
    for _ in range(130):
        await client.send_to(text_data="{}")
    while (message := await client.receive_output(10))["type"] != "websocket.close":
        pass
    assert message["code"] == CROWDED
    await client.disconnect(timeout=10)


@pytest.mark.django_db(transaction=True)
@in_a_loop
async def test_strange_messages_break_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    game, cookie = await sync_to_async(seated)()
    saved: list[tuple[str, str]] = []
    plain = drafts.save_draft

    def save(player, text, **choices):  # type: ignore[no-untyped-def]
        plain(player, text, **choices)
        desk = Desk.objects.get(player=player)
        saved.append((desk.draft, desk.secret_draft))

    monkeypatch.setattr(drafts, "save_draft", save)
    client = line(game, "192.0.2.7", cookie)
    assert await code_of(client) == 0
    await client.send_to(text_data='{"cursor": ' + "9" * 5000 + "}")
    await client.send_to(text_data='{"cursor": ' + "9" * 4000 + "}")
    await client.send_to(text_data='{"draft": "half \\ud83c a \\u0000 face"}')
    await client.send_to(text_data='{"draft": "psst", "secret": true}')
    await client.disconnect(timeout=10)
    assert saved == [("half ? a  face", ""), ("half ? a  face", "psst")]


@pytest.mark.django_db
def test_a_cursor_of_any_length_brings_an_answer(sit) -> None:  # type: ignore[no-untyped-def]
    game = new_game(1)
    play_until(game, "statement")
    client: Client = sit(game, 1)
    client.raise_request_exception = False
    for cursor in ("9" * 5000, "٣", "-1", "x", "9" * 12, "\x00"):
        form = {"cursor": cursor, "window": "statement.1.1.1", "text": "", "lobby": ""}
        answer = client.post(f"/games/{game.code}/answer", form, headers={"HX-Request": "true"})
        assert answer.status_code < 500, cursor
        answer = client.post(f"/games/{game.code}/act", {"do": "take_back", "cursor": cursor},
                             headers={"HX-Request": "true"})  # fmt: skip
        assert answer.status_code < 500, cursor
