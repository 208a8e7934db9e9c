"""What only people are asked: before they act, by when, and not of who plays in their stead."""

from __future__ import annotations

from typing import Any

import pytest

from game import host_actions, selectors, services
from game.engine import visibility
from game.engine.forms import Illegal, pick, rate, say
from game.engine.side_questions import RATING_KIND, VOTE_REASON
from game.models import Answer, Game, Utterance
from tests.game.table import any_answer, finish, new_game, open_window, play_until
from tests.game.test_host_actions import Clock
from tests.webapp.test_sheriff import page_of
from webapp.play.live.push import render_frame

pytestmark = pytest.mark.django_db
PERSON = 1
WHY = "Their story changed."


def asking(**choices: Any) -> Game:
    """A person's turn to speak first, with a form before it."""
    game = new_game(PERSON, settings={"rate_people": True}, **choices)
    play_until(game, "statement")
    return game


def told(game: Game, kind: str) -> list[Any]:
    view = selectors.view_for(game, visibility.MODERATOR)
    return [event for event in view.events if event.kind == kind]


def test_who_has_not_rated_can_not_act_yet_and_can_right_after() -> None:
    game = asking()
    form, turn = (
        open_window(game, RATING_KIND).window.key,
        open_window(game, "statement").window.key,
    )
    with pytest.raises(Illegal) as refused:
        services.answer(game.pk, PERSON, turn, say("Me first."), is_agent=False)
    assert refused.value.code == "rate_first"
    services.answer(game.pk, PERSON, form, rate(), is_agent=False)
    services.answer(game.pk, PERSON, turn, say("Now me."), is_agent=False)
    assert [e["text"] for e in told(game, "statement")] == ["Now me."]


def test_who_lets_the_time_run_out_has_rated_nobody_and_it_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    time = Clock(monkeypatch)
    game = asking(limits={"statement": 60})
    both = open_window(game, RATING_KIND), open_window(game, "statement")
    assert both[0].expires_at == both[1].expires_at
    time.pass_(61)
    services.settle_deadlines(game.pk)
    for kind in (RATING_KIND, "statement"):
        (event,) = told(game, kind)
        assert (event["manner"], event.labels) == ("nothing", ("timeout",))


def test_a_computer_player_who_stands_in_is_not_asked_whom_the_person_trusts() -> None:
    game = asking()
    form, turn = (
        open_window(game, RATING_KIND).window.key,
        open_window(game, "statement").window.key,
    )
    host_actions.hand_over(game.pk, PERSON)
    missing = selectors.agents_missing(selectors.cached_game(game), [form, turn])
    assert missing == [(turn, PERSON)]
    (event,) = told(game, RATING_KIND)
    assert (event["manner"], event.labels) == ("nothing", ("stand-in",))
    services.answer(game.pk, PERSON, turn, say("I speak in their stead."), is_agent=True)
    finish(game)


@pytest.mark.parametrize("blind", [True, False])
def test_at_a_blind_table_a_poll_of_people_ends_no_sooner_than_with_everybody(
    blind: bool,
) -> None:
    game = new_game(PERSON, settings={"poll_people": True, "blind": blind})
    play_until(game, "poll")
    poll = open_window(game, "poll")
    services.answer(game.pk, PERSON, poll.window.key, any_answer(poll, PERSON), is_agent=False)
    begun = told(game, "phase_opened")[-1]["round"]
    assert begun == (1 if blind else 2)
    for seat in poll.missing:
        if seat != PERSON:
            services.answer(game.pk, seat, poll.window.key, any_answer(poll, seat))
    assert told(game, "phase_opened")[-1]["round"] == 2


def test_why_is_kept_once_and_the_last_one_counts() -> None:
    game = new_game(PERSON, settings={"ask_why": True})
    play_until(game, "vote")
    vote = open_window(game, "vote")
    for text in ("A first thought.", WHY):
        given = {"targets": ["2"], "why": text}
        services.answer(game.pk, PERSON, vote.window.key, given, is_agent=False)
    assert open_window(game, "vote").answers[PERSON].action == pick(2).__class__(
        "pick", text=WHY, targets=(2,)
    )
    finish(game)
    (reason,) = told(game, VOTE_REASON)
    assert (reason["text"], reason["seat"], str(reason.audience)) == (WHY, PERSON, "record")
    (kept,) = Utterance.objects.filter(game=game, text=WHY)
    assert kept.event is not None
    assert kept.event.kind == VOTE_REASON
    assert WHY not in str(list(Answer.objects.values_list("action", "labels")))
    assert WHY not in str(list(game.events.values_list("data")))
    assert set(game.votes.values_list("kind", flat=True)) == {"poll", "vote"}, "a reason is no vote"


def test_who_answers_a_poll_after_its_time_is_labelled_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    time = Clock(monkeypatch)
    game = new_game(
        PERSON, settings={"poll_people": True, "blind": True}, limits={"poll": 60, "vote": 60}
    )
    play_until(game, "poll")
    poll = open_window(game, "poll").window
    time.pass_(61)
    services.settle_deadlines(game.pk)
    window = open_window(game, "poll")
    assert window.answers[PERSON].labels == ("timeout",), "and the others are still asked"
    question = page_of(game, PERSON).choice
    assert question
    assert (question.is_answered, question.has_timed_out) == (True, True)
    assert "Your time ran out." in render_frame(page_of(game, PERSON))
    for target in (2, 3):  # and changed once more
        services.answer(game.pk, PERSON, poll.key, pick(target), is_agent=False)
    question = page_of(game, PERSON).choice
    assert question
    assert (question.is_answered, question.has_timed_out) == (True, False)
    finish(game)
    (event,) = (e for e in told(game, "poll") if (e["seat"], e["window"]) == (PERSON, poll.key))
    assert (event["targets"], event.labels) == ([3], ("late",))
