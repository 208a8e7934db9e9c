"""Tests of a researcher's interventions in an open study and of requests that come too late."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from game.models import Window
from tests.study import studies, taking, world
from webapp.study import interventions, timed_steps
from webapp.study.design.refusals import Refused
from webapp.study.models import AuditEvent, Participant, Payment, Response, Slot, Study
from webapp.study.planning import studies as study_states
from webapp.study.sessions import dropouts, lifecycle, participant_state, study_campaigns

pytestmark = pytest.mark.django_db(transaction=True)
TIMED = [
    {"kind": "consent"},
    {"kind": "questionnaire", "minutes": 5},
    {"kind": "game"},
    {"kind": "debriefing"},
]


def recorded_events(kind: str) -> list[tuple[str, str]]:
    return list(AuditEvent.objects.filter(what=kind).values_list("actor", "reason"))


def test_move_on_submits_the_typed_answers() -> None:
    study = studies.create_study(stages=TIMED)
    person = studies.enrol(study, 1)[0]
    Response.objects.create(
        participant=person, step="questionnaire-1", instrument="i", item="x", text="half"
    )
    interventions.move_to_next_step(studies.reload(person), actor="ada", reason="stuck")
    assert studies.stage_of(person) == "waiting"
    assert Response.objects.get().state == Response.EXPIRED
    assert recorded_events("moved_on") == [("ada", "stuck")]


def test_move_on_lets_an_open_page_send_its_answers_first() -> None:
    study = studies.create_study(stages=TIMED)
    person = studies.enrol(study, 1)[0]
    Participant.objects.update(seen_at=timezone.now())
    for _ in range(2):  # Two researchers act at once.
        interventions.move_to_next_step(studies.reload(person), actor="ada")
    assert studies.stage_of(person) == "questionnaire"
    assert studies.reload(person).due_at <= timezone.now()
    Participant.objects.update(due_at=timezone.now() - timedelta(seconds=5))
    timed_steps.run_due_steps()
    assert studies.stage_of(person) == "waiting"
    assert len(recorded_events("moved_on")) == 1


def test_move_on_never_screens_a_participant_out() -> None:
    quiz = {"kind": "rules", "quiz": {"questions": 3, "then": "out"}}
    background = {"kind": "background", "least_experience": 4}
    stages = [{"kind": "consent"}, quiz, background, {"kind": "game"}]
    person = studies.enrol(studies.create_study(stages=stages), 1)[0]
    Participant.objects.update(seen_at=timezone.now())
    for kind in ("background", "waiting"):
        interventions.move_to_next_step(studies.reload(person), actor="ada")
        assert (studies.stage_of(person), studies.reload(person).exit) == (kind, "")
    ends = [
        v["by"] for v in studies.reload(person).visits if v["step"].startswith(("rules", "back"))
    ]
    assert ends == ["researcher", "researcher"]


def test_move_on_is_rejected_in_waiting_room_and_game() -> None:
    study = studies.create_study()
    waiting = studies.queue(study)[0]
    with pytest.raises(Refused, match="waits for a game"):
        interventions.move_to_next_step(waiting, actor="ada")
    playing = studies.seat(studies.create_study(seed="t"))[0]
    with pytest.raises(Refused, match="is in a game"):
        interventions.move_to_next_step(studies.reload(playing), actor="ada")


def test_added_time_survives_a_page_view() -> None:
    study = studies.create_study(stages=TIMED)
    person = studies.enrol(study, 1)[0]
    before = studies.reload(person).due_at
    assert before
    interventions.extend_time(person, 10, actor="ada")
    with pytest.raises(Refused, match="a moment ago"):
        interventions.extend_time(person, 10, actor="eve")
    row = studies.reload(person)
    participant_state.start_step_timer(row, participant_state.current_step(row))
    assert studies.reload(person).due_at == before + timedelta(minutes=10)
    assert not lifecycle.advance(row, row.step, actor="clock", if_due=True)


def test_added_time_applies_to_the_whole_table() -> None:
    study = studies.create_study()
    people = studies.seat(study)
    game = studies.game_of(people[0])
    before = {w.key: w.expires_at for w in Window.objects.filter(game=game, closed_at=None)}
    timed = [key for key, expires in before.items() if expires]
    assert timed
    interventions.extend_time(studies.reload(people[0]), 3, actor="ada")
    now = {w.key: w.expires_at for w in Window.objects.filter(game=game, closed_at=None)}
    assert all(now[key] - before[key] == timedelta(minutes=3) for key in timed)
    assert studies.seating_of(people[0]).slot.deviations["more_time"][0]["seconds"] == 180


def test_seat_handover_and_return_are_recorded_as_by_policy() -> None:
    study = studies.create_study()
    people = studies.seat(study)
    seat = studies.seating_of(people[0])
    interventions.hand_seat_to_agent(seat, actor="ada", reason="asleep")
    with pytest.raises(Refused, match="already has another player"):
        interventions.hand_seat_to_agent(seat, actor="eve")
    dropouts.update_absences(study)
    assert studies.seating_of(people[0]).player.stand_in
    interventions.return_seat(seat, actor="ada")
    assert not studies.seating_of(people[0]).player.stand_in
    deviations = studies.seating_of(people[0]).slot.deviations
    assert [deviations[k][0]["seat"] for k in ("stand_ins", "returned")] == [seat.seat] * 2
    assert studies.finish_game(people[1]).void_reason == "dropout"
    with pytest.raises(Refused, match="not in this game"):
        interventions.hand_seat_to_agent(seat, actor="ada")


def test_researcher_can_start_a_game_short_of_people() -> None:
    study = studies.create_study()
    people = studies.queue(study, 2)
    assert {studies.waiting_state(p) for p in people} == {"waiting"}
    interventions.start_with_agents(study, actor="ada", reason="late")
    with pytest.raises(Refused, match="No waiting participant"):
        interventions.start_with_agents(study, actor="eve")
    studies.confirm_all(people)
    slot = studies.seating_of(people[0]).slot
    assert (slot.state, len(slot.deviations["computer_seats"])) == (Slot.PLAYING, 1)
    assert studies.finish_game(people[0]).void_reason == "began short"
    assert recorded_events("begin_short") == [("ada", "late")]


def test_starting_short_seats_ready_participants_at_once() -> None:
    study = studies.create_study()
    people = studies.queue(study, 3)
    studies.confirm_all(people[:2])
    slot = studies.seating_of(people[0]).slot
    lifecycle.leave_by(people[2], "left")
    interventions.start_with_agents(slot, actor="ada")
    assert studies.seating_of(people[0]).slot.state == Slot.PLAYING
    with pytest.raises(Refused, match="already started"):
        interventions.start_with_agents(slot, actor="ada")


def test_ending_a_game_voids_it_and_requeues_its_participants() -> None:
    study = studies.create_study()
    people = studies.seat(study)
    slot = studies.seating_of(people[0]).slot
    with pytest.raises(Refused, match="reason"):
        interventions.cancel_game(slot, actor="ada", reason=" ")
    interventions.cancel_game(slot, actor="ada", reason="abuse")
    slot.refresh_from_db()
    assert (slot.state, slot.void_reason) == (Slot.VOID, "ended by hand: abuse")
    assert {studies.stage_of(p) for p in people} == {"waiting"}
    with pytest.raises(Refused, match="over"):
        interventions.cancel_game(slot, actor="eve", reason="abuse")


def test_excluded_participant_is_excluded_as_rater_now_and_later() -> None:
    study = studies.create_study()
    one, two = studies.enrol(study, 2)
    first, second = (world.create_campaign(world.ended_game(seed)) for seed in ("1", "2"))
    before = study_campaigns.get_or_create_rater(one, first)
    interventions.exclude_participant(one, "a bot", actor="ada")
    after = study_campaigns.get_or_create_rater(one, second)
    other_rater = study_campaigns.get_or_create_rater(two, second)
    for rater, reason in ((before, "a bot"), (after, "a bot"), (other_rater, "")):
        rater.refresh_from_db()
        assert (rater.excluded, rater.exclusion_reason) == (bool(reason), reason)
    with pytest.raises(Refused, match="a bot"):
        interventions.exclude_participant(one, "rude", actor="eve")
    interventions.include_participant(one, "it was none", actor="ada")
    before.refresh_from_db()
    assert not before.excluded
    assert not studies.reload(one).excluded
    assert recorded_events("excluded") == [("ada", "a bot")]


def test_participant_can_be_removed_only_once() -> None:
    person = studies.seat(studies.create_study())[0]
    interventions.remove_participant(person, actor="ada", reason="insults")
    assert studies.stage_of(person) == "removed"
    assert studies.reload(person).visits[-1]["by"] == "researcher"
    with pytest.raises(Refused, match="already left"):
        interventions.remove_participant(person, actor="eve", reason="insults")


def test_stopping_a_study_lets_everybody_out_with_pay() -> None:
    exits = {"technical": {"pay": "2.00"}}
    study = studies.create_study(stages=TIMED, exits=exits)
    players = studies.seat(study)
    waiting = studies.queue(study)[0]
    typing = studies.enrol(study, 1)[0]
    Response.objects.create(
        participant=typing, step="questionnaire-1", instrument="i", item="x", text="half"
    )
    everybody = [*players, waiting, typing]
    interventions.stop_study(study, actor="ada", reason="a fault")
    assert {studies.stage_of(p) for p in everybody} == {"technical"}
    assert Payment.objects.filter(reason="technical").count() == len(everybody)
    assert Response.objects.get().state == Response.LEFT
    assert studies.seating_of(players[0]).slot.void_reason == "the study was stopped"
    assert studies.game_of(players[0]).called_off
    assert study.state == Study.CLOSED
    with pytest.raises(Refused, match="already stopped"):
        interventions.stop_study(study, actor="eve", reason="a fault")
    assert recorded_events("stopped") == [("ada", "a fault")]


def test_clock_finishes_an_interrupted_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    study = studies.create_study()
    people = studies.seat(study)
    with monkeypatch.context() as patch:
        patch.setattr(interventions, "finish_stop", lambda study: None)
        interventions.stop_study(study, actor="ada", reason="a fault")
    assert {studies.stage_of(p) for p in people} == {"game"}
    timed_steps.run_due_steps()
    assert {studies.stage_of(p) for p in people} == {"technical"}


@pytest.mark.parametrize("idle", [False, True])
def test_answers_sent_just_after_removal_are_stored(idle: bool) -> None:
    study = taking.create_study({"kind": "background"}, {"kind": "debriefing"})
    person = taking.add_participant(study)
    if idle:
        Participant.objects.update(input_at=timezone.now() - timedelta(hours=1))
        lifecycle.end_idle_visit(person)
        assert studies.reload(person).exit == "abandoned"
    else:
        interventions.remove_participant(person, actor="ada", reason="a fault")
    client = taking.browser_of(person)
    form = {"step": 1, "revision": 0, "page": "one", "background/age": "age-18-24", "do": "save"}
    client.post(f"/take/as/{person.key}/", form)
    assert Response.objects.get().state == Response.LEFT
    Participant.objects.update(exited_at=timezone.now() - timedelta(minutes=2))
    client.post(f"/take/as/{person.key}/", {**form, "background/age": "age-25-34"})
    assert Response.objects.get().choice == "age-18-24"


def test_pause_and_resume_are_recorded_with_a_reason() -> None:
    study = studies.create_study()
    study_states.pause(study, "ada", "lunch")
    with pytest.raises(Refused):
        study_states.pause(study, "eve")
    study_states.resume(study, "ada")
    assert study.state == Study.OPEN
    assert recorded_events("paused") == [("ada", "lunch")]
