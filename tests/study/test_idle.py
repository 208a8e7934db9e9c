"""Tests that idle participants leave by their own exit and do not complete."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from game.models import Answer
from tests.study import entering, studies, taking
from tests.study.pages import html_of
from webapp.study import interventions, timed_steps
from webapp.study.design.refusals import Refused
from webapp.study.models import AuditEvent, Participant, Payment, Response, Seating, Study
from webapp.study.sessions import slot_games

pytestmark = pytest.mark.django_db(transaction=True)

PAID = {"currency": "GBP", "exits": {"completed": {"pay": 5}, "abandoned": {"pay": 1}}}
QUESTIONNAIRE = {"kind": "questionnaire", "instruments": ["engagement"], "idle_minutes": 10}


def set_idle(person: Participant, minutes: float) -> None:
    """Set the participant's last input to that many minutes ago while a page is open."""
    input_at = timezone.now() - timedelta(minutes=minutes)
    Participant.objects.filter(pk=person.pk).update(input_at=input_at, seen_at=timezone.now())


def test_idle_participant_leaves_and_typed_answers_stay() -> None:
    study = taking.create_study(QUESTIONNAIRE, {"kind": "debriefing"}, **PAID)
    idle, active_person = taking.add_participant(study), taking.add_participant(study)
    Response.objects.create(participant=idle, step="questionnaire-1", instrument="i", item="x")
    set_idle(idle, 10.1)
    set_idle(active_person, 9.5)
    timed_steps.run_due_steps()
    assert [studies.stage_of(p) for p in (idle, active_person)] == ["abandoned", "questionnaire"]
    assert Response.objects.get().state == Response.EXPIRED
    assert Payment.objects.get().amount == 1
    assert AuditEvent.objects.filter(
        what="out:abandoned", actor="clock", reason="no input"
    ).exists()


def test_waiting_room_states_the_pay_for_waiting() -> None:
    paid = {"currency": "GBP", "exits": {"waited_out": {"pay": "1.25"}}}
    person = taking.add_participant(taking.create_study({"kind": "game"}, **paid))
    page = taking.browser_of(person).get(f"/take/as/{person.key}/").content.decode()
    assert "are paid 1.25 GBP for waiting" in " ".join(page.split())


def test_extra_time_extends_the_idle_limit() -> None:
    study = taking.create_study(QUESTIONNAIRE)
    person = taking.add_participant(study)
    Participant.objects.update(extra_time=150)
    set_idle(person, 14)
    timed_steps.run_due_steps()
    assert studies.stage_of(person) == "questionnaire"


def test_participant_moved_only_by_the_clock_never_completes() -> None:
    """The participant left after the game. Only the questionnaire has a time limit."""
    study = studies.create_study(
        table={"people": 1},
        stages=[{"kind": "consent"}, {"kind": "game"}, {**QUESTIONNAIRE, "minutes": 5},
                {"kind": "debriefing", "idle_minutes": 10}],
        assignment={"games": 1},
        **PAID,
    )  # fmt: skip
    ghost = studies.seat(study, 1)[0]
    studies.finish_game(ghost)
    Participant.objects.update(due_at=timezone.now() - timedelta(seconds=5))
    timed_steps.run_due_steps()
    assert studies.stage_of(ghost) == "debriefing"
    set_idle(ghost, 11)
    timed_steps.run_due_steps()
    assert studies.stage_of(ghost) == "abandoned"
    assert Payment.objects.get().amount == 1
    study.refresh_from_db()
    assert study.state == Study.CLOSED


@pytest.mark.parametrize(("answers", "exit_kind"), [(True, "completed"), (False, "abandoned")])
def test_end_of_last_stage_completes_only_active_participants(
    answers: bool, exit_kind: str
) -> None:
    study = taking.create_study({**QUESTIONNAIRE, "minutes": 5})
    person = taking.add_participant(study)
    if answers:
        taking.browser_of(person).post(entering.page_url(person), {"step": "1", "do": "save"})
    Participant.objects.update(due_at=timezone.now() - timedelta(seconds=5))
    timed_steps.run_due_steps()
    assert studies.stage_of(person) == exit_kind


def test_participant_with_all_answers_may_close_the_debriefing() -> None:
    study = taking.create_study({"kind": "interview"}, {"kind": "debriefing", "idle_minutes": 10})
    person = taking.add_participant(study, "debriefing")
    earlier = timezone.now() - timedelta(minutes=11)
    row = studies.reload(person)
    visits = [{**visit, "came": earlier.isoformat()} for visit in row.visits]
    Participant.objects.update(input_at=earlier, step_at=earlier, visits=visits)
    timed_steps.run_due_steps()
    assert studies.stage_of(person) == "completed"


def test_player_at_the_table_is_not_idle_after_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disconnected player is not idle either, unless the game went on without them."""
    stages = [{"kind": "consent"}, {"kind": "game"}, {"kind": "debriefing", "idle_minutes": 10}]
    people = studies.seat(studies.create_study(stages=stages))
    for person in people:
        set_idle(person, 60)
    Seating.objects.filter(participant__in=people[:2]).update(away_since=timezone.now())
    with monkeypatch.context() as later:
        later.setattr(slot_games, "sync_step", lambda _seating: None)
        studies.finish_game(people[2])
    seating = studies.seating_of(people[0])
    Answer.objects.filter(window__game=seating.slot.game, seat=seating.seat).update(
        labels=["timeout"]
    )
    timed_steps.run_due_steps()
    assert [studies.stage_of(p) for p in people] == ["abandoned", "debriefing", "debriefing"]


@pytest.mark.parametrize("query", ["", "?input=1"])
def test_open_page_without_input_is_not_activity(query: str) -> None:
    person = taking.add_participant(taking.create_study(QUESTIONNAIRE))
    set_idle(person, 5)
    client = taking.browser_of(person)
    client.get(entering.page_url(person))  # Pages reload by themselves.
    client.get(entering.page_url(person, "news") + query)
    row = studies.reload(person)
    assert row.input_at
    assert (timezone.now() - row.input_at < timedelta(minutes=1)) is bool(query)


def test_page_states_when_it_prompts_and_the_idle_limit() -> None:
    person = taking.add_participant(taking.create_study(QUESTIONNAIRE))
    page = html_of(taking.browser_of(person).get(entering.page_url(person)))
    assert 'data-idle="10"' in page
    assert "Are you still there?" in page
    assert "Come back within 10 minutes" in page


def test_researcher_chooses_the_exit_of_the_last_stage() -> None:
    person = taking.add_participant(taking.create_study(QUESTIONNAIRE))
    with pytest.raises(Refused, match="Choose an exit"):
        interventions.move_to_next_step(studies.reload(person), actor="ada")
    with pytest.raises(Refused, match="does not exist"):
        interventions.exit_from_last_step(studies.reload(person), "declined", actor="ada")
    interventions.exit_from_last_step(
        studies.reload(person), "completed", actor="ada", reason="on the phone"
    )
    assert studies.stage_of(person) == "completed"
    assert AuditEvent.objects.get(what="out:completed").reason == "on the phone"
