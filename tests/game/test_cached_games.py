"""Cached games equal their database rows, whatever happens in any process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest
from django.db import models, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from game import (
    cached_games,
    clock,
    deadlines,
    erasing,
    game_actions,
    locked_game,
    selectors,
    store,
)
from game.cached_games import CachedGame
from game.engine import ruleset, visibility
from game.engine.events import say
from game.models import Game
from tests.game.random_steps import RANDOM_STEPS, Crash, RandomGame, take_step
from tests.game.table import answer, finish, new_game, open_window, play_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _no_open_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate the state outside of a test transaction, because these tests commit."""
    monkeypatch.setattr(cached_games._transaction, "uncommitted", None)


VIEWERS = [
    visibility.MODERATOR,
    visibility.AFTERMATH,
    visibility.PUBLIC,
    *map(visibility.seat, range(1, 9)),
]


def cached_position(game: Game) -> CachedGame:
    return cached_games.current_cached_game(Game.objects.get(pk=game.pk))


def field_values(instance: models.Model) -> dict[str, Any]:
    return {field.attname: getattr(instance, field.attname) for field in instance._meta.fields}


def check(game: Game) -> CachedGame:
    """Assert that the cached game equals its rows."""
    cached, rows = cached_position(game), CachedGame(Game.objects.get(pk=game.pk))
    assert (cached.code, cached.version) == (rows.code, rows.version)
    assert cached.log == rows.log
    assert cached.open_answers == rows.open_answers
    for cached_items, row_items in (
        (cached.players, rows.players),
        (cached.windows.values(), rows.windows.values()),
    ):
        assert list(map(field_values, cached_items)) == list(map(field_values, row_items))
    assert [w.key for w in cached.round_windows] == [w.key for w in rows.round_windows]
    for viewer in VIEWERS:
        assert cached.view(viewer) == visibility.view_of(rows.log, viewer)
        before = len(rows.log) // 2
        assert cached.view(viewer, before) == visibility.view_of(rows.log[:before], viewer)
    return cached


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.integers(0, 10**6), st.sampled_from(["none", "even"]), st.lists(RANDOM_STEPS, max_size=30)
)
def test_cached_game_equals_its_rows_after_every_step(
    seed: int, pace: str, steps: list[tuple[str, int]]
) -> None:
    """Covers answers, host actions, the clock, and crashes before the commit."""
    with pytest.MonkeyPatch.context() as patch:
        random_game = RandomGame(seed, pace)
        patch.setattr(clock, "now", lambda: random_game.at)
        for action, number in steps:
            check(random_game.game)
            take_step(random_game, action, number)
        check(random_game.game)


def test_rolled_back_changes_are_not_cached() -> None:
    game = new_game(2)
    play_until(game, "statement")
    before = check(game)

    def crash() -> None:
        with transaction.atomic():
            locked_game.record_answer(game.pk, 1, "statement.1.1.1", say("Never said."))
            inside = cached_games.current_cached_game(Game.objects.get(pk=game.pk))
            assert "Never said." in str(inside.log)
            raise Crash

    with pytest.raises(Crash):
        crash()
    assert cached_position(game) is before
    locked_game.record_answer(game.pk, 1, "statement.1.1.1", say("Said."))
    assert [e["text"] for e in check(game).log if e.kind == "statement"] == ["Said."]


def test_changes_of_another_process_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    game = new_game(2)
    play_until(game, "statement")
    own_cache = dict(cached_games._cached_games)
    with monkeypatch.context() as other_cache:
        other_cache.setattr(
            cached_games, "_cached_games", type(cached_games._cached_games)()
        )  # cache of the other process
        answer(game, 1, open_window(game, "statement"))
    assert dict(cached_games._cached_games) == own_cache
    assert [e["seat"] for e in check(game).log if e.kind == "statement"] == [1]
    answer(game, 2, open_window(game, "statement"))
    assert [e["seat"] for e in check(game).log if e.kind == "statement"] == [1, 2]


def test_older_position_does_not_replace_a_newer_cached_one() -> None:
    game = new_game(2)
    play_until(game, "statement")
    older = check(game)
    answer(game, 1, open_window(game, "statement"))
    newer = check(game)
    cached_games.cache_game(older)
    assert cached_position(game) is newer


def test_removed_text_disappears_from_the_cache() -> None:
    game = new_game(2)
    play_until(game, "statement")
    locked_game.record_answer(game.pk, 1, "statement.1.1.1", say("Zebras and a secret."))
    assert "Zebras" in str(check(game).log)
    game_actions.remove_text(game.pk, "statement.1.1.1", 1)
    assert game.pk not in cached_games._cached_games
    assert "Zebras" not in str(check(game).log)
    locked_game.record_answer(game.pk, 2, "statement.1.1.2", say("Yaks and a secret."))
    finish(game)
    check(game)
    erasing.erase_player(game.pk, 2)
    assert game.pk not in cached_games._cached_games
    assert "Yaks" not in str(check(game).log)


def test_moved_deadlines_change_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    game = new_game(1, 2, limits={"statement": 60})
    play_until(game, "statement")
    deadlines.restore_lost_time()
    before = check(game)
    later = clock.now() + deadlines.MAX_HEARTBEAT_GAP * 20
    monkeypatch.setattr(clock, "now", lambda: later)
    assert deadlines.restore_lost_time()
    assert check(game).version > before.version


def test_number_of_cached_events_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    games = [new_game(2, seed=str(number)) for number in range(4)]
    monkeypatch.setattr(
        cached_games, "MAX_CACHED_EVENTS", 2 * len(cached_position(games[0]).log) + 5
    )
    for game in games:
        check(game)
    assert list(cached_games._cached_games)[-2:] == [games[2].pk, games[3].pk]
    assert len(cached_games._cached_games) == 2


@contextmanager
def other_process(cache: OrderedDict[int, CachedGame]) -> Iterator[None]:
    """Simulate another process, which has its own cache."""
    own_cache = cached_games._cached_games
    cached_games._cached_games = cache
    yield
    cached_games._cached_games = own_cache


def test_two_processes_read_only_new_events(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes answer a game in turn, and one text is removed on the way."""
    game = new_game(2, 3)
    offsets: list[int] = []
    monkeypatch.setattr(
        ruleset.ScriptRun, "_run", count_calls(ruleset.ScriptRun._run, script_runs := [])
    )
    load_all, load_new = store.load_log, store.load_new_events
    monkeypatch.setattr(store, "load_log", lambda game: offsets.append(0) or load_all(game))
    monkeypatch.setattr(
        store, "load_new_events", lambda key, skip: offsets.append(skip) or load_new(key, skip)
    )
    other_cache: OrderedDict[int, CachedGame] = OrderedDict()
    script_runs.clear()
    for number in range(500):
        with other_process(other_cache) if number % 2 else nullcontext():
            missing = [o for o in selectors.open_windows(game) if o.missing]
            if not missing:
                break
            answer(game, missing[0].missing[0], missing[0])
        if number == 20:
            offsets.clear()
            script_runs.clear()
        if number == 40:
            assert len(offsets) > 10
            assert all(offsets)  # never from the first event
            assert not script_runs  # the script is not restarted
            statement = next(e for e in cached_position(game).log if e.kind == "statement")
            with other_process(other_cache):
                game_actions.remove_text(game.pk, statement["window"], statement["seat"])
    check(game)
    with other_process(other_cache):
        check(game)
    game.refresh_from_db()
    assert game.ended_at
    assert statement["text"] not in str(cached_position(game).log)


def count_calls(function: Any, calls: list[int]) -> Any:
    def run(*args: Any) -> Any:
        calls.append(1)
        return function(*args)

    return run
