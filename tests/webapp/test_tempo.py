"""Tests of the pace of agents' speech, which only a single player may choose."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.utils import timezone

from game import cached_games, game_actions, lobby, locked_game, selectors
from game.engine.events import pick, say
from game.engine.visibility import PUBLIC
from game.models import Game, Window
from tests.game.table import answer, new_game, open_window, play_until
from tests.webapp.tables import player_of, post_act
from webapp.play.models import Press, Table
from webapp.play.page.host_panel import PaceButtons
from webapp.play.page.table_page import Page
from webapp.play.page.viewer_table import count_events_shown
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db


def open_single_table(client: Client, **form: str) -> Game:
    """Open a table with agents only by the form."""
    Press.objects.all().delete()  # or this is a repeated press
    fields = {
        "ruleset": "one-night",
        "mode": "play",
        "pace": proposed_pace(client),
        "guests": "0",
        **form,
    }
    response = client.post("/tables/new", fields)
    return Game.objects.get(code=response["Location"].strip("/").split("/")[-1])


def proposed_pace(client: Client) -> str:
    """Return the pace that the form of a new table proposes."""
    page = BeautifulSoup(client.get("/tables/new").content.decode(), "html.parser")
    return str(page.select_one("input[name=pace][checked]")["value"])  # type: ignore[index]


def read_tempo(game: Game, client: Client) -> PaceButtons | None:
    return Page(Guest(game, player_of(client, game), is_host=True, is_member=True)).pace_buttons


def test_chosen_pace_is_remembered() -> None:
    client = Client()
    game = open_single_table(client)
    assert read_tempo(game, client) is not None
    assert post_act(client, game, "pace:brisk") == 200
    game.refresh_from_db()
    controls = read_tempo(game, client)
    assert game.pace == "brisk"
    assert controls
    assert (controls.slower, controls.faster) == ("pace:natural", "pace:quick")
    assert not controls.can_skip_to_end
    assert post_act(client, game, "pace:brisk") == 409, "it is the present pace"
    assert post_act(client, game, "pace:instant") == 400
    assert open_single_table(client).pace == "brisk", "the browser remembers the pace"
    assert open_single_table(Client()).pace == "natural"


def pace_without_form(client: Client, path: str = "/play") -> str:
    """Return the pace of a table that is opened without the form."""
    Press.objects.all().delete()
    code = client.post(path)["Location"].strip("/").split("/")[-1]
    return Game.objects.get(code=code).pace


def test_pace_chosen_in_the_form_is_remembered() -> None:
    client = Client()
    assert open_single_table(client, pace="instant").pace == "instant"
    assert proposed_pace(client) == pace_without_form(client) == "instant"
    assert open_single_table(client, pace="natural").pace == "natural", "the form's choice holds"
    assert proposed_pace(client) == "natural"
    assert open_single_table(client, pace="quick").pace == "quick"
    assert pace_without_form(client, "/watch") == "brisk"
    assert open_single_table(client, mode="watch").pace == "brisk", (
        "quick is remembered, but nobody plays"
    )
    assert open_single_table(client, guests="1").pace == "natural", "others can join"
    assert proposed_pace(client) == "quick", "a default is not remembered"
    assert proposed_pace(Client()) == "natural"


def test_research_and_blind_tables_have_a_fixed_pace() -> None:
    for form, pace in (({"research": "on"}, "natural"), ({"blind": "on"}, "even")):
        client = Client()
        game = open_single_table(client, **form)
        for do in ("pace:brisk", "next"):
            assert post_act(client, game, do) == 409, (form, do)
        game.refresh_from_db()
        assert game.pace == pace
        assert read_tempo(game, client) is None
        casual_game = open_single_table(client)
        assert post_act(client, casual_game, "pace:brisk") == 200
        assert open_single_table(client, **form, pace="natural").pace == pace


def test_turn_of_an_agent_has_no_countdown() -> None:
    client = Client()
    game = open_single_table(client, statement_seconds="60")
    Game.objects.filter(pk=game.pk).update(pace="none")
    Window.objects.update(not_before=timezone.now())
    play_until(game, "statement")
    player = player_of(client, game)
    kinds_of_turns = set()
    for seat in range(1, 9):
        window = open_window(game, "statement")
        awaited = Page(Guest(game, player)).awaited
        assert (awaited.deadline != "") is awaited.is_mine is (seat == player.seat)
        kinds_of_turns.add(awaited.is_mine)
        answer(game, seat, window)
    assert kinds_of_turns == {True, False}


def quick_table(sit: Callable[[Game, int | None], Client], **choices: str) -> tuple[Game, Client]:
    """Return a game of five at quick pace, and the client of seat 1."""
    game = new_game(1, ruleset="aiwolf-5", pace="quick", **choices)
    Table.objects.create(game=game)
    return game, sit(game, 1)


def speakers_on_page(client: Client, game: Game) -> list[str]:
    """Return the seats whose statements the page shows."""
    page = client.get(f"/games/{game.code}/").content.decode()
    return re.findall(r"Seat (\d) speaks", page)


def let_agents_answer(game: Game, maximum: int = 100) -> int:
    """Let agents answer while seat 1 has no question. Return the number of answers."""
    for number in range(maximum):
        windows = selectors.open_windows(game)
        if not windows or any(1 in window.missing for window in windows):
            return number
        answer(game, windows[0].missing[0], windows[0])
    return maximum


def test_quick_pace_shows_lines_together(sit: Callable[..., Client]) -> None:
    game, client = quick_table(sit)
    let_agents_answer(game)
    window = open_window(game, "statement")
    speakers_before = speakers_on_page(client, game)
    locked_game.record_answer(game.pk, 1, window.window.key, say("Seat 1 speaks."))
    while let_agents_answer(game, 1):
        if any(1 in o.asked for o in selectors.open_windows(game)):
            break
        assert speakers_on_page(client, game) == [*speakers_before, "1"], (
            "only its own statement is new"
        )
        page = client.get(f"/games/{game.code}/").content.decode()
        assert "You will see everything at once when it is your turn." in page
    new_speakers = speakers_on_page(client, game)[len(speakers_before) + 1 :]
    assert sorted(new_speakers) == ["2", "3", "4", "5"]


def test_pushes_at_quick_pace_omit_nothing(sit: Callable[..., Client]) -> None:
    game, _client = quick_table(sit)
    guest = Guest(game, game.players.get(seat=1))
    positions: list[int] = []
    cursor = 0
    for _ in range(400):
        page = Page(guest, cursor)
        assert page.cursor >= cursor, "a page never goes back"
        positions += [entry.position for entry in page.entries]
        cursor = page.cursor
        windows = selectors.open_windows(game)
        if not windows:
            break
        answer(game, windows[0].missing[0], windows[0])
        game.refresh_from_db()
    assert game.ended_at
    complete = [entry.position for entry in Page(guest).entries]
    assert positions == complete


def test_change_to_quick_pace_removes_no_line(sit: Callable[..., Client]) -> None:
    game = new_game(1, ruleset="aiwolf-5")
    Table.objects.create(game=game)
    guest = Guest(game, game.players.get(seat=1))
    let_agents_answer(game, 3)
    cursor = Page(guest).cursor
    game_actions.set_pace(game.pk, "quick")
    game.refresh_from_db()
    assert Page(guest, cursor).cursor >= cursor


def test_eliminated_player_sees_lines_at_reading_pace() -> None:
    game = new_game(1, ruleset="aiwolf-13", pace="quick")
    player = game.players.get(seat=1)
    while 1 not in cached_games.cached_game(game).view(PUBLIC).state.out:
        window = next(o for o in selectors.open_windows(game) if o.missing)
        seat = window.missing[0]
        if window.window.is_ballot and 1 in window.window.options_for(seat):
            locked_game.record_answer(game.pk, seat, window.window.key, pick(1))
        else:
            answer(game, seat, window)
        game.refresh_from_db()
    assert not game.ended_at
    assert game.pace == "brisk", "at quick pace, days would pass in seconds"
    assert count_events_shown(game, cached_games.cached_game(game), player) is None
    Table.objects.create(game=game)
    host = Guest(game, player, is_host=True, is_member=True)
    tempo = Page(host).pace_buttons
    assert tempo
    assert (tempo.skip, tempo.is_instant) == ("pace:quick", False), "one press skips to the end"
    game_actions.set_pace(game.pk, "quick")
    game.refresh_from_db()
    assert game.pace == "quick", "an eliminated player can skip to the end"
    tempo = Page(Guest(game, player, is_host=True, is_member=True)).pace_buttons
    assert tempo
    assert (tempo.next, tempo.is_instant) == ("", True), "lines do not wait for a reader"


def test_skip_after_the_end_is_no_error() -> None:
    client = Client()
    game = open_single_table(client, mode="watch")
    game_actions.call_off(game.pk)
    assert post_act(client, game, "next") == 200
    assert post_act(client, game, "pace:brisk") == 409


def test_quick_pace_requires_a_single_person() -> None:
    client = Client()
    for fields in ({"guests": "1"}, {"mode": "watch"}):
        form = {"ruleset": "one-night", "mode": "play", "pace": "quick", "guests": "0", **fields}
        response = client.post("/tables/new", form)
        assert response.status_code == 422
        assert "one person alone with computer players" in response.content.decode()
    with pytest.raises(lobby.BadSetup):
        new_game(1, 2, pace="quick")
    game = open_single_table(client, mode="watch")
    assert post_act(client, game, "pace:quick") == 409
    controls = Page(Guest(game, None, is_host=True, is_member=True)).pace_buttons
    assert controls
    assert controls.can_skip_to_end, "a spectator can skip to the end"
    assert post_act(client, game, "pace:brisk") == 200
    assert open_single_table(client, pace="quick").pace == "quick"
