"""Tests of payments: amounts owed, batches without double payment, and decisions."""

from __future__ import annotations

import hashlib
import threading
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from tests.study import taking
from tests.study.desk import sign_in
from tests.study.pages import unescaped_html
from tests.study.paying import (
    AT_PROLIFIC,
    add_batch,
    add_exited,
    create_study,
    prolific_id,
    submission_list,
    submission_row,
    url_of,
)
from webapp.study.data.studies import ExportOptions, build_files
from webapp.study.design.refusals import Refused
from webapp.study.ethics import participant_erasure
from webapp.study.models import (
    AuditEvent,
    AuditLine,
    Erasure,
    Identity,
    Participant,
    Payment,
    PaymentBatch,
    PlatformStatus,
    Study,
)
from webapp.study.payments import batches, payment_decisions, submissions
from webapp.study.sessions import enrolment, lifecycle, study_events

pytestmark = pytest.mark.django_db


# -- batches


def test_batch_file_has_one_line_per_participant(ada: Client) -> None:
    study = create_study()
    first, second = add_exited(study), add_exited(study)
    payment_decisions.add_payment(first, Decimal("1.2"), "thorough", actor="ada", ticket="t")
    batch = add_batch(study)
    ids = [prolific_id(p.pk) for p in (first, second)]
    content = batches.batch_file(batch)
    assert content == f"{ids[0]},1.95\n{ids[1]},0.75\n".encode()
    assert (batch.lines, batch.total) == (2, Decimal("2.70"))
    assert batch.sha256 == hashlib.sha256(content).hexdigest()
    for _again in range(2):
        response = ada.get(url_of(study, "study_batch_file", batch.number))
        assert response.content == content
    assert "attachment" in response["Content-Disposition"]
    assert AuditLine.objects.filter(what="export", about=f"{study.code} batch 1").count() == 2


def test_payment_is_in_one_batch_and_due_again_after_cancellation() -> None:
    study = create_study()
    add_exited(study)
    batch = add_batch(study)
    with pytest.raises(Refused, match="No due payment"):
        add_batch(study)
    batches.cancel_batch(batch, actor="ada")
    batch.refresh_from_db()
    with pytest.raises(Refused, match="revoked"):
        batches.batch_file(batch)
    new_batch = add_batch(study)
    assert (new_batch.number, new_batch.sha256) == (2, batch.sha256)
    batches.mark_paid(new_batch, actor="ada")
    assert Payment.objects.get().status == Payment.PAID
    for late in (batches.cancel_batch, batches.mark_paid):
        with pytest.raises(Refused, match="already"):
            late(new_batch, actor="ada")
    with pytest.raises(Refused, match="No due payment"):
        add_batch(study)


@pytest.mark.django_db(transaction=True)
def test_concurrent_requests_create_one_batch() -> None:
    study = create_study()
    for _each in range(3):
        add_exited(study)
    barrier = threading.Barrier(4)
    errors = list[Refused]()

    def press() -> None:
        barrier.wait()
        try:
            add_batch(Study.objects.get(pk=study.pk))
        except Refused as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=press) for _each in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [b.lines for b in PaymentBatch.objects.all()] == [3]
    assert len(errors) == 3


def test_batch_file_is_limited_to_two_hundred_participants() -> None:
    study = create_study()
    people = Participant.objects.bulk_create(
        Participant(study=study, pseudonym=f"P{n:03}", exit="left") for n in range(1, 202)
    )
    Identity.objects.bulk_create(
        Identity(participant=p, label=prolific_id(n), study=AT_PROLIFIC)
        for n, p in enumerate(people)
    )
    Payment.objects.bulk_create(
        Payment(participant=p, amount="0.10", reason="left") for p in people
    )
    batch, left_out = batches.create_batch(study, AT_PROLIFIC, actor="ada")
    assert batches.batch_file(batch).count(b"\n") == 200
    assert left_out == ["The maximum is 200 participants per file. 1 more waits for the next file."]
    assert add_batch(study).lines == 1


@pytest.mark.parametrize(
    "invalid_id",
    ["a,1", 'x"', "line\nbreak", "anna@example.org", "=1+1", prolific_id(1)[:-1], "'" * 24],
)
def test_invalid_prolific_id_is_reported_and_left_out(invalid_id: str) -> None:
    study = create_study()
    bad, good = add_exited(study, label=invalid_id), add_exited(study)
    batch, left_out = batches.create_batch(study, AT_PROLIFIC, actor="ada")
    assert batches.batch_file(batch) == f"{prolific_id(good.pk)},0.75\n".encode()
    (message,) = left_out
    assert bad.pseudonym in message
    assert repr(invalid_id) in message
    assert bad.payments.get().batch is None
    with pytest.raises(Refused, match="not a Prolific ID"):
        add_batch(study)
    payment_decisions.decide(bad.payments.get(), "paid", "by a voucher", actor="ada")
    assert not batches.due_groups(study)


def test_each_platform_study_gets_its_own_file() -> None:
    study = create_study()
    add_exited(study), add_exited(study, at="66aa00000000000000000002")
    alone = taking.add_participant(study)
    lifecycle.leave_by(alone, "left")
    groups = [group[:2] for group in batches.due_groups(study)]
    assert groups == [(AT_PROLIFIC, 1), ("66aa00000000000000000002", 1), ("", 1)]
    direct_batch = add_batch(study, "")
    assert batches.batch_file(direct_batch) == f"{alone.pseudonym}\t\t\t0.75\tGBP\n".encode()


def test_platform_reward_is_in_no_file_unless_turned_into_a_bonus() -> None:
    study = create_study()
    from_platform, direct = add_exited(study, kind="completed"), taking.add_participant(study)
    lifecycle.leave_by(direct, "completed")
    assert (from_platform.payments.get().reward, direct.payments.get().reward) == (True, False)
    with pytest.raises(Refused):
        add_batch(study)
    platform_status = PlatformStatus.objects.create(
        participant=from_platform, status=submissions.APPROVED, at=timezone.now()
    )
    with pytest.raises(Refused, match="has approved"):
        payment_decisions.decide(from_platform.payments.get(), "as_bonus", "twice", actor="ada")
    platform_status.delete()
    reward = from_platform.payments.get()
    payment_decisions.decide(reward, "as_bonus", "timed out there", actor="ada")
    assert (
        batches.batch_file(add_batch(study)) == f"{prolific_id(from_platform.pk)},4.50\n".encode()
    )


def test_batch_file_is_rejected_after_its_identities_are_deleted() -> None:
    study = create_study()
    add_exited(study)
    batch = add_batch(study)
    Identity.objects.all().delete()
    with pytest.raises(Refused, match="were deleted"):
        batches.batch_file(batch)


# -- decisions


def test_withholding_needs_a_reason_and_exclusion_does_not_withhold() -> None:
    study = create_study()
    person = add_exited(study)
    person.excluded = True
    person.save()
    (group,) = batches.due_groups(study)
    assert group.total == Decimal("0.75")
    payment = person.payments.get()
    with pytest.raises(Refused, match="Reason"):
        payment_decisions.decide(payment, "withhold", " ", actor="ada")
    payment_decisions.decide(payment, "withhold", "came twice", actor="ada")
    assert not batches.due_groups(study)
    event = AuditEvent.objects.get(what="pay:withheld")
    assert (event.actor, event.reason, event.participant) == ("ada", "came twice", person)
    payment_decisions.decide(payment, "release", "it was a sister", actor="ada")
    add_batch(study)
    with pytest.raises(Refused):
        payment_decisions.decide(payment, "withhold", "too late", actor="ada")


def test_repeated_payment_is_added_once_and_amounts_are_validated(ada: Client) -> None:
    study = create_study()
    person = add_exited(study)
    address = url_of(study, "study_payment", person.pseudonym)
    form = {"do": "add", "amount": "1,5", "why": "a long wait", "ticket": "abc"}
    for _each in range(2):
        assert ada.post(address, form).status_code == 302
    assert person.payments.get(reason="hand:abc").amount == Decimal("1.50")
    for wrong in ("", "0", "-1", "1.005", "NaN", "1e9", "x"):
        response = ada.post(address, {**form, "amount": wrong, "ticket": "def"})
        assert response.status_code == 422
        assert "a long wait" in response.content.decode(), "the typed text remains"
    assert person.payments.count() == 2


def test_payment_of_another_study_cannot_be_changed() -> None:
    study, other_study = create_study(), create_study()
    participant, other_participant = add_exited(study), add_exited(other_study)
    response = sign_in().post(
        url_of(study, "study_payment", participant.pseudonym),
        {"do": "withhold", "payment": other_participant.payments.get().pk, "why": "no"},
    )
    assert response.status_code == 422
    assert other_participant.payments.get().status == Payment.DUE


# -- page and deletion


def test_payments_page_shows_identities_on_request_and_audits_it(ada: Client) -> None:
    study = create_study()
    person = add_exited(study)
    assert prolific_id(person.pk) not in ada.get(url_of(study)).content.decode()
    assert not AuditLine.objects.filter(what="names").exists()
    assert prolific_id(person.pk) in ada.post(url_of(study)).content.decode()
    assert AuditLine.objects.get(what="names").who == "ada"


def test_payments_are_exported_only_on_request() -> None:
    study = create_study()
    person = add_exited(study)
    payment_decisions.decide(person.payments.get(), "withhold", "came twice", actor="ada")
    files = build_files(study)
    assert "payments.csv" not in files
    assert not any(b"came twice" in part for part in files.values())
    assert b"pay:" not in files["happenings.csv"]
    payments = build_files(study, ExportOptions(payments=True))["payments.csv"].decode()
    assert "P001,0.75,GBP,left,,came twice,withheld,false,," in payments
    assert prolific_id(person.pk) not in payments


def test_payment_data_can_be_deleted_separately(ada: Client) -> None:
    study = create_study()
    person = add_exited(study)
    add_batch(study)
    submissions.compare_list(study, submissions.parse_list(submission_list(submission_row(person))))
    rejected = ada.post(url_of(study, "study_forget"))
    assert rejected.status_code == 422
    assert "still due" in unescaped_html(rejected)
    assert Payment.objects.exists()
    assert ada.post(url_of(study, "study_forget"), {"confirmed": "on"}).status_code == 302
    for model in (Payment, PaymentBatch, PlatformStatus):
        assert not model.objects.exists(), model
    events = AuditEvent.objects.values_list("what", flat=True)
    assert "payments_deleted" in events
    assert not any(event.startswith("pay:") for event in events)
    assert Identity.objects.get().participant == person
    assert Participant.objects.get().exit == "left"


def test_erased_participant_cannot_return_to_be_paid_again() -> None:
    study = create_study()
    erased = add_exited(study)
    name = prolific_id(erased.pk)
    batches.mark_paid(add_batch(study), actor="ada")
    participant_erasure.erase_participant(erased, actor=study_events.PARTICIPANT)
    assert not Identity.objects.exists()
    for written in (name, name.upper(), f"{name[:8]}\ufe0f\u034f{name[8:]}\u2800"):
        assert enrolment.is_name_taken(study, {"label": written}), written
    assert not enrolment.is_name_taken(study, {"label": prolific_id(erased.pk + 1)})
    assert not enrolment.is_name_taken(create_study(), {"label": name}), "unknown in other studies"


def test_erasure_without_pay_keeps_a_batch_until_it_is_settled() -> None:
    study = create_study()
    erased, _participant = add_exited(study), add_exited(study)
    batch = add_batch(study)
    file = batches.batch_file(batch)
    erasure = participant_erasure.erase_participant(
        erased, actor=study_events.PARTICIPANT, keeps_owed=False
    )
    assert batches.batch_file(batch) == file
    batches.mark_paid(batch, actor="ada")
    participant_erasure.continue_erasure(erasure)
    assert not Identity.objects.filter(participant=erased).exists()


def test_erasure_pages_mention_the_stored_check_value() -> None:
    study = create_study()
    erased = add_exited(study)
    address = f"/take/as/{erased.key}/"
    client = taking.browser_of(erased)
    batch = add_batch(study)
    before = client.get(f"{address}leave").content.decode()
    assert "We keep a check value" in before
    assert "when this is done" in before
    client.post(f"{address}leave", {"do": "erase"})
    batches.mark_paid(batch, actor="ada")
    erasure = Erasure.objects.get()
    for days in (0, 2):  # The link shows the exit for a day.
        Erasure.objects.update(requested_at=timezone.now() - timedelta(days=days))
        participant_erasure.continue_erasure(erasure)
        assert "e keep a check value" in client.get(address).content.decode()
    assert (
        "A hash of the external name"
        in sign_in().get(url_of(study, "study_ethics")).content.decode()
    )


def test_own_payment_list_contains_no_formula() -> None:
    study = create_study()
    add_exited(study, at="", label='=HYPERLINK("http://example.org","pay")')
    assert b"\t'=HYPERLINK" in batches.batch_file(add_batch(study, at=""))
