"""The page of a new table as a browser gets it and sends it back."""

from __future__ import annotations

import pytest
from django.test import Client

from game.engine import rulesets
from game.models import Game

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("address", ["/tables/new", "/tables/new?ruleset=two-days"])
def test_unchanged_form_opens_a_table(client: Client, address: str) -> None:
    form = client.get(address).context["form"]
    fields = {f.html_name: f.value() for f in form if f.value() not in (None, False)}
    answer = client.post("/tables/new", fields)
    assert answer.status_code == 302, answer.context["form"].errors
    assert Game.objects.get().ruleset == form["ruleset"].value()
    assert form["ruleset"].value() in rulesets.names()


def test_unknown_game_is_refused_with_an_explanation(client: Client) -> None:
    answer = client.post("/tables/new", {"ruleset": "chess", "mode": "play", "pace": "instant"})
    assert answer.status_code == 422
    assert "Choose one of the listed games." in answer.content.decode()


@pytest.mark.parametrize("address", ["/", "/tables/new"])
def test_games_are_listed_by_number_of_players_after_the_usual_one(
    client: Client, address: str
) -> None:
    page = client.get(address).content.decode().partition("<main")[2]
    titles = ("One night", "The small village", "The Sheriff", "The large village")
    places = [page.index(f">{title}<") for title in titles]
    assert places == sorted(places)
