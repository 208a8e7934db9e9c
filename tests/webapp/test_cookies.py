"""Tests of cookies: named by port, secure over https, and no stored page with a secret."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import Any

import pytest
from channels.testing import HttpCommunicator, WebsocketCommunicator
from django.conf import LazySettings, settings
from django.test import Client
from django.urls import reverse

from game.models import Game
from tests.webapp.tables import host_table, invitation_path, join_table, player_of
from webapp.asgi import application
from webapp.play import visitors
from webapp.play.models import Desk, Table

HOST = "localhost:8000"
pytestmark = pytest.mark.django_db


def create_session(visitor: str) -> str:
    """Create a session of the visitor and return its key."""
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[visitors.VISITOR_KEY] = visitor
    session.save()
    return str(session.session_key)


def host_visitor(game: Game) -> str:
    """Return the visitor who hosts the table."""
    return game.memberships.get(host=True).visitor.hex


def test_two_sites_on_one_host_do_not_share_cookies() -> None:
    browser = Client()
    game = host_table(browser, host=HOST)
    browser.get("/", headers={"host": HOST})
    names = set(browser.cookies)
    assert names == {"fabula_session_8000", "fabula_csrf_8000"}
    browser.cookies["sessionid"] = "of-another-site"
    browser.cookies["csrftoken"] = "x" * 32
    for port in (8001, 80):
        response = browser.post("/play", headers={"host": f"localhost:{port}"})
        assert not set(response.cookies) & names
    page = browser.get(f"/games/{game.code}/", headers={"host": HOST})
    assert page.status_code == 200
    assert browser.cookies["sessionid"].value == "of-another-site", "the other site's cookie stays"


def test_old_session_cookie_is_adopted_once() -> None:
    game = host_table(Client())
    browser = Client()
    browser.cookies["sessionid"] = create_session(host_visitor(game))
    browser.cookies["csrftoken"] = "a" * 32
    response = browser.get(f"/games/{game.code}/", headers={"host": HOST})
    assert response.status_code == 200
    assert response.cookies["fabula_session_8000"].value == browser.cookies["sessionid"].value
    assert response.cookies["fabula_csrf_8000"].value == "a" * 32, "forms of open pages stay valid"
    browser.cookies["sessionid"] = "overwritten"
    second_response = browser.get(f"/games/{game.code}/", headers={"host": HOST})
    assert second_response.status_code == 200
    assert "fabula_session_8000" not in second_response.cookies


def test_foreign_session_cookie_is_neither_adopted_nor_removed() -> None:
    browser = Client()
    browser.cookies["sessionid"] = "0" * 32
    response = browser.get("/", headers={"host": HOST})
    assert response.status_code == 200
    assert not {"sessionid", "fabula_session_8000"} & set(response.cookies)


@pytest.mark.parametrize("secure", [True, False])
def test_cookies_are_secure_only_over_https(secure: bool) -> None:
    browser = Client()
    browser.get(reverse("new_table"), secure=secure)
    response = browser.post("/play", secure=secure)
    assert response.status_code == 302
    assert {bool(c["secure"]) for c in browser.cookies.values()} == {secure}
    assert ("Strict-Transport-Security" in response.headers) is secure
    page = browser.get(response["Location"], secure=secure).content.decode()
    assert f"{'https' if secure else 'http'}://testserver/seat/" in page


def detected_scheme(headers: dict[str, str], peer: str = "203.0.113.5") -> str:
    """Return the scheme that the site detects for a browser, by its cookie."""

    async def request_cookie() -> bytes:
        pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
        communicator = HttpCommunicator(application, "GET", "/tables/new", headers=pairs)
        communicator.scope["client"] = [peer, 1234]
        response = await communicator.get_response(timeout=30)
        return bytes(dict(response["headers"])[b"Set-Cookie"])

    return "https" if b"Secure" in asyncio.run(request_cookie()) else "http"


@pytest.mark.django_db(transaction=True)
def test_forwarded_https_is_believed_from_trusted_proxies_only(settings: LazySettings) -> None:
    headers = {"host": "localhost", "x-forwarded-proto": "https"}
    settings.PROXIES = ["10.0.0.0/8"]
    assert detected_scheme(headers, peer="10.1.2.3") == "https"
    assert detected_scheme(headers) == "http"
    assert detected_scheme({"host": "localhost"}, peer="10.1.2.3") == "http"
    settings.HTTPS = True
    assert detected_scheme({**headers, "x-forwarded-proto": "http"}, peer="10.1.2.3") == "https"
    assert detected_scheme({"host": "localhost"}) == "https"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("name", "is_accepted"),
    [
        ("fabula_session_8000", True),
        ("sessionid", True),
        ("fabula_session", False),
        ("fabula_session_8001", False),
    ],
)
def test_socket_accepts_its_own_cookie_and_the_old_one(name: str, is_accepted: bool) -> None:
    game = host_table(Client())
    headers = [
        (b"host", HOST.encode()),
        (b"origin", f"http://{HOST}".encode()),
        (b"cookie", f"{name}={create_session(host_visitor(game))}".encode()),
    ]

    async def first_message_type() -> str:
        socket = WebsocketCommunicator(application, f"/ws/games/{game.code}/", headers=headers)
        assert (await socket.connect(timeout=10))[0]
        await socket.send_json_to({"lobby": True})
        message: dict[str, Any] = await socket.receive_output(timeout=10)
        await socket.disconnect(timeout=10)
        return str(message["type"])

    assert (asyncio.run(first_message_type()) == "websocket.send") is is_accepted


def test_pages_with_secrets_are_not_stored_by_the_browser() -> None:
    host = Client()
    game = host_table(host)
    guest = join_table(game)
    seat = Desk.objects.get(player=player_of(guest, game)).key
    table = Table.objects.get(game=game)
    paths = [
        f"/games/{game.code}/",
        invitation_path(game),
        f"/seat/{seat}/",
        f"/join/{table.invitation}/",
        reverse("study:sign_in"),
        reverse("study:campaigns"),
        reverse("home"),
    ]
    for path in paths:
        response = host.get(path)
        assert "no-store" in response["Cache-Control"], path
