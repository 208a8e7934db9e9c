"""Tests that a blind table reveals to nobody who is a person, until the host reveals it."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from django.test import Client
from django.utils import timezone

from game import clock, deadlines, game_actions, lobby, locked_game, selectors
from game.engine import rulesets
from game.engine.events import PUBLIC, RECORD, Action
from game.engine.forms import Speech
from game.engine.seeded_random import SeededRandom
from game.engine.side_questions import ROLE_GUESS_KIND
from game.models import Game, Player
from tests.engine.playing import drawing_hand
from tests.webapp import two_tables
from tests.webapp.two_tables import (
    COMPARISONS_PER_KIND,
    PEOPLE_SEATS,
    PEOPLE_SETTINGS,
    TODAY,
    TwoTables,
    create_blind_game,
    move_clock_to,
    window_times,
)
from tests.webapp.viewers import client_in_seat, mask_secrets
from webapp.play.models import Table

pytestmark = pytest.mark.django_db
each_ruleset = pytest.mark.parametrize("ruleset", rulesets.names())
SEEDS = {"one-night": "1", "sheriff": "10"}  # ruleset -> seed of its game, "2" for others
# The game of five has no window that the game of thirteen lacks.
GAMES = [(name, SEEDS.get(name, "2")) for name in rulesets.names() if name != "aiwolf-5"]


@pytest.fixture(autouse=True)
def _fixed_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: two_tables.CURRENT_TIME)
    monkeypatch.setattr(timezone, "localdate", lambda: TODAY)  # on the front page


@pytest.mark.parametrize(("ruleset", "seed"), GAMES)
def test_seats_of_person_and_agent_look_identical_throughout_a_game(
    ruleset: str, seed: str
) -> None:
    """Also with study settings that ask only people: ratings, vote reasons and polls."""
    settings = dict.fromkeys(
        PEOPLE_SETTINGS & {s.key for s in rulesets.get(ruleset).settings}, True
    )
    tables = TwoTables(ruleset, seed, **settings)
    tables.compare()
    steps = Counter[tuple[str, str, bool]]()
    for step in tables.play_steps():
        steps[step] += 1
        if steps[step] <= (COMPARISONS_PER_KIND if step[-1] else 1):
            tables.compare()
    tables.compare()
    assert tables.comparison_count > 15, tables.comparison_count
    if settings:
        assert sum(n for (kind, *_), n in steps.items() if kind == ROLE_GUESS_KIND) > 4
    game = tables.games[0]
    assert game.ended_at, "the end page is compared"
    tables.compare_replays()
    end_page = tables.clients[0].get(f"/games/{game.code}/").content.decode()
    game_actions.reveal(game.pk)
    assert tables.clients[0].get(f"/games/{game.code}/").content.decode() != end_page


@pytest.mark.parametrize(("ruleset", "seed"), [("one-night", "1"), ("aiwolf-5", "2")])
def test_host_does_not_learn_when_a_seat_has_answered(ruleset: str, seed: str) -> None:
    """A person takes longer than an agent.

    Until the table learns of an answer, no page, frame or result of "One more minute" shows it.
    """
    tables, counts = TwoTables(ruleset, seed), Counter[str]()
    tables.compare()
    person_game, agent_game = tables.games
    while selectors.open_windows(person_game) and sum(counts.values()) < 9:
        tables.answer_polls()
        windows = selectors.open_windows(person_game)
        pending = [
            window
            for window in windows
            if window.missing and window.window.window_audience != RECORD
        ]
        if seat_3_window := next((window for window in pending if window.missing[0] == 3), None):
            kind = seat_3_window.window.kind
            counts[kind] += 1
            could_extend = tables.answer_apart(seat_3_window, counts[kind])
            assert could_extend or seat_3_window.window.window_audience != PUBLIC, kind
        elif pending:
            for game in tables.games:
                tables.answer(game, pending[0], pending[0].missing[0])
        else:
            assert person_game.due_at
            move_clock_to(person_game.due_at)
            for game in tables.games:
                deadlines.settle_deadlines(game.pk)
            assert window_times(person_game) == window_times(agent_game)
        person_game.refresh_from_db()
    assert len(counts) > 1, "windows of several kinds"


def test_second_werewolf_does_not_learn_when_the_first_has_chosen() -> None:
    """The second is asked when the first one's time is over, however early it chose."""
    game = create_blind_game("sheriff", *PEOPLE_SEATS)
    hand = drawing_hand("1")
    while not (attacks := [o for o in selectors.open_windows(game) if o.window.kind == "attack"]):
        pending = [o for o in selectors.open_windows(game) if o.missing]
        for window in pending[:1]:
            seat = window.missing[0]
            locked_game.record_answer(game.pk, seat, window.window.key, hand(window.window, seat))
        if not pending:
            game.refresh_from_db()
            assert game.due_at
            move_clock_to(game.due_at)
            deadlines.settle_deadlines(game.pk)
    (first,) = attacks
    locked_game.record_answer(
        game.pk, first.missing[0], first.window.key, hand(first.window, first.asked[0])
    )
    (unchanged,) = (o for o in selectors.open_windows(game) if o.window.kind == "attack")
    assert unchanged.window.key == first.window.key
    assert unchanged.expires_at
    move_clock_to(unchanged.expires_at)
    deadlines.settle_deadlines(game.pk)
    (second,) = (o for o in selectors.open_windows(game) if o.window.kind == "attack")
    assert second.asked != first.asked
    assert second.expires_at
    assert second.expires_at > two_tables.CURRENT_TIME + clock.timedelta(seconds=9), (
        "the second has its own time"
    )


@each_ruleset
def test_silence_does_not_reveal_a_person(ruleset: str) -> None:
    """A pass takes the time of a short statement.

    A failed agent is silent until the deadline, as an absent person is.
    """
    game = create_blind_game(ruleset, *PEOPLE_SEATS)
    window = play_to_first_statement(game)
    form, seat = window.window.speech, window.missing[0]
    if form.may_skip:
        locked_game.record_answer(game.pk, seat, window.window.key, Action("skip"))
        (open_window,) = (
            o for o in selectors.open_windows(game) if o.window.key == window.window.key
        )
        assert open_window.not_before > open_window.opened_at + clock.timedelta(seconds=4)
        move_clock_to(open_window.not_before)
        deadlines.settle_deadlines(game.pk)
        window = play_to_first_statement(game)
    fallback = window.window.fallback_for(window.missing[0], SeededRandom("1"), "fallback:crash")
    key, labels = window.window.key, fallback.labels
    locked_game.record_answer(game.pk, window.missing[0], key, fallback.action, labels=labels)
    (open_window,) = (o for o in selectors.open_windows(game) if o.window.key == window.window.key)
    assert open_window.not_before == open_window.expires_at


def play_to_first_statement(game: Game) -> selectors.OpenWindow:
    """Answer for all until a statement is due in the day."""
    hand = drawing_hand("1")
    while True:
        windows = selectors.open_windows(game)
        pending = [o for o in windows if o.missing]
        for window in pending:
            if isinstance(window.window.legal, Speech) and window.window.clock == "statement":
                return window
        for window in pending[:1]:
            seat = window.missing[0]
            locked_game.record_answer(game.pk, seat, window.window.key, hand(window.window, seat))
        if not pending:
            move_clock_to(max(o.not_before for o in windows))
            deadlines.settle_deadlines(game.pk)


@each_ruleset
def test_handed_over_seat_looks_identical(ruleset: str) -> None:
    tables = TwoTables(ruleset)
    game_actions.hand_over(tables.games[0].pk, 3)
    tables.compare()
    assert Player.objects.get(game=tables.games[0], seat=3).stand_in, "a stand-in plays the seat"


def open_blind_lobby(ruleset: str, seat: int) -> tuple[Game, Client]:
    """Open a blind lobby: people in seats 1 and `seat`, the last seat open."""
    count = len(rulesets.get(ruleset).deck)
    kinds = dict.fromkeys(range(1, count + 1), Player.AGENT)
    kinds |= {1: Player.PERSON, seat: Player.OPEN, count: Player.OPEN}
    plans = [lobby.SeatPlan(kind) for kind in kinds.values()]
    settings = {"blind": True}
    game = lobby.create_game(
        ruleset, plans, seed="1", settings=settings, pace="even", should_gather=True
    )
    Table.objects.create(game=game)
    client = client_in_seat(game, 1, is_host=True)
    Player.objects.filter(game=game, seat=seat).update(kind=Player.PERSON)
    client_in_seat(game, seat)
    return game, client


@each_ruleset
def test_blind_lobby_does_not_show_where_people_sit(ruleset: str) -> None:
    pages = []
    for seat in (2, 4):
        game, client = open_blind_lobby(ruleset, seat)
        text = client.get(f"/games/{game.code}/").content.decode()
        pages.append(re.sub(r"remove_guest:\d+", "remove_guest", mask_secrets(text, game)))
    assert pages[0] == pages[1]
    assert "Guest 2" in pages[0]


@each_ruleset
@pytest.mark.parametrize("do", ["fill", "invite"])
def test_blind_lobby_rejects_acts_on_single_seats(ruleset: str, do: str) -> None:
    """A refusal of single acts would show that a person sits there."""
    game, client = open_blind_lobby(ruleset, 2)
    for player in game.players.all():
        response = client.post(
            f"/games/{game.code}/act", {"do": f"{do}:{player.seat}"}, HTTP_HX_REQUEST="true"
        )
        assert response.status_code == 409
        assert "This table is blind" in response.content.decode()


@each_ruleset
def test_opening_time_of_next_window_does_not_reveal_a_person(ruleset: str) -> None:
    """An immediate answer of a person is held as long as an agent would have taken."""
    delays = []
    for people in (PEOPLE_SEATS, ()):
        game = create_blind_game(ruleset, *people)
        window = selectors.open_windows(game)[0]
        seat = window.asked[0]
        action = drawing_hand("1")(window.window, seat)
        locked_game.record_answer(game.pk, seat, window.window.key, action)
        game.refresh_from_db()
        assert game.due_at
        delays.append(game.due_at - game.created_at)
    assert delays[0] == delays[1] > clock.timedelta(seconds=5)
