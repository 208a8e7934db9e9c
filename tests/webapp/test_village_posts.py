"""Tests of posts at bad moments of a talk in passes: lost nothing, and done once."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest
from django.db.models import F
from django.test import Client
from django.utils import timezone

from game import deadlines, locked_game, selectors, store
from game.cached_games import OpenWindow
from game.engine.events import Action, pick, say
from game.models import Game, Player, Window
from tests.game.table import new_game
from tests.webapp.tables import post_answer
from webapp.play.models import Desk
from webapp.play.page.table_page import Page
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db
Sit = Callable[[Game, int | None], Client]
each_village = pytest.mark.parametrize("ruleset", ["aiwolf-5", "aiwolf-13"])
OWN_SEAT = 1


def last_choice(window: OpenWindow, seat: int) -> Action:
    """Answer so that seat 1 stays in the game for long."""
    if window.window.legal.name == "speech":
        return say(f"Seat {seat} speaks.")
    return pick(window.window.options_for(seat)[-1])


def play_until_own_turn(game: Game, day: int = 0) -> str:
    """Answer for all until seat 1 is asked for a statement, on that day or later."""
    for _ in range(2000):
        windows = selectors.open_windows(game)
        assert windows, "the game is over"
        for window in windows:
            engine_window = window.window
            if (
                engine_window.kind == "statement"
                and OWN_SEAT in window.missing
                and engine_window.moment.day >= day
            ):
                return engine_window.key
            for seat in window.missing:
                locked_game.record_answer(
                    game.pk, seat, engine_window.key, last_choice(window, seat)
                )
    raise AssertionError("seat 1 was never asked")


def own_statements(game: Game, manner: str) -> list[str]:
    events = [e for e in store.load_log(game) if e.kind == "statement" and e["seat"] == OWN_SEAT]
    return [e.data.get("text", "") for e in events if e["manner"] == manner]


def own_draft(game: Game) -> str:
    return Desk.objects.get(player__game=game, player__seat=OWN_SEAT).draft


def test_typed_over_or_skip_is_refused_and_kept(sit: Sit) -> None:
    """The contest's words are buttons here. A statement of them would use up a turn."""
    game = new_game(OWN_SEAT, ruleset="aiwolf-5")
    client, key = sit(game, OWN_SEAT), play_until_own_turn(game)
    for typed in ("Over", "skip."):
        response = post_answer(client, game, window=key, text=typed)
        assert "use the button" in response.content.decode()
        assert own_draft(game) == typed
    assert not own_statements(game, "say")


@each_village
def test_second_post_for_one_turn_is_refused(ruleset: str, sit: Sit) -> None:
    game = new_game(OWN_SEAT, ruleset=ruleset)
    client, key = sit(game, OWN_SEAT), play_until_own_turn(game)
    assert (
        post_answer(client, game, window=key, text="First.", post=uuid.uuid4()).status_code == 200
    )
    response = post_answer(client, game, window=key, text="Second.", post=uuid.uuid4())
    assert (response.status_code, "too late" in response.content.decode()) == (409, True)
    assert own_statements(game, "say") == ["First."]
    assert own_draft(game) == "Second."


@each_village
def test_second_over_is_refused(ruleset: str, sit: Sit) -> None:
    game = new_game(OWN_SEAT, ruleset=ruleset)
    client, key = sit(game, OWN_SEAT), play_until_own_turn(game)
    assert post_answer(client, game, window=key, manner="over", text="half a th").status_code == 200
    response = post_answer(client, game, window=key, manner="over")
    assert (response.status_code, "too late" in response.content.decode()) == (409, True)
    assert len(own_statements(game, "over")) == 1
    assert "statement.1" in play_until_own_turn(game, day=1), "not asked again before the next day"
    assert len(own_statements(game, "over")) == 1


@each_village
def test_late_statement_stays_in_the_draft(ruleset: str, sit: Sit) -> None:
    game = new_game(OWN_SEAT, 2, ruleset=ruleset)
    client, key = sit(game, OWN_SEAT), play_until_own_turn(game)
    deadline = timezone.now()
    Window.objects.filter(game=game, closed_at=None).update(expires_at=deadline)
    Game.objects.filter(pk=game.pk).update(due_at=deadline, version=F("version") + 1)
    deadlines.settle_deadlines(game.pk)
    response = post_answer(client, game, window=key, text="Was I too slow?")
    assert (response.status_code, "too late" in response.content.decode()) == (409, True)
    assert (own_statements(game, "say"), len(own_statements(game, "skip"))) == ([], 1)
    assert own_draft(game) == "Was I too slow?"


@each_village
def test_mention_of_a_dead_player_addresses_nobody(ruleset: str, sit: Sit) -> None:
    """The statement is public. The page does not offer the dead player for a mention."""
    game = new_game(OWN_SEAT, ruleset=ruleset, settings={"talk_per_agent": 1})
    client = sit(game, OWN_SEAT)
    key = play_until_own_turn(game, day=2)
    page = Page(Guest(game, Player.objects.get(game=game, seat=OWN_SEAT), is_member=True))
    dead_name = next(seat.name for row in page.dead for seat in row.seats)
    assert page.turn
    assert dead_name in page.turn.other_names
    assert dead_name not in page.turn.hearer_names
    assert page.dead[0].cause == "Voted out"
    assert {row.cause for row in page.dead} <= {"Voted out", "Killed in the night"}
    assert not any(seat.role for row in page.dead for seat in row.seats)
    response = post_answer(client, game, window=key, text=f"@{dead_name} what did you see?")
    assert response.status_code == 200
    statement = [
        e for e in store.load_log(game) if e.kind == "statement" and e["seat"] == OWN_SEAT
    ][-1]
    assert (statement["text"], statement.data.get("targets")) == (
        f"@{dead_name} what did you see?",
        None,
    )


@each_village
def test_page_two_days_behind_is_completed(ruleset: str) -> None:
    game = new_game(OWN_SEAT, ruleset=ruleset, settings={"talk_per_agent": 2})
    guest = Guest(game, Player.objects.get(game=game, seat=OWN_SEAT), is_member=True)
    play_until_own_turn(game)
    before = Page(guest)
    play_until_own_turn(game, day=2)
    update, complete_page = Page(guest, before.cursor), Page(guest)
    positions = {line.position for line in before.entries} | {
        line.position for line in update.entries
    }
    assert sorted(positions) == [line.position for line in complete_page.entries]
    assert "day 2" in update.phase.title.lower()
