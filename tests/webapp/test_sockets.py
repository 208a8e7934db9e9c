"""Tests of sockets: allowed origins, limited numbers and limited messages."""

from __future__ import annotations

import json

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings

from tests.game.table import new_game
from tests.webapp.sockets import (
    connect_and_get_code,
    open_socket,
    open_watched_game,
    run_in_event_loop,
    seat_person,
)
from webapp import asgi
from webapp.play import rate_limits
from webapp.play.live import broadcaster, open_sockets
from webapp.play.models import Desk
from webapp.play.page import desk_storage
from webapp.rate_counters import Rate

CROWDED, OUTSIDER = broadcaster.CLOSE_CROWD, broadcaster.CLOSE_OUTSIDER


def make_scope(origin: str, host: str = "localhost:8000", **overrides: object) -> dict[str, object]:
    headers = [(b"host", host.encode())]
    if origin:
        headers.append((b"origin", origin.encode()))
    forwarded = overrides.pop("proto", "")
    if forwarded:
        headers.append((b"x-forwarded-proto", str(forwarded).encode()))
    base = {"type": "websocket", "scheme": "ws", "headers": headers, "client": ["10.0.0.1", 1]}
    return {**base, **overrides}


@pytest.mark.parametrize(
    ("is_own", "scope"),
    [
        (True, make_scope("http://localhost:8000")),
        (True, make_scope("http://localhost", "localhost")),
        (True, make_scope("http://localhost:80", "localhost")),
        (True, make_scope("HTTP://LOCALHOST:8000")),
        (True, make_scope("https://localhost:8000", scheme="wss")),
        (True, make_scope("http://[::1]:8000", "[::1]:8000")),
        (True, make_scope("https://play.example.org", "play.example.org")),  # a proxy ended TLS
        (True, make_scope("https://play.example.org:8443", "play.example.org:8443", proto="https")),
        (False, make_scope("https://play.example.org:8443", "play.example.org:8443")),
        (False, make_scope("http://localhost:3000")),
        (False, make_scope("http://localhost")),
        (False, make_scope("https://localhost:8000")),
        (False, make_scope("http://127.0.0.1:8000")),
        (False, make_scope("http://localhost:8000", scheme="wss")),
        (False, make_scope("http://play.example.org", "play.example.org", proto="https")),
        (False, make_scope("http://evil.example:8000", "evil.example:8000")),
        (False, make_scope("http://play.example.org.evil.example", "play.example.org")),
        (False, make_scope("null")),
        (False, make_scope("")),
        (False, make_scope("http://localhost:99999")),
        (False, make_scope("http://localhost:8000/path")),
    ],
)
def test_socket_origin_is_compared_with_scheme_and_port(
    is_own: bool, scope: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "ALLOWED_HOSTS", ["localhost", "[::1]", "play.example.org"])
    monkeypatch.setattr(settings, "CSRF_TRUSTED_ORIGINS", ["https://play.example.org"])
    monkeypatch.setattr(settings, "PROXIES", ["10.0.0.0/8"])
    assert asgi.is_from_own_page(scope) is is_own


def test_trusted_origin_can_cover_a_whole_domain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "CSRF_TRUSTED_ORIGINS", ["https://*.example.org"])
    assert asgi.is_from_own_page(make_scope("https://a.example.org"))
    assert not asgi.is_from_own_page(make_scope("https://aexample.org"))


@pytest.mark.django_db(transaction=True)
@run_in_event_loop
async def test_open_sockets_per_address_are_limited_until_one_closes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(open_sockets, "MAX_WATCHER_SOCKETS", 4)
    game, (member_game, cookie) = (
        await sync_to_async(open_watched_game)(),
        await sync_to_async(seat_person)(),
    )
    sockets = [open_socket(game, "192.0.2.7") for _ in range(7)]
    codes = [await connect_and_get_code(client) for client in sockets]
    assert codes == [0] * 4 + [CROWDED] * 3
    member_socket, other_address = (
        open_socket(member_game, "192.0.2.7", cookie),
        open_socket(game, "198.51.100.9"),
    )
    assert await connect_and_get_code(member_socket) == 0, (
        "a player always gets a socket at their table"
    )
    assert await connect_and_get_code(other_address) == 0
    await sockets[0].disconnect(timeout=10)
    replacement = open_socket(game, "192.0.2.7")
    assert await connect_and_get_code(replacement) == 0
    for client in (*sockets[1:], member_socket, other_address, replacement):
        await client.disconnect(timeout=10)


@pytest.mark.django_db(transaction=True)
@run_in_event_loop
async def test_repeated_connection_attempts_are_refused_without_a_lookup(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rate_limits, "socket_rate", Rate("sockets/address", 5, 60))
    game = await sync_to_async(new_game)(1)
    codes = [await connect_and_get_code(open_socket(game, "192.0.2.7")) for _ in range(7)]
    assert codes == [OUTSIDER] * 5 + [CROWDED] * 2


def test_class_of_forty_can_reconnect_four_times() -> None:
    address = "192.0.2.7"
    for attempt in range(4):
        names = [f"{attempt}/{n}" for n in range(40)]
        slots = {}
        for name in names:
            assert rate_limits.socket_rate.try_acquire(address)
            slots[name] = open_sockets.acquire_slots(address, name, is_member=False)
            assert slots[name]
        for name, keys in slots.items():
            open_sockets.release_slots(keys or (), name)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_frozen_limits")
@run_in_event_loop
async def test_socket_cursor_messages_are_rate_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    game = await sync_to_async(open_watched_game)()
    wakes: list[int] = []
    client = open_socket(game, "192.0.2.7")
    assert await connect_and_get_code(client) == 0
    monkeypatch.setattr(broadcaster, "wake", wakes.append)
    for number in range(50):
        await client.send_to(text_data=json.dumps({"cursor": number}))
    await client.send_to(text_data="x")
    await client.disconnect(timeout=10)
    assert 1 <= len(wakes) <= 10, "the first one and at most ten in all"


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_frozen_limits")
@run_in_event_loop
async def test_socket_that_sends_too_many_messages_is_closed() -> None:
    game = await sync_to_async(open_watched_game)()
    client = open_socket(game, "192.0.2.7")
    assert await connect_and_get_code(client) == 0
    for _ in range(130):
        await client.send_to(text_data="{}")
    while (message := await client.receive_output(10))["type"] != "websocket.close":
        pass
    assert message["code"] == CROWDED
    await client.disconnect(timeout=10)


@pytest.mark.django_db(transaction=True)
@run_in_event_loop
async def test_malformed_messages_do_not_break_the_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    game, cookie = await sync_to_async(seat_person)()
    drafts_saved: list[tuple[str, str]] = []
    save_draft = desk_storage.save_draft

    def record_draft(player, text, **options):  # type: ignore[no-untyped-def]
        save_draft(player, text, **options)
        desk = Desk.objects.get(player=player)
        drafts_saved.append((desk.draft, desk.secret_draft))

    monkeypatch.setattr(desk_storage, "save_draft", record_draft)
    client = open_socket(game, "192.0.2.7", cookie)
    assert await connect_and_get_code(client) == 0
    await client.send_to(text_data='{"cursor": ' + "9" * 5000 + "}")
    await client.send_to(text_data='{"cursor": ' + "9" * 4000 + "}")
    await client.send_to(text_data='{"draft": "half \\ud83c a \\u0000 face"}')
    await client.send_to(text_data='{"draft": "psst", "secret": true}')
    await client.disconnect(timeout=10)
    assert drafts_saved == [("half ? a  face", ""), ("half ? a  face", "psst")]
