"""Tests that outsiders are refused at every address of a table and learn nothing."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from django.conf import settings
from django.test import Client
from django.urls import URLPattern, get_resolver

from game.models import Game
from tests.game.table import new_game, play_until
from webapp.play.models import Membership

pytestmark = pytest.mark.django_db
Sit = Callable[[Game, int | None], Client]


def table_addresses() -> list[str]:
    """Return every address with a game in it. `CODE` stands for the game."""
    addresses = []
    for pattern in get_resolver("webapp.play.urls").url_patterns:
        assert isinstance(pattern, URLPattern)
        route = str(pattern.pattern)
        if "code" in route:
            route = route.replace("<str:code>", "CODE").replace("(?P<code>[^/]+)", "CODE")
            extensions = ("jsonl", "txt") if "form" in route else ("",)
            for extension in extensions:
                path = route.replace("(?P<form>jsonl|txt)", extension).strip("^$")
                addresses.append("/" + path.replace("\\", ""))
    return addresses


def test_table_addresses_include_known_pages() -> None:
    addresses = table_addresses()
    assert "/games/CODE/" in addresses
    assert "/games/CODE/transcript.txt" in addresses
    assert len(addresses) >= 7


@pytest.mark.parametrize("outsider", ["stranger", "another table's guest"])
def test_outsider_is_refused_at_every_address(outsider: str, sit: Sit) -> None:
    game = new_game(1)
    play_until(game, "vote")
    names = [f">{player.name}<" for player in game.players.all()]
    client = Client() if outsider == "stranger" else sit(new_game(1, seed="2"), 1)
    for method, address in product((client.get, client.post), table_addresses()):
        response = method(address.replace("CODE", game.code))
        assert response.status_code in (403, 405), address
        body = response.content.decode()
        assert not [name for name in names if name in body], address
        assert "Seat 1 speaks" not in body, address
        assert not Membership.objects.filter(game=game).exists(), address
    page = client.get(f"/games/{game.code}/").content.decode()
    assert "This is another player’s table" in page


@pytest.mark.parametrize("address", table_addresses())
def test_unknown_table_is_not_found(address: str) -> None:
    statuses = {
        method(address.replace("CODE", "nowhere")).status_code
        for method in (Client().get, Client().post)
    }
    assert statuses <= {404, 405}
    assert 404 in statuses


def test_page_views_create_no_session_and_no_game() -> None:
    client = Client()
    for page in ("/", "/tables/new", "/rules/one-night/", "/healthz"):
        client.get(page)
    assert settings.SESSION_COOKIE_NAME not in client.cookies
    for address in ("/play", "/watch"):
        assert client.get(address).status_code == 405
    assert not Game.objects.exists()


def test_post_without_csrf_token_is_refused_with_an_explanation(sit: Sit) -> None:
    game = new_game(1)
    play_until(game, "statement")
    player = sit(game, 1)
    forger = Client(enforce_csrf_checks=True, headers={"HX-Request": "true"})
    forger.cookies = player.cookies
    form = {"window": "statement.1.1.1", "text": "forged"}
    response = forger.post(f"/games/{game.code}/answer", form)
    assert response.status_code == 403
    assert "Reload it" in response.content.decode()


def test_full_page_refusal_shows_its_reason() -> None:
    large_body = "x" * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
    response = Client().post("/tables/new", {"name": large_body})
    assert response.status_code == 413
    content = response.content.decode()
    assert "We could not read your request" in content
    assert "Your text is too long to send. Shorten it." in content


def test_foreign_host_header_is_refused() -> None:
    assert Client(headers={"host": "evil.example"}).get("/").status_code == 400


def test_content_security_policy_forbids_foreign_and_inline_scripts() -> None:
    for page in ("/", "/tables/new", "/rules/one-night/", "/games/nowhere/"):
        policy = Client().get(page).headers["Content-Security-Policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
