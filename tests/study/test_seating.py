"""Tests of the waiting room: offers, seats, maximum wait and repeated games."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.study import studies
from tests.study.experiments import METHODS
from tests.study.studies import PEOPLE_FACTOR, expire_open_offers
from webapp.study import timed_steps
from webapp.study.models import AuditEvent, Participant, Payment, Seating, Slot, Study
from webapp.study.sessions import lifecycle, seating, slot_games, slot_matching, slots

pytestmark = pytest.mark.django_db(transaction=True)

ONE_PERSON = {"people": 1}
PAID = {"waited_out": {"code": "W", "code_kind": "same", "pay": "1.50"}}


def waiting_status(person: Participant) -> seating.WaitingStatus:
    return seating.waiting_status(studies.reload(person))


def test_game_starts_when_all_three_participants_are_ready() -> None:
    study = studies.create_study()
    people = studies.queue(study, 2)
    assert [studies.waiting_state(p) for p in people] == ["waiting", "waiting"]
    people += studies.queue(study)
    assert [studies.waiting_state(p) for p in people] == ["asked"] * 3
    studies.confirm_all(people[:2])
    assert [studies.waiting_state(p) for p in people] == ["ready", "ready", "asked"]
    assert {studies.stage_of(p) for p in people} == {"waiting"}
    studies.confirm_all(people[2:])
    assert {studies.stage_of(p) for p in people} == {"game"}
    slot = studies.seating_of(people[0]).slot
    assert slot.state == Slot.PLAYING
    assert [studies.seating_of(p).seat for p in people] == slot.seats
    assert {studies.seating_of(p).state for p in people} == {Seating.SEATED}


def test_confirm_ready_needs_an_open_offer() -> None:
    study = studies.create_study()
    people = studies.queue(study, 2)
    assert not seating.confirm_ready(people[0])
    people += studies.queue(study)
    past = timezone.now() - timedelta(seconds=1)
    Seating.objects.update(held_until=past)
    assert not seating.confirm_ready(people[0])


def test_repeated_confirmation_starts_one_game() -> None:
    study = studies.create_study(table=ONE_PERSON)
    (person,) = studies.queue(study)
    assert seating.confirm_ready(person)
    assert not seating.confirm_ready(studies.reload(person))
    assert study.slots.filter(state=Slot.PLAYING).count() == 1


def test_expired_offer_goes_to_another_and_others_keep_theirs() -> None:
    study = studies.create_study()
    people = studies.queue(study, 3)
    late = studies.queue(study)[0]
    studies.confirm_all(people[1:])
    expire_open_offers(study)
    assert [studies.waiting_state(p) for p in people] == ["waiting", "ready", "ready"]
    slot_matching.offer_slots(study)
    assert studies.waiting_state(late) == "asked"
    assert studies.waiting_state(people[0]) == "waiting"
    studies.confirm_all([late])
    assert {studies.stage_of(p) for p in (*people[1:], late)} == {"game"}
    assert studies.stage_of(people[0]) == "waiting"


def test_participant_with_expired_offer_is_asked_again_last() -> None:
    study = studies.create_study()
    people = studies.queue(study, 3)
    studies.confirm_all(people[1:])
    expire_open_offers(study)
    slot_matching.offer_slots(study)
    assert studies.waiting_state(people[0]) == "asked"
    studies.confirm_all(people[:1])
    assert {studies.stage_of(p) for p in people} == {"game"}


def test_started_game_admits_nobody() -> None:
    study = studies.create_study(assignment={"games": 1})
    studies.seat(study)
    late = studies.queue(study)[0]
    assert slot_matching.offer_slots(study) == 0
    assert not seating.confirm_ready(late)
    assert study.is_full


def test_expired_confirmation_is_requested_again() -> None:
    study = studies.create_study()
    people = studies.queue(study, 3)
    studies.confirm_all(people[:2])
    past = timezone.now() - timedelta(seconds=1)
    Seating.objects.filter(participant=people[0]).update(held_until=past)
    studies.confirm_all(people[2:])
    assert [studies.waiting_state(p) for p in people] == ["asked", "ready", "ready"]
    studies.confirm_all(people[:1])
    assert {studies.stage_of(p) for p in people} == {"game"}


def test_incomplete_slots_release_participants_for_each_other() -> None:
    study = studies.create_study()
    people = studies.queue(study, 6)
    studies.confirm_all([*people[:2], *people[3:4]])
    lifecycle.leave_by(people[2], "left")
    lifecycle.leave_by(people[4], "left")
    lifecycle.leave_by(people[5], "left")
    assert study.slots.filter(state=Slot.FILLING).count() == 2
    slot_matching.offer_slots(study)
    seating.expire_offers(study)
    assert {studies.stage_of(p) for p in (people[0], people[1], people[3])} == {"game"}
    assert study.slots.filter(state=Slot.FILLING).count() == 0


def test_slots_fill_in_order_and_void_slots_within_their_block() -> None:
    study = studies.create_study(table=ONE_PERSON, assignment={"games": 3})
    first = studies.seat(study, 1)[0]
    slots.void_slot(studies.seating_of(first).slot, "x", actor="ada")
    second = studies.seat(study, 1)[0]
    assert studies.seating_of(second).slot.block == 1
    assert studies.seating_of(studies.seat(study, 1)[0]).slot.block == 2


def test_absent_participant_gets_no_offer_and_keeps_their_turn() -> None:
    study = studies.create_study()
    people = studies.queue(study, 2, ago=200)
    Participant.objects.filter(pk=people[0].pk).update(seen_at=timezone.now() - timedelta(hours=1))
    studies.queue(study)
    assert not people[0].seatings.exists()
    assert (
        studies.waiting_state(people[0]) == "waiting"
    )  # The request shows that the participant is back.
    assert slot_matching.offer_slots(study) == 3


def test_paused_study_makes_no_offers() -> None:
    study = studies.create_study(table=ONE_PERSON)
    Study.objects.update(state=Study.PAUSED)
    person = studies.queue(study)[0]
    assert studies.waiting_state(person) == "waiting"
    Study.objects.update(state=Study.OPEN)
    assert slot_matching.offer_slots(study) == 1


# -- waiting times


@pytest.mark.parametrize("people", [1, 3])
def test_minimum_wait_applies_to_one_and_several_participants(people: int) -> None:
    study = studies.create_study(table={"people": people}, waiting={"least": 60})
    participants = studies.queue(study, people, ago=50)
    assert slot_matching.offer_slots(study) == 0
    for person in participants:
        studies.backdate(person, 11)
    assert slot_matching.offer_slots(study) == people


def test_waiting_status_hides_missing_players_in_a_blind_study() -> None:
    blind, seeing = studies.create_study(), studies.create_study(table={"blind": False})
    one, other_person = studies.queue(blind, 1, ago=12)[0], studies.queue(seeing, 1, ago=12)[0]
    assert waiting_status(one).needed is None
    assert waiting_status(other_person).needed == 2
    assert 12 <= waiting_status(one).waited_s <= 20


def test_paid_exit_is_possible_after_its_waiting_time() -> None:
    study = studies.create_study(exits=PAID)
    person = studies.queue(study, 1, ago=280)[0]
    assert not waiting_status(person).can_leave_paid
    assert not seating.leave_queue(person)
    studies.backdate(person, 30)
    assert waiting_status(person).can_leave_paid
    assert seating.leave_queue(studies.reload(person))
    assert studies.stage_of(person) == "waited_out"
    assert studies.reload(person).waited_s >= 310
    assert str(Payment.objects.get(participant=person).amount) == "1.50"


def test_participant_leaving_as_the_game_starts_stays_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = studies.create_study(table=ONE_PERSON)
    person = studies.queue(study, 1, ago=700)[0]
    with monkeypatch.context() as patch:  # The game began but the step has not changed.
        patch.setattr(slot_games, "sync_step", lambda _seating: None)
        studies.confirm_all([person])
    assert studies.stage_of(person) == "waiting"
    assert not seating.leave_queue(studies.reload(person))
    seating.expire_offers(study)
    assert studies.stage_of(person) == "waiting"
    timed_steps.run_due_steps()
    assert studies.stage_of(person) == "game"


def test_participant_is_paid_and_leaves_at_maximum_wait() -> None:
    study = studies.create_study(exits=PAID)
    person, other_person = studies.queue(study, 1, ago=590)[0], studies.queue(study)[0]
    seating.expire_offers(study)
    assert studies.stage_of(person) == "waiting"
    studies.backdate(person, 11)
    seating.expire_offers(study)
    assert studies.stage_of(person) == "waited_out"
    assert studies.stage_of(other_person) == "waiting"
    assert AuditEvent.objects.get(what="out:waited_out").actor == "clock"


def test_absent_participant_is_not_paid_at_maximum_wait() -> None:
    study = studies.create_study(exits=PAID)
    person = studies.queue(study, 1, ago=601)[0]
    Participant.objects.update(seen_at=timezone.now() - timedelta(seconds=300))
    seating.expire_offers(study)
    assert studies.stage_of(person) == "abandoned"
    assert not Payment.objects.exists()


@pytest.mark.parametrize("counts", [True, False])
def test_game_starts_with_computer_players_at_maximum_wait(counts: bool) -> None:
    study = studies.create_study(waiting={"at_most": "begin", "short_counts": counts})
    person, other_person = studies.queue(study, 1, ago=601)[0], studies.queue(study)[0]
    seating.expire_offers(study)
    assert slot_matching.offer_slots(study) == 0  # Both got an offer when the other person joined.
    studies.confirm_all([person, other_person])
    seating.expire_offers(study)
    slot = studies.seating_of(person).slot
    assert {studies.stage_of(p) for p in (person, other_person)} == {"game"}
    assert slot.deviations == {"computer_seats": [slot.seats[2]]}
    assert slot.game
    assert slot.game.players.filter(kind="person").count() == 2
    slot = studies.finish_game(person)
    assert (slot.state, slot.void_reason) == (("done", "") if counts else ("void", "began short"))
    assert study.slots.filter(block=slot.block, state=Slot.FREE).exists() is not counts
    assert {studies.stage_of(p) for p in (person, other_person)} == {"debriefing"}


def test_unanswered_offer_at_maximum_wait_ends_and_resets_the_slot() -> None:
    study = studies.create_study(waiting={"at_most": "begin"}, exits=PAID)
    person = studies.queue(study, 1, ago=640)[0]
    slot_matching.offer_slots(study)
    assert studies.waiting_state(person) == "asked"
    expire_open_offers(study)
    assert studies.stage_of(person) == "waited_out"
    slot = study.slots.get(index=1)
    assert (slot.state, slot.deviations) == (Slot.FREE, {})


# -- several games


def test_participant_does_not_play_a_condition_twice() -> None:
    study = studies.create_study(
        table=ONE_PERSON, factors=[METHODS], assignment={"games_each": 2, "games": 4}
    )
    person = studies.seat(study, 1)[0]
    first = studies.finish_game(person)
    assert studies.waiting_state(person) == "asked"
    studies.confirm_all([person])
    assert studies.finish_game(person).condition_id != first.condition_id
    assert studies.stage_of(person) == "debriefing"


def test_participant_can_repeat_a_condition_if_the_design_allows() -> None:
    assignment = {"games_each": 2, "distinct_conditions": False}
    study = studies.create_study(table=ONE_PERSON, assignment=assignment)
    person = studies.seat(study, 1)[0]
    studies.finish_game(person)
    studies.confirm_all([person])
    assert studies.stage_of(person) == "game"


def test_participant_does_not_play_a_deal_twice() -> None:
    rules = {"games": 3, "games_each": 3, "distinct_conditions": False}
    study = studies.create_study(table=ONE_PERSON, factors=[METHODS], assignment=rules)
    person = studies.seat(study, 1)[0]
    deals = [studies.finish_game(person).deal]
    for _ in range(2):
        studies.confirm_all([person])
        deals.append(studies.finish_game(person).deal)
    assert len(set(deals)) == 3
    assert studies.stage_of(person) == "debriefing"


def test_deal_of_a_void_game_counts_as_played() -> None:
    study = studies.create_study(table=ONE_PERSON, assignment={"games": 2})
    person = studies.seat(study, 1)[0]
    first = studies.seating_of(person).slot
    slots.void_slot(first, "x", actor="ada")
    timed_steps.run_due_steps()
    assert studies.waiting_state(person) == "asked"
    assert studies.seating_of(person).slot.deal != first.deal


def test_participant_who_knows_each_remaining_deal_leaves() -> None:
    study = studies.create_study(table=ONE_PERSON, assignment={"games": 1})
    person = studies.seat(study, 1)[0]
    slots.void_slot(studies.seating_of(person).slot, "x", actor="ada")
    timed_steps.run_due_steps()
    seating.expire_offers(study)
    assert studies.stage_of(person) == "technical"


def test_short_game_uses_a_new_deal() -> None:
    rules = {"games": 2, "games_each": 2, "distinct_conditions": False}
    waiting = {"most": 60, "at_most": "begin"}
    study = studies.create_study(
        table={"people": 2}, factors=[METHODS], assignment=rules, waiting=waiting
    )
    person = studies.queue(study, ago=70)[0]
    studies.confirm_all([person])
    first = studies.finish_game(person)
    studies.backdate(person, 70)
    slot_matching.offer_slots(study)
    assert studies.waiting_state(person) == "asked"
    assert studies.seating_of(person).slot.deal != first.deal


def test_participants_do_not_meet_twice() -> None:
    rules = {"games_each": 2, "distinct_conditions": False, "meet_once": True}
    study = studies.create_study(table={"people": 2}, assignment=rules)
    pairs = [studies.seat(study, 2), studies.seat(study, 2)]
    studies.finish_game(pairs[0][0])
    assert {studies.waiting_state(p) for p in pairs[0]} == {"waiting"}
    studies.finish_game(pairs[1][0])
    everybody = [*pairs[0], *pairs[1]]
    assert {studies.waiting_state(p) for p in everybody} == {"asked"}
    studies.confirm_all(everybody)
    for one, other_person in pairs:
        assert studies.seating_of(one).slot_id != studies.seating_of(other_person).slot_id


def test_conditions_of_different_sizes_fill_in_parallel() -> None:
    study = studies.create_study(factors=[PEOPLE_FACTOR], assignment={"games": 1})
    people = studies.queue(study, 4)
    studies.confirm_all(people)
    assert {studies.stage_of(p) for p in people} == {"game"}
    assert study.slots.filter(state=Slot.PLAYING).count() == 2


# -- full studies


def test_waiting_participant_leaves_once_the_study_is_full() -> None:
    study = studies.create_study(assignment={"games": 1})
    people = studies.queue(study, 4)
    studies.confirm_all(people[:3])
    seating.expire_offers(study)
    assert studies.stage_of(people[3]) == "full"
    assert {studies.stage_of(p) for p in people[:3]} == {"game"}


def test_participant_continues_without_second_game_if_none_is_left() -> None:
    rules = {"games": 1, "games_each": 2, "distinct_conditions": False}
    study = studies.create_study(table=ONE_PERSON, assignment=rules)
    person = studies.seat(study, 1)[0]
    studies.finish_game(person)
    assert studies.stage_of(person) == "waiting"
    seating.expire_offers(study)
    assert studies.stage_of(person) == "debriefing"


def test_participant_who_played_each_open_condition_continues() -> None:
    study = studies.create_study(table=ONE_PERSON, assignment={"games": 5, "games_each": 2})
    person = studies.seat(study, 1)[0]
    studies.finish_game(person)
    seating.expire_offers(study)
    assert studies.stage_of(person) == "debriefing"


def test_closing_the_study_releases_waiting_participants() -> None:
    study = studies.create_study()
    person = studies.queue(study)[0]
    second_person = studies.queue(study, 2)[0]
    Study.objects.update(state=Study.CLOSED)
    studies.confirm_all([person, *study.participants.exclude(pk=person.pk)])
    seating.expire_offers(Study.objects.get())
    assert {studies.stage_of(p) for p in (person, second_person)} == {"full"}


def test_leaving_participant_releases_the_offered_seat() -> None:
    study = studies.create_study()
    people = studies.queue(study, 3)
    studies.confirm_all(people[:2])
    lifecycle.leave_by(people[2], "left")
    assert studies.seating_of(people[2]).state == Seating.RELEASED
    late = studies.queue(study)[0]
    studies.confirm_all([late])
    assert studies.stage_of(people[0]) == "game"
