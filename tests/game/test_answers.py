"""Answers of seats: acceptance, changes, rejections, deadlines and polls."""

from __future__ import annotations

import re
import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from game import cached_games, clock, deadlines, lobby, locked_game, selectors, store
from game.engine import visibility
from game.engine.events import digest, pick, say
from game.engine.forms import Illegal
from game.models import Event, Game, Utterance, Vote, new_code
from game.models import Window as WindowRow
from tests.game.table import answer, any_answer, finish, new_game, open_window, play_until

pytestmark = pytest.mark.django_db


def refusal(game: Game, seat: int, key: str, action: object) -> str:
    with pytest.raises(Illegal) as illegal:
        locked_game.record_answer(game.pk, seat, key, action)  # type: ignore[arg-type]
    return illegal.value.code


def test_repeated_post_is_accepted_once() -> None:
    game = new_game(1)
    play_until(game, "statement")
    window, post = open_window(game, "statement"), uuid.uuid4()
    assert locked_game.record_answer(game.pk, 1, window.window.key, say("Hello."), request_id=post)
    assert not locked_game.record_answer(
        game.pk, 1, window.window.key, say("Hello."), request_id=post
    )
    assert Utterance.objects.filter(game=game, seat=1).count() == 1
    assert [e["seat"] for e in store.load_log(game) if e.kind == "statement"] == [1]


def test_vote_can_be_changed_and_old_post_is_ignored() -> None:
    game = new_game(1)
    play_until(game, "vote")
    key, first = open_window(game, "vote").window.key, uuid.uuid4()
    locked_game.record_answer(game.pk, 1, key, pick(2), request_id=first)
    locked_game.record_answer(game.pk, 1, key, pick(3))
    assert not locked_game.record_answer(game.pk, 1, key, pick(2), request_id=first)
    finish(game)
    assert Vote.objects.get(game=game, kind="vote", seat=1).target == 3


def test_agent_cannot_change_its_vote() -> None:
    game = new_game(1)
    play_until(game, "vote")
    key = open_window(game, "vote").window.key
    locked_game.record_answer(game.pk, 2, key, pick(1))
    assert refusal(game, 2, key, pick(3)) == "answered"


def test_rejections_have_a_code_and_change_nothing() -> None:
    game = new_game(1, 2)
    play_until(game, "statement")
    key = open_window(game, "statement").window.key
    before = digest(store.load_log(game))
    assert refusal(game, 2, key, say("Me first.")) == "not_asked"
    assert refusal(game, 1, "vote.1.0", pick(2)) == "no_such_window"
    assert refusal(game, 1, key, say("w " * 121)) == "too_many_words"
    assert digest(store.load_log(game)) == before
    assert not Utterance.objects.filter(game=game, seat__in=(1, 2)).exists()
    locked_game.record_answer(game.pk, 1, key, say("Now."))
    assert refusal(game, 1, key, say("Again.")) == "too_late"
    finish(game)
    assert refusal(game, 1, key, say("After.")) == "game_over"


def test_invalid_setup_gets_a_clear_error() -> None:
    with pytest.raises(lobby.BadSetup, match="no setting nonsense"):
        new_game(1, settings={"nonsense": 1})
    with pytest.raises(lobby.BadSetup, match="unknown pace"):
        new_game(1, pace="warp")
    with pytest.raises(lobby.BadSetup, match="played by 8, not 2"):
        lobby.create_game("one-night", [lobby.SeatPlan("agent")] * 2, seed="x")
    assert not Game.objects.exists()


def expire_windows(game: Game, kind: str) -> None:
    """Let the deadline of windows of `kind` pass."""
    past = timezone.now() - timedelta(seconds=1)
    WindowRow.objects.filter(game=game, closed_at=None, data__kind=kind).update(expires_at=past)
    Game.objects.filter(pk=game.pk).update(due_at=past)
    cached_games.clear_cache()
    cached_games.clear_cache()


def test_timeout_gives_an_empty_statement_and_a_random_vote() -> None:
    game = new_game(1, limits={"statement": 60, "vote": 60})
    play_until(game, "statement")
    expire_windows(game, "statement")
    deadlines.settle_deadlines(game.pk)
    (first,) = [e for e in store.load_log(game) if e.kind == "statement"]
    assert (first["manner"], first.labels) == ("nothing", ("timeout",))
    play_until(game, "vote")
    for window in selectors.open_windows(game):
        for seat in window.missing:
            if seat != 1:
                answer(game, seat, window)
    expire_windows(game, "vote")
    deadlines.settle_deadlines(game.pk)
    own_vote = next(e for e in store.load_log(game) if e.kind == "vote" and e["seat"] == 1)
    assert own_vote.labels == ("timeout",)
    assert own_vote["targets"][0] != 1
    game.refresh_from_db()
    assert game.ended_at


def test_only_the_sweeper_ends_a_turn() -> None:
    """A deadline that passed without a sweeper (crash, sleep) does not cost a turn."""
    game = new_game(1, limits={"statement": 60})
    play_until(game, "statement")
    expire_windows(game, "statement")
    window = open_window(game, "statement")
    answer(game, 1, window)
    assert [e.labels for e in store.load_log(game) if e.kind == "statement"] == [()]


def test_late_answer_is_rejected() -> None:
    game = new_game(1, limits={"statement": 60})
    play_until(game, "statement")
    key = open_window(game, "statement").window.key
    expire_windows(game, "statement")
    deadlines.settle_deadlines(game.pk)
    assert refusal(game, 1, key, say("Wait!")) == "too_late"
    assert [e.labels for e in store.load_log(game) if e.kind == "statement"] == [("timeout",)]


def test_agent_statement_takes_its_speaking_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now()
    monkeypatch.setattr(clock, "now", lambda: now)
    game = new_game(2, pace="natural")
    answer_night(game)
    now += timedelta(seconds=clock.PACES["natural"].night)
    deadlines.settle_deadlines(game.pk)
    window = open_window(game, "statement")
    locked_game.record_answer(game.pk, 1, window.window.key, say("word " * 20))
    assert open_window(game, "statement").asked == (1,), "still speaking"
    now += timedelta(seconds=5.9)
    deadlines.settle_deadlines(game.pk)
    assert open_window(game, "statement").asked == (1,)
    now += timedelta(seconds=0.2)
    deadlines.settle_deadlines(game.pk)
    assert open_window(game, "statement").asked == (2,)


def answer_night(game: Game) -> None:
    window = open_window(game, "divination")
    answer(game, window.asked[0], window)


@pytest.mark.parametrize("person", [False, True])
def test_night_length_does_not_depend_on_who_acts(
    monkeypatch: pytest.MonkeyPatch, person: bool
) -> None:
    now = timezone.now()
    monkeypatch.setattr(clock, "now", lambda: now)
    seer = next(iter(open_window(new_game(), "divination").asked))
    game = new_game(*([seer] if person else [9 - seer]), pace="natural")
    answer_night(game)
    game.refresh_from_db()
    assert game.due_at == game.created_at + timedelta(seconds=6)
    now += timedelta(seconds=5.9)
    deadlines.settle_deadlines(game.pk)
    assert selectors.view_for(game, visibility.PUBLIC).state.phase == "night"
    now += timedelta(seconds=0.1)
    deadlines.settle_deadlines(game.pk)
    assert selectors.view_for(game, visibility.PUBLIC).state.phase == "talk"


def test_polls_do_not_delay_the_game_and_are_hidden() -> None:
    game = new_game(1)
    while not [o for o in selectors.open_windows(game) if o.window.kind == "poll"]:
        for window in selectors.open_windows(game):
            for seat in window.missing:
                answer(game, seat, window)
    poll = open_window(game, "poll")
    assert poll.asked == tuple(range(2, 9)), "people are not polled by default"
    assert open_window(game, "statement").window.key == "statement.1.2.1"
    finish(game)
    log = store.load_log(game)
    assert sum(e.kind == "poll" for e in log) == 21
    for viewer in (
        visibility.PUBLIC,
        visibility.AFTERMATH,
        *(visibility.seat(s) for s in range(1, 9)),
    ):
        kinds = {e.kind for e in selectors.view_for(game, viewer).events}
        assert "poll" not in kinds
        keys = [e.data.get("key", "") for e in selectors.view_for(game, viewer).events]
        assert not [k for k in keys if k.startswith("poll")]
    assert Vote.objects.filter(game=game, kind="poll").count() == 21


@pytest.mark.parametrize("people", [(1,), ()])
def test_agent_poll_has_a_deadline_only_with_people(
    people: tuple[int, ...],
) -> None:
    game = new_game(*people)
    play_until(game, "poll")
    assert bool(game.windows.get(key="poll.1.1").expires_at) is bool(people)


def test_setting_includes_people_in_polls() -> None:
    game = new_game(1, settings={"poll_people": True})
    play_until(game, "poll")
    for window in selectors.open_windows(game):
        for seat in window.missing:
            if seat != 1:
                answer(game, seat, window)
    assert [o.window.kind for o in selectors.open_windows(game)] == ["poll"], "seat 1 is awaited"
    answer(game, 1, open_window(game, "poll"))
    assert open_window(game, "statement").window.key == "statement.1.2.1"


def test_text_is_stored_once_and_erasing_keeps_the_digest() -> None:
    game = new_game(1)
    play_until(game, "statement")
    locked_game.record_answer(game.pk, 1, "statement.1.1.1", say("A secret of mine."))
    assert not Event.objects.filter(game=game, data__icontains="secret of mine").exists()
    assert not WindowRow.objects.filter(game=game, data__icontains="secret of mine").exists()
    before = digest(store.load_log(game))
    Utterance.objects.filter(game=game).update(text="")
    assert digest(store.load_log(game)) == before
    finish(game)


def test_digest_does_not_depend_on_ids_or_time() -> None:
    first, second = finish(new_game(seed="same")), finish(new_game(seed="same"))
    assert first.code != second.code
    assert digest(store.load_log(first)) == digest(store.load_log(second))
    assert digest(store.load_log(first)) != digest(store.load_log(finish(new_game(seed="other"))))


def test_view_at_a_window_is_the_view_when_it_opened() -> None:
    game = new_game()
    play_until(game, "vote")
    opened = game.windows.get(key="statement.1.2.3")
    view, window, closed = cached_games.cached_game(game).view_at(visibility.seat(3), opened)
    assert window.seats == (3,)
    assert [e["seat"] for e in view.events if e.kind == "statement"] == [*range(1, 9), 1, 2]
    assert "statement.1.2.2" in closed
    assert "statement.1.2.3" not in closed
    assert any_answer(open_window(game, "vote"), 3)


def test_game_codes_are_unique_and_unambiguous() -> None:
    codes = {new_code() for _ in range(2000)}
    assert len(codes) == 2000
    assert all(re.fullmatch(r"[A-Za-z2-9]{12}", code) for code in codes)
