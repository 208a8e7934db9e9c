"""Tests that bonuses are computed by rule, shown when allowed and validated."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from game.models import Game, Player
from tests.study import taking
from tests.study.desk import sign_in
from tests.study.pages import unescaped_html
from tests.study.paying import BONUSES, GUESSES, create_study, url_of
from tests.study.world import ended_game
from webapp.study.data.studies import build_file
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design
from webapp.study.ethics import participant_erasure
from webapp.study.games.seat_outcomes import get_seat_outcomes
from webapp.study.models import Participant, Response, Seating, Slot, Study
from webapp.study.payments import payment_decisions
from webapp.study.planning import rule_checks, study_plan
from webapp.study.sessions import bonuses, lifecycle, slots

pytestmark = pytest.mark.django_db


def add_guessing_player(study: Study, *, game: Game, seat: int) -> Participant:
    """Add a player who stayed to the end and guesses that all others are computers."""
    person = taking.add_participant(study)
    slot = taking.add_played_game(person, game, seat)
    for other_player in game.players.exclude(seat=seat):
        Response.objects.create(
            participant=person, step="questionnaire-3", slot=slot, about_seat=other_player.seat,
            instrument="who-is-human", item="kind", choice="computer",
        )  # fmt: skip
    return person


def bonuses_by_rule(person: Participant) -> dict[str, tuple[int, Decimal, str]]:
    rows = person.payments.filter(reason__startswith="bonus:")
    return {bonuses.bonus_rule(p): (p.cases, p.amount, p.status) for p in rows}


def test_bonuses_are_computed_once_from_the_game_outcome(
    django_capture_on_commit_callbacks: Any,
) -> None:
    study = create_study({"kind": "game"}, GUESSES, bonuses=BONUSES)
    game = ended_game("1", names={1: "", 2: ""})
    outcomes = get_seat_outcomes(game)
    person = add_guessing_player(study, game=game, seat=1)
    with django_capture_on_commit_callbacks(execute=True):
        lifecycle.leave_by(person, "left")
    paid = bonuses_by_rule(person)
    assert paid["guessed_human"] == (6, Decimal("0.30"), "due"), "the maximum is respected"
    assert ("won" in paid, "survived" in paid) == (outcomes[0].has_won, not outcomes[0].out)
    person.payments.all().delete()
    bonuses.settle_due_bonuses()
    bonuses.settle_bonuses(person)
    assert not person.payments.exists(), "deleted bonuses are not computed again"


def test_bonus_needs_a_completed_game_played_to_the_end() -> None:
    study = create_study({"kind": "game"}, GUESSES, bonuses=[{"rule": "survived", "amount": "1"}])
    game = ended_game("1", names=dict.fromkeys(range(1, 9), ""))
    alive = [n for n, seat in enumerate(get_seat_outcomes(game), 1) if not seat.out]
    active, left, absent, void = (
        add_guessing_player(study, game=game, seat=seat) for seat in alive[:4]
    )
    Seating.objects.filter(participant=left).update(state=Seating.OUT)
    Player.objects.filter(game=game, seat=alive[2]).update(stand_in=True)
    Slot.objects.update(state=Slot.VOID)
    for person in (active, left, absent, void):
        lifecycle.leave_by(person, "left")
    bonuses.settle_due_bonuses()
    has_bonus = [bool(bonuses_by_rule(person)) for person in (active, left, absent, void)]
    assert has_bonus == [True, False, False, True], "a void but completed game counts"
    called_off = ended_game("2", names={1: ""})
    Game.objects.filter(pk=called_off.pk).update(called_off=True)
    person = add_guessing_player(study, game=called_off, seat=1)
    lifecycle.leave_by(person, "left")
    bonuses.settle_due_bonuses()
    assert not bonuses_by_rule(person)


def test_blind_table_bonus_is_hidden_until_the_study_closes() -> None:
    study = create_study({"kind": "game"}, GUESSES, {"kind": "debriefing"}, bonuses=BONUSES)
    person = add_guessing_player(study, game=ended_game("1", names={1: ""}, blind=True), seat=1)
    lifecycle.leave_by(person, "completed")
    bonuses.settle_due_bonuses()
    participant_erasure.erase_participant(
        person, actor="participant"
    )  # Erasure does not revoke pay.
    ada = sign_in()
    client = taking.browser_of(person)
    page = unescaped_html(ada.get(url_of(study)))
    assert "0.30" not in page
    assert "Bonuses for games at blind tables appear here" in page
    assert b"bonus" not in build_file(study, "payments.csv")
    assert [p.reason for p in payment_decisions.visible_payments(study)] == ["completed"]
    exit_page = unescaped_html(client.get(f"/take/as/{person.key}/"))
    assert "You may get a bonus" in exit_page
    assert "0.30" not in exit_page
    Study.objects.update(state=Study.CLOSED)
    bonuses.settle_due_bonuses()
    assert bonuses_by_rule(person)["guessed_human"] == (7, Decimal("0.30"), "due")
    assert "0.30 · a correct guess of human or computer player" in unescaped_html(
        ada.get(url_of(study))
    )
    assert b"bonus:guessed_human" in build_file(study, "payments.csv")


def test_bonus_is_shown_after_a_revealing_debriefing() -> None:
    study = create_study(
        {"kind": "game"}, GUESSES, {"kind": "debriefing", "reveal": True}, bonuses=BONUSES[2:]
    )
    person = add_guessing_player(study, game=ended_game("1", names={1: ""}, blind=True), seat=1)
    lifecycle.leave_by(person, "completed")
    bonuses.settle_due_bonuses()
    assert "a bonus of 0.30 GBP" in unescaped_html(
        taking.browser_of(person).get(f"/take/as/{person.key}/")
    )
    left = add_guessing_player(study, game=ended_game("2", names={1: ""}, blind=True), seat=1)
    lifecycle.leave_by(left, "left")
    bonuses.settle_due_bonuses()
    assert "0.30" not in unescaped_html(taking.browser_of(left).get(f"/take/as/{left.key}/"))


# -- design


def pay_errors(**design: Any) -> str:
    parsed = Design.from_json({"stages": [{"kind": "consent"}, {"kind": "game"}], **design})
    return " ".join(rule_checks.find_bonus_errors(parsed))


def test_invalid_bonus_designs_are_rejected_with_reasons() -> None:
    assert "a currency" in pay_errors(bonuses=BONUSES[:1])
    assert "no questionnaire asks" in pay_errors(bonuses=BONUSES[2:], currency="GBP")
    low = {"rule": "won", "amount": "2", "most": "1"}
    assert "is 2, but its maximum is 1" in pay_errors(bonuses=[low], currency="GBP")
    assert "2 bonuses" in pay_errors(bonuses=[BONUSES[0]] * 2, currency="GBP")
    with pytest.raises(Refused, match="more than 0"):
        pay_errors(bonuses=[{"rule": "won", "amount": "0"}])


def test_plan_and_first_page_show_the_maximum_bonus() -> None:
    study = create_study({"kind": "game"}, GUESSES, bonuses=BONUSES, assignment={"games": 2})
    plan = study_plan.build_plan(study)
    assert plan.bonuses == plan.people * Decimal("1.05")
    slots.draw_slots(study)
    page = unescaped_html(Client().get(f"/take/{study.key}/"))
    assert "up to 1.05 GBP" in page
    assert "person or a computer" not in page
