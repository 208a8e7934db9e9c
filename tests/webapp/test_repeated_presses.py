"""Three presses of a button open one table."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client

from game.models import Game
from webapp.play.models import Membership, Press
from webapp.play.tables.repeated_presses import TOKEN


def token(page: str) -> str:
    found = re.search(r'name="csrfmiddlewaretoken"\s+value="(\w+)"', page)
    assert found
    return found[1]


@pytest.fixture(params=["/play", "/watch"])
def address(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.django_db
def test_three_presses_of_a_new_visitor_open_one_table(address: str) -> None:
    first = Client()
    press = token(first.get("/").content.decode())
    answers = [Client().post(address, {TOKEN: press, "backend": "house"}) for _ in range(3)]
    assert len({a["Location"] for a in answers}) == 1
    game = Game.objects.get()
    assert Membership.objects.filter(game=game).count() == 1
    last = Client()  # whose cookie the browser keeps is the host
    last.cookies = answers[-1].client.cookies
    assert b'name="do"' in last.get(answers[-1]["Location"]).content


@pytest.mark.django_db
def test_visitor_with_a_session_needs_no_token(address: str) -> None:
    client = Client()
    client.post("/tables/new", {"ruleset": "one-night", "mode": "watch", "pace": "instant"})
    places = {client.post(address, {"backend": "house"})["Location"] for _ in range(3)}
    assert len(places) == 1
    assert Game.objects.count() == 2


@pytest.mark.django_db
def test_other_button_other_page_or_later_press_opens_another_table() -> None:
    client = Client()
    press = token(client.get("/").content.decode())
    home = {TOKEN: press, "backend": "house"}
    places = [client.post(way, home)["Location"] for way in ("/play", "/watch", "/play")]
    assert places[0] == places[2] != places[1]
    fresh = token(client.get("/").content.decode())
    places.append(client.post("/play", {**home, TOKEN: fresh})["Location"])
    for row in Press.objects.all():
        row.at -= timedelta(seconds=30)
        row.save()
    places.append(client.post("/play", home)["Location"])
    assert len(set(places)) == 4
    form = {"ruleset": "one-night", "mode": "watch", "pace": "instant", TOKEN: press}
    changed = {**form, "spectators": "on"}
    made = [client.post("/tables/new", data)["Location"] for data in (form, form, changed)]
    assert made[0] == made[1] != made[2]


@pytest.mark.django_db(transaction=True)
def test_three_concurrent_presses_open_one_table() -> None:
    def press(_n: int) -> str:
        try:
            return Client().post("/play", {TOKEN: "a" * 32, "backend": "house"})["Location"]
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        assert len(set(pool.map(press, range(3)))) == 1
    assert Game.objects.count() == 1
