"""Day and night, always dark or always light: chosen by a browser, kept in a cookie."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.test import Client

pytestmark = pytest.mark.django_db


def kept(client: Client, page: str = "/") -> str:
    """What the first line of a page says, before any script or style is loaded."""
    html = client.get(page).content.decode()
    found = re.search(r'<html[^>]*data-kept="(\w*)"', html)
    assert found
    scheme = re.search(r'<meta name="color-scheme"\s+content="([^"]+)"', html)
    assert scheme
    assert scheme[1] == {"day": "light", "night": "dark"}.get(found[1], "light dark")
    return found[1]


def test_browser_keeps_its_theme() -> None:
    client = Client()
    assert kept(client) == "story"
    answer = client.post("/light", {"light": "night", "back": "/rules/one-night/"})
    assert (answer.status_code, answer["Location"]) == (302, "/rules/one-night/")
    assert kept(client, "/rules/one-night/") == kept(client) == "night"
    client.post("/light", {"light": "day"})
    assert kept(client) == "day"
    client.post("/light", {"light": "story"})
    assert kept(client) == "story"
    assert settings.SESSION_COOKIE_NAME not in client.cookies, "it enrols nobody"


@pytest.mark.parametrize("back", ["https://elsewhere.test/", "//elsewhere.test", "javascript:1"])
def test_theme_redirect_stays_on_the_site(back: str) -> None:
    assert Client().post("/light", {"light": "night", "back": back})["Location"] == "/"


def test_unknown_theme_changes_nothing() -> None:
    client = Client()
    assert client.post("/light", {"light": "<b>"}).status_code == 422
    client.cookies["fabula_light"] = "<b>"
    assert kept(client) == "story"
