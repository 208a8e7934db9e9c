"""Whoever is alone with computer players chooses how quickly they speak; nobody else does."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.utils import timezone

from game import host_actions, selectors, services
from game.engine.forms import pick, say
from game.engine.visibility import PUBLIC
from game.models import Game, Window
from tests.game.table import answer, new_game, open_window, play_until
from tests.webapp.test_invitations import act, seat_of
from webapp.play.models import Press, Table
from webapp.play.page.host_panel import Tempo, events_shown
from webapp.play.page.page_builder import page_for
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db


def alone(client: Client, **form: str) -> Game:
    """A table that the client opens by the form, with nobody but computer players."""
    Press.objects.all().delete()  # or it would count as the same press
    given = {"ruleset": "one-night", "mode": "play", "pace": offered(client), "guests": "0", **form}
    answered = client.post("/tables/new", given)
    return Game.objects.get(code=answered["Location"].strip("/").split("/")[-1])


def offered(client: Client) -> str:
    """The pace that the form of a new table proposes."""
    page = BeautifulSoup(client.get("/tables/new").content.decode(), "html.parser")
    return str(page.select_one("input[name=pace][checked]")["value"])  # type: ignore[index]


def tempo(game: Game, client: Client) -> Tempo | None:
    return page_for(Guest(game, seat_of(client, game), is_host=True, is_member=True)).tempo


def test_the_pace_is_chosen_and_remembered() -> None:
    client = Client()
    game = alone(client)
    assert tempo(game, client) is not None
    assert act(client, game, "pace:brisk") == 200
    game.refresh_from_db()
    shown = tempo(game, client)
    assert game.pace == "brisk"
    assert shown
    assert (shown.slower, shown.faster) == ("pace:natural", "pace:quick")
    assert not shown.can_skip_to_end
    assert act(client, game, "pace:brisk") == 409, "it is that already"
    assert act(client, game, "pace:instant") == 400
    assert alone(client).pace == "brisk", "this browser likes it"
    assert alone(Client()).pace == "natural"


def play_at_once(client: Client, path: str = "/play") -> str:
    """The pace of a table that is opened without the form."""
    Press.objects.all().delete()
    code = client.post(path)["Location"].strip("/").split("/")[-1]
    return Game.objects.get(code=code).pace


def test_the_pace_chosen_at_set_up_is_remembered() -> None:
    client = Client()
    assert alone(client, pace="instant").pace == "instant"
    assert offered(client) == play_at_once(client) == "instant"
    assert alone(client, pace="natural").pace == "natural", "the form's choice holds"
    assert offered(client) == "natural"
    assert alone(client, pace="quick").pace == "quick"
    assert play_at_once(client, "/watch") == "brisk"
    assert alone(client, mode="watch").pace == "brisk", "quick is remembered, but nobody plays"
    assert alone(client, guests="1").pace == "natural", "others come"
    assert offered(client) == "quick", "that was no choice"
    assert offered(Client()) == "natural"


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
        assert alone(client, **form, pace="natural").pace == pace


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
        assert (awaited.deadline != "") is awaited.is_mine is (seat == mine.seat)
        seen.add(awaited.is_mine)
        answer(game, seat, window)
    assert seen == {True, False}


def quick_table(sit: Callable[[Game, int | None], Client], **choices: str) -> tuple[Game, Client]:
    """A game of five at the pace quick; seat 1 is the client's."""
    game = new_game(1, ruleset="aiwolf-5", pace="quick", **choices)
    Table.objects.create(game=game)
    return game, sit(game, 1)


def said(client: Client, game: Game) -> list[str]:
    """Who has spoken, by the page."""
    page = client.get(f"/games/{game.code}/").content.decode()
    return re.findall(r"Seat (\d) speaks", page)


def agents_answer(game: Game, most: int = 100) -> int:
    """Agents answer one after the other while no question is open to seat 1. Gives how many did."""
    for number in range(most):
        windows = selectors.open_windows(game)
        if not windows or any(1 in window.missing for window in windows):
            return number
        answer(game, windows[0].missing[0], windows[0])
    return most


def test_at_the_pace_quick_lines_come_together(sit: Callable[..., Client]) -> None:
    game, client = quick_table(sit)
    agents_answer(game)
    own = open_window(game, "statement")
    before = said(client, game)
    services.answer(game.pk, 1, own.window.key, say("Seat 1 speaks."))
    while agents_answer(game, 1):
        if any(1 in o.asked for o in selectors.open_windows(game)):
            break
        assert said(client, game) == [*before, "1"], "its own words, and nothing else yet"
        page = client.get(f"/games/{game.code}/").content.decode()
        assert "You will see everything at once when it is your turn." in page
    together = said(client, game)[len(before) + 1 :]
    assert sorted(together) == ["2", "3", "4", "5"]


def test_pushes_at_the_pace_quick_leave_nothing_out(sit: Callable[..., Client]) -> None:
    game, _client = quick_table(sit)
    guest = Guest(game, game.players.get(seat=1))
    shown: list[int] = []
    cursor = 0
    for _ in range(400):
        page = page_for(guest, cursor)
        assert page.cursor >= cursor, "a page never goes back"
        shown += [entry.position for entry in page.entries]
        cursor = page.cursor
        windows = selectors.open_windows(game)
        if not windows:
            break
        answer(game, windows[0].missing[0], windows[0])
        game.refresh_from_db()
    assert game.ended_at
    complete = [entry.position for entry in page_for(guest).entries]
    assert shown == complete


def test_turning_quick_on_takes_no_line_back(sit: Callable[..., Client]) -> None:
    game = new_game(1, ruleset="aiwolf-5")
    Table.objects.create(game=game)
    guest = Guest(game, game.players.get(seat=1))
    agents_answer(game, 3)
    cursor = page_for(guest).cursor
    host_actions.set_pace(game.pk, "quick")
    game.refresh_from_db()
    assert page_for(guest, cursor).cursor >= cursor


def test_who_is_out_sees_each_line_at_a_pace_to_read_at() -> None:
    game = new_game(1, ruleset="aiwolf-13", pace="quick")
    player = game.players.get(seat=1)
    while 1 not in selectors.cached_game(game).view(PUBLIC).state.out:
        window = next(o for o in selectors.open_windows(game) if o.missing)
        seat = window.missing[0]
        if window.window.is_ballot and 1 in window.window.options_for(seat):
            services.answer(game.pk, seat, window.window.key, pick(1))
        else:
            answer(game, seat, window)
        game.refresh_from_db()
    assert not game.ended_at
    assert game.pace == "brisk", "without turns of one's own, days would run past in seconds"
    assert events_shown(game, selectors.cached_game(game), player) is None
    Table.objects.create(game=game)
    host = Guest(game, player, is_host=True, is_member=True)
    tempo = page_for(host).tempo
    assert tempo
    assert (tempo.skip, tempo.is_instant) == ("pace:quick", False), "one press leads to the end"
    host_actions.set_pace(game.pk, "quick")
    game.refresh_from_db()
    assert game.pace == "quick", "who wants the end soon can have it"
    tempo = page_for(Guest(game, player, is_host=True, is_member=True)).tempo
    assert tempo
    assert (tempo.next, tempo.is_instant) == ("", True), "no line waits for them"


def test_a_press_that_comes_after_the_end_is_no_error() -> None:
    client = Client()
    game = alone(client, mode="watch")
    host_actions.call_off(game.pk)
    assert act(client, game, "next") == 200
    assert act(client, game, "pace:brisk") == 409


def test_quick_is_for_one_person() -> None:
    client = Client()
    for more in ({"guests": "1"}, {"mode": "watch"}):
        form = {"ruleset": "one-night", "mode": "play", "pace": "quick", "guests": "0", **more}
        answered = client.post("/tables/new", form)
        assert answered.status_code == 422
        assert "one person alone with computer players" in answered.content.decode()
    with pytest.raises(services.BadSetup):
        new_game(1, 2, pace="quick")
    game = alone(client, mode="watch")
    assert act(client, game, "pace:quick") == 409
    shown = page_for(Guest(game, None, is_host=True, is_member=True)).tempo
    assert shown
    assert shown.can_skip_to_end, "who only watches skips to the end"
    assert act(client, game, "pace:brisk") == 200
    assert alone(client, pace="quick").pace == "quick"
