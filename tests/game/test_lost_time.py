"""Time that nobody kept costs nobody a turn; a clock set anew stops no game."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection

from game import host_actions, lost_time, services, store
from game.models import Game, Heartbeat
from tests.game.table import answer, new_game, open_window, play_until
from tests.game.test_host_actions import Clock, at_seat, labels

pytestmark = pytest.mark.django_db


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(monkeypatch)
    Heartbeat.objects.create(pk=1, at=clock.at)
    return clock


def sweep(game: Game) -> None:
    """What a sweeper does at every tick."""
    lost_time.give_back_lost_time()
    game.refresh_from_db()
    from game import clock

    if game.due_at and game.due_at <= clock.now():
        services.settle_deadlines(game.pk)


def run(game: Game, time: Clock, seconds: int) -> None:
    """`seconds` pass while a sweeper is at work."""
    for _ in range(seconds):
        time.pass_(1)
        sweep(game)


@pytest.mark.parametrize("away", [6, 3600, 30 * 86400])
def test_a_power_cut_takes_nobodys_turn(time: Clock, away: int) -> None:
    game = at_seat(1, 1, 2, limits={"statement": 60})
    run(game, time, 50)
    time.pass_(away)
    sweep(game)
    assert labels(game) == {}
    run(game, time, 8)
    assert labels(game) == {}
    run(game, time, 4)
    assert labels(game) == {1: "timeout"}


@pytest.mark.parametrize("back", [-7, -3600, -86400])
def test_a_clock_set_back_stops_no_game(time: Clock, back: int) -> None:
    game = at_seat(1, 1, 2, limits={"statement": 60})
    run(game, time, 30)
    time.pass_(back)
    run(game, time, 25)
    assert labels(game) == {}
    run(game, time, 10)
    assert labels(game) == {1: "timeout"}


def test_an_agents_pause_for_pace_survives_a_clock_set_back(time: Clock) -> None:
    game = new_game(2, pace="natural")
    window = open_window(game, "divination")
    answer(game, window.asked[0], window)
    run(game, time, 7)
    answer(game, 1, open_window(game, "statement"))
    time.pass_(-7200)
    run(game, time, 18)
    assert open_window(game, "statement").asked == (2,)


def test_what_opened_while_nobody_kept_the_time_keeps_its_whole_time(time: Clock) -> None:
    game = at_seat(1, 1, 2, limits={"statement": 60})
    time.pass_(20)  # no sweeper; the page still takes answers
    answer(game, 1, open_window(game, "statement"))
    time.pass_(1)
    sweep(game)
    run(game, time, 57)
    assert 2 not in labels(game)
    run(game, time, 3)
    assert labels(game)[2] == "timeout"


def test_a_pause_by_the_host_is_not_counted_twice(time: Clock) -> None:
    game = at_seat(1, 1, 2, limits={"statement": 60})
    run(game, time, 50)
    host_actions.pause(game.pk)
    time.pass_(3600)
    sweep(game)
    host_actions.resume(game.pk)
    run(game, time, 8)
    assert labels(game) == {}
    run(game, time, 4)
    assert labels(game) == {1: "timeout"}


def test_two_who_keep_the_time_give_it_back_once(time: Clock) -> None:
    game = at_seat(1, 1, 2, limits={"statement": 60})
    time.pass_(3600)
    assert lost_time.give_back_lost_time() == timedelta(hours=1)
    assert lost_time.give_back_lost_time() == timedelta()
    run(game, time, 61)
    assert labels(game) == {1: "timeout"}


def test_a_game_that_is_over_or_gathers_is_left_alone(time: Clock) -> None:
    game = at_seat(1, 1, 2)
    host_actions.call_off(game.pk)
    log = store.load(game)
    time.pass_(3600)
    lost_time.give_back_lost_time()
    sweep(game)
    assert store.load(game) == log
    play_until(game, "vote")


def test_time_without_pages_is_given_once_and_not_twice_with_the_sweeper_s(time: Clock) -> None:
    assert lost_time.take_time_without_pages() == timedelta(), "nothing serves pages here"
    lost_time.beat_for_pages()
    time.pass_(4)
    assert lost_time.take_time_without_pages() == timedelta()
    time.pass_(60)
    assert lost_time.take_time_without_pages() == timedelta(seconds=64)
    assert lost_time.take_time_without_pages() == timedelta()
    time.pass_(10)
    assert lost_time.take_time_without_pages() == timedelta(seconds=10), "it goes on"
    lost_time.beat_for_pages()
    time.pass_(3600)  # the machine slept
    lost_time.give_back_lost_time()
    assert lost_time.take_time_without_pages() == timedelta()


def test_first_heartbeats_of_two_sweepers_cause_no_error() -> None:
    """The other sweeper's row appears right before this one's is inserted."""
    others = [datetime(2026, 11, 1, tzinfo=UTC)]
    errors: list[IntegrityError] = []

    def insert_other(execute: Callable[..., Any], sql: str, *arguments: Any) -> Any:
        if sql.startswith("INSERT") and others:
            Heartbeat.objects.create(pk=Heartbeat.SWEEPER, at=others.pop())
        try:
            return execute(sql, *arguments)
        except IntegrityError as error:
            errors.append(error)
            raise

    with connection.execute_wrapper(insert_other):
        heartbeat = store.last_heartbeat()
    assert errors == [], "PostgreSQL logs them, even if Django handles them"
    assert heartbeat.at == datetime(2026, 11, 1, tzinfo=UTC)
