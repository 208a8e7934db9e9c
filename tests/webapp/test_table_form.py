"""The form of a new table: what friends choose first, the folded rest, plain speech."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from django.test import Client

from agents.recipe import Recipe
from game import host_actions, selectors
from game.engine import visibility
from game.models import Game, Player
from webapp.play.models import Membership
from webapp.play.simulation.game_pool import simulate
from webapp.play.tables.opening import open_similar_table

pytestmark = pytest.mark.django_db(transaction=True)

FILLED = {"ruleset": "one-night", "mode": "watch", "pace": "instant", "personas": "on"}
FILLED |= {"faces": "me", "method": "full"}
FILLED |= {f"seat-{seat}-{factor}": "4" for seat in range(1, 9) for factor in "OCEAN"}


def posted(**fields: object) -> str:
    """The page after a post that is refused."""
    answer = Client().post("/tables/new", {**FILLED, **fields})
    assert answer.status_code == 422
    return str(answer.content.decode())


def halves(page: str) -> tuple[str, str, str]:
    """Before the fold, its opening tag, what is in it."""
    found = re.search(r'(.*)(<details class="advanced"[^>]*>)(.*)</details>', page, re.S)
    assert found
    return found[1], found[2], found[3]


def fields(part: str) -> set[str]:
    names = set(re.findall(r'name="([^"]+)"', part))
    return {n for n in names if not n.startswith(("seat-", "csrf")) and n != "ruleset"}


def test_common_fields_come_first_and_advanced_ones_are_folded() -> None:
    page = Client().get("/tables/new").content.decode()
    first, fold, rest = halves(page)
    assert {"mode", "guests", "pace", "spectators", "blind", "plain"} <= fields(first)
    advanced = {"method", "statement_seconds", "faces", "personas", "research", "seed"}
    assert advanced | {"rule_poll_people", "vote_seconds"} <= fields(rest)
    assert not advanced & fields(first)
    assert "seat-1-persona" in rest
    assert " open" not in fold


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ({"vote_seconds": "3"}, "id_vote_seconds"),
        ({"mode": "play", "seed": "abc"}, "id_seed"),
        ({"faces": "many"}, "id_faces_0"),
        ({"seat-2-method": "guess"}, "id_seat-2-method"),
    ],
)
def test_error_in_the_advanced_part_unfolds_it(wrong: Mapping[str, str], place: str) -> None:
    page = posted(**wrong)
    assert " open" in halves(page)[1]
    assert f'href="#{place}"' in page
    assert f'id="{place}"' in page


def test_advanced_part_stays_folded_without_entries() -> None:
    page = posted(guests="12", plain="on")
    first, fold, _rest = halves(page)
    assert 'href="#id_guests"' in page
    assert 'value="12"' in first
    assert re.search(r'name="plain"[^>]* checked', first)
    assert " open" not in fold
    page = posted(guests="12", statement_seconds="45")
    _first, fold, rest = halves(page)
    assert " open" in fold
    assert 'value="45"' in rest


def test_plain_speech_is_in_every_recipe_of_the_table_and_the_next() -> None:
    client = Client()
    assert client.post("/tables/new", {**FILLED, "mode": "play", "plain": "on"}).status_code == 302
    first = Game.objects.get()
    assert all(Recipe.of(p.recipe).has_plain_speech for p in first.players.all())
    assert Recipe.of(first.table.recipe).has_plain_speech
    host_actions.call_off(first.pk)
    again = open_similar_table(Membership.objects.get(game=first).visitor, first)
    assert Recipe.of(again.table.recipe).has_plain_speech


def test_recipes_are_unchanged_without_plain_speech() -> None:
    assert Client().post("/tables/new", FILLED).status_code == 302
    assert all("plain" not in p.recipe for p in Game.objects.get().players.all())


def test_plain_speech_changes_the_game_of_a_seed() -> None:
    def digest(plain: bool) -> str:
        recipe = Recipe(has_plain_speech=plain)
        (made,) = simulate("one-night", games=1, seed="p", recipe=recipe, concurrency=1)
        assert isinstance(made, dict)
        assert {agent["plain"] for agent in made["agents"].values()} == {plain}
        return str(made["digest"])

    assert digest(True) != digest(False)


@pytest.mark.parametrize(
    ("ruleset", "role"), [("one-night", "tanner"), ("aiwolf-13", "werewolf"), ("sheriff", "seer")]
)
def test_single_player_can_choose_a_role(ruleset: str, role: str) -> None:
    form = {"ruleset": ruleset, "mode": "play", "pace": "instant", "role": role}
    for _ in range(3):
        answer = Client().post("/tables/new", form)
        assert answer.status_code == 302
        game = Game.objects.get(code=answer["Location"].rstrip("/").rsplit("/", 1)[1])
        seat = game.players.get(kind=Player.PERSON).seat
        assert selectors.view_for(game, visibility.seat(seat)).role == role


@pytest.mark.parametrize("more", [{"guests": "1"}, {"mode": "watch"}, {"research": "on"}])
def test_role_choice_is_refused_for_other_tables(more: dict[str, str]) -> None:
    form = {"ruleset": "one-night", "mode": "play", "pace": "instant", "role": "seer", **more}
    answer = Client().post("/tables/new", form)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "You can choose a role only if you play alone" in page
    assert re.search(r'<option value="seer"\s+selected>', page), "what was chosen stays"
