"""Payments: who is owed what, that nothing is paid twice, and who decides."""

from __future__ import annotations

import hashlib
import threading
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.utils import timezone

from tests.study import taking
from tests.study.desk import sign_in
from tests.study.paying import (
    AT_PROLIFIC,
    add_exited,
    create_batch,
    create_study,
    prolific_id,
    submission_list,
    submission_row,
    url_of,
)
from tests.study.test_study_setup import text_of
from webapp.study.data.studies import ExportOptions, build_files
from webapp.study.design.refusals import Refused
from webapp.study.ethics import participant_erasure
from webapp.study.models import (
    AuditLine,
    Erasure,
    Happening,
    Identity,
    Participant,
    Payment,
    PaymentBatch,
    PlatformStatus,
    Study,
)
from webapp.study.payments import batches, payment_decisions, submissions
from webapp.study.sessions import audit_events, enrolment, lifecycle

pytestmark = pytest.mark.django_db


# -- batches


def test_batch_file_has_one_line_per_participant() -> None:
    of = create_study()
    first, second = add_exited(of), add_exited(of)
    payment_decisions.add_payment(first, Decimal("1.2"), "thorough", actor="ada", ticket="t")
    made = create_batch(of)
    ids = [prolific_id(p.pk) for p in (first, second)]
    told = batches.batch_file(made)
    assert told == f"{ids[0]},1.95\n{ids[1]},0.75\n".encode()
    assert (made.lines, made.total) == (2, Decimal("2.70"))
    assert made.sha256 == hashlib.sha256(told).hexdigest()
    ada = sign_in()
    for _again in range(2):
        response = ada.get(url_of(of, "study_batch_file", made.number))
        assert response.content == told
    assert "attachment" in response["Content-Disposition"]
    assert AuditLine.objects.filter(what="export", about=f"{of.code} batch 1").count() == 2


def test_payment_is_in_one_batch_and_due_again_after_revocation() -> None:
    of = create_study()
    add_exited(of)
    made = create_batch(of)
    with pytest.raises(Refused, match="No due payment"):
        create_batch(of)
    batches.take_back(made, actor="ada")
    made.refresh_from_db()
    with pytest.raises(Refused, match="revoked"):
        batches.batch_file(made)
    again = create_batch(of)
    assert (again.number, again.sha256) == (2, made.sha256)
    batches.mark_paid(again, actor="ada")
    assert Payment.objects.get().status == Payment.PAID
    for late in (batches.take_back, batches.mark_paid):
        with pytest.raises(Refused, match="already"):
            late(again, actor="ada")
    with pytest.raises(Refused, match="No due payment"):
        create_batch(of)


@pytest.mark.django_db(transaction=True)
def test_concurrent_requests_create_one_batch() -> None:
    of = create_study()
    for _each in range(3):
        add_exited(of)
    barrier, refused = threading.Barrier(4), list[Refused]()

    def press() -> None:
        barrier.wait()
        try:
            create_batch(Study.objects.get(pk=of.pk))
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


def test_batch_file_is_limited_to_two_hundred_participants() -> None:
    of = create_study()
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
    made = batches.create_batch(of, AT_PROLIFIC, actor="ada")
    assert batches.batch_file(made.batch).count(b"\n") == 200
    assert made.left_out == [
        "The maximum is 200 participants per file. 1 more waits for the next file."
    ]
    assert create_batch(of).lines == 1


@pytest.mark.parametrize(
    "odd", ["a,1", 'x"', "line\nbreak", "anna@example.org", "=1+1", prolific_id(1)[:-1], "'" * 24]
)
def test_invalid_prolific_id_is_reported_and_left_out(odd: str) -> None:
    of = create_study()
    bad, good = add_exited(of, label=odd), add_exited(of)
    made = batches.create_batch(of, AT_PROLIFIC, actor="ada")
    assert batches.batch_file(made.batch) == f"{prolific_id(good.pk)},0.75\n".encode()
    (told,) = made.left_out
    assert bad.pseudonym in told
    assert repr(odd) in told
    assert bad.payments.get().batch is None
    with pytest.raises(Refused, match="not a Prolific ID"):
        create_batch(of)
    payment_decisions.mark_paid_by_hand(bad.payments.get(), "by a voucher", actor="ada")
    assert not batches.due_groups(of)


def test_each_platform_study_gets_its_own_file() -> None:
    of = create_study()
    add_exited(of), add_exited(of, at="66aa00000000000000000002")
    alone = taking.add_participant(of)
    lifecycle.leave_by(alone, "left")
    found = [(one.platform_study, one.people) for one in batches.due_groups(of)]
    assert found == [(AT_PROLIFIC, 1), ("66aa00000000000000000002", 1), ("", 1)]
    own = create_batch(of, "")
    assert batches.batch_file(own) == f"{alone.pseudonym}\t\t\t0.75\tGBP\n".encode()


def test_platform_reward_is_in_no_file_unless_turned_into_a_bonus() -> None:
    of = create_study()
    sent, alone = add_exited(of, kind="completed"), taking.add_participant(of)
    lifecycle.leave_by(alone, "completed")
    assert (sent.payments.get().reward, alone.payments.get().reward) == (True, False)
    with pytest.raises(Refused):
        create_batch(of)
    told = PlatformStatus.objects.create(
        participant=sent, status=submissions.APPROVED, at=timezone.now()
    )
    with pytest.raises(Refused, match="has approved"):
        payment_decisions.turn_into_bonus(sent.payments.get(), "twice", actor="ada")
    told.delete()
    payment_decisions.turn_into_bonus(sent.payments.get(), "timed out there", actor="ada")
    assert batches.batch_file(create_batch(of)) == f"{prolific_id(sent.pk)},4.50\n".encode()


def test_batch_file_is_rejected_after_its_identities_are_deleted() -> None:
    of = create_study()
    add_exited(of)
    made = create_batch(of)
    Identity.objects.all().delete()
    with pytest.raises(Refused, match="were deleted"):
        batches.batch_file(made)


# -- decisions


def test_withholding_needs_a_reason_and_exclusion_does_not_withhold() -> None:
    of = create_study()
    person = add_exited(of)
    person.excluded = True
    person.save()
    (due,) = batches.due_groups(of)
    assert due.total == Decimal("0.75")
    payment = person.payments.get()
    with pytest.raises(Refused, match="Reason"):
        payment_decisions.withhold(payment, " ", actor="ada")
    payment_decisions.withhold(payment, "came twice", actor="ada")
    assert not batches.due_groups(of)
    noted = Happening.objects.get(what="pay:withheld")
    assert (noted.actor, noted.reason, noted.participant) == ("ada", "came twice", person)
    payment_decisions.release(payment, "it was a sister", actor="ada")
    create_batch(of)
    with pytest.raises(Refused):
        payment_decisions.withhold(payment, "too late", actor="ada")


def test_repeated_payment_is_added_once_and_amounts_are_validated() -> None:
    of, ada = create_study(), sign_in()
    person = add_exited(of)
    address = url_of(of, "study_payment", person.pseudonym)
    sent = {"do": "add", "amount": "1,5", "why": "a long wait", "ticket": "abc"}
    for _each in range(2):
        assert ada.post(address, sent).status_code == 302
    assert person.payments.get(reason="hand:abc").amount == Decimal("1.50")
    for wrong in ("", "0", "-1", "1.005", "NaN", "1e9", "x"):
        answer = ada.post(address, {**sent, "amount": wrong, "ticket": "def"})
        assert answer.status_code == 422
        assert "a long wait" in answer.content.decode(), "what was typed is still there"
    assert person.payments.count() == 2


def test_payment_of_another_study_cannot_be_changed() -> None:
    of, other = create_study(), create_study()
    mine, theirs = add_exited(of), add_exited(other)
    answer = sign_in().post(
        url_of(of, "study_payment", mine.pseudonym),
        {"do": "withhold", "payment": theirs.payments.get().pk, "why": "no"},
    )
    assert answer.status_code == 422
    assert theirs.payments.get().status == Payment.DUE


# -- the page, and the end of it


def test_payments_page_shows_identities_on_request_and_audits_it() -> None:
    of, ada = create_study(), sign_in()
    person = add_exited(of)
    assert prolific_id(person.pk) not in ada.get(url_of(of)).content.decode()
    assert not AuditLine.objects.filter(what="names").exists()
    assert prolific_id(person.pk) in ada.post(url_of(of)).content.decode()
    assert AuditLine.objects.get(what="names").who == "ada"


def test_payments_are_exported_only_on_request() -> None:
    of = create_study()
    person = add_exited(of)
    payment_decisions.withhold(person.payments.get(), "came twice", actor="ada")
    whole = build_files(of)
    assert "payments.csv" not in whole
    assert not any(b"came twice" in part for part in whole.values())
    assert b"pay:" not in whole["happenings.csv"]
    asked = build_files(of, ExportOptions(payments=True))["payments.csv"].decode()
    assert "P001,0.75,GBP,left,,came twice,withheld,false,," in asked
    assert prolific_id(person.pk) not in asked


def test_payment_data_can_be_deleted_separately() -> None:
    of, ada = create_study(), sign_in()
    person = add_exited(of)
    create_batch(of)
    submissions.compare_list(of, submissions.parse_list(submission_list(submission_row(person))))
    refused = ada.post(url_of(of, "study_forget"))
    assert refused.status_code == 422
    assert "still due" in text_of(refused)
    assert Payment.objects.exists()
    assert ada.post(url_of(of, "study_forget"), {"confirmed": "on"}).status_code == 302
    for rows in (Payment, PaymentBatch, PlatformStatus):
        assert not rows.objects.exists(), rows
    noted = Happening.objects.values_list("what", flat=True)
    assert "payments_deleted" in noted
    assert not any(what.startswith("pay:") for what in noted)
    assert Identity.objects.get().participant == person
    assert Participant.objects.get().exit == "left"


def test_erased_participant_cannot_return_to_be_paid_again() -> None:
    of = create_study()
    gone = add_exited(of)
    name = prolific_id(gone.pk)
    batches.mark_paid(create_batch(of), actor="ada")
    participant_erasure.erase_participant(gone, actor=audit_events.PARTICIPANT)
    assert not Identity.objects.exists()
    for written in (name, name.upper(), f"{name[:8]}\ufe0f\u034f{name[8:]}\u2800"):
        assert enrolment.is_name_taken(of, {"label": written}), written
    assert not enrolment.is_name_taken(of, {"label": prolific_id(gone.pk + 1)})
    assert not enrolment.is_name_taken(create_study(), {"label": name}), (
        "other studies know nothing"
    )


def test_erasure_without_pay_keeps_a_batch_until_it_is_settled() -> None:
    of = create_study()
    gone, _stays = add_exited(of), add_exited(of)
    batch = create_batch(of)
    file = batches.batch_file(batch)
    asked = participant_erasure.erase_participant(
        gone, actor=audit_events.PARTICIPANT, keeps_owed=False
    )
    assert batches.batch_file(batch) == file
    batches.mark_paid(batch, actor="ada")
    participant_erasure.continue_erasure(asked)
    assert not Identity.objects.filter(participant=gone).exists()


def test_erasure_pages_mention_the_stored_check_value() -> None:
    of = create_study()
    gone = add_exited(of)
    address, client = f"/take/as/{gone.key}/", taking.browser_of(gone)
    batch = create_batch(of)
    before = client.get(f"{address}leave").content.decode()
    assert "We keep a check value" in before
    assert "when this is done" in before
    client.post(f"{address}leave", {"do": "erase"})
    batches.mark_paid(batch, actor="ada")
    asked = Erasure.objects.get()
    for days in (0, 2):  # the link shows the way out for a day
        Erasure.objects.update(asked_at=timezone.now() - timedelta(days=days))
        participant_erasure.continue_erasure(asked)
        assert "e keep a check value" in client.get(address).content.decode()
    assert (
        "A hash of the external name" in sign_in().get(url_of(of, "study_ethics")).content.decode()
    )


def test_own_payment_list_contains_no_formula() -> None:
    of = create_study()
    add_exited(of, at="", label='=HYPERLINK("http://example.org","pay")')
    assert b"\t'=HYPERLINK" in batches.batch_file(create_batch(of, at=""))
