"""The rules as a study's tables have them, and the quiz on them: tries are counted once."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tests.study.stages_world import add_participant, create_study, get_page, post_step
from webapp.study import timed_steps
from webapp.study.design.stages import Design
from webapp.study.models import Condition, Participant, Response
from webapp.study.planning.content_checks import find_errors
from webapp.study.sessions import audit_events, lifecycle, participant_steps, quiz_tries

pytestmark = pytest.mark.django_db
GAME = {"kind": "game"}


def rules(**quiz: object) -> dict[str, object]:
    return {"kind": "rules", "quiz": quiz}


def answers(who: Participant, *, right: bool) -> dict[str, str]:
    """Of the try that is due: all right, or all wrong."""
    who.refresh_from_db()
    asked = quiz_tries.next_questions(who, participant_steps.current_step(who))
    assert asked
    return {q.key: "yes" if q.is_true is right else "no" for q in asked}


def attempt(client: Client, who: Participant, *, right: bool) -> None:
    given = answers(who, right=right)
    answer = post_step(client, who, "quiz", tried=who.quiz_tries, **given)
    assert answer.status_code == 302
    who.refresh_from_db()


def words(page: object) -> str:
    text = re.sub(r"<[^>]+>", " ", page.content.decode())  # type: ignore[attr-defined]
    return " ".join(text.split())


def test_rules_page_shows_the_rules_of_the_study_table(client: Client) -> None:
    table = {"ruleset": "sheriff", "settings": {"election": False, "sheriff_dies": "ends"}}
    page = words(
        get_page(client, add_participant(create_study(rules(), GAME, table=table), "rules"))
    )
    assert "There is no election. On the first day everyone learns who the Sheriff is." in page
    assert "as candidates for Sheriff" not in page
    assert "A Sheriff who dies chooses" not in page
    assert "Looks at one other player each night" in page, "the roles"
    assert "Settings you can choose for a table" not in page
    assert "5 yes-or-no questions" in page
    assert "the village elects a Sheriff" not in page, "no pictures of another game"


def test_differing_tables_show_both_rules_and_skip_their_questions(
    client: Client,
) -> None:
    made = create_study(rules(questions=10), GAME, table={"ruleset": "sheriff"})
    other = made.conditions.get().table | {"settings": {"election": False}}
    Condition.objects.create(study=made, index=2, name="drawn", table=other)
    who = add_participant(made, "rules")
    page = words(get_page(client, who))
    assert "drawn at random as candidates for Sheriff" in page
    assert "There is no election." in page
    keys = set(answers(who, right=True))
    everything = {a.key for a in quiz_tries.quiz_bank(made)}
    assert keys <= everything
    assert not {"sheriff.elected", "sheriff.named", "sheriff.candidates"} & everything
    assert "sheriff.tie" in everything


def test_quiz_order_is_drawn_per_participant_and_stable(client: Client) -> None:
    made = create_study(rules(), GAME)
    first, second = add_participant(made, "rules"), add_participant(made, "rules")
    asked = [list(answers(who, right=True)) for who in (first, second)]
    assert len(asked[0]) == 5
    assert asked[0] != asked[1]
    assert list(answers(first, right=True)) == asked[0]
    page = get_page(client, first, "?quiz=1").content.decode()
    assert all(f'name="{key}"' in page for key in asked[0])


def test_correct_quiz_advances_the_participant(client: Client) -> None:
    who = add_participant(create_study(rules(), GAME), "rules")
    attempt(client, who, right=True)
    assert participant_steps.current_step(who).kind == "waiting"
    assert who.quiz_tries == 1
    rows = Response.objects.filter(participant=who, instrument=quiz_tries.INSTRUMENT)
    assert rows.count() == 5
    assert set(rows.values_list("number", "state")) == {(1.0, Response.GIVEN)}


def test_failed_try_is_explained_and_next_has_other_questions(client: Client) -> None:
    who = add_participant(create_study(rules(), GAME), "rules")
    first = quiz_tries.next_questions(who, participant_steps.current_step(who))
    attempt(client, who, right=False)
    page = words(get_page(client, who))
    for q in first:
        assert q.why in page
    assert "You have one more try" in page
    assert "This is your last try." in page
    again = quiz_tries.next_questions(who, participant_steps.current_step(who))
    assert not {q.key for q in first} & {q.key for q in again}
    attempt(client, who, right=True)
    assert participant_steps.current_step(who).kind == "waiting"
    assert who.quiz_tries == 2


def test_last_failed_try_exits_early_without_rejection(client: Client) -> None:
    exits = {"quiz_early": {"code_kind": "same", "code": "RETURN"}}
    who = add_participant(create_study(rules(), GAME, exits=exits), "rules")
    attempt(client, who, right=False)
    attempt(client, who, right=False)
    assert who.exit == "quiz_early"
    assert participant_steps.completion_code(who) == "RETURN"
    assert who.study.happenings.filter(what="out:quiz_early").count() == 1


def test_failed_quiz_after_earlier_answers_has_another_exit(client: Client) -> None:
    who = add_participant(create_study({"kind": "interview"}, rules(tries=1), GAME), "rules")
    attempt(client, who, right=False)
    assert who.exit == "quiz_failed"


def test_failed_quiz_with_go_on_explains_and_continues(client: Client) -> None:
    who = add_participant(create_study(rules(tries=1, then="go_on"), GAME), "rules")
    why = [q.why for q in quiz_tries.next_questions(who, participant_steps.current_step(who))]
    assert post_step(client, who, "on").status_code == 302
    assert Participant.objects.get(pk=who.pk).step == who.step, "not before the try"
    attempt(client, who, right=False)
    assert who.exit == ""
    page = words(get_page(client, who))
    assert all(text in page for text in why)
    post_step(client, who, "on")
    who.refresh_from_db()
    assert participant_steps.current_step(who).kind == "waiting"


def test_quiz_sent_from_several_tabs_counts_as_one_try(client: Client) -> None:
    who = add_participant(create_study(rules(), GAME), "rules")
    wrong = answers(who, right=False)
    for _tab in range(3):
        post_step(client, who, "quiz", tried=0, **wrong)
    get_page(client, who)
    get_page(client, who, "?quiz=1")
    who.refresh_from_db()
    assert who.quiz_tries == 1
    right = {key: "no" if given == "yes" else "yes" for key, given in wrong.items()}
    post_step(Client(), who, "quiz", tried=0, **right)  # put right from what the first tab was told
    who.refresh_from_db()
    assert (who.quiz_tries, participant_steps.current_step(who).kind) == (1, "rules")


def test_concurrent_submissions_count_as_one_try() -> None:
    who = add_participant(create_study(rules(), GAME), "rules")
    step, given = participant_steps.current_step(who), answers(who, right=False)
    yes = {key: said == "yes" for key, said in given.items()}
    one, other = (Participant.objects.get(pk=who.pk) for _ in range(2))  # both read before
    assert quiz_tries.take_try(one, step, 0, yes)
    assert not quiz_tries.take_try(other, step, 0, {key: not said for key, said in yes.items()})
    who.refresh_from_db()
    assert (who.quiz_tries, who.step) == (1, step.index)


def test_incomplete_quiz_does_not_count_as_a_try(client: Client) -> None:
    who = add_participant(create_study(rules(), GAME), "rules")
    given = answers(who, right=True)
    left_out = next(iter(given))
    page = post_step(
        client, who, "quiz", tried=0, **{k: v for k, v in given.items() if k != left_out}
    )
    assert page.status_code == 422
    assert "This did not count as a try." in words(page)
    assert page.content.decode().count("checked") == 4
    who.refresh_from_db()
    assert who.quiz_tries == 0


def test_rules_without_quiz_only_need_reading(client: Client) -> None:
    who = add_participant(create_study(rules(questions=0), GAME), "rules")
    assert "Continue" in words(get_page(client, who))
    post_step(client, who, "on")
    who.refresh_from_db()
    assert participant_steps.current_step(who).kind == "waiting"


@pytest.mark.parametrize(("then", "exit_"), [("out", "quiz_early"), ("go_on", "")])
def test_expired_quiz_does_not_bypass_its_exit(then: str, exit_: str) -> None:
    made = create_study({"kind": "rules", "minutes": 3, "quiz": {"then": then}}, GAME)
    who = add_participant(made, "rules")
    assert who.due_at
    assert who.due_at - timezone.now() <= timedelta(minutes=3)
    assert lifecycle.advance(who, who.step, actor=audit_events.CLOCK)
    who.refresh_from_db()
    assert who.exit == exit_
    assert exit_ or participant_steps.current_step(who).kind == "waiting"


def test_quiz_draft_is_saved_and_restored(client: Client) -> None:
    who = add_participant(create_study(rules(), GAME), "rules")
    given = list(answers(who, right=True).items())
    assert "data-keeps" in get_page(client, who, "?quiz=1").content.decode()
    saved = post_step(client, who, "save", tried=0, revision=0, page="one", **dict(given[:3]))
    assert (saved.status_code, saved["Revision"]) == (204, "1")
    for query in ("", "?quiz=1"):
        assert get_page(client, who, query).content.decode().count("checked") == 3
    other = post_step(client, who, "save", tried=0, revision=0, page="two", **dict(given[3:]))
    assert other.status_code == 409, "another tab was quicker, and says what it has"
    assert other.json() == {"revision": 1, "values": {key: [said] for key, said in given[:3]}}
    post_step(client, who, "quiz", tried=0, **answers(who, right=False))
    who.refresh_from_db()
    assert who.quiz_tries == 1
    late = post_step(client, who, "save", tried=0, revision=1, page="one", **dict(given))
    assert late.status_code == 302, "that try has been taken"
    rows = Response.objects.filter(participant=who)
    assert set(rows.values_list("number", "state", "moment")) == {(0.0, Response.GIVEN, "try-1")}
    assert "checked" not in get_page(client, who).content.decode()


@pytest.mark.parametrize("by", ["page", "clock"])
@pytest.mark.parametrize("right", [True, False])
def test_quiz_answers_at_the_deadline_count_as_a_try(client: Client, by: str, right: bool) -> None:
    made = create_study(
        {"kind": "rules", "minutes": 3, "quiz": {"then": "out"}}, {"kind": "debriefing"}
    )
    who = add_participant(made, "rules")
    assert "Then your answers are submitted" not in get_page(client, who).content.decode()
    assert "Then your answers are submitted" in get_page(client, who, "?quiz=1").content.decode()
    given = answers(who, right=right)
    if by == "clock":
        assert post_step(client, who, "save", tried=0, **given).status_code == 204
    over = timezone.now() - timedelta(seconds=5)
    Participant.objects.filter(pk=who.pk).update(due_at=over)
    if by == "page":
        post_step(client, who, "quiz", tried=0, **given)
    timed_steps.run_due_steps()
    who.refresh_from_db()
    assert (who.quiz_tries, who.exit) == (1, "" if right else "quiz_early")
    assert not right or participant_steps.current_step(who).kind == "debriefing"
    rows = Response.objects.filter(participant=who)
    assert set(rows.values_list("number", "state")) == {(float(right), Response.EXPIRED)}


def test_rules_page_announces_that_failing_ends_participation(client: Client) -> None:
    for then in ("out", "go_on"):
        who = add_participant(create_study(rules(then=then), GAME), "rules")
        for query in ("", "?quiz=1"):
            page = words(get_page(client, who, query))
            assert ("You can only take part" in page) is (then == "out"), (then, query)
        questions = quiz_tries.next_questions(who, participant_steps.current_step(who))
        assert page.index("Look up the rules") < page.index(questions[0].text)


def test_impossible_stages_are_reported_before_opening() -> None:
    def faults(*stages: dict[str, object], **more: object) -> str:
        made = Design.from_json({"stages": [{"kind": "consent"}, *stages], **more})
        owner = create_study(rules()).owner
        return " ".join(find_errors(made, [made.table], owner))

    assert faults(rules(), GAME, {"kind": "debriefing", "reveal": True}) == ""
    assert "Reduce the number" in faults(rules(questions=5), GAME, table={"ruleset": "two-days"})
    reveal = {"kind": "debriefing", "reveal": True}
    assert "behind the last game" in faults(reveal, GAME)
    two = {"games_each": 2}
    again = {"kind": "debriefing", "reveal": True, "each_game": True}
    assert "behind the last game" in faults(GAME, again, assignment=two)
    assert "There is no rating questionnaire" in faults(
        GAME, {"kind": "ratings", "instrument": "none"}
    )
    assert "no ratings" in faults(GAME, {"kind": "ratings", "campaign": "nowhere"})
