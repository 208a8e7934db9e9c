"""Games at hand are what the rows say, whatever happens to a game, and to whom it happens."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest
from django.db import models, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from game import cached_games, clock, erasing, host_actions, lost_time, selectors, services, store
from game.cached_games import CachedGame
from game.engine import script_run, visibility
from game.engine.forms import say
from game.models import Game
from tests.game.table import answer, finish, new_game, open_window, play_until
from tests.game.test_interleavings import STEPS, Crash, Storm, step

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _commits(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests commit: nothing is cached before, as outside of a test's own transaction."""
    monkeypatch.setattr(cached_games._transaction, "uncommitted", None)


VIEWERS = [
    visibility.MODERATOR,
    visibility.AFTERMATH,
    visibility.PUBLIC,
    *map(visibility.seat, range(1, 9)),
]


def at_hand(game: Game) -> CachedGame:
    return cached_games.current_position(Game.objects.get(pk=game.pk))


def row(found: models.Model) -> dict[str, Any]:
    return {field.attname: getattr(found, field.attname) for field in found._meta.fields}


def check(game: Game) -> CachedGame:
    """What is at hand is what the rows say."""
    held, rows = at_hand(game), CachedGame(Game.objects.get(pk=game.pk))
    assert (held.code, held.version) == (rows.code, rows.version)
    assert held.log == rows.log
    assert held.open_answers == rows.open_answers
    for of_held, of_rows in (
        (held.players, rows.players),
        (held.windows.values(), rows.windows.values()),
    ):
        assert list(map(row, of_held)) == list(map(row, of_rows))
    assert [w.key for w in held.round_windows] == [w.key for w in rows.round_windows]
    for viewer in VIEWERS:
        assert held.view(viewer) == visibility.view_of(rows.log, viewer)
        before = len(rows.log) // 2
        assert held.view(viewer, before) == visibility.view_of(rows.log[:before], viewer)
    return held


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6), st.sampled_from(["none", "even"]), st.lists(STEPS, max_size=30))
def test_they_are_what_the_rows_say_at_any_time(
    seed: int, pace: str, steps: list[tuple[str, int]]
) -> None:
    """Moves, hosts, the clock, crashes before the commit."""
    with pytest.MonkeyPatch.context() as patch:
        storm = Storm(seed, pace)
        patch.setattr(clock, "now", lambda: storm.at)
        for what, number in steps:
            check(storm.game)
            step(storm, what, number)
        check(storm.game)


def test_what_is_rolled_back_was_never_at_hand() -> None:
    game = new_game(2)
    play_until(game, "statement")
    before = check(game)

    def crash() -> None:
        with transaction.atomic():
            services.answer(game.pk, 1, "statement.1.1.1", say("Never said."))
            inside = cached_games.current_position(Game.objects.get(pk=game.pk))
            assert "Never said." in str(inside.log)
            raise Crash

    with pytest.raises(Crash):
        crash()
    assert at_hand(game) is before
    services.answer(game.pk, 1, "statement.1.1.1", say("Said."))
    assert [e["text"] for e in check(game).log if e.kind == "statement"] == ["Said."]


def test_one_small_read_tells_that_another_process_has_moved_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = new_game(2)
    play_until(game, "statement")
    mine = dict(cached_games._cached_games)
    with monkeypatch.context() as there:
        there.setattr(
            cached_games, "_cached_games", type(cached_games._cached_games)()
        )  # the other one's
        answer(game, 1, open_window(game, "statement"))
    assert dict(cached_games._cached_games) == mine
    assert [e["seat"] for e in check(game).log if e.kind == "statement"] == [1]
    answer(game, 2, open_window(game, "statement"))
    assert [e["seat"] for e in check(game).log if e.kind == "statement"] == [1, 2]


def test_a_slower_reader_puts_nothing_older_in_the_place_of_what_is_at_hand() -> None:
    game = new_game(2)
    play_until(game, "statement")
    older = check(game)
    answer(game, 1, open_window(game, "statement"))
    newer = check(game)
    cached_games.cache_game(older)
    assert at_hand(game) is newer


def test_words_that_are_taken_out_are_at_hand_no_more() -> None:
    game = new_game(2)
    play_until(game, "statement")
    services.answer(game.pk, 1, "statement.1.1.1", say("Zebras and a secret."))
    assert "Zebras" in str(check(game).log)
    host_actions.remove_words(game.pk, "statement.1.1.1", 1)
    assert game.pk not in cached_games._cached_games
    assert "Zebras" not in str(check(game).log)
    services.answer(game.pk, 2, "statement.1.1.2", say("Yaks and a secret."))
    finish(game)
    check(game)
    erasing.erase_player(game.pk, 2)
    assert game.pk not in cached_games._cached_games
    assert "Yaks" not in str(check(game).log)


def test_moved_clocks_are_news(monkeypatch: pytest.MonkeyPatch) -> None:
    game = new_game(1, 2, limits={"statement": 60})
    play_until(game, "statement")
    lost_time.give_back_lost_time()
    before = check(game)
    later = clock.now() + lost_time.MAX_HEARTBEAT_GAP * 20
    monkeypatch.setattr(clock, "now", lambda: later)
    assert lost_time.give_back_lost_time()
    assert check(game).version > before.version


def test_a_process_has_a_bounded_number_of_events_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    games = [new_game(2, seed=str(number)) for number in range(4)]
    monkeypatch.setattr(cached_games, "MAX_CACHED_EVENTS", 2 * len(at_hand(games[0]).log) + 5)
    for game in games:
        check(game)
    assert list(cached_games._cached_games)[-2:] == [games[2].pk, games[3].pk]
    assert len(cached_games._cached_games) == 2


@contextmanager
def elsewhere(other: OrderedDict[int, CachedGame]) -> Iterator[None]:
    """What is done here, another process does: it has other games at hand."""
    here = cached_games._cached_games
    cached_games._cached_games = other
    yield
    cached_games._cached_games = here


def test_two_processes_read_only_what_the_other_one_has_added(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A whole game, its answers given here and there in turn; words are taken out on the way."""
    game = new_game(2, 3)
    read: list[int] = []
    monkeypatch.setattr(script_run.ScriptRun, "_run", counted(script_run.ScriptRun._run, ran := []))
    load = store.load
    monkeypatch.setattr(store, "load", lambda of, after=0: read.append(after) or load(of, after))
    there: OrderedDict[int, CachedGame] = OrderedDict()
    ran.clear()
    for number in range(500):
        with elsewhere(there) if number % 2 else nullcontext():
            missing = [o for o in selectors.open_windows(game) if o.missing]
            if not missing:
                break
            answer(game, missing[0].missing[0], missing[0])
        if number == 20:
            read.clear()
            ran.clear()
        if number == 40:
            assert len(read) > 10
            assert all(read)  # never from the beginning
            assert not ran  # nor is the script run again
            said = next(e for e in at_hand(game).log if e.kind == "statement")
            with elsewhere(there):
                host_actions.remove_words(game.pk, said["window"], said["seat"])
    check(game)
    with elsewhere(there):
        check(game)
    game.refresh_from_db()
    assert game.ended_at
    assert said["text"] not in str(at_hand(game).log)


def counted(function: Any, ran: list[int]) -> Any:
    def run(*args: Any) -> Any:
        ran.append(1)
        return function(*args)

    return run
