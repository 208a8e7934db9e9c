"""Actions of a host in a running game, and their effect on the log."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from game import cached_games, deadlines, game_actions, locked_game, selectors, store
from game.engine import visibility
from game.engine.events import say
from game.engine.forms import Illegal
from game.models import Event, Game, Player
from game.models import Window as WindowRow
from tests.game.clock import Clock
from tests.game.table import answer, any_answer, finish, game_at_seat, labels_by_seat, open_window

pytestmark = pytest.mark.django_db


def refusal(function: object, *arguments: object, **more: object) -> str:
    with pytest.raises(Illegal) as illegal:
        function(*arguments, **more)  # type: ignore[operator]
    return illegal.value.code


def test_paused_game_stores_answers_and_does_not_advance(time: Clock) -> None:
    game = game_at_seat(1, 1, 2, limits={"statement": 60})
    time.pass_(50)
    game_actions.pause(game.pk)
    length = Event.objects.filter(game=game).count()
    time.pass_(3600)
    deadlines.settle_deadlines(game.pk)
    answer(game, 1, open_window(game, "statement"))
    assert Event.objects.filter(game=game).count() == length
    assert refusal(game_actions.pause, game.pk) == "paused"
    game_actions.resume(game.pk)
    assert labels_by_seat(game) == {1: ""}, "the statement made in the pause is published"
    assert open_window(game, "statement").asked == (2,)


def test_pause_does_not_use_up_time_limits(time: Clock) -> None:
    game = game_at_seat(1, 1, 2, limits={"statement": 60})
    time.pass_(50)
    game_actions.pause(game.pk)
    time.pass_(3600)
    game_actions.resume(game.pk)
    time.pass_(9)
    deadlines.settle_deadlines(game.pk)
    assert labels_by_seat(game) == {}, "one second is left"
    time.pass_(2)
    deadlines.settle_deadlines(game.pk)
    assert labels_by_seat(game) == {1: "timeout"}


def test_extended_deadline_applies_to_the_open_window(time: Clock) -> None:
    game = game_at_seat(1, 1, 2, limits={"statement": 60})
    deadlines.extend_deadlines(game.pk, 30)
    time.pass_(89)
    deadlines.settle_deadlines(game.pk)
    assert labels_by_seat(game) == {}
    time.pass_(2)
    deadlines.settle_deadlines(game.pk)
    assert labels_by_seat(game) == {1: "timeout"}
    assert refusal(deadlines.extend_deadlines, game_at_seat(1, 1).pk) == "no_deadline"


def test_changed_pace_applies_to_the_current_statement(time: Clock) -> None:
    game = game_at_seat(1, 8, pace="none")
    Game.objects.filter(pk=game.pk).update(pace="natural")
    first = open_window(game, "statement")
    locked_game.record_answer(game.pk, 1, first.window.key, say("word " * 40))
    row = WindowRow.objects.get(game=game, key=first.window.key)
    assert row.not_before == time.at + timedelta(seconds=10)
    game_actions.set_pace(game.pk, "brisk")
    row.refresh_from_db()
    assert row.not_before == row.opened_at + timedelta(seconds=4)
    game_actions.set_pace(game.pk, "slow")
    row.refresh_from_db()
    assert row.not_before == row.opened_at + timedelta(seconds=15.8)
    game.refresh_from_db()
    assert game.due_at == row.not_before
    assert refusal(game_actions.set_pace, game.pk, "slow") == "pace_fixed"


def test_host_can_end_pauses_of_the_pace(time: Clock) -> None:
    game = game_at_seat(1, 8, pace="none")
    Game.objects.filter(pk=game.pk).update(pace="natural")
    assert not game_actions.end_pauses(game.pk), "there is no answer yet"
    answer(game, 1, open_window(game, "statement"))
    assert labels_by_seat(game) == {}
    assert game_actions.end_pauses(game.pk)
    assert labels_by_seat(game) == {1: ""}
    assert open_window(game, "statement").asked == (2,)
    game_actions.pause(game.pk)
    assert refusal(game_actions.end_pauses, game.pk) == "paused"


def test_stand_in_answers_are_labeled() -> None:
    game = game_at_seat(2, 1, 2)
    key = open_window(game, "statement").window.key
    assert selectors.agents_missing(cached_games.cached_game(game), [key]) == []
    game_actions.hand_over(game.pk, 2)
    assert selectors.agents_missing(cached_games.cached_game(game), [key]) == [(key, 2)]
    assert (
        refusal(locked_game.record_answer, game.pk, 2, key, say("Me!"), is_agent=False)
        == "handed_over"
    )
    locked_game.record_answer(game.pk, 2, key, say("A computer speaks."), is_agent=True)
    assert labels_by_seat(game)[2] == "stand-in"
    game_actions.return_seat(game.pk, 2)
    for seat in range(3, 9):
        answer(game, seat, open_window(game, "statement"))
    answer(game, 1, open_window(game, "statement"))
    locked_game.record_answer(game.pk, 2, "statement.1.2.2", say("Back again."), is_agent=False)
    assert labels_by_seat(game)[2] == ""


def test_late_stand_in_answer_is_rejected_after_the_person_returns() -> None:
    game = game_at_seat(1, 1, 2)
    game_actions.hand_over(game.pk, 1)
    game_actions.return_seat(game.pk, 1)
    late = say("Thought too long.")
    assert refusal(
        locked_game.record_answer, game.pk, 1, "statement.1.1.1", late, is_agent=True
    ) == ("handed_over")
    answer(game, 1, open_window(game, "statement"))
    assert labels_by_seat(game) == {1: ""}


def test_stand_in_can_time_out(time: Clock) -> None:
    game = game_at_seat(1, 1, 2, limits={"statement": 60})
    game_actions.hand_over(game.pk, 1)
    time.pass_(61)
    deadlines.settle_deadlines(game.pk)
    assert labels_by_seat(game) == {1: "stand-in, timeout"}
    row = WindowRow.objects.get(game=game, key="statement.1.1.1")
    assert row.agents_missing == 0


def test_leaving_person_is_replaced_and_cannot_return() -> None:
    game = game_at_seat(1, 1, 2)
    game_actions.leave(game.pk, 1)
    assert refusal(game_actions.return_seat, game.pk, 1) == "seat_changed"
    assert refusal(game_actions.leave, game.pk, 1) == "seat_changed"
    finish(game)
    assert set(labels_by_seat(game, "vote").values()) == {"", "stand-in"}
    assert labels_by_seat(game, "vote")[1] == "stand-in"


def test_game_is_called_off_when_the_last_person_leaves() -> None:
    game = game_at_seat(1, 1, 2)
    game_actions.leave(game.pk, 1)
    game_actions.leave(game.pk, 2)
    game.refresh_from_db()
    assert game.status == Game.CALLED_OFF
    assert selectors.open_windows(game) == []
    assert selectors.windows_waiting_for_agents(timezone.now() + timedelta(days=1)) == {}


def test_called_off_game_rejects_actions_and_reveals_no_roles() -> None:
    game = game_at_seat(1, 1, 2)
    game_actions.call_off(game.pk)
    late = any_answer(open_window(game_at_seat(1, 1), "statement"), 1)
    assert refusal(locked_game.record_answer, game.pk, 1, "statement.1.1.1", late) == "game_over"
    game.refresh_from_db()
    assert (game.status, game.winner) == (Game.CALLED_OFF, "")
    assert len(selectors.view_for(game, visibility.seat(1)).state.roles) <= 2, (
        "a Mason knows a second role"
    )
    for act in (
        game_actions.pause,
        game_actions.resume,
        deadlines.extend_deadlines,
        game_actions.call_off,
    ):
        assert refusal(act, game.pk) == "over"


def test_blind_game_can_be_revealed_once_after_its_end() -> None:
    game = game_at_seat(1, 1, 2, settings={"blind": True}, limits={"statement": 1})
    WindowRow.objects.filter(game=game).update(expires_at=timezone.now())
    Game.objects.filter(pk=game.pk).update(due_at=timezone.now())
    cached_games.clear_cache()
    deadlines.settle_deadlines(game.pk)
    assert refusal(game_actions.reveal, game.pk) == "not_over"
    finish(game)
    view = selectors.view_for(game, visibility.seat(2))
    assert not [e for e in view.events if e.labels]
    game_actions.reveal(game.pk)
    game.refresh_from_db()
    assert not game.blind
    view = selectors.view_for(game, visibility.seat(2))
    assert [e.labels for e in view.events if e.labels] == [("timeout",)]
    assert refusal(game_actions.reveal, game.pk) == "not_blind"


def test_removing_text_keeps_the_game_playable() -> None:
    game = game_at_seat(2, 1, 2)
    game_actions.remove_text(game.pk, "statement.1.1.1", 1)
    assert refusal(game_actions.remove_text, game.pk, "statement.1.1.1", 1) == "no_words"
    finish(game)
    first = next(e for e in store.load_log(game) if e.kind == "statement")
    assert first["text"] == ""
    assert first["words"] > 0


def test_only_seats_of_people_can_be_handed_over() -> None:
    game = game_at_seat(1, 1, 2)
    assert refusal(game_actions.hand_over, game.pk, 5) == "seat_changed"
    assert refusal(game_actions.return_seat, game.pk, 1) == "seat_changed"
    game_actions.hand_over(game.pk, 1)
    assert refusal(game_actions.hand_over, game.pk, 1) == "seat_changed"
    assert Player.objects.filter(game=game, stand_in=True).count() == 1
