"""Payments: who is owed what, that nothing is paid twice, and what a platform's own list says."""

from __future__ import annotations

import hashlib
import threading
from decimal import Decimal
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from game.models import Game, Player
from tests.study import taking
from tests.study.desk import signed_in
from tests.study.test_study_setup import text
from tests.study.world import finished
from webapp.study.exports.studies import Asked, files
from webapp.study.models import (
    AuditLine,
    Happening,
    Identity,
    Participant,
    Payment,
    PaymentBatch,
    PlatformStatus,
    Response,
    Seating,
    Slot,
    Study,
)
from webapp.study.seat_outcomes import seats_of
from webapp.study.sessions import (
    bonuses,
    erasing,
    pay_checks,
    payment_batches,
    payments,
    places,
    planning,
    slots,
    submissions,
)
from webapp.study.sessions.design import Design
from webapp.study.value_checks import Refused

pytestmark = pytest.mark.django_db

AT_PROLIFIC = "66aa00000000000000000001"  # a study of theirs
EXITS = {
    "completed": {"pay": "4.50", "code_kind": "same", "code": "C0DE"},
    "left": {"pay": "0.75"},
}
GUESSES = {"kind": "questionnaire", "instruments": ["who-is-human"]}
BONUSES = [
    {"rule": "won", "amount": "0.50"},
    {"rule": "survived", "amount": "0.25"},
    {"rule": "guessed_human", "amount": "0.10", "most": "0.30"},
]
HEAD = "Submission id,Participant id,Status,Started at,Completed at,Time taken,Completion code"


def study(*stages: dict[str, Any], **design: Any) -> Study:
    given = {"currency": "GBP", "exits": EXITS, **design}
    return taking.study(*(stages or ({"kind": "game"},)), **given)


def prolific_id(number: int) -> str:
    return f"{number:024x}"


def came(of: Study, *, kind: str = "left", at: str = AT_PROLIFIC, label: str = "") -> Participant:
    """Somebody whom Prolific sent, and who has gone out that way."""
    person = taking.participant(of)
    name = label or prolific_id(person.pk)
    Identity.objects.create(participant=person, label=name, study=at, session=f"s{person.pk}")
    places.leave_by(person, kind)  # type: ignore[arg-type]
    person.refresh_from_db()
    return person


def batch_of(of: Study, at: str = AT_PROLIFIC) -> PaymentBatch:
    return payment_batches.make(of, at, actor="ada").batch


def page(of: Study, name: str = "study_payments", *more: Any) -> str:
    return reverse(f"study:{name}", args=[of.code, *more])


# -- batches


def test_the_file_has_a_line_a_person_and_nothing_else() -> None:
    of = study()
    first, second = came(of), came(of)
    payments.add(first, Decimal("1.2"), "thorough", actor="ada", ticket="t")
    made = batch_of(of)
    ids = [prolific_id(p.pk) for p in (first, second)]
    told = payment_batches.file_of(made)
    assert told == f"{ids[0]},1.95\n{ids[1]},0.75\n".encode()
    assert (made.lines, made.total) == (2, Decimal("2.70"))
    assert made.sha256 == hashlib.sha256(told).hexdigest()
    ada = signed_in()
    for _again in range(2):
        response = ada.get(page(of, "study_batch_file", made.number))
        assert response.content == told
    assert "attachment" in response["Content-Disposition"]
    assert AuditLine.objects.filter(what="export", about=f"{of.code} batch 1").count() == 2


def test_nothing_is_in_two_batches_and_what_is_taken_back_is_due_again() -> None:
    of = study()
    came(of)
    made = batch_of(of)
    with pytest.raises(Refused, match="nothing due"):
        batch_of(of)
    payment_batches.cancel(made, actor="ada")
    made.refresh_from_db()
    with pytest.raises(Refused, match="taken back"):
        payment_batches.file_of(made)
    again = batch_of(of)
    assert (again.number, again.sha256) == (2, made.sha256)
    payment_batches.paid(again, actor="ada")
    assert Payment.objects.get().status == Payment.PAID
    for late in (payment_batches.cancel, payment_batches.paid):
        with pytest.raises(Refused, match="already"):
            late(again, actor="ada")
    with pytest.raises(Refused, match="nothing due"):
        batch_of(of)


@pytest.mark.django_db(transaction=True)
def test_two_researchers_at_once_make_one_batch() -> None:
    of = study()
    for _each in range(3):
        came(of)
    barrier, refused = threading.Barrier(4), list[Refused]()

    def press() -> None:
        barrier.wait()
        try:
            batch_of(Study.objects.get(pk=of.pk))
        except Refused as error:
            refused.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=press) for _each in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [b.lines for b in PaymentBatch.objects.all()] == [3]
    assert len(refused) == 3


def test_a_file_holds_two_hundred_and_the_rest_waits() -> None:
    of = study()
    people = Participant.objects.bulk_create(
        Participant(study=of, pseudonym=f"P{n:03}", exit="left") for n in range(1, 202)
    )
    Identity.objects.bulk_create(
        Identity(participant=p, label=prolific_id(n), study=AT_PROLIFIC)
        for n, p in enumerate(people)
    )
    Payment.objects.bulk_create(
        Payment(participant=p, amount="0.10", reason="left") for p in people
    )
    made = payment_batches.make(of, AT_PROLIFIC, actor="ada")
    assert payment_batches.file_of(made.batch).count(b"\n") == 200
    assert made.left_out == ["A file holds 200 people: 1 more waits for the next one."]
    assert batch_of(of).lines == 1


@pytest.mark.parametrize(
    "odd", ["a,1", 'x"', "line\nbreak", "anna@example.org", "=1+1", prolific_id(1)[:-1], "'" * 24]
)
def test_an_id_that_is_none_of_prolifics_is_named_and_left_out(odd: str) -> None:
    of = study()
    bad, good = came(of, label=odd), came(of)
    made = payment_batches.make(of, AT_PROLIFIC, actor="ada")
    assert payment_batches.file_of(made.batch) == f"{prolific_id(good.pk)},0.75\n".encode()
    (told,) = made.left_out
    assert bad.pseudonym in told
    assert repr(odd) in told
    assert bad.payments.get().batch is None
    with pytest.raises(Refused, match="no id of Prolific"):
        batch_of(of)
    payments.paid_by_hand(bad.payments.get(), "by a voucher", actor="ada")
    assert not payment_batches.waiting(of)


def test_each_study_at_prolific_has_its_own_file_and_others_a_list() -> None:
    of = study()
    came(of), came(of, at="66aa00000000000000000002")
    alone = taking.participant(of)
    places.leave_by(alone, "left")
    found = [(one.platform_study, one.people) for one in payment_batches.waiting(of)]
    assert found == [(AT_PROLIFIC, 1), ("66aa00000000000000000002", 1), ("", 1)]
    own = batch_of(of, "")
    assert payment_batches.file_of(own) == f"{alone.pseudonym}\t\t\t0.75\tGBP\n".encode()


def test_the_platforms_reward_is_in_no_file_until_it_is_to_be_paid_as_a_bonus() -> None:
    of = study()
    sent, alone = came(of, kind="completed"), taking.participant(of)
    places.leave_by(alone, "completed")
    assert (sent.payments.get().reward, alone.payments.get().reward) == (True, False)
    with pytest.raises(Refused):
        batch_of(of)
    told = PlatformStatus.objects.create(
        participant=sent, status=submissions.APPROVED, at=timezone.now()
    )
    with pytest.raises(Refused, match="has approved"):
        payments.as_bonus(sent.payments.get(), "twice", actor="ada")
    told.delete()
    payments.as_bonus(sent.payments.get(), "timed out there", actor="ada")
    assert payment_batches.file_of(batch_of(of)) == f"{prolific_id(sent.pk)},4.50\n".encode()


def test_a_file_whose_names_were_deleted_is_not_made_up() -> None:
    of = study()
    came(of)
    made = batch_of(of)
    Identity.objects.all().delete()
    with pytest.raises(Refused, match="deleted since"):
        payment_batches.file_of(made)


# -- decisions


def test_withholding_is_a_decision_with_a_reason_and_excluding_is_none() -> None:
    of = study()
    person = came(of)
    person.excluded = True
    person.save()
    (due,) = payment_batches.waiting(of)
    assert due.total == Decimal("0.75")
    payment = person.payments.get()
    with pytest.raises(Refused, match="reason"):
        payments.withhold(payment, " ", actor="ada")
    payments.withhold(payment, "came twice", actor="ada")
    assert not payment_batches.waiting(of)
    noted = Happening.objects.get(what="pay:withheld")
    assert (noted.actor, noted.reason, noted.participant) == ("ada", "came twice", person)
    payments.release(payment, "it was a sister", actor="ada")
    batch_of(of)
    with pytest.raises(Refused):
        payments.withhold(payment, "too late", actor="ada")


def test_pressed_twice_adds_once_and_amounts_are_checked() -> None:
    of, ada = study(), signed_in()
    person = came(of)
    address = page(of, "study_payment", person.pseudonym)
    sent = {"do": "add", "amount": "1,5", "why": "a long wait", "ticket": "abc"}
    for _each in range(2):
        assert ada.post(address, sent).status_code == 302
    assert person.payments.get(reason="hand:abc").amount == Decimal("1.50")
    for wrong in ("", "0", "-1", "1.005", "NaN", "1e9", "x"):
        answer = ada.post(address, {**sent, "amount": wrong, "ticket": "def"})
        assert answer.status_code == 422
        assert "a long wait" in answer.content.decode(), "what was typed is still there"
    assert person.payments.count() == 2


def test_another_studys_payment_is_out_of_reach() -> None:
    of, other = study(), study()
    mine, theirs = came(of), came(other)
    answer = signed_in().post(
        page(of, "study_payment", mine.pseudonym),
        {"do": "withhold", "payment": theirs.payments.get().pk, "why": "no"},
    )
    assert answer.status_code == 422
    assert theirs.payments.get().status == Payment.DUE


# -- bonuses


def played(of: Study, *, game: Game, seat: int) -> Participant:
    """Somebody who sat there to the end, and takes every other player for a computer player."""
    person = taking.participant(of)
    slot = taking.seated(person, game, seat)
    for other in game.players.exclude(seat=seat):
        Response.objects.create(
            participant=person, step="questionnaire-3", slot=slot, about_seat=other.seat,
            instrument="who-is-human", item="kind", choice="computer",
        )  # fmt: skip
    return person


def by_rule(person: Participant) -> dict[str, tuple[int, Decimal, str]]:
    rows = person.payments.filter(reason__startswith="bonus:")
    return {bonuses.rule_of(p): (p.cases, p.amount, p.status) for p in rows}


def test_bonuses_are_worked_out_once_by_what_happened(
    django_capture_on_commit_callbacks: Any,
) -> None:
    of = study({"kind": "game"}, GUESSES, bonuses=BONUSES)
    game = finished("1", names={1: "", 2: ""})
    outcomes = seats_of(game)
    person = played(of, game=game, seat=1)
    with django_capture_on_commit_callbacks(execute=True):
        places.leave_by(person, "left")
    found = by_rule(person)
    assert found["guessed_human"] == (6, Decimal("0.30"), "due"), "the most is kept"
    assert ("won" in found, "survived" in found) == (outcomes[0].won, not outcomes[0].out)
    person.payments.all().delete()
    bonuses.keep_up()
    assert not bonuses.settle(person)
    assert not person.payments.exists(), "what was deleted does not come back"


def test_what_does_not_count_and_what_does() -> None:
    of = study({"kind": "game"}, GUESSES, bonuses=[{"rule": "survived", "amount": "1"}])
    game = finished("1", names=dict.fromkeys(range(1, 9), ""))
    alive = [n for n, seat in enumerate(seats_of(game), 1) if not seat.out]
    stays, left, away, void = (played(of, game=game, seat=seat) for seat in alive[:4])
    Seating.objects.filter(participant=left).update(state=Seating.OUT)
    Player.objects.filter(game=game, seat=alive[2]).update(stand_in=True)
    Slot.objects.update(state=Slot.VOID)
    for person in (stays, left, away, void):
        places.leave_by(person, "left")
    bonuses.keep_up()
    got = [bool(by_rule(person)) for person in (stays, left, away, void)]
    assert got == [True, False, False, True], "a void game that was played to its end counts"
    called_off = finished("2", names={1: ""})
    Game.objects.filter(pk=called_off.pk).update(called_off=True)
    person = played(of, game=called_off, seat=1)
    places.leave_by(person, "left")
    bonuses.keep_up()
    assert not by_rule(person)


def test_a_bonus_at_a_blind_table_is_nowhere_before_the_study_has_ended() -> None:
    of = study({"kind": "game"}, GUESSES, {"kind": "debriefing"}, bonuses=BONUSES)
    person = played(of, game=finished("1", names={1: ""}, blind=True), seat=1)
    places.leave_by(person, "completed")
    bonuses.keep_up()
    erasing.erase(person, actor="participant")  # takes no pay back
    ada, client = signed_in(), taking.browser(person)
    shown = text(ada.get(page(of)))
    assert "0.30" not in shown
    assert "Bonuses for games at blind tables come here" in shown
    assert b"bonus" not in files(of, Asked(payments=True))["payments.csv"]
    assert [p.reason for p in payments.of_study(of)] == ["completed"]
    out = text(client.get(f"/take/as/{person.key}/"))
    assert "A bonus may follow" in out
    assert "0.30" not in out
    Study.objects.update(state=Study.CLOSED)
    bonuses.keep_up()
    assert by_rule(person)["guessed_human"] == (7, Decimal("0.30"), "due")
    assert "0.30 · rightly saying of a player" in text(ada.get(page(of)))
    assert b"bonus:guessed_human" in files(of, Asked(payments=True))["payments.csv"]


def test_who_was_told_at_the_debriefing_is_told_their_bonus_too() -> None:
    of = study(
        {"kind": "game"}, GUESSES, {"kind": "debriefing", "reveal": True}, bonuses=BONUSES[2:]
    )
    person = played(of, game=finished("1", names={1: ""}, blind=True), seat=1)
    places.leave_by(person, "completed")
    bonuses.keep_up()
    assert "a bonus of 0.30 GBP" in text(taking.browser(person).get(f"/take/as/{person.key}/"))
    left = played(of, game=finished("2", names={1: ""}, blind=True), seat=1)
    places.leave_by(left, "left")
    bonuses.keep_up()
    assert "0.30" not in text(taking.browser(left).get(f"/take/as/{left.key}/"))


# -- the design


def faults(**design: Any) -> str:
    made = Design.of({"stages": [{"kind": "consent"}, {"kind": "game"}], **design})
    return " ".join(pay_checks.faults(made))


def test_what_can_not_be_a_bonus_is_said() -> None:
    assert "in which currency" in faults(bonuses=BONUSES[:1])
    assert "nobody is asked" in faults(bonuses=BONUSES[2:], currency="GBP")
    low = {"rule": "won", "amount": "2", "most": "1"}
    assert "2 each time, and 1 at the most" in faults(bonuses=[low], currency="GBP")
    assert "2 bonuses" in faults(bonuses=[BONUSES[0]] * 2, currency="GBP")
    with pytest.raises(Refused, match="more than 0"):
        faults(bonuses=[{"rule": "won", "amount": "0"}])


def test_the_plan_and_the_first_page_tell_the_most_that_there_can_be() -> None:
    of = study({"kind": "game"}, GUESSES, bonuses=BONUSES, assignment={"games": 2})
    plan = planning.plan(of)
    assert plan.bonuses == plan.people * Decimal("1.05")
    slots.draw(of)
    shown = text(Client().get(f"/take/{of.key}/"))
    assert "up to 1.05 GBP" in shown
    assert "person or a computer" not in shown


def test_a_study_that_can_take_longer_than_the_platform_allows_does_not_open() -> None:
    waiting = {"most": 600}
    for most, refused in ((20, True), (240, False)):
        of = study({"kind": "game"}, platform={"most_minutes": most}, waiting=waiting)
        told = " ".join(planning.plan(of).problems)
        assert ("platform lets nobody" in told) == refused, told
    long = {"kind": "questionnaire", "instruments": ["interview"], "minutes": 100}
    of = study({"kind": "game"}, long, platform={"most_minutes": 180}, reading_factor=True)
    plan = planning.plan(of)
    assert not any("platform" in problem for problem in plan.problems)
    assert any("twice the time" in note for note in plan.notes)


# -- the platform's own list


def listed(*rows: str, head: str = HEAD) -> bytes:
    return "\n".join([head, *rows]).encode()


def row(person: Participant, status: str = "APPROVED", code: str = "C0DE", *, who: str = "") -> str:
    return f"s{person.pk},{who or prolific_id(person.pk)},{status},,,900,{code}"


@pytest.mark.parametrize(
    "how", ["plain", "bom", "crlf", "semicolons", "tabs", "old names", "quoted"]
)
def test_the_list_is_read_as_it_comes(how: str) -> None:
    data = "Submission id,Participant id,Status,Completion code\ns1,p1,AWAITING REVIEW,C0DE\n"
    change = {
        "bom": lambda s: "\ufeff" + s,
        "crlf": lambda s: s.replace("\n", "\r\n"),
        "semicolons": lambda s: s.replace(",", ";"),
        "tabs": lambda s: s.replace(",", "\t"),
        "old names": lambda s: s.replace(
            s.split("\n")[0], "session_id,participant_id,status,entered_code"
        ),
        "quoted": lambda s: s.replace("p1", '"p1"') + "\n\n",
    }.get(how, str)
    found = submissions.read(change(data).encode())
    assert found == [submissions.Submission("s1", "p1", submissions.AWAITING, "C0DE")]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "no column “Submission id”, “Participant id”, “Status”, “Completion code”"),
        (b"Submission id,Status\ns1,APPROVED\n", "no column “Participant id”, “Completion code”"),
        (b"\xff\xfe\x00S", "UTF-8"),
        (
            listed("s1,p,APPROVED,,,1,C", "s1,p,APPROVED,,,1,C"),
            "several rows of one submission: .?|s1",
        ),
        (listed('s1,"p,APPROVED'), "no CSV file"),
    ],
)
def test_a_file_that_is_no_such_list_is_refused_with_what_is_missing(
    data: bytes, told: str
) -> None:
    with pytest.raises(Refused, match=told):
        submissions.read(data)


def test_every_difference_is_told_with_what_to_do_and_nothing_is_changed() -> None:
    of = study()
    fine, waits, other_code, returned, missing, swapped = (
        came(of, kind="completed") for _each in range(6)
    )
    left, approved = came(of), came(of)
    before = list(Payment.objects.order_by("pk").values())
    data = listed(
        row(fine), row(waits, "AWAITING REVIEW", " c0de "),
        row(other_code, "AWAITING REVIEW", "NOCODE"),
        row(returned, "RETURNED", ""), row(swapped, who=prolific_id(999)),
        row(left, "AWAITING REVIEW", "NOCODE"), row(approved, "APPROVED"),
        f"s0,{prolific_id(5)},AWAITING REVIEW,,,60,C0DE", f"s00,{prolific_id(6)},RETURNED,,,1,",
    )  # fmt: skip
    file = SimpleUploadedFile("prolific_export.csv", data)
    answer = signed_in().post(page(of, "study_compare"), {"file": file})
    assert answer.status_code == 200
    found = {d["row"].participant: d["row"] for d in answer.context["compared"]["differences"]}
    assert set(found) == {
        p.pseudonym for p in (waits, other_code, returned, missing, swapped, left, approved)
    } | {""}
    assert found[waits.pseudonym].do == "Approve the submission."
    assert found[other_code.pseudonym].what == "No code there."
    assert "as a bonus" in found[returned.pseudonym].do
    assert "does not have the submission" in found[missing.pseudonym].what
    assert "another person" in found[swapped.pseudonym].what
    assert "return" in found[left.pseudonym].do
    assert "nothing is known here" in found[""].what
    assert answer.context["compared"]["agree"] == 2
    assert list(Payment.objects.order_by("pk").values()) == before
    kept = dict(PlatformStatus.objects.values_list("participant", "status"))
    assert kept[returned.pk] == submissions.RETURNED
    assert missing.pk not in kept
    assert payments.rewards_paid(of, actor="ada") == 2  # fine, swapped
    assert fine.payments.get().status == Payment.PAID


def test_a_list_of_another_study_at_prolific_misses_nobody_of_this_one() -> None:
    of = study()
    here, _there = came(of, kind="completed"), came(of, kind="completed", at="other")
    assert not submissions.compare(of, submissions.read(listed(row(here)))).differences


# -- the page, and the end of it


def test_the_page_shows_outside_names_on_request_alone_and_notes_it() -> None:
    of, ada = study(), signed_in()
    person = came(of)
    assert prolific_id(person.pk) not in ada.get(page(of)).content.decode()
    assert not AuditLine.objects.filter(what="names").exists()
    assert prolific_id(person.pk) in ada.post(page(of)).content.decode()
    assert AuditLine.objects.get(what="names").who == "ada"


def test_payments_are_in_the_data_only_when_asked_for() -> None:
    of = study()
    person = came(of)
    payments.withhold(person.payments.get(), "came twice", actor="ada")
    whole = files(of)
    assert "payments.csv" not in whole
    assert not any(b"came twice" in part for part in whole.values())
    assert b"pay:" not in whole["happenings.csv"]
    asked = files(of, Asked(payments=True))["payments.csv"].decode()
    assert "P001,0.75,GBP,left,,came twice,withheld,false,," in asked
    assert prolific_id(person.pk) not in asked


def test_all_of_payments_can_be_deleted_first_and_alone() -> None:
    of, ada = study(), signed_in()
    person = came(of)
    batch_of(of)
    submissions.compare(of, submissions.read(listed(row(person))))
    refused = ada.post(page(of, "study_forget"))
    assert refused.status_code == 422
    assert "due still" in text(refused)
    assert Payment.objects.exists()
    assert ada.post(page(of, "study_forget"), {"confirmed": "on"}).status_code == 302
    for rows in (Payment, PaymentBatch, PlatformStatus):
        assert not rows.objects.exists(), rows
    noted = Happening.objects.values_list("what", flat=True)
    assert "payments_deleted" in noted
    assert not any(what.startswith("pay:") for what in noted)
    assert Identity.objects.get().participant == person
    assert Participant.objects.get().exit == "left"
