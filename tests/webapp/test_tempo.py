"""Whoever is alone with computer players chooses how quickly they speak; nobody else does."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from game.models import Game, Window
from tests.game.table import answer, open_window, play_until
from tests.webapp.test_invitations import act, seat_of
from webapp.play.guest import Guest
from webapp.play.models import Press
from webapp.play.page.page_builder import page_for
from webapp.play.page.page_parts import Tempo

pytestmark = pytest.mark.django_db


def alone(client: Client, **form: str) -> Game:
    """A table that the client opens by the form, with nobody but computer players."""
    Press.objects.all().delete()  # or it would count as the same press
    given = {"ruleset": "one-night", "mode": "play", "pace": "natural", "guests": "0", **form}
    answered = client.post("/tables/new", given)
    return Game.objects.get(code=answered["Location"].strip("/").split("/")[-1])


def tempo(game: Game, client: Client) -> Tempo | None:
    return page_for(Guest(game, seat_of(client, game), host=True, member=True)).tempo


def test_the_pace_is_chosen_and_remembered() -> None:
    client = Client()
    game = alone(client)
    assert tempo(game, client) is not None
    assert act(client, game, "pace:brisk") == 200
    game.refresh_from_db()
    shown = tempo(game, client)
    assert game.pace == "brisk"
    assert shown
    assert (shown.slower, shown.faster) == ("pace:natural", "")
    assert act(client, game, "pace:brisk") == 409, "it is that already"
    assert act(client, game, "pace:instant") == 400
    assert alone(client).pace == "brisk", "this browser likes it"
    assert alone(Client()).pace == "natural"
    assert alone(client, guests="1").pace == "natural", "others come"
    assert alone(client, pace="instant").pace == "instant"


def test_a_study_and_a_blind_table_fix_the_pace() -> None:
    for form, pace in (({"research": "on"}, "natural"), ({"blind": "on"}, "even")):
        client = Client()
        game = alone(client, **form)
        for do in ("pace:brisk", "next"):
            assert act(client, game, do) == 409, (form, do)
        game.refresh_from_db()
        assert game.pace == pace
        assert tempo(game, client) is None
        other = alone(client)
        assert act(client, other, "pace:brisk") == 200
        assert alone(client, **form).pace == pace, "what is liked holds for no such table"


def test_no_countdown_runs_on_a_computer_players_turn() -> None:
    client = Client()
    game = alone(client, statement_seconds="60")
    Game.objects.filter(pk=game.pk).update(pace="none")
    Window.objects.update(not_before=timezone.now())
    play_until(game, "statement")
    mine = seat_of(client, game)
    seen = set()
    for seat in range(1, 9):
        window = open_window(game, "statement")
        awaited = page_for(Guest(game, mine)).awaited
        assert (awaited.deadline != "") is awaited.mine is (seat == mine.seat)
        seen.add(awaited.mine)
        answer(game, seat, window)
    assert seen == {True, False}
