"""Side questions to people: order, deadlines, and stand-in agents."""

from __future__ import annotations

from typing import Any

import pytest

from game import cached_games, deadlines, game_actions, locked_game, selectors
from game.engine import visibility
from game.engine.events import pick, rate, say
from game.engine.forms import Illegal
from game.engine.side_questions import ROLE_GUESS_KIND, VOTE_REASON
from game.models import Answer, Game, Utterance
from tests.game.clock import Clock
from tests.game.table import any_answer, finish, new_game, open_window, play_until
from tests.webapp.tables import build_page
from webapp.play.live.push import render_frame

pytestmark = pytest.mark.django_db
PERSON = 1
WHY = "Their story changed."


def game_with_form(**choices: Any) -> Game:
    """Create a game at a person's first statement, which a rating form precedes."""
    game = new_game(PERSON, settings={"rate_people": True}, **choices)
    play_until(game, "statement")
    return game


def events_of(game: Game, kind: str) -> list[Any]:
    view = selectors.view_for(game, visibility.MODERATOR)
    return [event for event in view.events if event.kind == kind]


def test_person_must_rate_before_acting() -> None:
    game = game_with_form()
    form, turn = (
        open_window(game, ROLE_GUESS_KIND).window.key,
        open_window(game, "statement").window.key,
    )
    with pytest.raises(Illegal) as error:
        locked_game.record_answer(game.pk, PERSON, turn, say("Me first."), is_agent=False)
    assert error.value.code == "rate_first"
    locked_game.record_answer(game.pk, PERSON, form, rate(), is_agent=False)
    locked_game.record_answer(game.pk, PERSON, turn, say("Now me."), is_agent=False)
    assert [e["text"] for e in events_of(game, "statement")] == ["Now me."]


def test_rating_timeout_is_recorded_without_ratings(monkeypatch: pytest.MonkeyPatch) -> None:
    time = Clock(monkeypatch)
    game = game_with_form(limits={"statement": 60})
    windows = open_window(game, ROLE_GUESS_KIND), open_window(game, "statement")
    assert windows[0].expires_at == windows[1].expires_at
    time.pass_(61)
    deadlines.settle_deadlines(game.pk)
    for kind in (ROLE_GUESS_KIND, "statement"):
        (event,) = events_of(game, kind)
        assert (event["manner"], event.labels) == ("nothing", ("timeout",))


def test_stand_in_agent_does_not_rate_for_the_person() -> None:
    game = game_with_form()
    form, turn = (
        open_window(game, ROLE_GUESS_KIND).window.key,
        open_window(game, "statement").window.key,
    )
    game_actions.hand_over(game.pk, PERSON)
    missing = selectors.agents_missing(cached_games.cached_game(game), [form, turn])
    assert missing == [(turn, PERSON)]
    (event,) = events_of(game, ROLE_GUESS_KIND)
    assert (event["manner"], event.labels) == ("nothing", ("stand-in",))
    locked_game.record_answer(game.pk, PERSON, turn, say("I speak in their stead."), is_agent=True)
    finish(game)


@pytest.mark.parametrize("blind", [True, False])
def test_poll_in_a_blind_game_waits_for_all_seats(blind: bool) -> None:
    game = new_game(PERSON, settings={"poll_people": True, "blind": blind})
    play_until(game, "poll")
    poll = open_window(game, "poll")
    locked_game.record_answer(
        game.pk, PERSON, poll.window.key, any_answer(poll, PERSON), is_agent=False
    )
    current_round = events_of(game, "phase_opened")[-1]["round"]
    assert current_round == (1 if blind else 2)
    for seat in poll.missing:
        if seat != PERSON:
            locked_game.record_answer(game.pk, seat, poll.window.key, any_answer(poll, seat))
    assert events_of(game, "phase_opened")[-1]["round"] == 2


def test_last_vote_reason_is_stored_once() -> None:
    game = new_game(PERSON, settings={"ask_why": True})
    play_until(game, "vote")
    vote = open_window(game, "vote")
    for text in ("A first thought.", WHY):
        vote_data = {"targets": ["2"], "why": text}
        locked_game.record_answer(game.pk, PERSON, vote.window.key, vote_data, is_agent=False)
    assert open_window(game, "vote").answers[PERSON].action == pick(2).__class__(
        "pick", text=WHY, targets=(2,)
    )
    finish(game)
    (reason,) = events_of(game, VOTE_REASON)
    assert (reason["text"], reason["seat"], str(reason.audience)) == (WHY, PERSON, "record")
    (stored,) = Utterance.objects.filter(game=game, text=WHY)
    assert stored.event is not None
    assert stored.event.kind == VOTE_REASON
    assert WHY not in str(list(Answer.objects.values_list("action", "labels")))
    assert WHY not in str(list(game.events.values_list("data")))
    assert set(game.votes.values_list("kind", flat=True)) == {"poll", "vote"}, (
        "a reason is not stored as a vote"
    )


def test_poll_answer_after_the_deadline_is_labeled_late(monkeypatch: pytest.MonkeyPatch) -> None:
    time = Clock(monkeypatch)
    game = new_game(
        PERSON, settings={"poll_people": True, "blind": True}, limits={"poll": 60, "vote": 60}
    )
    play_until(game, "poll")
    poll = open_window(game, "poll").window
    time.pass_(61)
    deadlines.settle_deadlines(game.pk)
    window = open_window(game, "poll")
    assert window.answers[PERSON].labels == ("timeout",), "the poll stays open for other seats"
    question = build_page(game, PERSON).choice
    assert question
    assert (question.is_answered, question.has_timed_out) == (True, True)
    assert "Your time ran out." in render_frame(build_page(game, PERSON))
    for target in (2, 3):  # the answer can still be changed
        locked_game.record_answer(game.pk, PERSON, poll.key, pick(target), is_agent=False)
    question = build_page(game, PERSON).choice
    assert question
    assert (question.is_answered, question.has_timed_out) == (True, False)
    finish(game)
    (event,) = (
        e for e in events_of(game, "poll") if (e["seat"], e["window"]) == (PERSON, poll.key)
    )
    assert (event["targets"], event.labels) == ([3], ("late",))
