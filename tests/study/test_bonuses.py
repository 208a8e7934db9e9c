"""Bonuses: worked out by rule from what happened, told when they may be, checked as a design."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from game.models import Game, Player
from tests.study import taking
from tests.study.desk import sign_in
from tests.study.paying import BONUSES, GUESSES, create_study, url_of
from tests.study.test_study_setup import text_of
from tests.study.world import ended_game
from webapp.study.data.studies import build_file
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design
from webapp.study.ethics import participant_erasure
from webapp.study.games.seat_outcomes import seats_of
from webapp.study.models import Participant, Response, Seating, Slot, Study
from webapp.study.payments import payment_decisions
from webapp.study.planning import pay_checks, study_plan
from webapp.study.sessions import bonuses, lifecycle, slots

pytestmark = pytest.mark.django_db


def played(of: Study, *, game: Game, seat: int) -> Participant:
    """Somebody who sat there to the end, and takes every other player for a computer player."""
    person = taking.add_participant(of)
    slot = taking.add_played_game(person, game, seat)
    for other in game.players.exclude(seat=seat):
        Response.objects.create(
            participant=person, step="questionnaire-3", slot=slot, about_seat=other.seat,
            instrument="who-is-human", item="kind", choice="computer",
        )  # fmt: skip
    return person


def by_rule(person: Participant) -> dict[str, tuple[int, Decimal, str]]:
    rows = person.payments.filter(reason__startswith="bonus:")
    return {bonuses.bonus_rule(p): (p.cases, p.amount, p.status) for p in rows}


def test_bonuses_are_computed_once_from_the_game_outcome(
    django_capture_on_commit_callbacks: Any,
) -> None:
    of = create_study({"kind": "game"}, GUESSES, bonuses=BONUSES)
    game = ended_game("1", names={1: "", 2: ""})
    outcomes = seats_of(game)
    person = played(of, game=game, seat=1)
    with django_capture_on_commit_callbacks(execute=True):
        lifecycle.leave_by(person, "left")
    found = by_rule(person)
    assert found["guessed_human"] == (6, Decimal("0.30"), "due"), "the most is kept"
    assert ("won" in found, "survived" in found) == (outcomes[0].has_won, not outcomes[0].out)
    person.payments.all().delete()
    bonuses.settle_due_bonuses()
    assert not bonuses.settle_bonuses(person)
    assert not person.payments.exists(), "what was deleted does not come back"


def test_bonus_needs_a_completed_game_played_to_the_end() -> None:
    of = create_study({"kind": "game"}, GUESSES, bonuses=[{"rule": "survived", "amount": "1"}])
    game = ended_game("1", names=dict.fromkeys(range(1, 9), ""))
    alive = [n for n, seat in enumerate(seats_of(game), 1) if not seat.out]
    stays, left, away, void = (played(of, game=game, seat=seat) for seat in alive[:4])
    Seating.objects.filter(participant=left).update(state=Seating.OUT)
    Player.objects.filter(game=game, seat=alive[2]).update(stand_in=True)
    Slot.objects.update(state=Slot.VOID)
    for person in (stays, left, away, void):
        lifecycle.leave_by(person, "left")
    bonuses.settle_due_bonuses()
    got = [bool(by_rule(person)) for person in (stays, left, away, void)]
    assert got == [True, False, False, True], "a void game that was played to its end counts"
    called_off = ended_game("2", names={1: ""})
    Game.objects.filter(pk=called_off.pk).update(called_off=True)
    person = played(of, game=called_off, seat=1)
    lifecycle.leave_by(person, "left")
    bonuses.settle_due_bonuses()
    assert not by_rule(person)


def test_blind_table_bonus_is_hidden_until_the_study_closes() -> None:
    of = create_study({"kind": "game"}, GUESSES, {"kind": "debriefing"}, bonuses=BONUSES)
    person = played(of, game=ended_game("1", names={1: ""}, blind=True), seat=1)
    lifecycle.leave_by(person, "completed")
    bonuses.settle_due_bonuses()
    participant_erasure.erase_participant(person, actor="participant")  # takes no pay back
    ada, client = sign_in(), taking.browser_of(person)
    shown = text_of(ada.get(url_of(of)))
    assert "0.30" not in shown
    assert "Bonuses for games at blind tables appear here" in shown
    assert b"bonus" not in build_file(of, "payments.csv")
    assert [p.reason for p in payment_decisions.visible_payments(of)] == ["completed"]
    out = text_of(client.get(f"/take/as/{person.key}/"))
    assert "You may get a bonus" in out
    assert "0.30" not in out
    Study.objects.update(state=Study.CLOSED)
    bonuses.settle_due_bonuses()
    assert by_rule(person)["guessed_human"] == (7, Decimal("0.30"), "due")
    assert "0.30 · a correct guess of human or computer player" in text_of(ada.get(url_of(of)))
    assert b"bonus:guessed_human" in build_file(of, "payments.csv")


def test_bonus_is_shown_after_a_revealing_debriefing() -> None:
    of = create_study(
        {"kind": "game"}, GUESSES, {"kind": "debriefing", "reveal": True}, bonuses=BONUSES[2:]
    )
    person = played(of, game=ended_game("1", names={1: ""}, blind=True), seat=1)
    lifecycle.leave_by(person, "completed")
    bonuses.settle_due_bonuses()
    assert "a bonus of 0.30 GBP" in text_of(
        taking.browser_of(person).get(f"/take/as/{person.key}/")
    )
    left = played(of, game=ended_game("2", names={1: ""}, blind=True), seat=1)
    lifecycle.leave_by(left, "left")
    bonuses.settle_due_bonuses()
    assert "0.30" not in text_of(taking.browser_of(left).get(f"/take/as/{left.key}/"))


# -- the design


def faults(**design: Any) -> str:
    made = Design.from_json({"stages": [{"kind": "consent"}, {"kind": "game"}], **design})
    return " ".join(pay_checks.find_errors(made))


def test_invalid_bonus_designs_are_rejected_with_reasons() -> None:
    assert "a currency" in faults(bonuses=BONUSES[:1])
    assert "no questionnaire asks" in faults(bonuses=BONUSES[2:], currency="GBP")
    low = {"rule": "won", "amount": "2", "most": "1"}
    assert "is 2, but its maximum is 1" in faults(bonuses=[low], currency="GBP")
    assert "2 bonuses" in faults(bonuses=[BONUSES[0]] * 2, currency="GBP")
    with pytest.raises(Refused, match="more than 0"):
        faults(bonuses=[{"rule": "won", "amount": "0"}])


def test_plan_and_first_page_show_the_maximum_bonus() -> None:
    of = create_study({"kind": "game"}, GUESSES, bonuses=BONUSES, assignment={"games": 2})
    plan = study_plan.build_plan(of)
    assert plan.bonuses == plan.people * Decimal("1.05")
    slots.draw_slots(of)
    shown = text_of(Client().get(f"/take/{of.key}/"))
    assert "up to 1.05 GBP" in shown
    assert "person or a computer" not in shown
