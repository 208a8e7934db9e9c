"""Tests of the theme: story, always dark or always light, kept in a cookie."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.test import Client

pytestmark = pytest.mark.django_db


def read_theme(client: Client, page: str = "/") -> str:
    """Return the theme in the page's first line, which needs no script or style."""
    html = client.get(page).content.decode()
    match = re.search(r'<html[^>]*data-kept="(\w*)"', html)
    assert match
    scheme = re.search(r'<meta name="color-scheme"\s+content="([^"]+)"', html)
    assert scheme
    assert scheme[1] == {"day": "light", "night": "dark"}.get(match[1], "light dark")
    return match[1]


def test_browser_keeps_its_theme() -> None:
    client = Client()
    assert read_theme(client) == "story"
    response = client.post("/light", {"light": "night", "back": "/rules/one-night/"})
    assert (response.status_code, response["Location"]) == (302, "/rules/one-night/")
    assert read_theme(client, "/rules/one-night/") == read_theme(client) == "night"
    client.post("/light", {"light": "day"})
    assert read_theme(client) == "day"
    client.post("/light", {"light": "story"})
    assert read_theme(client) == "story"
    assert settings.SESSION_COOKIE_NAME not in client.cookies, "a theme needs no session"


@pytest.mark.parametrize("back", ["https://elsewhere.test/", "//elsewhere.test", "javascript:1"])
def test_theme_redirect_stays_on_the_site(back: str) -> None:
    assert Client().post("/light", {"light": "night", "back": back})["Location"] == "/"


def test_unknown_theme_changes_nothing() -> None:
    client = Client()
    assert client.post("/light", {"light": "<b>"}).status_code == 422
    client.cookies["fabula_light"] = "<b>"
    assert read_theme(client) == "story"
