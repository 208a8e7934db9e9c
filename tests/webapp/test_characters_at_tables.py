"""Written characters sit at tables under their own names, with portraits that fit them."""

from __future__ import annotations

import uuid

import pytest
from django.test import Client

from agents.personas.characters import CHARACTERS
from game import lobby, name_rules
from game.engine import rulesets
from game.engine.events import digest
from game.engine.forms import Illegal
from game.models import Game, Player
from game.portraits import PORTRAIT_COUNT as COUNT
from game.portraits import choose_portrait, free_portraits
from game.seat_names import _EVERYDAY_WORDS as EVERYDAY
from game.store import load
from tests.webapp.test_invitations import join, seat_of, set_table
from webapp.play.tables.opening import TableOptions, open_table
from webapp.play.turns.casting import CHARACTER_PORTRAITS

pytestmark = pytest.mark.django_db


def characters(game: Game) -> dict[int, str]:
    """seat -> the key of the character that sits there."""
    agents = game.players.filter(kind=Player.AGENT)
    found = {p.seat: p.recipe.get("persona", {}).get("character", "") for p in agents}
    return {seat: key for seat, key in found.items() if key}


def test_nobody_could_misunderstand_their_names() -> None:
    for ruleset in map(rulesets.get, rulesets.names()):
        roles = [role.name for role in ruleset.roles]
        for who in CHARACTERS.values():
            others = [c.table_name for c in CHARACTERS.values() if c.table_name and c != who]
            if who.table_name:
                seats = ruleset.seat_names
                assert name_rules.chosen_name_error(
                    who.table_name, roles=roles, seats=seats, other_names=others
                ) == (
                    "",
                    "",
                )
                assert who.table_name.casefold() not in EVERYDAY
                assert who.table_name in who.name


def test_every_character_has_a_portrait_of_its_own() -> None:
    assert set(CHARACTER_PORTRAITS) == set(CHARACTERS)
    assert len(set(CHARACTER_PORTRAITS.values())) == len(CHARACTER_PORTRAITS)
    assert set(CHARACTER_PORTRAITS.values()) <= set(range(1, COUNT + 1))


def test_characters_sit_under_their_own_names() -> None:
    game = open_table(uuid.uuid4(), TableOptions(seed="names"))
    seated = characters(game)
    assert len(seated) == 4
    names = rulesets.get(game.ruleset).seat_names
    told = load(game)[0]["seats"]
    for player in game.players.all():
        key = seated.get(player.seat, "")
        own = CHARACTERS[key].table_name if key else ""
        assert player.name == told[player.seat - 1] == (own or names[player.seat - 1])
        assert not key or player.portrait == CHARACTER_PORTRAITS[key]
    assert len(set(game.players.values_list("portrait", flat=True))) == 8
    again = open_table(uuid.uuid4(), TableOptions(seed="names"))
    assert digest(load(again)) == digest(load(game))


def test_a_character_cast_twice_has_its_name_once() -> None:
    choice = {"persona": "character:cook"}
    casting = {str(seat): choice for seat in range(1, 9)}
    game = open_table(uuid.uuid4(), TableOptions(seed="twice", mode="watch", casting=casting))
    names = list(game.players.values_list("name", flat=True))
    assert names.count("Barnaby") == 1
    assert len(set(names)) == 8


def test_a_blind_table_keeps_the_seats_names() -> None:
    game = open_table(uuid.uuid4(), TableOptions(seed="names", settings={"blind": True}))
    assert [p.name for p in game.players.all()] == list(rulesets.get(game.ruleset).seat_names)
    assert not free_portraits(game)


def test_who_makes_room_for_a_guest_takes_the_name_along() -> None:
    game = open_table(uuid.uuid4(), TableOptions(seed="names", guests=1))
    seat = next(s for s, key in characters(game).items() if CHARACTERS[key].table_name)
    lobby.open_seat(game.pk, seat)
    assert game.players.get(seat=seat).name == rulesets.get(game.ruleset).seat_names[seat - 1]


def test_a_guest_chooses_a_portrait_that_nobody_has() -> None:
    host = Client()
    game = set_table(host)
    wish = free_portraits(game)[-1]
    guest = join(game, "Anna", portrait=wish)
    mine = seat_of(guest, game)
    assert mine
    assert mine.portrait == wish
    taken = game.players.exclude(pk=mine.pk).values_list("portrait", flat=True)[0]
    with pytest.raises(Illegal, match="portrait_taken"):
        choose_portrait(game.pk, mine.seat, taken)
    page = guest.get(f"/games/{game.code}/").content.decode()
    assert f'value="portrait:{free_portraits(game)[0]}"' in page
    assert f'value="portrait:{taken}"' not in page
