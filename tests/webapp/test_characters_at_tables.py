"""Tests of written characters at tables: own names and matching portraits."""

from __future__ import annotations

import uuid

import pytest
from django.test import Client

from agents.personas.characters import CHARACTERS
from game import lobby, name_rules
from game.chosen_name_replacer import _EVERYDAY_WORDS as EVERYDAY
from game.engine import rulesets
from game.engine.events import digest
from game.engine.forms import Illegal
from game.game_actions import choose_portrait, free_portraits
from game.models import PORTRAIT_COUNT as COUNT
from game.models import Game, Player
from game.store import load_log
from tests.webapp.tables import host_table, join_table, player_of
from webapp.play.tables.opening import TableOptions, open_table
from webapp.play.tables.seat_plans import CHARACTER_PORTRAITS

pytestmark = pytest.mark.django_db


def characters(game: Game) -> dict[int, str]:
    """Return the key of the character in each seat that has one."""
    agents = game.players.filter(kind=Player.AGENT)
    keys = {p.seat: p.recipe.get("persona", {}).get("character", "") for p in agents}
    return {seat: key for seat, key in keys.items() if key}


def test_character_names_pass_the_name_rules() -> None:
    for ruleset in map(rulesets.get, rulesets.names()):
        roles = [role.name for role in ruleset.roles]
        for character in CHARACTERS.values():
            other_names = [
                c.table_name for c in CHARACTERS.values() if c.table_name and c != character
            ]
            if character.table_name:
                seats = ruleset.seat_names
                assert not name_rules.chosen_name_error(
                    character.table_name, roles=roles, seats=seats, other_names=other_names
                )
                assert character.table_name.casefold() not in EVERYDAY
                assert character.table_name in character.name


def test_every_character_has_its_own_portrait() -> None:
    assert set(CHARACTER_PORTRAITS) == set(CHARACTERS)
    assert len(set(CHARACTER_PORTRAITS.values())) == len(CHARACTER_PORTRAITS)
    assert set(CHARACTER_PORTRAITS.values()) <= set(range(1, COUNT + 1))


def test_characters_sit_under_their_own_names() -> None:
    game = open_table(uuid.uuid4(), TableOptions(seed="names"))
    characters_by_seat = characters(game)
    assert len(characters_by_seat) == 4
    names = rulesets.get(game.ruleset).seat_names
    logged_names = load_log(game)[0]["seats"]
    for player in game.players.all():
        key = characters_by_seat.get(player.seat, "")
        own_name = CHARACTERS[key].table_name if key else ""
        assert player.name == logged_names[player.seat - 1] == (own_name or names[player.seat - 1])
        assert not key or player.portrait == CHARACTER_PORTRAITS[key]
    assert len(set(game.players.values_list("portrait", flat=True))) == 8
    repeated_game = open_table(uuid.uuid4(), TableOptions(seed="names"))
    assert digest(load_log(repeated_game)) == digest(load_log(game))


def test_character_cast_for_every_seat_gets_its_name_once() -> None:
    choice = {"persona": "character:cook"}
    casting = {str(seat): choice for seat in range(1, 9)}
    game = open_table(uuid.uuid4(), TableOptions(seed="twice", mode="watch", casting=casting))
    names = list(game.players.values_list("name", flat=True))
    assert names.count("Barnaby") == 1
    assert len(set(names)) == 8


def test_blind_table_keeps_the_seat_names() -> None:
    game = open_table(uuid.uuid4(), TableOptions(seed="names", settings={"blind": True}))
    assert [p.name for p in game.players.all()] == list(rulesets.get(game.ruleset).seat_names)
    assert not free_portraits(game)


def test_opened_seat_loses_the_name_of_its_character() -> None:
    game = open_table(uuid.uuid4(), TableOptions(seed="names", guests=1))
    seat = next(s for s, key in characters(game).items() if CHARACTERS[key].table_name)
    lobby.open_seat(game.pk, seat)
    assert game.players.get(seat=seat).name == rulesets.get(game.ruleset).seat_names[seat - 1]


def test_guest_chooses_a_portrait_that_is_free() -> None:
    host = Client()
    game = host_table(host)
    free_portrait = free_portraits(game)[-1]
    guest = join_table(game, "Anna", portrait=free_portrait)
    player = player_of(guest, game)
    assert player
    assert player.portrait == free_portrait
    taken_portrait = game.players.exclude(pk=player.pk).values_list("portrait", flat=True)[0]
    with pytest.raises(Illegal, match="portrait_taken"):
        choose_portrait(game.pk, player.seat, taken_portrait)
    page = guest.get(f"/games/{game.code}/").content.decode()
    assert f'value="portrait:{free_portraits(game)[0]}"' in page
    assert f'value="portrait:{taken_portrait}"' not in page
