"""Tests of the form of a new table as a browser receives and submits it."""

from __future__ import annotations

import pytest
from django.test import Client

from game.engine import rulesets
from game.models import Game

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("address", ["/tables/new", "/tables/new?ruleset=two-days"])
def test_unchanged_form_opens_a_table(client: Client, address: str) -> None:
    form = client.get(address).context["form"]
    fields = {
        field.html_name: field.value() for field in form if field.value() not in (None, False)
    }
    response = client.post("/tables/new", fields)
    assert response.status_code == 302, response.context["form"].errors
    assert Game.objects.get().ruleset == form["ruleset"].value()
    assert form["ruleset"].value() in rulesets.names()


def test_unknown_game_is_refused_with_an_explanation(client: Client) -> None:
    response = client.post("/tables/new", {"ruleset": "chess", "mode": "play", "pace": "instant"})
    assert response.status_code == 422
    assert "Choose one of the listed games." in response.content.decode()


@pytest.mark.parametrize("address", ["/", "/tables/new"])
def test_games_are_listed_by_number_of_players_after_the_usual_one(
    client: Client, address: str
) -> None:
    page = client.get(address).content.decode().partition("<main")[2]
    titles = ("One night", "The small village", "The Sheriff", "The large village")
    positions = [page.index(f">{title}<") for title in titles]
    assert positions == sorted(positions)
