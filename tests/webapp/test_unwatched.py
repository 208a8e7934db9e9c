"""Tests that tables of agents pause without viewers, and resume for a viewer."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from game import game_actions
from game.models import Game, Player
from tests.game.table import new_game
from tests.study.world import create_campaign
from webapp.play import presence
from webapp.play.live import broadcaster
from webapp.play.live.sweeper import Sweeper
from webapp.play.models import Table
from webapp.study.models import CampaignGame

pytestmark = pytest.mark.django_db
Sit = Callable[[Game, int | None], Client]


def make_unwatched(game: Game, minutes: float = 11) -> Game:
    """Set the last view of the game's table to `minutes` ago."""
    table, _new = Table.objects.get_or_create(game=game)
    table.looked_at = timezone.now() - timedelta(minutes=minutes)
    table.save()
    return game


async def create_idle_broadcaster(game_id: int) -> broadcaster.Broadcaster:
    """Return a broadcaster that polls only when a test calls it."""
    page_broadcaster = broadcaster.Broadcaster(game_id)
    page_broadcaster.stop()
    return page_broadcaster


def is_paused(game: Game) -> bool:
    game.refresh_from_db()
    return game.paused_at is not None


def test_unwatched_table_pauses_and_resumes_for_a_spectator(sit: Sit) -> None:
    game, recently_viewed = make_unwatched(new_game(0)), make_unwatched(new_game(0, seed="2"), 9)
    Sweeper().sweep()
    assert (is_paused(game), is_paused(recently_viewed)) == (True, False)
    assert Client().get(f"/games/{game.code}/").status_code == 403
    assert is_paused(game), "a refused visitor is no viewer"
    page = sit(game, None).get(f"/games/{game.code}/").content.decode()
    assert "paused the game" not in page
    assert not is_paused(game)
    assert presence.pause_unwatched() == 0


def test_deadlines_shift_by_the_unwatched_pause() -> None:
    game = make_unwatched(new_game(0))
    before = {w.key: w.opened_at for w in game.windows.filter(closed_at=None)}
    presence.pause_unwatched()
    Game.objects.filter(pk=game.pk).update(paused_at=timezone.now() - timedelta(hours=5))
    assert presence.mark_watched(game.pk)
    for window in game.windows.filter(closed_at=None):
        assert window.opened_at - before[window.key] > timedelta(hours=4)


def test_open_page_keeps_a_table_running() -> None:
    game = make_unwatched(new_game(0))
    Table.objects.update(spectators=True)
    open_page = broadcaster.OpenPage(uuid.uuid4(), None, None, new_cursor=0)  # type: ignore[arg-type]
    page_broadcaster = asyncio.run(create_idle_broadcaster(game.pk))
    page_broadcaster._poll([open_page])
    assert presence.pause_unwatched() == 0
    make_unwatched(game)
    presence.pause_unwatched()
    assert is_paused(game)
    page_broadcaster._poll([open_page])
    page_broadcaster._note_presence()
    assert not is_paused(game)


@pytest.mark.parametrize("is_stand_in", [False, True])
def test_table_with_a_person_is_not_paused(is_stand_in: bool) -> None:
    game = make_unwatched(new_game(1))
    Player.objects.filter(game=game, kind=Player.PERSON).update(stand_in=is_stand_in)
    assert presence.pause_unwatched() == 0


def test_table_that_everyone_has_left_is_paused() -> None:
    game = make_unwatched(new_game(1, 2))
    game_actions.leave(game.pk, Player.objects.filter(game=game, kind=Player.PERSON)[0].seat)
    assert presence.pause_unwatched() == 0
    Player.objects.filter(game=game, kind=Player.PERSON).update(left_at=timezone.now())
    assert presence.pause_unwatched() == 1


def test_campaign_games_and_simulations_are_not_paused() -> None:
    campaign_game = make_unwatched(new_game(0))
    CampaignGame.objects.create(campaign=create_campaign(), game=campaign_game, condition="one")
    new_game(0, seed="2")  # a simulation has no table to view
    assert presence.pause_unwatched() == 0


def test_pause_by_the_host_is_not_ended_by_a_visit(sit: Sit) -> None:
    game = new_game(0)
    Table.objects.create(game=game)
    game_actions.pause(game.pk)
    make_unwatched(game)
    assert presence.pause_unwatched() == 0
    sit(game, None).get(f"/games/{game.code}/")
    assert is_paused(game)
