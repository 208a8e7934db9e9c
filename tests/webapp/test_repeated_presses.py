"""Tests that repeated presses of a button open one table."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client

from game.models import Game
from webapp.play.models import Membership, Press
from webapp.play.tables.opening import CSRF_FIELD


def read_token(page: str) -> str:
    match = re.search(r'name="csrfmiddlewaretoken"\s+value="(\w+)"', page)
    assert match
    return match[1]


@pytest.fixture(params=["/play", "/watch"])
def address(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.django_db
def test_three_presses_of_a_new_visitor_open_one_table(address: str) -> None:
    first = Client()
    press = read_token(first.get("/").content.decode())
    responses = [Client().post(address, {CSRF_FIELD: press, "backend": "house"}) for _ in range(3)]
    assert len({response["Location"] for response in responses}) == 1
    game = Game.objects.get()
    assert Membership.objects.filter(game=game).count() == 1
    last_client = Client()  # the browser keeps the last cookie
    last_client.cookies = responses[-1].client.cookies
    assert b'name="do"' in last_client.get(responses[-1]["Location"]).content


@pytest.mark.django_db
def test_visitor_with_a_session_needs_no_token(address: str) -> None:
    client = Client()
    client.post("/tables/new", {"ruleset": "one-night", "mode": "watch", "pace": "instant"})
    locations = {client.post(address, {"backend": "house"})["Location"] for _ in range(3)}
    assert len(locations) == 1
    assert Game.objects.count() == 2


@pytest.mark.django_db
def test_other_button_other_page_or_later_press_opens_another_table() -> None:
    client = Client()
    token = read_token(client.get("/").content.decode())
    home = {CSRF_FIELD: token, "backend": "house"}
    locations = [client.post(path, home)["Location"] for path in ("/play", "/watch", "/play")]
    assert locations[0] == locations[2] != locations[1]
    new_token = read_token(client.get("/").content.decode())
    locations.append(client.post("/play", {**home, CSRF_FIELD: new_token})["Location"])
    for row in Press.objects.all():
        row.at -= timedelta(seconds=30)
        row.save()
    locations.append(client.post("/play", home)["Location"])
    assert len(set(locations)) == 4
    form = {"ruleset": "one-night", "mode": "watch", "pace": "instant", CSRF_FIELD: token}
    other_form = {**form, "spectators": "on"}
    form_locations = [
        client.post("/tables/new", data)["Location"] for data in (form, form, other_form)
    ]
    assert form_locations[0] == form_locations[1] != form_locations[2]


@pytest.mark.django_db(transaction=True)
def test_three_concurrent_presses_open_one_table() -> None:
    def press(_n: int) -> str:
        try:
            return Client().post("/play", {CSRF_FIELD: "a" * 32, "backend": "house"})["Location"]
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        assert len(set(pool.map(press, range(3)))) == 1
    assert Game.objects.count() == 1
