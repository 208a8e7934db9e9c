"""Tests of Prolific's API: the researcher's actions, the requests and what is never repeated."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.study import taking
from tests.study.desk import sign_in
from tests.study.paying import (
    AT_PROLIFIC,
    add_batch,
    add_exited,
    create_study,
    prolific_id,
    url_of,
)
from tests.study.prolific_server import TOKEN, Prolific, run_prolific
from webapp.study.models import (
    AuditEvent,
    AuditLine,
    Identity,
    Participant,
    Payment,
    PaymentBatch,
    PlatformRequest,
    Study,
)
from webapp.study.payments import platform_requests, prolific

pytestmark = pytest.mark.django_db


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Prolific]:
    """Run a server with Prolific's API and set our token."""
    with run_prolific() as server:
        server.add_study(AT_PROLIFIC)
        monkeypatch.setenv(prolific.TOKEN_VARIABLE, TOKEN)
        monkeypatch.setenv(prolific.ADDRESS_VARIABLE, server.address)
        yield server


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Collect the pauses between attempts without waiting."""
    pauses: list[float] = []
    monkeypatch.setattr(prolific, "sleep", pauses.append)
    return pauses


@pytest.fixture(autouse=True)
def queue(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Collect the keys of requests that wait for a worker."""
    keys: list[int] = []
    monkeypatch.setattr(
        platform_requests, "send", lambda task, pk: task == "study.platform" and not keys.append(pk)
    )
    return keys


@pytest.fixture
def submit_action(queue: list[int], django_capture_on_commit_callbacks: Any) -> Any:
    """Submit an action of the page and run the worker. Returns: the page after it."""

    def submit(study: Study, do: str, *, work: bool = True, **fields: Any) -> str:
        client = sign_in()
        with django_capture_on_commit_callbacks(execute=True):
            form = {"do": do, "platform_study": AT_PROLIFIC, **fields}
            response = client.post(url_of(study, "study_prolific"), form)
        if response.status_code == 422:
            return normalized_text(response)
        assert response.status_code == 302
        while work and queue:
            platform_requests.carry_out_request(queue.pop(0))
        return payments_page(study, client)

    return submit


def payments_page(study: Study, client: Client | None = None) -> str:
    return normalized_text((client or sign_in()).get(url_of(study)))


def normalized_text(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def add_submission(
    study: Study, server: Prolific, status: str, kind: str = "completed"
) -> Participant:
    """Add a participant from Prolific who left the study, and their submission."""
    person = add_exited(study, kind=kind)
    server.add_submission(f"s{person.pk}", AT_PROLIFIC, prolific_id(person.pk), status, "C0DE")
    return person


def last_request() -> PlatformRequest:
    return PlatformRequest.objects.first() or pytest.fail("nothing was asked")


def test_payments_page_without_token_offers_files_only(submit_action: Any) -> None:
    study = create_study()
    add_exited(study)
    add_batch(study)
    text = payments_page(study)

    assert "prolific-title" not in text
    assert "Pay with Prolific" not in text
    assert "There is no Prolific token" in submit_action(study, "refresh")
    assert not PlatformRequest.objects.exists()


def test_platform_status_and_places_are_read_and_changed(
    server: Prolific, submit_action: Any
) -> None:
    study = create_study()
    text = submit_action(study, "refresh")
    assert "ACTIVE; 0 of 10 places taken" in text
    assert "Pause the study" in text
    submit_action(study, "pause")
    assert server.studies[AT_PROLIFIC]["status"] == "PAUSED"
    assert "Resume recruitment" in submit_action(study, "refresh")
    submit_action(study, "places", places="25")
    assert server.studies[AT_PROLIFIC]["total_available_places"] == 25
    assert "total_available_places: Places can only be increased." in submit_action(
        study, "places", places="5"
    )
    assert last_request().state == PlatformRequest.FAILED
    text = submit_action(study, "places", places="many")
    assert "Enter a number of places" in text
    assert 'value="many"' in text, "the typed value remains"
    assert "study ID: 24" in submit_action(study, "refresh", platform_study="my study")
    events = AuditEvent.objects.filter(what="pay:prolific").values_list("actor", "reason")
    assert ("ada", f"places asked: {AT_PROLIFIC}, 25 places.") in events
    assert ("clock", f"places done: {AT_PROLIFIC}, 25 places.") in events
    assert AuditLine.objects.filter(what="study_prolific", who="ada").exists()


def test_completed_submissions_are_approved_as_shown(server: Prolific, submit_action: Any) -> None:
    study = create_study()
    waiting, approved = (
        add_submission(study, server, "AWAITING REVIEW"),
        add_submission(study, server, "APPROVED"),
    )
    left = add_submission(study, server, "AWAITING REVIEW", kind="left")
    text = submit_action(study, "refresh")
    assert "awaiting review: 2" in text
    assert "Approve 1 submission" in text
    assert f"{left.pseudonym}</a>: Submitted there, but left through another exit here." in text
    changed = submit_action(study, "approve", person=[waiting.pseudonym, approved.pseudonym])
    assert "The list has changed" in changed
    submit_action(study, "approve", person=[waiting.pseudonym])
    assert server.submissions[f"s{waiting.pk}"]["status"] == "APPROVED"
    assert server.submissions[f"s{left.pk}"]["status"] == "AWAITING REVIEW"
    assert "The platform has approved 2 participants" in submit_action(study, "refresh")
    stored = " ".join(map(str, PlatformRequest.objects.values_list("body", "result", "text")))
    assert prolific_id(waiting.pk) not in stored
    assert f"s{waiting.pk}" not in stored, "requests must not store identities"


def test_bonuses_are_shown_and_paid_once(server: Prolific, submit_action: Any) -> None:
    study = create_study()
    people = [add_submission(study, server, "RETURNED", kind="left") for _each in range(2)]
    batch = add_batch(study)
    assert "1.50 GBP for 2 participants of the study" in payments_page(study)
    submit_action(study, "bonus", batch=batch.number)
    assert server.paid == [(prolific_id(p.pk), Decimal("0.75")) for p in people]
    batch.refresh_from_db()
    assert (batch.state, batch.settled_by) == (PaymentBatch.PAID, "ada")
    assert {p.status for p in Payment.objects.all()} == {Payment.PAID}
    assert "paid or revoked already" in submit_action(study, "bonus", batch=batch.number)
    platform_requests.carry_out_request(last_request().pk)  # The queue delivers the task again.
    assert len(server.paid) == 2


@pytest.mark.parametrize("failure", ["lost", 502])
def test_payment_without_a_response_is_never_repeated(
    server: Prolific, submit_action: Any, failure: int | str
) -> None:
    study = create_study()
    add_submission(study, server, "RETURNED", kind="left")
    batch = add_batch(study)
    server.faults[:] = [
        0,
        failure,
    ]  # The bulk payment is created, but its payment gets no response.
    assert "unknown whether it was done" in submit_action(study, "bonus", batch=batch.number)
    assert server.requests.count(("POST", "bulk-bonus-payments/bulk1/pay/")) == 1
    text = payments_page(study)
    assert "Check there whether it was paid" in text
    assert "Yes, pay with Prolific" not in text
    assert "never repeated" in submit_action(study, "bonus", batch=batch.number)
    client = sign_in()
    client.post(url_of(study, "study_batch_settle", batch.number), {"do": "paid"})
    batch.refresh_from_db()
    assert batch.state == PaymentBatch.PAID, "a researcher confirmed the payment"


def test_rejected_payment_is_retried_with_the_same_bulk_payment(
    server: Prolific, submit_action: Any, pauses: list[float]
) -> None:
    study = create_study()
    add_submission(study, server, "RETURNED", kind="left")
    batch = add_batch(study)
    server.faults[:] = [429, 0, 404]
    assert "failed, with no effect" in submit_action(study, "bonus", batch=batch.number)
    assert pauses == [7.0], "the pause that Prolific requests"
    assert not server.paid
    submit_action(study, "bonus", batch=batch.number)
    assert len(server.paid) == len(server.bulk) == 1


def test_worker_dying_during_payment_leaves_it_unsure(server: Prolific, submit_action: Any) -> None:
    study = create_study()
    add_submission(study, server, "RETURNED", kind="left")
    batch = add_batch(study)
    submit_action(study, "bonus", batch=batch.number, work=False)
    assert "Wait for" in submit_action(study, "refresh"), "only one payment runs at a time"
    client = sign_in()
    taken_back = client.post(url_of(study, "study_batch_settle", batch.number), {"do": "cancel"})
    assert "Prolific is paying" in normalized_text(taken_back)
    rows = PlatformRequest.objects.filter(pk=last_request().pk)
    rows.update(state=PlatformRequest.RUNNING, may_have_paid=True, tried_at=timezone.now())
    platform_requests.carry_out_request(last_request().pk)
    assert last_request().state == PlatformRequest.RUNNING, "another worker carries it out"
    rows.update(tried_at=timezone.now() - timedelta(minutes=11))
    platform_requests.carry_out_request(last_request().pk)
    assert last_request().state == PlatformRequest.UNSURE
    assert not server.paid


def test_unusable_participants_are_screened_out_and_paid(
    server: Prolific, submit_action: Any
) -> None:
    exits = {"quiz_early": {"pay": "0.30"}, "completed": {"pay": "4.50"}}
    study = create_study(exits=exits)
    one, two = (add_submission(study, server, "ACTIVE", kind="quiz_early") for _each in range(2))
    active = taking.add_participant(study)
    Identity.objects.create(participant=active, label=prolific_id(9), study=AT_PROLIFIC)
    assert "Screen out 2 participants for 0.30 GBP each" in submit_action(study, "refresh")
    submit_action(study, "screen_out", person=[one.pseudonym, two.pseudonym])
    assert server.paid == [(prolific_id(p.pk), Decimal("0.3")) for p in (one, two)]
    assert PaymentBatch.objects.get().state == PaymentBatch.PAID
    assert "Screen out" not in submit_action(study, "refresh").replace("Screen out submissions", "")
    submit_action(study, "screen_out", person=[one.pseudonym, two.pseudonym])
    assert len(server.paid) == 2


def test_platform_errors_are_shown_without_the_token(
    server: Prolific, submit_action: Any, pauses: list[float], monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    caplog.set_level(logging.DEBUG)
    study = create_study()
    server.faults[:] = [503, "lost", 500]
    assert "ACTIVE; 0 of 10" in submit_action(study, "refresh"), "read requests are repeated"
    assert pauses == [2.0, 4.0, 8.0]
    other_study_id = "66aa0000000000000000000f"
    assert "404: Not found: The resource" in submit_action(
        study, "refresh", platform_study=other_study_id
    )
    monkeypatch.setenv(prolific.ADDRESS_VARIABLE, "http://127.0.0.1:9")
    assert "it could not be reached" in submit_action(study, "refresh")
    monkeypatch.setenv(prolific.ADDRESS_VARIABLE, server.address)
    monkeypatch.setenv(prolific.TOKEN_VARIABLE, "an-old-token")
    text = submit_action(study, "refresh")
    assert "401: it does not accept the token (PROLIFIC_API_TOKEN)" in text
    stored = " ".join(map(str, PlatformRequest.objects.values_list("text", "body", "result")))
    assert TOKEN not in text + stored + caplog.text
    assert "an-old-token" not in text + stored + caplog.text


def test_prolific_participants_are_linked_back_with_their_code() -> None:
    study = create_study()
    person, alone = add_exited(study, kind="completed"), taking.add_participant(study)
    back = "https://app.prolific.com/submissions/complete?cc=C0DE"
    assert f'href="{back}"' in normalized_text(
        taking.browser_of(person).get(f"/take/as/{person.key}/")
    )
    assert "app.prolific.com" not in normalized_text(
        taking.browser_of(alone).get(f"/take/as/{alone.key}/")
    )
