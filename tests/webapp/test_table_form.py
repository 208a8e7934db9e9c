"""Tests of the form of a new table: common fields, folded advanced fields, plain speech."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from django.test import Client

from agents.recipe import Recipe
from game import game_actions, selectors
from game.engine import visibility
from game.models import Game, Player
from tests.simulated_games import simulate
from webapp.play.models import Membership
from webapp.play.tables.opening import open_similar_table

pytestmark = pytest.mark.django_db(transaction=True)

FILLED = {"ruleset": "one-night", "mode": "watch", "pace": "instant", "personas": "on"}
FILLED |= {"faces": "me", "method": "full"}
FILLED |= {f"seat-{seat}-{factor}": "4" for seat in range(1, 9) for factor in "OCEAN"}


def post_refused_form(**field_names: object) -> str:
    """Post the form and return the page that refuses it."""
    response = Client().post("/tables/new", {**FILLED, **field_names})
    assert response.status_code == 422
    return str(response.content.decode())


def split_form(page: str) -> tuple[str, str, str]:
    """Return the part before the fold, its opening tag, and its content."""
    match = re.search(r'(.*)(<details class="advanced"[^>]*>)(.*)</details>', page, re.S)
    assert match
    return match[1], match[2], match[3]


def field_names(part: str) -> set[str]:
    names = set(re.findall(r'name="([^"]+)"', part))
    return {n for n in names if not n.startswith(("seat-", "csrf")) and n != "ruleset"}


def test_common_fields_come_first_and_advanced_ones_are_folded() -> None:
    page = Client().get("/tables/new").content.decode()
    common, fold_tag, folded = split_form(page)
    assert {"mode", "guests", "pace", "spectators", "blind", "plain"} <= field_names(common)
    advanced = {"method", "statement_seconds", "faces", "personas", "research", "seed"}
    assert advanced | {"rule_poll_people", "vote_seconds"} <= field_names(folded)
    assert not advanced & field_names(common)
    assert "seat-1-persona" in folded
    assert " open" not in fold_tag


@pytest.mark.parametrize(
    ("invalid", "field_id"),
    [
        ({"vote_seconds": "3"}, "id_vote_seconds"),
        ({"mode": "play", "seed": "abc"}, "id_seed"),
        ({"faces": "many"}, "id_faces_0"),
        ({"seat-2-method": "guess"}, "id_seat-2-method"),
    ],
)
def test_error_in_the_advanced_part_unfolds_it(invalid: Mapping[str, str], field_id: str) -> None:
    page = post_refused_form(**invalid)
    assert " open" in split_form(page)[1]
    assert f'href="#{field_id}"' in page
    assert f'id="{field_id}"' in page


def test_advanced_part_stays_folded_without_entries() -> None:
    page = post_refused_form(guests="12", plain="on")
    common, fold_tag, _rest = split_form(page)
    assert 'href="#id_guests"' in page
    assert 'value="12"' in common
    assert re.search(r'name="plain"[^>]* checked', common)
    assert " open" not in fold_tag
    page = post_refused_form(guests="12", statement_seconds="45")
    _first, fold_tag, folded = split_form(page)
    assert " open" in fold_tag
    assert 'value="45"' in folded


def test_plain_speech_is_in_every_recipe_of_the_table_and_the_next() -> None:
    client = Client()
    assert client.post("/tables/new", {**FILLED, "mode": "play", "plain": "on"}).status_code == 302
    first = Game.objects.get()
    assert all(Recipe.of(p.recipe).has_plain_speech for p in first.players.all())
    assert Recipe.of(first.table.recipe).has_plain_speech
    game_actions.call_off(first.pk)
    similar = open_similar_table(Membership.objects.get(game=first).visitor, first)
    assert Recipe.of(similar.table.recipe).has_plain_speech


def test_recipes_are_unchanged_without_plain_speech() -> None:
    assert Client().post("/tables/new", FILLED).status_code == 302
    assert all("plain" not in p.recipe for p in Game.objects.get().players.all())


def test_plain_speech_changes_the_game_of_a_seed() -> None:
    def digest(has_plain_speech: bool) -> str:
        recipe = Recipe(has_plain_speech=has_plain_speech)
        (result,) = simulate("one-night", games=1, seed="p", recipe=recipe, concurrency=1)
        assert isinstance(result, dict)
        assert {agent["plain"] for agent in result["agents"].values()} == {has_plain_speech}
        return str(result["digest"])

    assert digest(True) != digest(False)


@pytest.mark.parametrize(
    ("ruleset", "role"), [("one-night", "tanner"), ("aiwolf-13", "werewolf"), ("sheriff", "seer")]
)
def test_single_player_can_choose_a_role(ruleset: str, role: str) -> None:
    form = {"ruleset": ruleset, "mode": "play", "pace": "instant", "role": role}
    for _ in range(3):
        response = Client().post("/tables/new", form)
        assert response.status_code == 302
        game = Game.objects.get(code=response["Location"].rstrip("/").rsplit("/", 1)[1])
        seat = game.players.get(kind=Player.PERSON).seat
        assert selectors.view_for(game, visibility.seat(seat)).role == role


@pytest.mark.parametrize("fields", [{"guests": "1"}, {"mode": "watch"}, {"research": "on"}])
def test_role_choice_is_refused_for_other_tables(fields: dict[str, str]) -> None:
    form = {"ruleset": "one-night", "mode": "play", "pace": "instant", "role": "seer", **fields}
    response = Client().post("/tables/new", form)
    page = response.content.decode()
    assert response.status_code == 422
    assert "You can choose a role only if you play alone" in page
    assert re.search(r'<option value="seer"\s+selected>', page), "the form keeps the choice"
