"""Tests of the rules page and its quiz, whose tries are counted once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tests.study.pages import text_of
from tests.study.stage_factories import add_participant, create_study, get_page, post_step
from webapp.study import timed_steps
from webapp.study.design import rules_text
from webapp.study.design.stages import Design
from webapp.study.models import Condition, Participant, Response
from webapp.study.planning.stage_checks import find_content_errors
from webapp.study.sessions import (
    lifecycle,
    participant_state,
    quiz_tries,
    study_events,
)

pytestmark = pytest.mark.django_db
GAME = {"kind": "game"}


def rules_stage(**quiz: object) -> dict[str, object]:
    return {"kind": "rules", "quiz": quiz}


def quiz_answers(participant: Participant, *, right: bool) -> dict[str, str]:
    """Return the answers of the next try, all correct or all wrong."""
    participant.refresh_from_db()
    questions = quiz_tries.next_questions(participant, participant_state.current_step(participant))
    assert questions
    return {q.key: "yes" if q.is_true is right else "no" for q in questions}


def submit_quiz(client: Client, participant: Participant, *, right: bool) -> None:
    answers = quiz_answers(participant, right=right)
    response = post_step(client, participant, "quiz", tried=participant.quiz_tries, **answers)
    assert response.status_code == 302
    participant.refresh_from_db()


def test_rules_page_shows_the_rules_of_the_study_table(client: Client) -> None:
    table = {"ruleset": "sheriff", "settings": {"election": False, "sheriff_dies": "ends"}}
    page = text_of(
        get_page(client, add_participant(create_study(rules_stage(), GAME, table=table), "rules"))
    )
    assert "There is no election. On the first day everyone learns who the Sheriff is." in page
    assert "as candidates for Sheriff" not in page
    assert "A Sheriff who dies chooses" not in page
    assert "Looks at one other player each night" in page, "the roles are described"
    assert "Settings you can choose for a table" not in page
    assert "5 yes-or-no questions" in page
    assert "the village elects a Sheriff" not in page, "no pictures of another game are shown"


def test_differing_tables_show_both_rules_and_skip_their_questions(client: Client) -> None:
    study = create_study(rules_stage(questions=10), GAME, table={"ruleset": "sheriff"})
    other_table = study.conditions.get().table | {"settings": {"election": False}}
    Condition.objects.create(study=study, index=2, name="drawn", table=other_table)
    participant = add_participant(study, "rules")
    page = text_of(get_page(client, participant))
    assert "drawn at random as candidates for Sheriff" in page
    assert "There is no election." in page
    keys = set(quiz_answers(participant, right=True))
    all_keys = {a.key for a in rules_text.quiz_bank(rules_text.table_designs(study))}
    assert keys <= all_keys
    assert not {"sheriff.elected", "sheriff.named", "sheriff.candidates"} & all_keys
    assert "sheriff.tie" in all_keys


def test_quiz_order_is_drawn_per_participant_and_stable(client: Client) -> None:
    study = create_study(rules_stage(), GAME)
    first, second = add_participant(study, "rules"), add_participant(study, "rules")
    keys = [list(quiz_answers(participant, right=True)) for participant in (first, second)]
    assert len(keys[0]) == 5
    assert keys[0] != keys[1]
    assert list(quiz_answers(first, right=True)) == keys[0]
    page = get_page(client, first, "?quiz=1").content.decode()
    assert all(f'name="{key}"' in page for key in keys[0])


def test_correct_quiz_advances_the_participant(client: Client) -> None:
    participant = add_participant(create_study(rules_stage(), GAME), "rules")
    submit_quiz(client, participant, right=True)
    assert participant_state.current_step(participant).kind == "waiting"
    assert participant.quiz_tries == 1
    rows = Response.objects.filter(participant=participant, instrument=quiz_tries.INSTRUMENT)
    assert rows.count() == 5
    assert set(rows.values_list("number", "state")) == {(1.0, Response.GIVEN)}


def test_failed_try_is_explained_and_next_has_other_questions(client: Client) -> None:
    participant = add_participant(create_study(rules_stage(), GAME), "rules")
    first = quiz_tries.next_questions(participant, participant_state.current_step(participant))
    submit_quiz(client, participant, right=False)
    page = text_of(get_page(client, participant))
    for q in first:
        assert q.why in page
    assert "You have one more try" in page
    assert "This is your last try." in page
    second = quiz_tries.next_questions(participant, participant_state.current_step(participant))
    assert not {q.key for q in first} & {q.key for q in second}
    submit_quiz(client, participant, right=True)
    assert participant_state.current_step(participant).kind == "waiting"
    assert participant.quiz_tries == 2


@pytest.mark.parametrize("answer", ["yes", "no"])
def test_page_states_each_given_and_correct_answer(client: Client, answer: str) -> None:
    participant = add_participant(create_study(rules_stage(questions=10), GAME), "rules")
    step = participant_state.current_step(participant)
    questions = quiz_tries.next_questions(participant, step)
    answers = {question.key: answer for question in questions}
    post_step(client, participant, "quiz", tried=0, **answers)
    page = text_of(get_page(client, participant))
    right = sum(question.is_true == (answer == "yes") for question in questions)
    other = "no" if answer == "yes" else "yes"
    wrong_text = f"You answered {answer}, but the correct answer is {other}."
    assert page.count(f"You answered {answer}. That is correct.") == right > 0
    assert page.count(wrong_text) == len(questions) - right > 0
    assert page.count("You answered") == len(questions)


def test_last_failed_try_exits_early_without_rejection(client: Client) -> None:
    exits = {"quiz_early": {"code_kind": "same", "code": "RETURN"}}
    participant = add_participant(create_study(rules_stage(), GAME, exits=exits), "rules")
    submit_quiz(client, participant, right=False)
    submit_quiz(client, participant, right=False)
    assert participant.exit == "quiz_early"
    assert participant_state.completion_code(participant) == "RETURN"
    assert participant.study.audit_events.filter(what="out:quiz_early").count() == 1


def test_failed_quiz_after_earlier_answers_has_another_exit(client: Client) -> None:
    participant = add_participant(
        create_study({"kind": "interview"}, rules_stage(tries=1), GAME), "rules"
    )
    submit_quiz(client, participant, right=False)
    assert participant.exit == "quiz_failed"


def test_failed_quiz_with_go_on_explains_and_continues(client: Client) -> None:
    participant = add_participant(create_study(rules_stage(tries=1, then="go_on"), GAME), "rules")
    explanations = [
        q.why
        for q in quiz_tries.next_questions(participant, participant_state.current_step(participant))
    ]
    assert post_step(client, participant, "on").status_code == 302
    assert Participant.objects.get(pk=participant.pk).step == participant.step, "try comes first"
    submit_quiz(client, participant, right=False)
    assert participant.exit == ""
    page = text_of(get_page(client, participant))
    assert all(text in page for text in explanations)
    post_step(client, participant, "on")
    participant.refresh_from_db()
    assert participant_state.current_step(participant).kind == "waiting"


def test_quiz_sent_from_several_tabs_counts_as_one_try(client: Client) -> None:
    participant = add_participant(create_study(rules_stage(), GAME), "rules")
    wrong = quiz_answers(participant, right=False)
    for _tab in range(3):
        post_step(client, participant, "quiz", tried=0, **wrong)
    get_page(client, participant)
    get_page(client, participant, "?quiz=1")
    participant.refresh_from_db()
    assert participant.quiz_tries == 1
    right = {key: "no" if answer == "yes" else "yes" for key, answer in wrong.items()}
    post_step(
        Client(), participant, "quiz", tried=0, **right
    )  # Corrected after the first tab's result.
    participant.refresh_from_db()
    assert (participant.quiz_tries, participant_state.current_step(participant).kind) == (
        1,
        "rules",
    )


def test_concurrent_submissions_count_as_one_try() -> None:
    participant = add_participant(create_study(rules_stage(), GAME), "rules")
    step = participant_state.current_step(participant)
    answers = quiz_answers(participant, right=False)
    yes = {key: answer == "yes" for key, answer in answers.items()}
    first, second = (
        Participant.objects.get(pk=participant.pk) for _ in range(2)
    )  # Both were read before the first try.
    quiz_tries.take_try(first, step, 0, yes)
    quiz_tries.take_try(second, step, 0, {key: not answer for key, answer in yes.items()})
    participant.refresh_from_db()
    assert (participant.quiz_tries, participant.step) == (1, step.index)


def test_incomplete_quiz_does_not_count_as_a_try(client: Client) -> None:
    participant = add_participant(create_study(rules_stage(), GAME), "rules")
    answers = quiz_answers(participant, right=True)
    omitted = next(iter(answers))
    page = post_step(
        client, participant, "quiz", tried=0, **{k: v for k, v in answers.items() if k != omitted}
    )
    assert page.status_code == 422
    assert "This did not count as a try." in text_of(page)
    assert page.content.decode().count("checked") == 4
    participant.refresh_from_db()
    assert participant.quiz_tries == 0


def test_rules_without_quiz_only_need_reading(client: Client) -> None:
    participant = add_participant(create_study(rules_stage(questions=0), GAME), "rules")
    assert "Continue" in text_of(get_page(client, participant))
    post_step(client, participant, "on")
    participant.refresh_from_db()
    assert participant_state.current_step(participant).kind == "waiting"


@pytest.mark.parametrize(("on_failure", "exit_"), [("out", "quiz_early"), ("go_on", "")])
def test_expired_quiz_does_not_bypass_its_exit(on_failure: str, exit_: str) -> None:
    study = create_study({"kind": "rules", "minutes": 3, "quiz": {"then": on_failure}}, GAME)
    participant = add_participant(study, "rules")
    assert participant.due_at
    assert participant.due_at - timezone.now() <= timedelta(minutes=3)
    assert lifecycle.advance(participant, participant.step, actor=study_events.CLOCK)
    participant.refresh_from_db()
    assert participant.exit == exit_
    assert exit_ or participant_state.current_step(participant).kind == "waiting"


def test_quiz_draft_is_saved_and_restored(client: Client) -> None:
    participant = add_participant(create_study(rules_stage(), GAME), "rules")
    answers = list(quiz_answers(participant, right=True).items())
    assert "data-keeps" in get_page(client, participant, "?quiz=1").content.decode()
    saved = post_step(
        client, participant, "save", tried=0, revision=0, page="one", **dict(answers[:3])
    )
    assert (saved.status_code, saved["Revision"]) == (204, "1")
    for query in ("", "?quiz=1"):
        assert get_page(client, participant, query).content.decode().count("checked") == 3
    rejected = post_step(
        client, participant, "save", tried=0, revision=0, page="two", **dict(answers[3:])
    )
    assert rejected.status_code == 409, "the other tab saved first"
    assert rejected.json() == {
        "revision": 1,
        "values": {key: [answer] for key, answer in answers[:3]},
    }
    post_step(client, participant, "quiz", tried=0, **quiz_answers(participant, right=False))
    participant.refresh_from_db()
    assert participant.quiz_tries == 1
    late = post_step(client, participant, "save", tried=0, revision=1, page="one", **dict(answers))
    assert late.status_code == 302, "the try was already counted"
    rows = Response.objects.filter(participant=participant)
    assert set(rows.values_list("number", "state", "moment")) == {(0.0, Response.GIVEN, "try-1")}
    assert "checked" not in get_page(client, participant).content.decode()


@pytest.mark.parametrize("sender", ["page", "clock"])
@pytest.mark.parametrize("right", [True, False])
def test_quiz_answers_at_the_deadline_count_as_a_try(
    client: Client, sender: str, right: bool
) -> None:
    study = create_study(
        {"kind": "rules", "minutes": 3, "quiz": {"then": "out"}}, {"kind": "debriefing"}
    )
    participant = add_participant(study, "rules")
    assert "Then your answers are submitted" not in get_page(client, participant).content.decode()
    assert (
        "Then your answers are submitted"
        in get_page(client, participant, "?quiz=1").content.decode()
    )
    answers = quiz_answers(participant, right=right)
    if sender == "clock":
        assert post_step(client, participant, "save", tried=0, **answers).status_code == 204
    due_at = timezone.now() - timedelta(seconds=5)
    Participant.objects.filter(pk=participant.pk).update(due_at=due_at)
    if sender == "page":
        post_step(client, participant, "quiz", tried=0, **answers)
    timed_steps.run_due_steps()
    participant.refresh_from_db()
    assert (participant.quiz_tries, participant.exit) == (1, "" if right else "quiz_early")
    assert not right or participant_state.current_step(participant).kind == "debriefing"
    rows = Response.objects.filter(participant=participant)
    assert set(rows.values_list("number", "state")) == {(float(right), Response.EXPIRED)}


def test_rules_page_announces_that_failing_ends_participation(client: Client) -> None:
    for on_failure in ("out", "go_on"):
        participant = add_participant(create_study(rules_stage(then=on_failure), GAME), "rules")
        for query in ("", "?quiz=1"):
            page = text_of(get_page(client, participant, query))
            assert ("You can only take part" in page) is (on_failure == "out"), (on_failure, query)
        questions = quiz_tries.next_questions(
            participant, participant_state.current_step(participant)
        )
        assert page.index("Look up the rules") < page.index(questions[0].text)


def test_impossible_stages_are_reported_before_opening() -> None:
    def design_errors(*stages: dict[str, object], **more: object) -> str:
        design = Design.from_json({"stages": [{"kind": "consent"}, *stages], **more})
        owner = create_study(rules_stage()).owner
        return " ".join(find_content_errors(design, [design.table], owner))

    assert design_errors(rules_stage(), GAME, {"kind": "debriefing", "reveal": True}) == ""
    assert "Reduce the number" in design_errors(
        rules_stage(questions=5), GAME, table={"ruleset": "two-days"}
    )
    reveal = {"kind": "debriefing", "reveal": True}
    assert "behind the last game" in design_errors(reveal, GAME)
    two = {"games_each": 2}
    debriefing = {"kind": "debriefing", "reveal": True, "each_game": True}
    assert "behind the last game" in design_errors(GAME, debriefing, assignment=two)
    assert "There is no rating questionnaire" in design_errors(
        GAME, {"kind": "ratings", "instrument": "none"}
    )
    assert "no ratings" in design_errors(GAME, {"kind": "ratings", "campaign": "nowhere"})
