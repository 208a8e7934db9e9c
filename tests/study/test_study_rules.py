"""The rules as a study's tables have them, and the quiz on them: tries are counted once."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tests.study.stages_world import participant, post, show, study
from webapp.study import timed_steps
from webapp.study.design.stages import Design
from webapp.study.models import Condition, Participant, Response
from webapp.study.planning.study_plan import find_content_errors
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
    answer = post(client, who, "quiz", tried=who.quiz_tries, **given)
    assert answer.status_code == 302
    who.refresh_from_db()


def words(page: object) -> str:
    text = re.sub(r"<[^>]+>", " ", page.content.decode())  # type: ignore[attr-defined]
    return " ".join(text.split())


def test_the_rules_are_those_of_the_studys_tables(client: Client) -> None:
    table = {"ruleset": "sheriff", "settings": {"election": False, "sheriff_dies": "ends"}}
    page = words(show(client, participant(study(rules(), GAME, table=table), "rules")))
    assert "There is no election. On the first day everyone learns who the Sheriff is." in page
    assert "as candidates for Sheriff" not in page
    assert "A Sheriff who dies chooses" not in page
    assert "Looks at one other player each night" in page, "the roles"
    assert "Settings you can choose for a table" not in page
    assert "5 yes-or-no questions" in page
    assert "the village elects a Sheriff" not in page, "no pictures of another game"


def test_where_tables_differ_both_ways_are_told_and_nothing_about_it_is_asked(
    client: Client,
) -> None:
    made = study(rules(questions=10), GAME, table={"ruleset": "sheriff"})
    other = made.conditions.get().table | {"settings": {"election": False}}
    Condition.objects.create(study=made, index=2, name="drawn", table=other)
    who = participant(made, "rules")
    page = words(show(client, who))
    assert "drawn at random as candidates for Sheriff" in page
    assert "There is no election." in page
    keys = set(answers(who, right=True))
    everything = {a.key for a in quiz_tries.quiz_bank(made)}
    assert keys <= everything
    assert not {"sheriff.elected", "sheriff.named", "sheriff.candidates"} & everything
    assert "sheriff.tie" in everything


def test_each_gets_an_order_of_their_own_and_the_same_again(client: Client) -> None:
    made = study(rules(), GAME)
    first, second = participant(made, "rules"), participant(made, "rules")
    asked = [list(answers(who, right=True)) for who in (first, second)]
    assert len(asked[0]) == 5
    assert asked[0] != asked[1]
    assert list(answers(first, right=True)) == asked[0]
    page = show(client, first, "?quiz=1").content.decode()
    assert all(f'name="{key}"' in page for key in asked[0])


def test_all_right_leads_on(client: Client) -> None:
    who = participant(study(rules(), GAME), "rules")
    attempt(client, who, right=True)
    assert participant_steps.current_step(who).kind == "waiting"
    assert who.quiz_tries == 1
    rows = Response.objects.filter(participant=who, instrument=quiz_tries.INSTRUMENT)
    assert rows.count() == 5
    assert set(rows.values_list("number", "state")) == {(1.0, Response.GIVEN)}


def test_a_wrong_try_is_explained_and_the_next_asks_other_questions(client: Client) -> None:
    who = participant(study(rules(), GAME), "rules")
    first = quiz_tries.next_questions(who, participant_steps.current_step(who))
    attempt(client, who, right=False)
    page = words(show(client, who))
    for q in first:
        assert q.why in page
    assert "You have one more try" in page
    assert "This is your last try." in page
    again = quiz_tries.next_questions(who, participant_steps.current_step(who))
    assert not {q.key for q in first} & {q.key for q in again}
    attempt(client, who, right=True)
    assert participant_steps.current_step(who).kind == "waiting"
    assert who.quiz_tries == 2


def test_after_the_last_wrong_try_one_is_out_early_and_not_rejected(client: Client) -> None:
    exits = {"quiz_early": {"code_kind": "same", "code": "RETURN"}}
    who = participant(study(rules(), GAME, exits=exits), "rules")
    attempt(client, who, right=False)
    attempt(client, who, right=False)
    assert who.exit == "quiz_early"
    assert participant_steps.completion_code(who) == "RETURN"
    assert who.study.happenings.filter(what="out:quiz_early").count() == 1


def test_who_fails_after_giving_something_goes_another_way(client: Client) -> None:
    who = participant(study({"kind": "interview"}, rules(tries=1), GAME), "rules")
    attempt(client, who, right=False)
    assert who.exit == "quiz_failed"


def test_where_failing_lets_on_one_reads_why_and_goes_on(client: Client) -> None:
    who = participant(study(rules(tries=1, then="go_on"), GAME), "rules")
    why = [q.why for q in quiz_tries.next_questions(who, participant_steps.current_step(who))]
    assert post(client, who, "on").status_code == 302
    assert Participant.objects.get(pk=who.pk).step == who.step, "not before the try"
    attempt(client, who, right=False)
    assert who.exit == ""
    page = words(show(client, who))
    assert all(text in page for text in why)
    post(client, who, "on")
    who.refresh_from_db()
    assert participant_steps.current_step(who).kind == "waiting"


def test_sent_twice_reloaded_or_from_a_second_tab_it_is_one_try(client: Client) -> None:
    who = participant(study(rules(), GAME), "rules")
    wrong = answers(who, right=False)
    for _tab in range(3):
        post(client, who, "quiz", tried=0, **wrong)
    show(client, who)
    show(client, who, "?quiz=1")
    who.refresh_from_db()
    assert who.quiz_tries == 1
    right = {key: "no" if given == "yes" else "yes" for key, given in wrong.items()}
    post(Client(), who, "quiz", tried=0, **right)  # put right from what the first tab was told
    who.refresh_from_db()
    assert (who.quiz_tries, participant_steps.current_step(who).kind) == (1, "rules")


def test_two_at_the_same_moment_are_one_try() -> None:
    who = participant(study(rules(), GAME), "rules")
    step, given = participant_steps.current_step(who), answers(who, right=False)
    yes = {key: said == "yes" for key, said in given.items()}
    one, other = (Participant.objects.get(pk=who.pk) for _ in range(2))  # both read before
    assert quiz_tries.take_try(one, step, 0, yes)
    assert not quiz_tries.take_try(other, step, 0, {key: not said for key, said in yes.items()})
    who.refresh_from_db()
    assert (who.quiz_tries, who.step) == (1, step.index)


def test_an_answer_left_out_is_no_try(client: Client) -> None:
    who = participant(study(rules(), GAME), "rules")
    given = answers(who, right=True)
    left_out = next(iter(given))
    page = post(client, who, "quiz", tried=0, **{k: v for k, v in given.items() if k != left_out})
    assert page.status_code == 422
    assert "This did not count as a try." in words(page)
    assert page.content.decode().count("checked") == 4
    who.refresh_from_db()
    assert who.quiz_tries == 0


def test_without_questions_the_rules_are_read_and_that_is_it(client: Client) -> None:
    who = participant(study(rules(questions=0), GAME), "rules")
    assert "Continue" in words(show(client, who))
    post(client, who, "on")
    who.refresh_from_db()
    assert participant_steps.current_step(who).kind == "waiting"


@pytest.mark.parametrize(("then", "exit_"), [("out", "quiz_early"), ("go_on", "")])
def test_letting_the_time_run_out_is_no_way_round_the_quiz(then: str, exit_: str) -> None:
    made = study({"kind": "rules", "minutes": 3, "quiz": {"then": then}}, GAME)
    who = participant(made, "rules")
    assert who.due_at
    assert who.due_at - timezone.now() <= timedelta(minutes=3)
    assert lifecycle.advance(who, who.step, actor=audit_events.CLOCK)
    who.refresh_from_db()
    assert who.exit == exit_
    assert exit_ or participant_steps.current_step(who).kind == "waiting"


def test_ticks_are_kept_and_stand_there_again(client: Client) -> None:
    who = participant(study(rules(), GAME), "rules")
    given = list(answers(who, right=True).items())
    assert "data-keeps" in show(client, who, "?quiz=1").content.decode()
    saved = post(client, who, "save", tried=0, revision=0, page="one", **dict(given[:3]))
    assert (saved.status_code, saved["Revision"]) == (204, "1")
    for query in ("", "?quiz=1"):
        assert show(client, who, query).content.decode().count("checked") == 3
    other = post(client, who, "save", tried=0, revision=0, page="two", **dict(given[3:]))
    assert other.status_code == 409, "another tab was quicker, and says what it has"
    assert other.json() == {"revision": 1, "values": {key: [said] for key, said in given[:3]}}
    post(client, who, "quiz", tried=0, **answers(who, right=False))
    who.refresh_from_db()
    assert who.quiz_tries == 1
    late = post(client, who, "save", tried=0, revision=1, page="one", **dict(given))
    assert late.status_code == 302, "that try has been taken"
    rows = Response.objects.filter(participant=who)
    assert set(rows.values_list("number", "state", "moment")) == {(0.0, Response.GIVEN, "try-1")}
    assert "checked" not in show(client, who).content.decode()


@pytest.mark.parametrize("by", ["page", "clock"])
@pytest.mark.parametrize("right", [True, False])
def test_what_is_chosen_as_the_time_ends_is_a_try(client: Client, by: str, right: bool) -> None:
    made = study({"kind": "rules", "minutes": 3, "quiz": {"then": "out"}}, {"kind": "debriefing"})
    who = participant(made, "rules")
    assert "Then your answers are submitted" not in show(client, who).content.decode()
    assert "Then your answers are submitted" in show(client, who, "?quiz=1").content.decode()
    given = answers(who, right=right)
    if by == "clock":
        assert post(client, who, "save", tried=0, **given).status_code == 204
    over = timezone.now() - timedelta(seconds=5)
    Participant.objects.filter(pk=who.pk).update(due_at=over)
    if by == "page":
        post(client, who, "quiz", tried=0, **given)
    timed_steps.run_due_steps()
    who.refresh_from_db()
    assert (who.quiz_tries, who.exit) == (1, "" if right else "quiz_early")
    assert not right or participant_steps.current_step(who).kind == "debriefing"
    rows = Response.objects.filter(participant=who)
    assert set(rows.values_list("number", "state")) == {(float(right), Response.EXPIRED)}


def test_that_failing_leads_out_is_said_from_the_first(client: Client) -> None:
    for then in ("out", "go_on"):
        who = participant(study(rules(then=then), GAME), "rules")
        for query in ("", "?quiz=1"):
            page = words(show(client, who, query))
            assert ("You can only take part" in page) is (then == "out"), (then, query)
        questions = quiz_tries.next_questions(who, participant_steps.current_step(who))
        assert page.index("Look up the rules") < page.index(questions[0].text)


def test_what_can_t_be_held_is_said_before_the_study_opens() -> None:
    def faults(*stages: dict[str, object], **more: object) -> str:
        made = Design.from_json({"stages": [{"kind": "consent"}, *stages], **more})
        owner = study(rules()).owner
        return " ".join(find_content_errors(made, [made.table], owner))

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
