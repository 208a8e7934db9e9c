"""Prolific by its API: what the researcher presses, what is sent, and what is never sent twice."""

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
    add_exited,
    create_batch,
    create_study,
    prolific_id,
    url_of,
)
from tests.study.prolific_server import TOKEN, Prolific, run_prolific
from webapp.study.models import (
    AuditLine,
    Happening,
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
def there(monkeypatch: pytest.MonkeyPatch) -> Iterator[Prolific]:
    """Prolific, with our token."""
    with run_prolific() as server:
        server.add_study(AT_PROLIFIC)
        monkeypatch.setenv(prolific.TOKEN_VARIABLE, TOKEN)
        monkeypatch.setenv(prolific.ADDRESS_VARIABLE, server.address)
        yield server


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between tries, which nobody waits for."""
    taken: list[float] = []
    monkeypatch.setattr(prolific, "sleep", taken.append)
    return taken


@pytest.fixture(autouse=True)
def queue(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What waits for a worker."""
    sent: list[int] = []
    monkeypatch.setattr(
        platform_requests, "send", lambda task, pk: task == "study.platform" and not sent.append(pk)
    )
    return sent


@pytest.fixture
def press(queue: list[int], django_capture_on_commit_callbacks: Any) -> Any:
    """Press a button of the page, and let a worker do what is asked. Gives the page after it."""

    def pressed(of: Study, do: str, *, work: bool = True, **fields: Any) -> str:
        client = sign_in()
        with django_capture_on_commit_callbacks(execute=True):
            given = {"do": do, "platform_study": AT_PROLIFIC, **fields}
            answer = client.post(url_of(of, "study_prolific"), given)
        if answer.status_code == 422:
            return read(answer)
        assert answer.status_code == 302
        while work and queue:
            platform_requests.carry_out_request(queue.pop(0))
        return shown(of, client)

    return pressed


def shown(of: Study, client: Client | None = None) -> str:
    return read((client or sign_in()).get(url_of(of)))


def read(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def sent(of: Study, there: Prolific, status: str, kind: str = "completed") -> Participant:
    """Somebody whom Prolific sent and who went out here; their submission there."""
    person = add_exited(of, kind=kind)
    there.add_submission(f"s{person.pk}", AT_PROLIFIC, prolific_id(person.pk), status, "C0DE")
    return person


def last() -> PlatformRequest:
    return PlatformRequest.objects.first() or pytest.fail("nothing was asked")


def test_payments_page_without_token_offers_files_only(press: Any) -> None:
    of = create_study()
    add_exited(of)
    create_batch(of)
    text = shown(of)

    assert "prolific-title" not in text
    assert "Pay with Prolific" not in text
    assert "There is no Prolific token" in press(of, "refresh")
    assert not PlatformRequest.objects.exists()


def test_platform_status_and_places_are_read_and_changed(there: Prolific, press: Any) -> None:
    of = create_study()
    text = press(of, "refresh")
    assert "ACTIVE; 0 of 10 places taken" in text
    assert "Pause the study" in text
    press(of, "pause")
    assert there.studies[AT_PROLIFIC]["status"] == "PAUSED"
    assert "Resume recruitment" in press(of, "refresh")
    press(of, "places", places="25")
    assert there.studies[AT_PROLIFIC]["total_available_places"] == 25
    assert "total_available_places: Places can only be increased." in press(
        of, "places", places="5"
    )
    assert last().state == PlatformRequest.FAILED
    text = press(of, "places", places="many")
    assert "Enter a number of places" in text
    assert 'value="many"' in text, "what was typed is still there"
    assert "study ID: 24" in press(of, "refresh", platform_study="my study")
    asked = Happening.objects.filter(what="pay:prolific").values_list("actor", "reason")
    assert ("ada", f"places asked: {AT_PROLIFIC}, 25 places.") in asked
    assert ("clock", f"places done: {AT_PROLIFIC}, 25 places.") in asked
    assert AuditLine.objects.filter(what="study_prolific", who="ada").exists()


def test_completed_submissions_are_approved_as_shown(there: Prolific, press: Any) -> None:
    of = create_study()
    waits, done = sent(of, there, "AWAITING REVIEW"), sent(of, there, "APPROVED")
    left = sent(of, there, "AWAITING REVIEW", kind="left")
    text = press(of, "refresh")
    assert "awaiting review: 2" in text
    assert "Approve 1 submission" in text
    assert f"{left.pseudonym}</a>: Submitted there, but left through another exit here." in text
    changed = press(of, "approve", person=[waits.pseudonym, done.pseudonym])
    assert "The list has changed" in changed
    press(of, "approve", person=[waits.pseudonym])
    assert there.submissions[f"s{waits.pk}"]["status"] == "APPROVED"
    assert there.submissions[f"s{left.pk}"]["status"] == "AWAITING REVIEW"
    assert "The platform has approved 2 participants" in press(of, "refresh")
    named = " ".join(map(str, PlatformRequest.objects.values_list("body", "result", "text")))
    assert prolific_id(waits.pk) not in named
    assert f"s{waits.pk}" not in named, "outside names stay in their own rows"


def test_bonuses_are_shown_and_paid_once(there: Prolific, press: Any) -> None:
    of = create_study()
    people = [sent(of, there, "RETURNED", kind="left") for _each in range(2)]
    batch = create_batch(of)
    assert "1.50 GBP for 2 participants of the study" in shown(of)
    press(of, "bonus", batch=batch.number)
    assert there.paid == [(prolific_id(p.pk), Decimal("0.75")) for p in people]
    batch.refresh_from_db()
    assert (batch.state, batch.settled_by) == (PaymentBatch.PAID, "ada")
    assert {p.status for p in Payment.objects.all()} == {Payment.PAID}
    assert "paid or revoked already" in press(of, "bonus", batch=batch.number)
    platform_requests.carry_out_request(last().pk)  # the queue delivers it again
    assert len(there.paid) == 2


@pytest.mark.parametrize("fault", ["lost", 502])
def test_payment_without_a_response_is_never_repeated(
    there: Prolific, press: Any, fault: int | str
) -> None:
    of = create_study()
    sent(of, there, "RETURNED", kind="left")
    batch = create_batch(of)
    there.faults[:] = [0, fault]  # the bulk payment is made; paying it is not answered
    assert "unknown whether it was done" in press(of, "bonus", batch=batch.number)
    assert there.asked.count(("POST", "bulk-bonus-payments/bulk1/pay/")) == 1
    text = shown(of)
    assert "Check there whether it was paid" in text
    assert "Yes, pay with Prolific" not in text
    assert "never repeated" in press(of, "bonus", batch=batch.number)
    client = sign_in()
    client.post(url_of(of, "study_batch_settle", batch.number), {"do": "paid"})
    batch.refresh_from_db()
    assert batch.state == PaymentBatch.PAID, "a person has looked, and says so"


def test_rejected_payment_is_retried_with_the_same_bulk_payment(
    there: Prolific, press: Any, pauses: list[float]
) -> None:
    of = create_study()
    sent(of, there, "RETURNED", kind="left")
    batch = create_batch(of)
    there.faults[:] = [429, 0, 404]
    assert "failed, with no effect" in press(of, "bonus", batch=batch.number)
    assert pauses == [7.0], "as long as Prolific asks"
    assert not there.paid
    press(of, "bonus", batch=batch.number)
    assert len(there.paid) == len(there.bulk) == 1


def test_worker_dying_during_payment_leaves_it_unsure(there: Prolific, press: Any) -> None:
    of = create_study()
    sent(of, there, "RETURNED", kind="left")
    batch = create_batch(of)
    press(of, "bonus", batch=batch.number, work=False)
    assert "Wait for" in press(of, "refresh"), "one at a time"
    client = sign_in()
    taken_back = client.post(url_of(of, "study_batch_settle", batch.number), {"do": "cancel"})
    assert "Prolific is paying" in read(taken_back)
    rows = PlatformRequest.objects.filter(pk=last().pk)
    rows.update(state=PlatformRequest.RUNNING, paying=True, tried_at=timezone.now())
    platform_requests.carry_out_request(last().pk)
    assert last().state == PlatformRequest.RUNNING, "another worker is at it"
    rows.update(tried_at=timezone.now() - timedelta(minutes=11))
    platform_requests.carry_out_request(last().pk)
    assert last().state == PlatformRequest.UNSURE
    assert not there.paid


def test_unusable_participants_are_screened_out_and_paid(there: Prolific, press: Any) -> None:
    exits = {"quiz_early": {"pay": "0.30"}, "completed": {"pay": "4.50"}}
    of = create_study(exits=exits)
    one, two = (sent(of, there, "ACTIVE", kind="quiz_early") for _each in range(2))
    active = taking.add_participant(of)
    Identity.objects.create(participant=active, label=prolific_id(9), study=AT_PROLIFIC)
    assert "Screen out 2 participants for 0.30 GBP each" in press(of, "refresh")
    press(of, "screen_out", person=[one.pseudonym, two.pseudonym])
    assert there.paid == [(prolific_id(p.pk), Decimal("0.3")) for p in (one, two)]
    assert PaymentBatch.objects.get().state == PaymentBatch.PAID
    assert "Screen out" not in press(of, "refresh").replace("Screen out submissions", "")
    press(of, "screen_out", person=[one.pseudonym, two.pseudonym])
    assert len(there.paid) == 2


def test_platform_errors_are_shown_without_the_token(
    there: Prolific, press: Any, pauses: list[float], monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    caplog.set_level(logging.DEBUG)
    of = create_study()
    there.faults[:] = [503, "lost", 500]
    assert "ACTIVE; 0 of 10" in press(of, "refresh"), "reading is tried again"
    assert pauses == [2.0, 4.0, 8.0]
    other = "66aa0000000000000000000f"
    assert "404: Not found: The resource" in press(of, "refresh", platform_study=other)
    monkeypatch.setenv(prolific.ADDRESS_VARIABLE, "http://127.0.0.1:9")
    assert "it could not be reached" in press(of, "refresh")
    monkeypatch.setenv(prolific.ADDRESS_VARIABLE, there.address)
    monkeypatch.setenv(prolific.TOKEN_VARIABLE, "an-old-token")
    text = press(of, "refresh")
    assert "401: it does not accept the token (PROLIFIC_API_TOKEN)" in text
    stored = " ".join(map(str, PlatformRequest.objects.values_list("text", "body", "result")))
    assert TOKEN not in text + stored + caplog.text
    assert "an-old-token" not in text + stored + caplog.text


def test_prolific_participants_are_linked_back_with_their_code() -> None:
    of = create_study()
    person, alone = add_exited(of, kind="completed"), taking.add_participant(of)
    back = "https://app.prolific.com/submissions/complete?cc=C0DE"
    assert f'href="{back}"' in read(taking.browser_of(person).get(f"/take/as/{person.key}/"))
    assert "app.prolific.com" not in read(taking.browser_of(alone).get(f"/take/as/{alone.key}/"))
