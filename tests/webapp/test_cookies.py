"""Cookies of our own by host and port, by https only where the browser came by it.

Nothing with a secret in it is kept by a browser.
"""

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
from tests.webapp.test_invitations import invitation, join, seat_of, set_table
from webapp.asgi import application
from webapp.play import visitors
from webapp.play.models import Desk, Table

HERE = "localhost:8000"
pytestmark = pytest.mark.django_db


def stored(visitor: str) -> str:
    """The key of a session of the visitor."""
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[visitors.KEY] = visitor
    session.save()
    return str(session.session_key)


def hosting(game: Game) -> str:
    """The visitor who hosts the table."""
    return game.memberships.get(host=True).visitor.hex


def test_two_sites_on_one_host_do_not_share_cookies() -> None:
    browser = Client()
    game = set_table(browser, host=HERE)
    browser.get("/", headers={"host": HERE})
    names = set(browser.cookies)
    assert names == {"fabula_session_8000", "fabula_csrf_8000"}
    browser.cookies["sessionid"] = "of-another-site"
    browser.cookies["csrftoken"] = "x" * 32
    for port in (8001, 80):
        other = browser.post("/play", headers={"host": f"localhost:{port}"})
        assert not set(other.cookies) & names
    page = browser.get(f"/games/{game.code}/", headers={"host": HERE})
    assert page.status_code == 200
    assert browser.cookies["sessionid"].value == "of-another-site", "it is not ours to take away"


def test_old_session_cookie_is_adopted_once() -> None:
    game = set_table(Client())
    old = Client()
    old.cookies["sessionid"] = stored(hosting(game))
    old.cookies["csrftoken"] = "a" * 32
    answer = old.get(f"/games/{game.code}/", headers={"host": HERE})
    assert answer.status_code == 200
    assert answer.cookies["fabula_session_8000"].value == old.cookies["sessionid"].value
    assert answer.cookies["fabula_csrf_8000"].value == "a" * 32, "open pages can still be sent"
    old.cookies["sessionid"] = "overwritten"
    again = old.get(f"/games/{game.code}/", headers={"host": HERE})
    assert again.status_code == 200
    assert "fabula_session_8000" not in again.cookies


def test_foreign_session_cookie_is_neither_adopted_nor_removed() -> None:
    browser = Client()
    browser.cookies["sessionid"] = "0" * 32
    answer = browser.get("/", headers={"host": HERE})
    assert answer.status_code == 200
    assert not {"sessionid", "fabula_session_8000"} & set(answer.cookies)


@pytest.mark.parametrize("secure", [True, False])
def test_cookies_are_secure_only_over_https(secure: bool) -> None:
    browser = Client()
    browser.get(reverse("new_table"), secure=secure)
    answer = browser.post("/play", secure=secure)
    assert answer.status_code == 302
    assert {bool(c["secure"]) for c in browser.cookies.values()} == {secure}
    assert ("Strict-Transport-Security" in answer.headers) is secure
    page = browser.get(answer["Location"], secure=secure).content.decode()
    assert f"{'https' if secure else 'http'}://testserver/seat/" in page


def scheme(headers: dict[str, str], peer: str = "203.0.113.5") -> str:
    """By which scheme the site takes a browser to have come: its cookies tell."""

    async def ask() -> bytes:
        pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
        asked = HttpCommunicator(application, "GET", "/tables/new", headers=pairs)
        asked.scope["client"] = [peer, 1234]
        answer = await asked.get_response(timeout=30)
        return bytes(dict(answer["headers"])[b"Set-Cookie"])

    return "https" if b"Secure" in asyncio.run(ask()) else "http"


@pytest.mark.django_db(transaction=True)
def test_forwarded_https_is_believed_from_trusted_proxies_only(settings: LazySettings) -> None:
    said = {"host": "localhost", "x-forwarded-proto": "https"}
    settings.PROXIES = ["10.0.0.0/8"]
    assert scheme(said, peer="10.1.2.3") == "https"
    assert scheme(said) == "http"
    assert scheme({"host": "localhost"}, peer="10.1.2.3") == "http"
    settings.HTTPS = True
    assert scheme({**said, "x-forwarded-proto": "http"}, peer="10.1.2.3") == "https"
    assert scheme({"host": "localhost"}) == "https"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("fabula_session_8000", True),
        ("sessionid", True),
        ("fabula_session", False),
        ("fabula_session_8001", False),
    ],
)
def test_socket_accepts_its_own_cookie_and_the_old_one(name: str, taken: bool) -> None:
    game = set_table(Client())
    headers = [
        (b"host", HERE.encode()),
        (b"origin", f"http://{HERE}".encode()),
        (b"cookie", f"{name}={stored(hosting(game))}".encode()),
    ]

    async def first_answer() -> str:
        line = WebsocketCommunicator(application, f"/ws/games/{game.code}/", headers=headers)
        assert (await line.connect(timeout=10))[0]
        await line.send_json_to({"lobby": True})
        answer: dict[str, Any] = await line.receive_output(timeout=10)
        await line.disconnect(timeout=10)
        return str(answer["type"])

    assert (asyncio.run(first_answer()) == "websocket.send") is taken


def test_pages_with_secrets_are_not_stored_by_the_browser() -> None:
    host = Client()
    game = set_table(host)
    guest = join(game)
    seat = Desk.objects.get(player=seat_of(guest, game)).key
    table = Table.objects.get(game=game)
    ways = [
        f"/games/{game.code}/",
        invitation(game),
        f"/seat/{seat}/",
        f"/join/{table.invitation}/",
        reverse("study:sign_in"),
        reverse("study:campaigns"),
        reverse("home"),
    ]
    for way in ways:
        answer = host.get(way)
        assert "no-store" in answer["Cache-Control"], way
