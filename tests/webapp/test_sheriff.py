"""A person at a table with a Sheriff: what the pages say of what no other game has."""

from __future__ import annotations

import uuid

import pytest
from django.test import Client

from game.models import Player
from tests.game.table import finish, new_game, play_until
from webapp.play import visitors
from webapp.play.guest import Guest
from webapp.play.home import games_of
from webapp.play.page_builder import page_for

pytestmark = pytest.mark.django_db
SHERIFF = {"election": False, "first_sheriff": "person"}


def test_a_game_that_nobody_won_is_neither_won_nor_lost() -> None:
    game = new_game(2, ruleset="sheriff", seed="7", settings={"max_rounds": 1})
    player = Player.objects.get(game=game, seat=2)
    visitor = uuid.uuid4()
    visitors.seat_visitor(visitor, game, player)
    end = page_for(Guest(finish(game), player, member=True)).end
    assert end is not None
    assert (end.result, end.said) == ("", "")
    assert end.headline.endswith("nobody wins.")
    assert not any(row.won for row in end.rows)
    assert games_of(visitor)[0]["result"] == "Nobody wins."


def test_a_sheriff_is_told_what_happens_where_the_time_runs_out() -> None:
    game = new_game(3, ruleset="sheriff", settings=SHERIFF, limits={"vote": 60})
    play_until(game, "first_side")
    game.refresh_from_db()
    page = page_for(Guest(game, Player.objects.get(game=game, seat=3), member=True))
    assert page.choice is not None
    assert [option.label for option in page.choice.options] == ["left", "right"]
    assert page.awaited.default == "then the first of these is chosen"


def test_who_opens_a_table_may_choose_it_and_play_now_stays_the_short_game(client: Client) -> None:
    page = client.get("/tables/new?ruleset=sheriff").content.decode()
    assert 'name="rule_max_rounds"' in page
    client.post("/play")
    assert Player.objects.latest("pk").game.ruleset == "one-night"
