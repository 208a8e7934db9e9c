"""Bad moments in a talk in passes: nothing is lost, nothing is done twice, one plain sentence."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest
from django.db.models import F
from django.test import Client
from django.utils import timezone

from game import selectors, services, store
from game.engine.forms import Action, pick, say
from game.models import Game, Player, Window
from game.selectors import OpenWindow
from tests.game.table import new_game
from tests.webapp.test_posts import send
from webapp.play.models import Desk
from webapp.play.page.page_builder import page_for
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db
Sit = Callable[[Game, int | None], Client]
villages = pytest.mark.parametrize("ruleset", ["aiwolf-5", "aiwolf-13"])
ME = 1


def last_choice(window: OpenWindow, seat: int) -> Action:
    """Anything that leaves seat 1 in the game for long."""
    if window.window.legal.name == "speech":
        return say(f"Seat {seat} speaks.")
    return pick(window.window.options_for(seat)[-1])


def until_asked(game: Game, day: int = 0) -> str:
    """Everybody answers until seat 1 is asked for words in the talk of that day, or a later one."""
    for _ in range(2000):
        windows = selectors.open_windows(game)
        assert windows, "the game is over"
        for window in windows:
            its = window.window
            if its.kind == "statement" and ME in window.missing and its.moment.day >= day:
                return its.key
            for seat in window.missing:
                services.answer(game.pk, seat, its.key, last_choice(window, seat))
    raise AssertionError("seat 1 is never asked")


def mine(game: Game, manner: str) -> list[str]:
    events = [e for e in store.load(game) if e.kind == "statement" and e["seat"] == ME]
    return [e.data.get("text", "") for e in events if e["manner"] == manner]


def draft_of(game: Game) -> str:
    return Desk.objects.get(player__game=game, player__seat=ME).draft


def test_a_typed_over_is_refused_and_kept(sit: Sit) -> None:
    """The words of the contest are buttons here: said aloud they would use up a talk."""
    game = new_game(ME, ruleset="aiwolf-5")
    client, key = sit(game, ME), until_asked(game)
    for typed in ("Over", "skip."):
        answer = send(client, game, window=key, text=typed)
        assert "use the button" in answer.content.decode()
        assert draft_of(game) == typed
    assert not mine(game, "say")


@villages
def test_two_posts_for_one_talk_are_one_talk(ruleset: str, sit: Sit) -> None:
    game = new_game(ME, ruleset=ruleset)
    client, key = sit(game, ME), until_asked(game)
    assert send(client, game, window=key, text="First.", post=uuid.uuid4()).status_code == 200
    answer = send(client, game, window=key, text="Second.", post=uuid.uuid4())
    assert (answer.status_code, "too late" in answer.content.decode()) == (409, True)
    assert mine(game, "say") == ["First."]
    assert draft_of(game) == "Second."


@villages
def test_over_twice_is_over_once(ruleset: str, sit: Sit) -> None:
    game = new_game(ME, ruleset=ruleset)
    client, key = sit(game, ME), until_asked(game)
    assert send(client, game, window=key, manner="over", text="half a th").status_code == 200
    answer = send(client, game, window=key, manner="over")
    assert (answer.status_code, "too late" in answer.content.decode()) == (409, True)
    assert len(mine(game, "over")) == 1
    assert "statement.1" in until_asked(game, day=1), "not asked again before the next day"
    assert len(mine(game, "over")) == 1


@villages
def test_what_comes_too_late_stays_with_its_writer(ruleset: str, sit: Sit) -> None:
    game = new_game(ME, 2, ruleset=ruleset)
    client, key = sit(game, ME), until_asked(game)
    past = timezone.now()
    Window.objects.filter(game=game, closed_at=None).update(expires_at=past)
    Game.objects.filter(pk=game.pk).update(due_at=past, version=F("version") + 1)
    services.settle_deadlines(game.pk)
    answer = send(client, game, window=key, text="Was I too slow?")
    assert (answer.status_code, "too late" in answer.content.decode()) == (409, True)
    assert (mine(game, "say"), len(mine(game, "skip"))) == ([], 1)
    assert draft_of(game) == "Was I too slow?"


@villages
def test_who_has_just_died_is_addressed_by_nobody(ruleset: str, sit: Sit) -> None:
    """The words are said, to all; the page names the dead player among nobody who can answer."""
    game = new_game(ME, ruleset=ruleset, settings={"talk_per_agent": 1})
    client = sit(game, ME)
    key = until_asked(game, day=2)
    page = page_for(Guest(game, Player.objects.get(game=game, seat=ME), is_member=True))
    dead = next(seat.name for row in page.dead for seat in row.seats)
    assert page.turn
    assert dead in page.turn.names
    assert dead not in page.turn.living
    assert page.dead[0].cause == "Voted out"
    assert {row.cause for row in page.dead} <= {"Voted out", "Killed in the night"}
    assert not any(seat.role for row in page.dead for seat in row.seats)
    answer = send(client, game, window=key, text=f"@{dead} what did you see?")
    assert answer.status_code == 200
    said = [e for e in store.load(game) if e.kind == "statement" and e["seat"] == ME][-1]
    assert (said["text"], said.data.get("targets")) == (f"@{dead} what did you see?", None)


@villages
def test_a_page_that_slept_for_two_days_is_brought_up_to_now(ruleset: str) -> None:
    game = new_game(ME, ruleset=ruleset, settings={"talk_per_agent": 2})
    guest = Guest(game, Player.objects.get(game=game, seat=ME), is_member=True)
    until_asked(game)
    before = page_for(guest)
    until_asked(game, day=2)
    now, whole = page_for(guest, before.cursor), page_for(guest)
    kept = {line.position for line in before.entries} | {line.position for line in now.entries}
    assert sorted(kept) == [line.position for line in whole.entries]
    assert "day 2" in now.phase.title.lower()
