"""What a host can do to a running game, and what that leaves in its log."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from game import cached_games, clock, host_actions, selectors, services, store
from game.engine import visibility
from game.engine.forms import Illegal, say
from game.models import Event, Game, Player
from game.models import Window as WindowRow
from tests.game.table import answer, any_answer, finish, new_game, open_window, play_until

pytestmark = pytest.mark.django_db


class Clock:
    """Time that a test moves by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.at = timezone.now()
        monkeypatch.setattr(clock, "now", lambda: self.at)

    def pass_(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def refusal(function: object, *arguments: object, **more: object) -> str:
    with pytest.raises(Illegal) as illegal:
        function(*arguments, **more)  # type: ignore[operator]
    return illegal.value.code


def at_seat(seat: int, *people: int, **choices: object) -> Game:
    """A game in which the statement of `seat` in round 1 is awaited."""
    game = new_game(*people, **choices)  # type: ignore[arg-type]
    play_until(game, "statement")
    for speaker in range(1, seat):
        answer(game, speaker, open_window(game, "statement"))
    return game


def labels(game: Game, kind: str = "statement") -> dict[int, str]:
    return {e["seat"]: ", ".join(e.labels) for e in store.load(game) if e.kind == kind}


def test_a_paused_table_keeps_answers_and_stands_still(time: Clock) -> None:
    game = at_seat(1, 1, 2, limits={"statement": 60})
    time.pass_(50)
    host_actions.pause(game.pk)
    length = Event.objects.filter(game=game).count()
    time.pass_(3600)
    services.settle_deadlines(game.pk)
    answer(game, 1, open_window(game, "statement"))
    assert Event.objects.filter(game=game).count() == length
    assert refusal(host_actions.pause, game.pk) == "paused"
    host_actions.resume(game.pk)
    assert labels(game) == {1: ""}, "what was said in the pause is said now"
    assert open_window(game, "statement").asked == (2,)


def test_a_pause_takes_nobodys_time(time: Clock) -> None:
    game = at_seat(1, 1, 2, limits={"statement": 60})
    time.pass_(50)
    host_actions.pause(game.pk)
    time.pass_(3600)
    host_actions.resume(game.pk)
    time.pass_(9)
    services.settle_deadlines(game.pk)
    assert labels(game) == {}, "nine seconds of the last ten"
    time.pass_(2)
    services.settle_deadlines(game.pk)
    assert labels(game) == {1: "timeout"}


def test_more_time_is_given_to_whoever_is_awaited(time: Clock) -> None:
    game = at_seat(1, 1, 2, limits={"statement": 60})
    host_actions.extend_deadlines(game.pk, 30)
    time.pass_(89)
    services.settle_deadlines(game.pk)
    assert labels(game) == {}
    time.pass_(2)
    services.settle_deadlines(game.pk)
    assert labels(game) == {1: "timeout"}
    assert refusal(host_actions.extend_deadlines, at_seat(1, 1).pk) == "no_deadline"


def test_a_quicker_pace_holds_for_who_speaks_now(time: Clock) -> None:
    game = at_seat(1, 8, pace="none")
    Game.objects.filter(pk=game.pk).update(pace="natural")
    first = open_window(game, "statement")
    services.answer(game.pk, 1, first.window.key, say("word " * 40))
    row = WindowRow.objects.get(game=game, key=first.window.key)
    assert row.not_before == time.at + timedelta(seconds=10)
    host_actions.set_pace(game.pk, "brisk")
    row.refresh_from_db()
    assert row.not_before == row.opened_at + timedelta(seconds=4)
    host_actions.set_pace(game.pk, "slow")
    row.refresh_from_db()
    assert row.not_before == row.opened_at + timedelta(seconds=15.8)
    game.refresh_from_db()
    assert game.due_at == row.not_before
    assert refusal(host_actions.set_pace, game.pk, "slow") == "pace_fixed"


def test_what_only_waits_for_the_pace_can_happen_at_once(time: Clock) -> None:
    game = at_seat(1, 8, pace="none")
    Game.objects.filter(pk=game.pk).update(pace="natural")
    assert not host_actions.end_pauses(game.pk), "nobody has answered"
    answer(game, 1, open_window(game, "statement"))
    assert labels(game) == {}
    assert host_actions.end_pauses(game.pk)
    assert labels(game) == {1: ""}
    assert open_window(game, "statement").asked == (2,)
    host_actions.pause(game.pk)
    assert refusal(host_actions.end_pauses, game.pk) == "paused"


def test_a_computer_player_answers_for_who_is_handed_over_and_says_so() -> None:
    game = at_seat(2, 1, 2)
    key = open_window(game, "statement").window.key
    assert selectors.agents_missing(selectors.cached_game(game), [key]) == []
    host_actions.hand_over(game.pk, 2)
    assert selectors.agents_missing(selectors.cached_game(game), [key]) == [(key, 2)]
    assert refusal(services.answer, game.pk, 2, key, say("Me!"), is_agent=False) == "handed_over"
    services.answer(game.pk, 2, key, say("A computer speaks."), is_agent=True)
    assert labels(game)[2] == "stand-in"
    host_actions.return_seat(game.pk, 2)
    for seat in range(3, 9):
        answer(game, seat, open_window(game, "statement"))
    answer(game, 1, open_window(game, "statement"))
    services.answer(game.pk, 2, "statement.1.2.2", say("Back again."), is_agent=False)
    assert labels(game)[2] == ""


def test_what_a_stand_in_thought_is_not_said_once_the_person_is_back() -> None:
    game = at_seat(1, 1, 2)
    host_actions.hand_over(game.pk, 1)
    host_actions.return_seat(game.pk, 1)
    late = say("Thought too long.")
    assert refusal(services.answer, game.pk, 1, "statement.1.1.1", late, is_agent=True) == (
        "handed_over"
    )
    answer(game, 1, open_window(game, "statement"))
    assert labels(game) == {1: ""}


def test_a_stand_ins_time_runs_out_too(time: Clock) -> None:
    game = at_seat(1, 1, 2, limits={"statement": 60})
    host_actions.hand_over(game.pk, 1)
    time.pass_(61)
    services.settle_deadlines(game.pk)
    assert labels(game) == {1: "stand-in, timeout"}
    row = WindowRow.objects.get(game=game, key="statement.1.1.1")
    assert row.agents_missing == 0


def test_who_leaves_is_played_on_and_does_not_come_back() -> None:
    game = at_seat(1, 1, 2)
    host_actions.leave(game.pk, 1)
    assert refusal(host_actions.return_seat, game.pk, 1) == "seat_changed"
    assert refusal(host_actions.leave, game.pk, 1) == "seat_changed"
    finish(game)
    assert set(labels(game, "vote").values()) == {"", "stand-in"}
    assert labels(game, "vote")[1] == "stand-in"


def test_a_table_that_its_last_person_leaves_is_called_off() -> None:
    game = at_seat(1, 1, 2)
    host_actions.leave(game.pk, 1)
    host_actions.leave(game.pk, 2)
    game.refresh_from_db()
    assert game.status == Game.CALLED_OFF
    assert selectors.open_windows(game) == []
    assert selectors.windows_waiting_for_agents(timezone.now() + timedelta(days=1)) == {}


def test_a_game_called_off_takes_nothing_more_and_tells_no_roles() -> None:
    game = at_seat(1, 1, 2)
    host_actions.call_off(game.pk)
    late = any_answer(open_window(at_seat(1, 1), "statement"), 1)
    assert refusal(services.answer, game.pk, 1, "statement.1.1.1", late) == "game_over"
    game.refresh_from_db()
    assert (game.status, game.winner) == (Game.CALLED_OFF, "")
    assert len(selectors.view_for(game, visibility.seat(1)).state.roles) <= 2, (
        "a Mason knows one more"
    )
    for act in (
        host_actions.pause,
        host_actions.resume,
        host_actions.extend_deadlines,
        host_actions.call_off,
    ):
        assert refusal(act, game.pk) == "over"


def test_a_blind_table_is_revealed_only_after_the_game_and_only_once() -> None:
    game = at_seat(1, 1, 2, settings={"blind": True}, limits={"statement": 1})
    WindowRow.objects.filter(game=game).update(expires_at=timezone.now())
    Game.objects.filter(pk=game.pk).update(due_at=timezone.now())
    cached_games.clear_cache()
    services.settle_deadlines(game.pk)
    assert refusal(host_actions.reveal, game.pk) == "not_over"
    finish(game)
    told = selectors.view_for(game, visibility.seat(2))
    assert not [e for e in told.events if e.labels]
    host_actions.reveal(game.pk)
    game.refresh_from_db()
    assert not game.blind
    told = selectors.view_for(game, visibility.seat(2))
    assert [e.labels for e in told.events if e.labels] == [("timeout",)]
    assert refusal(host_actions.reveal, game.pk) == "not_blind"


def test_words_taken_out_leave_the_game_whole() -> None:
    game = at_seat(2, 1, 2)
    host_actions.remove_words(game.pk, "statement.1.1.1", 1)
    assert refusal(host_actions.remove_words, game.pk, "statement.1.1.1", 1) == "no_words"
    finish(game)
    first = next(e for e in store.load(game) if e.kind == "statement")
    assert first["text"] == ""
    assert first["words"] > 0


def test_only_a_persons_seat_changes_hands() -> None:
    game = at_seat(1, 1, 2)
    assert refusal(host_actions.hand_over, game.pk, 5) == "seat_changed"
    assert refusal(host_actions.return_seat, game.pk, 1) == "seat_changed"
    host_actions.hand_over(game.pk, 1)
    assert refusal(host_actions.hand_over, game.pk, 1) == "seat_changed"
    assert Player.objects.filter(game=game, stand_in=True).count() == 1
