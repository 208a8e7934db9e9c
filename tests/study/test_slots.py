"""Tests of slots: blocks, deals, seats, and the replacement of void slots."""

from __future__ import annotations

from collections import Counter

import pytest

from game.engine import rulesets
from tests.study import studies
from tests.study.experiments import METHODS
from tests.study.studies import PEOPLE_FACTOR
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import TableDesign
from webapp.study.games.seat_outcomes import get_seat_outcomes
from webapp.study.models import AuditEvent, Slot, Study
from webapp.study.sessions import slots
from webapp.study.sessions.slots import deal_roles

pytestmark = pytest.mark.django_db


def create_study(**design: object) -> Study:
    return studies.create_study(**design)  # type: ignore[arg-type]


def slot_rows(study: Study) -> list[tuple[object, ...]]:
    rows = study.slots.select_related("condition")
    return [(s.block, s.index, s.condition.name, s.deal, tuple(s.seats)) for s in rows]


def roles_of(slot: Slot) -> list[str]:
    roles = deal_roles(TableDesign.from_json(slot.condition.table), slot.deal)
    return [roles[seat - 1] for seat in slot.seats]


def test_each_block_has_each_condition_once_in_a_drawn_order() -> None:
    study = create_study(factors=[METHODS, PEOPLE_FACTOR], assignment={"games": 12})
    assert study.slots.count() == 48
    orders = set()
    for block in range(1, 13):
        names = [s.condition.name for s in study.slots.filter(block=block)]
        assert sorted(names) == ["full+one", "full+three", "plain+one", "plain+three"]
        orders.add(tuple(names))
    assert len(orders) > 4
    assert [s.index for s in study.slots.all()] == list(range(1, 49))


def test_same_seed_draws_the_same_slots_and_another_differs() -> None:
    drawn_rows = [slot_rows(create_study(factors=[METHODS], seed=seed)) for seed in ("a", "a", "b")]
    assert drawn_rows[0] == drawn_rows[1] != drawn_rows[2]


def test_drawing_slots_twice_changes_nothing() -> None:
    study = create_study(factors=[METHODS])
    before = slot_rows(study)
    slots.draw_slots(study)
    assert slot_rows(study) == before
    assert len(before) == 20


@pytest.mark.parametrize("deals", ["shared", "fresh"])
def test_conditions_share_or_separate_deals_and_seats(deals: str) -> None:
    study = create_study(factors=[METHODS], assignment={"games": 10, "deals": deals})
    for block in range(1, 11):
        one, two = study.slots.filter(block=block)
        shared = deals == "shared"
        assert (one.deal == two.deal) is shared
        assert not shared or one.seats == two.seats
    assert len({s.deal for s in study.slots.all()}) == (10 if deals == "shared" else 20)


def test_game_deals_the_roles_the_slot_predicted() -> None:
    study = create_study(assignment={"games": 1})
    people = studies.seat(study)
    slot = studies.finish_game(people[0])
    assert slot.game
    reckoned = deal_roles(TableDesign.from_json(slot.condition.table), slot.deal)
    assert tuple(seat.role for seat in get_seat_outcomes(slot.game)) == reckoned


@pytest.mark.parametrize("people", [1, 3])
def test_seats_are_balanced_and_independent_of_roles(people: int) -> None:
    study = create_study(table={"people": people}, assignment={"games": 48, "deals": "fresh"})
    seats = Counter(seat for s in study.slots.all() for seat in s.seats)
    assert sum(seats.values()) == 48 * people
    assert set(seats) == set(range(1, 9))
    assert max(seats.values()) - min(seats.values()) <= 4
    roles = Counter(role for s in study.slots.all() for role in roles_of(s))
    deck = Counter(rulesets.get("one-night").deck)
    shares = {role: roles[role] / (48 * deck[role]) for role in deck}
    assert max(deck.values()) > 1
    assert all(abs(share - people / 8) < 0.06 for share in shares.values()), shares
    assert all(len(set(s.seats)) == people for s in study.slots.all())


def test_seats_can_be_preset() -> None:
    study = create_study(table={"people": 2, "people_seats": [7, 2]})
    assert all(s.seats == [7, 2] for s in study.slots.all())


def test_roles_can_be_preset() -> None:
    study = create_study(table={"people": 2, "people_roles": ["werewolf", "seer"]})
    assert {tuple(roles_of(s)) for s in study.slots.all()} == {("werewolf", "seer")}
    assert len({tuple(s.seats) for s in study.slots.all()}) > 3


def test_role_missing_from_the_deal_is_rejected() -> None:
    with pytest.raises(Refused, match="seer"):
        create_study(table={"people": 2, "people_roles": ["seer", "seer"]})


def test_void_slot_is_replaced_in_its_block() -> None:
    study = create_study(factors=[METHODS], assignment={"games": 3})
    slot = study.slots.get(index=2)
    slots.void_slot(slot, "the line was lost", actor="ada")
    new = study.slots.latest("pk")
    slot.refresh_from_db()
    assert (slot.state, slot.void_reason) == (Slot.VOID, "the line was lost")
    same = ("block", "condition_id", "deal", "seats")
    assert [getattr(new, f) for f in same] == [getattr(slot, f) for f in same]
    assert (new.index, new.state) == (7, Slot.FREE)
    event = AuditEvent.objects.get(what="void")
    assert (event.actor, event.reason, event.slot) == ("ada", "the line was lost", slot)
    slots.void_slot(slot, "again", actor="ada")
    assert study.slots.count() == 7


def test_slot_counts_are_by_condition_and_state() -> None:
    study = create_study(factors=[METHODS], assignment={"games": 2})
    slots.void_slot(study.slots.get(index=1), "x", actor="ada")
    lost = study.slots.get(index=1).condition.name
    none = {"filling": 0, "playing": 0, "done": 0, "failed": 0}
    assert slots.slot_counts(study)[lost] == {"free": 2, "void": 1, **none}
    other_conditions = {"full", "plain"} - {lost}
    other = other_conditions.pop()
    assert slots.slot_counts(study)[other] == {"free": 2, "void": 0, **none}
    slots.fail_slot(study.slots.filter(condition__name=other)[0], "the model failed")
    assert slots.slot_counts(study)[other] == {"free": 1, "void": 0, **none, "failed": 1}


def test_study_is_full_when_no_slot_is_free() -> None:
    study = create_study(assignment={"games": 1})
    assert not study.is_full
    slot = study.slots.get()
    Slot.objects.update(state=Slot.PLAYING)
    assert study.is_full
    slots.void_slot(slot, "x", actor="ada")
    assert not study.is_full
