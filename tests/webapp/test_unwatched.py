"""Tables of computer players pause when nobody looks, and go on when somebody does."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from game import host_actions
from game.models import Game, Player
from tests.game.table import new_game
from tests.study.world import campaign
from webapp.play import presence
from webapp.play.live import broadcaster
from webapp.play.live.sweeper import Sweeper
from webapp.play.models import Table
from webapp.study.models import CampaignGame

pytestmark = pytest.mark.django_db
Sit = Callable[[Game, int | None], Client]


def unseen(game: Game, minutes: float = 11) -> Game:
    """The table of a game at which nobody has looked for so long."""
    table, _new = Table.objects.get_or_create(game=game)
    table.looked_at = timezone.now() - timedelta(minutes=minutes)
    table.save()
    return game


def paused(game: Game) -> bool:
    game.refresh_from_db()
    return game.paused_at is not None


def test_a_table_nobody_looks_at_pauses_and_goes_on_for_whoever_comes(sit: Sit) -> None:
    game, fresh = unseen(new_game(0)), unseen(new_game(0, seed="2"), 9)
    Sweeper().sweep()
    assert (paused(game), paused(fresh)) == (True, False)
    assert Client().get(f"/games/{game.code}/").status_code == 403
    assert paused(game), "who may not look is nobody"
    page = sit(game, None).get(f"/games/{game.code}/").content.decode()
    assert "paused the game" not in page
    assert not paused(game)
    assert presence.pause_unwatched() == 0


def test_no_time_passes_meanwhile() -> None:
    game = unseen(new_game(0))
    before = {w.key: w.opened_at for w in game.windows.filter(closed_at=None)}
    presence.pause_unwatched()
    Game.objects.filter(pk=game.pk).update(paused_at=timezone.now() - timedelta(hours=5))
    assert presence.resume_if_unwatched(game.pk)
    for window in game.windows.filter(closed_at=None):
        assert window.opened_at - before[window.key] > timedelta(hours=4)


def test_an_open_page_keeps_a_table_going() -> None:
    game = unseen(new_game(0))
    Table.objects.update(spectators=True)
    member = broadcaster.OpenPage(uuid.uuid4(), None, None, restart=0)  # type: ignore[arg-type]
    made = object.__new__(broadcaster.Broadcaster)
    made.game_id, made._change_key, made._presence_noted_at = game.pk, (), 0.0
    made._poll([member])
    assert presence.pause_unwatched() == 0
    unseen(game)
    presence.pause_unwatched()
    assert paused(game)
    made._poll([member])
    made._note_presence()
    assert not paused(game)


@pytest.mark.parametrize("away", [False, True])
def test_a_table_with_a_person_is_never_paused(away: bool) -> None:
    game = unseen(new_game(1))
    Player.objects.filter(game=game, kind=Player.PERSON).update(stand_in=away)
    assert presence.pause_unwatched() == 0


def test_a_table_that_everyone_has_left_is() -> None:
    game = unseen(new_game(1, 2))
    host_actions.leave(game.pk, Player.objects.filter(game=game, kind=Player.PERSON)[0].seat)
    assert presence.pause_unwatched() == 0
    Player.objects.filter(game=game, kind=Player.PERSON).update(left_at=timezone.now())
    assert presence.pause_unwatched() == 1


def test_no_table_of_a_campaign_and_no_simulation_is_paused() -> None:
    kept = unseen(new_game(0))
    CampaignGame.objects.create(campaign=campaign(), game=kept, condition="one")
    new_game(0, seed="2")  # without a table: nobody was ever meant to look
    assert presence.pause_unwatched() == 0


def test_what_the_host_paused_stays_paused(sit: Sit) -> None:
    game = new_game(0)
    Table.objects.create(game=game)
    host_actions.pause(game.pk)
    unseen(game)
    assert presence.pause_unwatched() == 0
    sit(game, None).get(f"/games/{game.code}/")
    assert paused(game)
