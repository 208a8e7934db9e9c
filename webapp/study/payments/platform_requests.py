"""Requests to Prolific's API. A page stores a request as a row, and a worker carries it out.

A request is carried out once. One that pays is marked as `may_have_paid` before it is sent. If no
answer comes, or the worker dies meanwhile, the row becomes UNSURE and is never sent again. The
researcher then has to check Prolific and settle the batch by hand. The payments of a request are in
a batch, so that nothing else pays them. Audit events record the request and its answer.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webapp.celery import send
from webapp.storable_text import read_number
from webapp.study.design.refusals import Refused
from webapp.study.models import Identity, Participant, Payment, PaymentBatch, PlatformRequest, Study
from webapp.study.payments import batches, payment_decisions, prolific, submissions
from webapp.study.payments.prolific import AnswerUnknown, PlatformError
from webapp.study.sessions import participant_state, slots, study_events

logger = logging.getLogger(__name__)

TASK = "study.platform"
DEAD_AFTER = timedelta(minutes=10)  # all tries take less; a worker that takes longer must have died
MAX_PLACES = 10_000
MAX_TEXT_CHARS = 400  # length of the column `PlatformRequest.text`
_WORKER_STOPPED = gettext_lazy("The worker stopped before it received an answer.")
REFRESH, PLACES, APPROVE, SCREEN_OUT, BONUS = "refresh", "places", "approve", "screen_out", "bonus"
# Kind of request -> action on the study at Prolific.
ACTIONS = {"publish": "PUBLISH", "pause": "PAUSE", "start": "START", "stop": "STOP"}
KINDS: dict[str, Any] = {
    REFRESH: gettext_lazy("read the study and its submissions"),
    "publish": gettext_lazy("publish the study"),
    "pause": gettext_lazy("pause the study"),
    "start": gettext_lazy("resume recruitment"),
    "stop": gettext_lazy("stop the study"),
    PLACES: gettext_lazy("set the number of places"),
    APPROVE: gettext_lazy("approve submissions"),
    SCREEN_OUT: gettext_lazy("screen out submissions"),
    BONUS: gettext_lazy("pay bonuses"),
}
# Status of the study at Prolific -> kinds of requests that Prolific accepts.
KINDS_BY_STATUS = {
    "UNPUBLISHED": ("publish",), "ACTIVE": ("pause", "stop"), "PAUSED": ("start", "stop"),
}  # fmt: skip
# Exits of participants whom the study could not use. They may be screened out.
SCREEN_OUT_EXITS = ("screened_out", "unsuitable", "quiz_early", "quiz_failed", "full", "waited_out")


def platform_studies(study: Study) -> list[str]:
    """Return the ids of the studies at Prolific that sent participants, or had a request."""
    identities = Identity.objects.filter(participant__study=study)
    requests = study.platform_requests
    sources = identities.values_list("study", flat=True)
    keys = {*sources, *requests.values_list("platform_study", flat=True)}
    return sorted(filter(prolific.ID_PATTERN.fullmatch, keys))


def last_refresh(study: Study, platform_study: str) -> PlatformRequest | None:
    """Return the last REFRESH with an answer, None if there is none."""
    rows = study.platform_requests.filter(platform_study=platform_study, kind=REFRESH)
    return rows.filter(state=PlatformRequest.DONE).first()


def participants_to_approve(study: Study, platform_study: str) -> list[Participant]:
    """Return the rewarded participants whose submission awaited review at the last refresh."""
    rewarded = participant_state.design_of(study).platform.rewards
    rows = _participants_with_status(study, platform_study, submissions.AWAITING)
    return list(rows.filter(exit__in=rewarded))


def groups_to_screen_out(study: Study, platform_study: str) -> dict[Decimal, list[Participant]]:
    """Return amount for each -> participants, of those who may be screened out.

    Their submissions were active at the last refresh, and their due payments are in no batch.
    Prolific screens out submissions with equal amounts together.
    """
    people_by_amount: dict[Decimal, list[Participant]] = {}
    rows = _participants_with_status(study, platform_study, submissions.ACTIVE).filter(
        exit__in=SCREEN_OUT_EXITS
    )
    for row in rows.prefetch_related("payments"):
        due = [p for p in row.payments.all() if p.status == Payment.DUE and not p.reward]
        if due and not any(p.batch_id for p in due):
            people_by_amount.setdefault(payment_decisions.total(due), []).append(row)
    return dict(sorted(people_by_amount.items()))


def _participants_with_status(
    study: Study, platform_study: str, status: str
) -> QuerySet[Participant]:
    rows = study.participants.filter(identity__study=platform_study, platform_status__status=status)
    return rows.exclude(identity__session="").order_by("pk")


def request_study_change(
    study: Study, kind: str, platform_study: str, places: str, *, actor: str
) -> None:
    """Request a REFRESH, PLACES (with the posted number of places) or one of ACTIONS."""
    if kind not in (REFRESH, PLACES, *ACTIONS):
        raise Refused([_("Prolific does not support this request now. Reload the page.")])
    body = {}
    if kind == PLACES:
        number = read_number(places)
        if not 1 <= number <= MAX_PLACES:
            raise Refused([_("Enter a number of places from 1 to {n}.").format(n=MAX_PLACES)])
        body = {"places": number}
    _store_request(study, kind, platform_study, actor, body=body)


def request_approval(
    study: Study, platform_study: str, pseudonyms: Sequence[str], *, actor: str
) -> None:
    """Request the approval of the submissions of the participants that the page listed."""
    people = _check_unchanged(participants_to_approve(study, platform_study), pseudonyms)
    body = {"participants": [person.pk for person in people]}
    _store_request(study, APPROVE, platform_study, actor, body=body)


def request_screen_out(
    study: Study, platform_study: str, pseudonyms: Sequence[str], *, actor: str
) -> None:
    """Request to screen out a group of participants that the page listed, and pay them."""
    with transaction.atomic():
        slots.lock_study(study)
        groups = groups_to_screen_out(study, platform_study)
        group = next((g for g in groups.values() if {p.pseudonym for p in g} == {*pseudonyms}), [])
        people = [person.pk for person in _check_unchanged(group, pseudonyms)]
        batch, left_out = batches.create_batch(
            study, platform_study, actor=actor, participants=people
        )
        if left_out:
            raise Refused(left_out)
        body = {"participants": people}
        _store_request(study, SCREEN_OUT, platform_study, actor, body=body, batch=batch)


def request_bonuses(batch: PaymentBatch, *, actor: str) -> None:
    """Request that Prolific pays a batch. Raise `Refused` if it may have been paid already."""
    with transaction.atomic():
        slots.lock_study(batch.study_id)
        batch.refresh_from_db()
        if batch.state != PaymentBatch.MADE or not batch.platform_study:
            raise Refused([_("This batch was paid or revoked already.")])
        if batch.requests.exclude(state=PlatformRequest.FAILED).exists():
            raise Refused([_("Prolific was asked to pay this batch. This is never repeated.")])
        batches.batch_file(batch)  # raises Refused if the file cannot be reproduced
        # A failed request may have created the bulk payment, which can be used again.
        earlier = batch.requests.exclude(bulk_payment_id="").first()
        bulk_payment_id = earlier.bulk_payment_id if earlier else ""
        fields = {"batch": batch, "bulk_payment_id": bulk_payment_id}
        _store_request(batch.study, BONUS, batch.platform_study, actor, **fields)


def _check_unchanged(
    people: Sequence[Participant], pseudonyms: Sequence[str]
) -> Sequence[Participant]:
    """Return the participants. Raise `Refused` if the page listed others."""
    if not people or {p.pseudonym for p in people} != {*pseudonyms}:
        raise Refused([_("The list has changed in the meantime. Check it again.")])
    return people


def _store_request(study: Study, kind: str, platform_study: str, actor: str, **fields: Any) -> None:
    """Store a request and queue it. Raise `Refused` if it cannot be sent now."""
    if not prolific.has_token():
        raise Refused([_("There is no Prolific token. Set PROLIFIC_API_TOKEN.")])
    if not prolific.ID_PATTERN.fullmatch(platform_study):
        raise Refused([_("Enter the Prolific study ID: 24 digits and letters a to f.")])
    with transaction.atomic():
        slots.lock_study(study)
        unsettled = study.platform_requests.filter(state__in=PlatformRequest.UNSETTLED)
        if not all(map(_is_dead, unsettled)):
            raise Refused([_("Prolific is still at the last request. Wait for its answer.")])
        for row in unsettled:
            _end_without_answer(row, _WORKER_STOPPED)
        row = PlatformRequest.objects.create(
            study=study, kind=kind, platform_study=platform_study, actor=actor, **fields
        )
        _record_event(row, "asked", actor)
        transaction.on_commit(lambda: _queue(row))


def _is_dead(row: PlatformRequest) -> bool:
    """Return whether the worker of an unsettled request must have died."""
    return (row.tried_at or row.at) < timezone.now() - DEAD_AFTER


def _end_without_answer(row: PlatformRequest, cause: object) -> None:
    state = PlatformRequest.UNSURE if row.may_have_paid else PlatformRequest.FAILED
    _end(row, state, str(cause))


def _queue(row: PlatformRequest) -> None:
    if not send(TASK, row.pk):
        _end(row, PlatformRequest.FAILED, _("The task queue cannot be reached. Try again."))


def carry_out_request(pk: int) -> None:
    """Carry out a request, unless another worker has done so or is doing so. For workers only."""
    with transaction.atomic():
        row = PlatformRequest.objects.select_for_update().filter(pk=pk).first()
        if row is None or row.state not in PlatformRequest.UNSETTLED:
            return
        if row.state == PlatformRequest.RUNNING:
            if _is_dead(row):
                _end_without_answer(row, _WORKER_STOPPED)
            return
        row.state = PlatformRequest.RUNNING
        row.tried_at = timezone.now()
        row.save(update_fields=["state", "tried_at"])
    try:
        sentence = _SENDERS[row.kind](row)
    except AnswerUnknown as error:
        text = _("No answer arrived ({why}). Check on Prolific whether the batch was paid.")
        _end(row, PlatformRequest.UNSURE, text.format(why=error))
    except (PlatformError, Refused) as error:
        reasons = error.sentences if isinstance(error, Refused) else [str(error)]
        _end(row, PlatformRequest.FAILED, " ".join(reasons))
    except Exception as error:
        logger.exception("the request %s to the platform", row.pk)
        _end_without_answer(row, type(error).__name__)
    else:
        _end(row, PlatformRequest.DONE, sentence or "")


def _end(row: PlatformRequest, state: str, text: str) -> None:
    """Store the end of a request. Its batch is marked as paid in the same transaction."""
    with transaction.atomic():
        row.state = state
        row.text = text[:MAX_TEXT_CHARS]
        row.done_at = timezone.now()
        row.save()
        if state == PlatformRequest.DONE and row.batch:
            batches.mark_paid(row.batch, actor=row.actor)
        _record_event(row, state, study_events.CLOCK)


def _record_event(row: PlatformRequest, event: str, actor: str) -> None:
    details = f"{row.kind} {event}: {row.platform_study}"
    if row.batch:
        details += f", batch {row.batch.number}: {row.batch.lines} people, {row.batch.total}"
    elif row.body:
        people = row.body.get("participants")
        details += f", {len(people)} submissions" if people else f", {row.body['places']} places"
    reason = f"{details}. {row.text}".strip()
    payment_decisions.record_payment_event(row.study_id, "prolific", actor, reason)


def _refresh(row: PlatformRequest) -> None:
    remote_study = prolific.get_study(row.platform_study)
    rows = prolific.list_submissions(row.platform_study)
    comparison = submissions.compare_list(row.study, rows)
    row.result = {
        "status": str(remote_study.get("status", "")),
        "places": remote_study.get("total_available_places"),
        "taken": remote_study.get("places_taken"),
        "submissions": dict(comparison.by_status),
        # The submission's id would identify the person, so this row has none.
        "differences": [
            {**asdict(difference), "submission": ""}
            for difference in comparison.differences
            if difference.participant
        ],
    }


def _approve(row: PlatformRequest) -> str:
    prolific.approve(_submission_ids(row))
    return _("Prolific pays within minutes. Then load its list again.")


def _screen_out(row: PlatformRequest) -> None:
    assert row.batch
    ids = _submission_ids(row)
    _mark_paying(row)
    prolific.screen_out(row.platform_study, ids, row.batch.total / row.batch.lines)


def _pay_bonuses(row: PlatformRequest) -> None:
    assert row.batch
    if not row.bulk_payment_id:
        lines = batches.batch_file(row.batch).decode()
        bulk_payment = prolific.create_bonuses(row.platform_study, lines)
        row.bulk_payment_id = bulk_payment.id
        row.save(update_fields=["bulk_payment_id"])
        total = row.batch.total
        if bulk_payment.amount not in (total * 100, total):  # hundredths, or not
            row.bulk_payment_id = ""
            sentence = _("Nothing was paid: Prolific’s amount differs ({amount} in hundredths).")
            raise Refused([sentence.format(amount=bulk_payment.amount)])
    _mark_paying(row)
    prolific.pay_bonuses(row.bulk_payment_id)


def _mark_paying(row: PlatformRequest) -> None:
    row.may_have_paid = True
    row.save(update_fields=["may_have_paid"])  # committed before the request is sent


def _submission_ids(row: PlatformRequest) -> list[str]:
    people = Identity.objects.filter(participant__in=row.body["participants"])
    ids = list(people.exclude(session="").order_by("pk").values_list("session", flat=True))
    if len(ids) != len(row.body["participants"]):
        raise Refused([_("External names of participants in this request have been deleted.")])
    return ids


# A function that sends each kind of request. It may return a sentence for the researcher.
_SENDERS: dict[str, Callable[[PlatformRequest], str | None]] = {
    REFRESH: _refresh,
    **dict.fromkeys(
        ACTIONS, lambda row: prolific.transition_study(row.platform_study, ACTIONS[row.kind])
    ),
    PLACES: lambda row: prolific.set_places(row.platform_study, row.body["places"]),
    APPROVE: _approve,
    SCREEN_OUT: _screen_out,
    BONUS: _pay_bonuses,
}
