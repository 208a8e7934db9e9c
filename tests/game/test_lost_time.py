"""Time without a sweeper costs no turn, and a changed clock does not stop a game."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection

from game import deadlines, game_actions, store
from game.models import Game, Heartbeat
from tests.game.clock import Clock
from tests.game.table import answer, game_at_seat, labels_by_seat, new_game, open_window, play_until

pytestmark = pytest.mark.django_db


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(monkeypatch)
    Heartbeat.objects.create(pk=1, at=clock.at)
    return clock


def sweep(game: Game) -> None:
    """Run one tick of a sweeper."""
    deadlines.restore_lost_time()
    game.refresh_from_db()
    from game import clock

    if game.due_at and game.due_at <= clock.now():
        deadlines.settle_deadlines(game.pk)


def run(game: Game, time: Clock, seconds: int) -> None:
    """Let `seconds` pass with a running sweeper."""
    for _ in range(seconds):
        time.pass_(1)
        sweep(game)


@pytest.mark.parametrize("downtime", [6, 3600, 30 * 86400])
def test_power_cut_does_not_cost_a_turn(time: Clock, downtime: int) -> None:
    game = game_at_seat(1, 1, 2, limits={"statement": 60})
    run(game, time, 50)
    time.pass_(downtime)
    sweep(game)
    assert labels_by_seat(game) == {}
    run(game, time, 8)
    assert labels_by_seat(game) == {}
    run(game, time, 4)
    assert labels_by_seat(game) == {1: "timeout"}


@pytest.mark.parametrize("shift", [-7, -3600, -86400])
def test_clock_set_back_does_not_stop_the_game(time: Clock, shift: int) -> None:
    game = game_at_seat(1, 1, 2, limits={"statement": 60})
    run(game, time, 30)
    time.pass_(shift)
    run(game, time, 25)
    assert labels_by_seat(game) == {}
    run(game, time, 10)
    assert labels_by_seat(game) == {1: "timeout"}


def test_pace_delay_survives_a_clock_set_back(time: Clock) -> None:
    game = new_game(2, pace="natural")
    window = open_window(game, "divination")
    answer(game, window.asked[0], window)
    run(game, time, 7)
    answer(game, 1, open_window(game, "statement"))
    time.pass_(-7200)
    run(game, time, 18)
    assert open_window(game, "statement").asked == (2,)


def test_window_opened_without_a_sweeper_keeps_its_full_time(time: Clock) -> None:
    game = game_at_seat(1, 1, 2, limits={"statement": 60})
    time.pass_(20)  # no sweeper, but the page accepts answers
    answer(game, 1, open_window(game, "statement"))
    time.pass_(1)
    sweep(game)
    run(game, time, 57)
    assert 2 not in labels_by_seat(game)
    run(game, time, 3)
    assert labels_by_seat(game)[2] == "timeout"


def test_host_pause_is_not_counted_twice(time: Clock) -> None:
    game = game_at_seat(1, 1, 2, limits={"statement": 60})
    run(game, time, 50)
    game_actions.pause(game.pk)
    time.pass_(3600)
    sweep(game)
    game_actions.resume(game.pk)
    run(game, time, 8)
    assert labels_by_seat(game) == {}
    run(game, time, 4)
    assert labels_by_seat(game) == {1: "timeout"}


def test_two_sweepers_give_lost_time_back_once(time: Clock) -> None:
    game = game_at_seat(1, 1, 2, limits={"statement": 60})
    time.pass_(3600)
    assert deadlines.restore_lost_time() == timedelta(hours=1)
    assert deadlines.restore_lost_time() == timedelta()
    run(game, time, 61)
    assert labels_by_seat(game) == {1: "timeout"}


def test_ended_game_is_not_changed_by_lost_time(time: Clock) -> None:
    game = game_at_seat(1, 1, 2)
    game_actions.call_off(game.pk)
    log = store.load_log(game)
    time.pass_(3600)
    deadlines.restore_lost_time()
    sweep(game)
    assert store.load_log(game) == log
    play_until(game, "vote")


def test_time_without_web_server_is_given_back_once(time: Clock) -> None:
    assert deadlines.pop_time_without_pages() == timedelta(), "no web server runs here"
    deadlines.record_page_heartbeat()
    time.pass_(4)
    assert deadlines.pop_time_without_pages() == timedelta()
    time.pass_(60)
    assert deadlines.pop_time_without_pages() == timedelta(seconds=64)
    assert deadlines.pop_time_without_pages() == timedelta()
    time.pass_(10)
    assert deadlines.pop_time_without_pages() == timedelta(seconds=10), "counting continues"
    deadlines.record_page_heartbeat()
    time.pass_(3600)  # the machine slept
    deadlines.restore_lost_time()
    assert deadlines.pop_time_without_pages() == timedelta()


def test_first_heartbeats_of_two_sweepers_cause_no_error() -> None:
    """Another sweeper inserts its row right before this one."""
    pending_heartbeats = [datetime(2026, 11, 1, tzinfo=UTC)]
    errors: list[IntegrityError] = []

    def insert_other(execute: Callable[..., Any], sql: str, *arguments: Any) -> Any:
        if sql.startswith("INSERT") and pending_heartbeats:
            Heartbeat.objects.create(pk=Heartbeat.SWEEPER, at=pending_heartbeats.pop())
        try:
            return execute(sql, *arguments)
        except IntegrityError as error:
            errors.append(error)
            raise

    with connection.execute_wrapper(insert_other):
        heartbeat = store.get_or_create_heartbeat()
    assert errors == [], "PostgreSQL logs them, even if Django handles them"
    assert heartbeat.at == datetime(2026, 11, 1, tzinfo=UTC)
