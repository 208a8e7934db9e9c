"""Tests of the questions asked during play: their settings and the rows they produce."""

from __future__ import annotations

import pytest

from game import selectors
from game.engine.visibility import MODERATOR
from game.models import Player
from tests.game.table import new_game
from tests.study.question_games import EVERYTHING, PERSON, SHERIFF, WHY, create_slot, play_game
from webapp.lab.stored_games import load_record
from webapp.play.turns.withdrawals import erase_person
from webapp.study.design.participation_rules import InPlayQuestions, settings_for_questions
from webapp.study.design.refusals import Refused
from webapp.study.models import Participant
from webapp.study.sessions.play_answers import POLL, RATING, VOTE, read_play_answers

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("ruleset", "during"),
    [
        ("sheriff", EVERYTHING),
        ("one-night", InPlayQuestions(confidence=True, polls=True, why=True)),
        ("two-days", InPlayQuestions(confidence=True, why=True)),
        ("sheriff", InPlayQuestions()),
    ],
)
def test_each_question_switch_becomes_a_valid_game_setting(
    ruleset: str, during: InPlayQuestions
) -> None:
    chosen = settings_for_questions(during, ruleset)
    assert len(chosen) == sum(during.model_dump().values())
    assert new_game(PERSON, ruleset=ruleset, settings=chosen).settings.items() >= chosen.items()


def test_unsupported_question_is_rejected_with_one_sentence_each() -> None:
    with pytest.raises(Refused) as error:
        settings_for_questions(EVERYTHING, "two-days")
    assert error.value.sentences == [
        "Two days has no straw poll.",
        "Two days has no discussion leader, so trust cannot be asked around a speech.",
    ]


def test_each_rating_poll_and_vote_becomes_a_row() -> None:
    game = play_game()
    rows = read_play_answers(create_slot(game))
    assert {(row.participant, row.seat) for row in rows} == {("P001", PERSON)}
    ratings = [row for row in rows if row.what == RATING]
    assert [r.before for r in ratings[::6]] == ["statement", "pseudo_vote", "vote"]
    assert {r.about for r in ratings} == {1, 3, 4, 5, 6, 7}, "all players who can be rated"
    first, second, last = (ratings[i : i + 6] for i in (0, 6, 12))
    role = selectors.view_for(game, MODERATOR).state.roles[PERSON]
    doubted = 9 if role == "werewolf" else 2
    assert {(r.about, r.role, r.confidence, r.score, r.is_unchanged) for r in first if r.role} == {
        (SHERIFF, "werewolf", 9, doubted, False),
        (7, "seer", 6, 6, False),
    }
    assert all(r.is_unchanged for r in [*second, *last])
    assert [(r.about, r.role) for r in last if r.role] == [(SHERIFF, "werewolf"), (7, "seer")]
    assert {r.labels for r in [*first, *second]} == {()}
    assert {r.labels for r in last} == {("timeout",)}
    assert all(r.seconds is not None and r.seconds >= 0 for r in rows)
    other_rows = [(r.what, r.kind, r.about, r.why) for r in rows if r.what != RATING]
    assert other_rows == [(POLL, "pseudo_vote", 1, ""), (VOTE, "vote", 7, WHY)]


def test_play_answers_agree_with_the_metrics() -> None:
    game = play_game()
    rows = read_play_answers(create_slot(game))
    (day,) = load_record(game).days
    last = {r.about: r.score for r in rows if r.before == "vote" and r.score is not None}
    assert day.scores[PERSON] == last
    (poll,) = [r for r in rows if r.what == POLL]
    (vote,) = [r for r in rows if r.what == VOTE]
    assert day.pseudo_votes[PERSON] == poll.about
    assert day.votes[PERSON] == vote.about == day.votes[SHERIFF]
    assert len(day.votes) == 7, "reasons are not votes"


def test_ratings_without_a_poll_belong_to_the_moment_before_the_speech() -> None:
    game = play_game(InPlayQuestions(reliability=True))
    rows = read_play_answers(create_slot(game))
    assert [r.before for r in rows if r.what == RATING][::6] == ["summing_up", "vote"]


def test_withdrawn_answers_are_in_no_row() -> None:
    game = play_game()
    slot = create_slot(game)
    erase_person(Player.objects.get(game=game, seat=PERSON))
    (vote,) = [r for r in read_play_answers(slot) if r.what == VOTE]
    assert (vote.about, vote.why) == (7, "")
    Participant.objects.update(withdrew=True)
    assert read_play_answers(slot) == []


def test_unfinished_game_has_no_rows() -> None:
    game = new_game(PERSON, ruleset="sheriff")
    with pytest.raises(ValueError, match="not over"):
        read_play_answers(create_slot(game))
