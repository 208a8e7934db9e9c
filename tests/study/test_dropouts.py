"""Tests of participants who are absent or leave: the effect of each policy and the record."""

from __future__ import annotations

import csv
import io
from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from game.models import Answer, Heartbeat, Player, Window
from tests.study import studies
from webapp.play.live import sweeper
from webapp.play.models import Desk
from webapp.study import timed_steps
from webapp.study.data.studies import build_file
from webapp.study.models import AuditEvent, Participant, Seating, Slot, Study
from webapp.study.sessions import dropouts, lifecycle, slot_matching, study_events

pytestmark = pytest.mark.django_db(transaction=True)


def set_last_seen(person: Participant, seconds: float) -> None:
    """Set the time since a page of the table was open."""
    seen_at = timezone.now() - timedelta(seconds=seconds)
    Desk.objects.filter(player=studies.seating_of(person).player).update(seen_at=seen_at)


def has_stand_in(person: Participant) -> bool:
    return bool(Player.objects.get(pk=studies.seating_of(person).player_id).stand_in)


def update_absences_twice(study: Study) -> None:
    for _ in range(2):  # The check is idempotent.
        dropouts.update_absences(study)


def recorded_events() -> list[tuple[str, str]]:
    rows = AuditEvent.objects.exclude(what__in=["began", "done", "void"])
    return list(rows.values_list("what", "actor"))


def test_participant_with_an_open_page_is_not_absent() -> None:
    study = studies.create_study()
    studies.seat(study)
    update_absences_twice(study)
    assert recorded_events() == []


def test_absence_within_grace_only_records_events() -> None:
    study = studies.create_study()
    people = studies.seat(study)
    set_last_seen(people[0], 50)
    update_absences_twice(study)
    assert recorded_events() == [("away", "participant")]
    assert studies.seating_of(people[0]).away_since
    assert not has_stand_in(people[0])
    set_last_seen(people[0], 0)
    update_absences_twice(study)
    assert recorded_events() == [("away", "participant"), ("back", "participant")]
    assert studies.seating_of(people[0]).away_since is None


def test_stand_in_plays_after_grace_until_participant_returns() -> None:
    study = studies.create_study()
    people = studies.seat(study)
    set_last_seen(people[0], 61)
    update_absences_twice(study)
    assert [has_stand_in(p) for p in people] == [True, False, False]
    assert recorded_events() == [("away", "participant"), ("stand_in", "dropouts")]
    assert studies.stage_of(people[0]) == "game"
    slot = studies.seating_of(people[0]).slot
    seat = studies.seating_of(people[0]).seat
    assert [entry["seat"] for entry in slot.deviations["stand_ins"]] == [seat]
    set_last_seen(people[0], 0)
    update_absences_twice(study)
    assert not has_stand_in(people[0])
    slot.refresh_from_db()
    assert [entry["seat"] for entry in slot.deviations["returned"]] == [seat]
    assert studies.finish_game(people[1]).state == Slot.VOID


@pytest.mark.parametrize(("counts", "state"), [(True, Slot.DONE), (False, Slot.VOID)])
def test_dropout_rule_decides_whether_a_stand_in_game_counts(counts: bool, state: str) -> None:
    study = studies.create_study(dropout={"counts": counts})
    people = studies.seat(study)
    set_last_seen(people[0], 61)
    update_absences_twice(study)
    slot = studies.finish_game(people[1])
    assert slot.state == state
    assert {studies.stage_of(p) for p in people} == {"debriefing"}
    assert study.slots.filter(block=slot.block).count() == (1 if counts else 2)


def test_wait_policy_only_records_the_absence() -> None:
    study = studies.create_study(dropout={"policy": "wait"})
    people = studies.seat(study)
    set_last_seen(people[0], 900)
    update_absences_twice(study)
    assert recorded_events() == [("away", "participant")]
    assert not has_stand_in(people[0])


def test_end_policy_voids_game_and_requeues_its_participants() -> None:
    study = studies.create_study(dropout={"policy": "end", "grace": 30})
    people = studies.seat(study)
    first = studies.seating_of(people[0]).slot
    set_last_seen(people[0], 31)
    update_absences_twice(study)
    first.refresh_from_db()
    assert (first.state, first.void_reason) == (Slot.VOID, "dropout")
    assert [entry["seat"] for entry in first.deviations["dropped"]] == [first.seats[0]]
    assert {studies.stage_of(p) for p in people} == {"waiting"}
    assert ("ended", "dropouts") in recorded_events()
    assert {s.state for s in first.seatings.all()} == {Seating.OUT}


def test_leaving_participant_is_replaced_by_a_permanent_stand_in() -> None:
    study = studies.create_study()
    people = studies.seat(study)
    lifecycle.leave_by(people[0], "left")
    player = Player.objects.get(pk=studies.seating_of(people[0]).player_id)
    assert player.left_at
    assert player.stand_in
    assert studies.seating_of(people[0]).state == Seating.OUT
    set_last_seen(people[0], 0)
    update_absences_twice(study)
    assert has_stand_in(people[0])
    slot = studies.finish_game(people[1])
    assert [entry["seat"] for entry in slot.deviations["left"]] == [slot.seats[0]]
    assert slot.state == Slot.VOID
    assert [studies.stage_of(p) for p in people] == ["left", "debriefing", "debriefing"]


def test_leaving_participant_ends_game_under_end_policy() -> None:
    study = studies.create_study(dropout={"policy": "end"})
    people = studies.seat(study)
    lifecycle.leave_by(people[0], "left")
    assert studies.seating_of(people[0]).slot.state == Slot.VOID
    assert [studies.stage_of(p) for p in people] == ["left", "waiting", "waiting"]


def test_leaving_frees_seat_then_notifies_then_settles_bonus(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = studies.create_study(bonuses=[{"rule": "survived", "amount": "1"}])
    person = studies.seat(study)[0]
    states = []

    def record(group: str, _kind: str) -> None:
        row = studies.reload(person)
        events = AuditEvent.objects.filter(participant=row, what__in=["out:left", "left_game"])
        seat = studies.seating_of(row).state
        names = list(events.order_by("pk").values_list("what", flat=True))
        states.append((group, row.exit, names, seat, row.bonuses_at is not None))

    monkeypatch.setattr(study_events.notifier, "send", record)
    lifecycle.leave_by(person, "left")
    events = ["out:left", "left_game"]
    participant_group, monitor_group = (
        study_events.participant_group(person.key),
        study_events.monitor_group(study.pk),
    )
    assert [state for state in states if state[0] == participant_group][-1] == (
        participant_group, "left", events, Seating.OUT, False
    )  # fmt: skip
    assert states[-1] == (monitor_group, "left", events, Seating.OUT, True)


def test_game_without_remaining_participants_is_void() -> None:
    study = studies.create_study(table={"people": 1})
    person = studies.seat(study, 1)[0]
    lifecycle.leave_by(person, "left")
    assert studies.seating_of(person).slot.state == Slot.VOID
    assert study.slots.filter(state=Slot.FREE, block=1).count() == 1


def test_sweeper_downtime_is_not_counted_as_absence() -> None:
    study = studies.create_study(stages=studies.TIMED_STAGES)
    people = studies.seat(study)
    lost = timedelta(minutes=10)
    set_last_seen(people[0], 605)
    timed_steps.restore_lost_time(lost)
    update_absences_twice(study)
    assert recorded_events() == []


def test_server_downtime_is_not_counted_as_absence(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sweeper runs but no process serves pages. Earlier absences remain."""
    study = studies.create_study(stages=studies.TIMED_STAGES)
    here, away = studies.seat(study)[:2]
    set_last_seen(away, 30)
    update_absences_twice(study)
    before = studies.seating_of(away).away_since
    assert before
    lost = timedelta(minutes=10)
    Heartbeat.objects.create(pk=Heartbeat.PAGES, at=timezone.now() - lost)
    for rows, field in ((Desk.objects, "seen_at"), (Seating.objects, "away_since")):
        rows.update(**{field: F(field) - lost})  # Ten minutes pass.
    monkeypatch.setattr(sweeper, "SWEEP_JOBS", [])
    sweeper.Sweeper().sweep()
    update_absences_twice(study)
    assert studies.seating_of(here).away_since is None
    since = studies.seating_of(away).away_since
    assert since
    assert abs(since - before) < timedelta(seconds=30)


def test_arrival_during_sweeper_downtime_waits_from_arrival() -> None:
    study = studies.create_study()
    before, meanwhile = studies.queue(study, ago=3700)[0], studies.queue(study, ago=600)[0]
    due = timezone.now() + timedelta(minutes=5)
    Participant.objects.update(due_at=due)
    timed_steps.restore_lost_time(timedelta(hours=1))
    now = timezone.now()
    assert 90 < slot_matching.seconds_waited(studies.reload(before), now) < 110
    assert 590 < slot_matching.seconds_waited(studies.reload(meanwhile), now) < 610
    assert studies.reload(meanwhile).due_at == due
    assert studies.reload(before).due_at == due + timedelta(hours=1)


def test_clock_set_back_keeps_waiting_order_and_times() -> None:
    study = studies.create_study()
    first, second = studies.queue(study, ago=-3000)[0], studies.queue(study, ago=-3300)[0]
    by_new_clock = studies.queue(study)[0]
    timed_steps.restore_lost_time(timedelta(hours=-1))
    now = timezone.now()
    waiting_times = [
        slot_matching.seconds_waited(studies.reload(p), now) for p in (first, second, by_new_clock)
    ]
    assert [round(w / 60) for w in waiting_times] == [10, 5, 0]


def test_stage_deadline_is_extended_by_lost_time() -> None:
    study = studies.create_study(table={"people": 1}, stages=studies.TIMED_STAGES)
    person = studies.seat(study, 1)[0]
    studies.finish_game(person)
    past = timezone.now() - timedelta(seconds=5)
    Participant.objects.update(due_at=past, step_at=past - timedelta(minutes=1))
    timed_steps.restore_lost_time(timedelta(seconds=30))
    timed_steps.run_due_steps()
    assert studies.stage_of(person) == "debriefing"
    Participant.objects.update(due_at=past)
    timed_steps.run_due_steps()
    assert studies.stage_of(person) == "completed"


def test_study_closes_when_games_and_participants_are_finished() -> None:
    study = studies.create_study(table={"people": 1}, assignment={"games": 1})
    person = studies.seat(study, 1)[0]
    studies.finish_game(person)
    timed_steps.run_due_steps()
    study.refresh_from_db()
    assert study.state == Study.OPEN
    lifecycle.advance(person, studies.reload(person).step)
    timed_steps.run_due_steps()
    study.refresh_from_db()
    assert study.state == Study.CLOSED
    assert study.closed_at


def test_sweeper_restores_its_lost_time_once(monkeypatch: pytest.MonkeyPatch) -> None:
    study = studies.create_study(table={"people": 1}, stages=studies.TIMED_STAGES)
    person = studies.seat(study, 1)[0]
    studies.finish_game(person)
    now = timezone.now()
    before = now - timedelta(minutes=11)
    Participant.objects.update(due_at=now - timedelta(seconds=5), step_at=before)
    Heartbeat.objects.update_or_create(pk=1, defaults={"at": now - timedelta(minutes=10)})
    for kind in ("debriefing", "completed"):
        monkeypatch.setattr(sweeper, "SWEEP_JOBS", [timed_steps.StudyClock().step])
        sweeper.Sweeper().sweep()
        assert studies.stage_of(person) == kind
        Participant.objects.update(due_at=now - timedelta(seconds=5))


def test_sweeper_runs_the_study_clock() -> None:
    assert timed_steps.run_timed_steps in sweeper.SWEEP_JOBS


def test_failing_absence_check_does_not_stop_other_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(study: Study) -> None:
        raise RuntimeError

    study = studies.create_study(table={"people": 1})
    person = studies.queue(study)[0]
    Seating.objects.update(held_until=timezone.now() - timedelta(seconds=1))
    monkeypatch.setattr(dropouts, "update_absences", fails)
    timed_steps.run_due_steps(with_slow_steps=False)
    assert studies.waiting_state(person) == "waiting"


# -- open pages without answers


def miss_questions(person: Participant, questions: int) -> None:
    """Let the participant's time run out for that many questions."""
    game = studies.game_of(person)
    seat = studies.seating_of(person).seat
    window = Window.objects.filter(game=game).order_by("pk").last()
    assert window
    Answer.objects.bulk_create(
        Answer(
            window=window, seat=seat, action={"manner": "silent"}, labels=["timeout"],
            at=timezone.now(),
        )
        for _ in range(questions)
    )  # fmt: skip


def test_participant_missing_many_questions_gets_a_stand_in() -> None:
    study = studies.create_study()
    people = studies.seat(study)
    miss_questions(people[0], 4)
    timed_steps.run_due_steps()
    assert not has_stand_in(people[0])
    miss_questions(people[0], 1)
    for _ in range(2):
        timed_steps.run_due_steps()
    assert [has_stand_in(p) for p in people] == [True, False, False]
    assert recorded_events() == [("stand_in", "dropouts")]
    table = build_file(study, "happenings.csv").decode()
    (row,) = (r for r in csv.DictReader(io.StringIO(table)) if r["what"] == "stand_in")
    assert (row["actor"], row["reason"]) == ("policy", "missed 5 questions")


@pytest.mark.parametrize("rule", [{"missed": 0}, {"policy": "wait"}])
def test_missed_questions_are_ignored_if_the_rule_says_so(rule: dict[str, object]) -> None:
    study = studies.create_study(dropout=rule)
    people = studies.seat(study)
    miss_questions(people[0], 20)
    timed_steps.run_due_steps()
    assert not has_stand_in(people[0])


def test_own_answer_resets_the_missed_count() -> None:
    study = studies.create_study()
    people = studies.seat(study)
    miss_questions(people[0], 4)
    Answer.objects.order_by("-pk").filter(pk=Answer.objects.latest("pk").pk).update(labels=[])
    miss_questions(people[0], 1)
    timed_steps.run_due_steps()
    assert not has_stand_in(people[0])
    assert dropouts.read_answer_records(study)[studies.seating_of(people[0]).pk].missed == 1
