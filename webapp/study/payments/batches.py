"""Batches: payments that are paid together by one file, recorded so that nothing is paid twice.

A file for Prolific has a line `id,amount` for each of at most 200 participants with one Prolific
study id: decimal point, two decimals, no heading, no quotes, a line feed after each line. A plain
list is a text with tabs: number, outside name, code, amount, currency. The bytes are generated from
the batch's payments at each download, and compared with the hash of the first time.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webapp.study.csv_cells import cells
from webapp.study.design.value_checks import Refused
from webapp.study.models import (
    Identity,
    Participant,
    Payment,
    PaymentBatch,
    PlatformRequest,
    Study,
)
from webapp.study.payments import payment_decisions
from webapp.study.sessions import audit_events, participant_steps, slots

MAX_PROLIFIC_LINES = 200  # the most participants in one file for Prolific
PROLIFIC_ID = re.compile(r"[0-9a-fA-F]{24}")


@dataclass(frozen=True)
class BatchLine:
    """One participant's line in a batch.

    outside: outside name, "" for none. code: the code that their exit showed.
    """

    participant: str
    outside: str
    code: str
    amount: Decimal


@dataclass(frozen=True)
class CreatedBatch:
    """A new batch. left_out: sentences about participants with due payments that are not in it."""

    batch: PaymentBatch
    left_out: Sequence[str]


@dataclass(frozen=True)
class DueGroup:
    """Payments that a new batch could contain: number of participants, and sum."""

    platform_study: str
    people: int
    total: Decimal


def due_groups(study: Study) -> list[DueGroup]:
    """Return the due payments without a batch, by study id of the platform, "" last."""
    platform_studies = _platform_studies(study)
    due_by_study: dict[str, dict[int, Decimal]] = {}
    for row in _due(study):
        people = due_by_study.setdefault(platform_studies.get(row.participant_id, ""), {})
        people[row.participant_id] = people.get(row.participant_id, Decimal(0)) + row.amount
    return [
        DueGroup(key, len(people), sum(people.values(), Decimal(0)))
        for key, people in sorted(due_by_study.items(), key=lambda one: (not one[0], one[0]))
    ]


def create_batch(
    study: Study, platform_study: str, *, actor: str, participants: Collection[int] | None = None
) -> CreatedBatch:
    """Create a batch of the payments due to participants with that study id of the platform.

    platform_study: "" for a plain list of participants without one. participants: primary keys; by
    default all. Raises Refused if nothing is due.
    """
    with transaction.atomic():
        row = slots.lock_study(study)  # two concurrent calls run one after the other
        platform_studies = _platform_studies(row)
        due = [p for p in _due(row) if platform_studies.get(p.participant_id, "") == platform_study]
        if participants is not None:
            due = [payment for payment in due if payment.participant_id in participants]
        payments_taken, left_out = _fitting_payments(due) if platform_study else (due, [])
        if not payments_taken:
            raise Refused([*left_out, _("There is nothing due that such a file could hold.")])
        batch = PaymentBatch(
            study=row,
            number=(row.payment_batches.aggregate(last=Max("number"))["last"] or 0) + 1,
            platform_study=platform_study,
            made_by=actor,
        )
        lines = _lines(payments_taken)
        batch.lines, batch.total = len(lines), payment_decisions.total(payments_taken)
        batch.sha256 = hashlib.sha256(_file_bytes(batch, lines)).hexdigest()
        batch.save()
        Payment.objects.filter(pk__in=[p.pk for p in payments_taken]).update(batch=batch)
        _note(batch, "batch", actor)
    return CreatedBatch(batch, left_out)


def batch_file(batch: PaymentBatch) -> bytes:
    """Return the batch's file, always the same bytes.

    Raises Refused if they cannot be reproduced.
    """
    if batch.state == PaymentBatch.CANCELLED:
        raise Refused([_("This batch was taken back: its payments are in other ones, or due.")])
    rows = batch.payments.select_related("participant__study").order_by("participant", "pk")
    content = _file_bytes(batch, _lines(list(rows)))
    if hashlib.sha256(content).hexdigest() != batch.sha256:
        raise Refused(
            [
                _(
                    "The file can’t be made again: outside names of people in it, or payments, were"
                    " deleted since."
                )
            ]
        )
    return content


def mark_paid(batch: PaymentBatch, *, actor: str) -> None:
    """Mark the batch as paid. Raises Refused if it has been paid or taken back."""
    with transaction.atomic():
        row = _open(batch)
        row.payments.update(status=Payment.PAID)
        _settle(row, PaymentBatch.PAID, actor)
        _note(row, "batch_paid", actor)


def take_back(batch: PaymentBatch, *, actor: str) -> None:
    """Take back an unused batch: its payments are due again. Raises Refused if it was paid."""
    with transaction.atomic():
        row = _open(batch)
        row.payments.update(batch=None)
        _settle(row, PaymentBatch.CANCELLED, actor)
        _note(row, "batch_cancelled", actor)


def _open(batch: PaymentBatch) -> PaymentBatch:
    slots.lock_study(batch.study_id)
    row = PaymentBatch.objects.get(pk=batch.pk)
    if row.state != PaymentBatch.MADE:
        raise Refused([_("This batch was paid or taken back already.")])
    if row.requests.filter(state__in=PlatformRequest.UNSETTLED).exists():
        raise Refused([_("This batch is being paid by Prolific. Wait for the answer.")])
    return row


def _settle(row: PaymentBatch, state: str, actor: str) -> None:
    row.state, row.settled_at, row.settled_by = state, timezone.now(), actor
    row.save(update_fields=["state", "settled_at", "settled_by"])


def _platform_studies(study: Study) -> dict[int, str]:
    """Return participant's id -> study id of the platform that sent them."""
    rows = Identity.objects.filter(participant__study=study).exclude(study="")
    return {
        pk: platform_study for pk, platform_study in rows.values_list("participant", "study") if pk
    }


def _due(study: Study) -> list[Payment]:
    """Return payments for a file: due, in no batch, and not the platform's own reward."""
    rows = payment_decisions.visible_payments(study).filter(
        status=Payment.DUE, batch=None, reward=False
    )
    return list(rows.select_related("participant__study").order_by("participant", "pk"))


def _fitting_payments(due: Sequence[Payment]) -> tuple[list[Payment], list[str]]:
    """Return the payments that fit into Prolific's file, and sentences about the others."""
    names = _names(due)
    odd = {p.participant_id for p in due if not PROLIFIC_ID.fullmatch(_name(names, p))}
    people = list(dict.fromkeys(p.participant_id for p in due if p.participant_id not in odd))
    payments_taken = [p for p in due if p.participant_id in set(people[:MAX_PROLIFIC_LINES])]
    return payments_taken, [
        *_bad_id_faults(due, odd, names),
        *_surplus_faults(len(people) - MAX_PROLIFIC_LINES),
    ]


def _bad_id_faults(due: Sequence[Payment], odd: set[int], names: dict[int, str]) -> list[str]:
    if not odd:
        return []
    pseudonyms = {p.participant_id: p.participant.pseudonym for p in due if p.participant_id in odd}
    people_text = ", ".join(f"{pseudonyms[pk]} ({names.get(pk, '')!r})" for pk in sorted(odd))
    text = ngettext(
        "{n} person is left out, for their name outside is no id of Prolific’s: {who}. Pay them"
        " another way.",
        "{n} people are left out, for their names outside are no ids of Prolific’s: {who}. Pay them"
        " another way.",
        len(odd),
    )
    return [text.format(n=len(odd), who=people_text)]


def _surplus_faults(number: int) -> list[str]:
    if number <= 0:
        return []
    text = ngettext(
        "A file holds {most} people: {n} more waits for the next one.",
        "A file holds {most} people: {n} more wait for the next one.",
        number,
    )
    return [text.format(most=MAX_PROLIFIC_LINES, n=number)]


def _names(due: Sequence[Payment]) -> dict[int, str]:
    rows = Identity.objects.filter(participant__in={p.participant_id for p in due})
    return {pk: label for pk, label in rows.values_list("participant", "label") if pk}


def _name(names: dict[int, str], payment: Payment) -> str:
    return names.get(payment.participant_id, "")


def _lines(payment_rows: Sequence[Payment]) -> list[BatchLine]:
    """Return one line for each participant with the sum of their payments."""
    names = _names(payment_rows)
    people: dict[int, Participant] = {p.participant_id: p.participant for p in payment_rows}
    sums = dict.fromkeys(people, Decimal(0))
    for payment in payment_rows:
        sums[payment.participant_id] += payment.amount
    return [
        BatchLine(
            row.pseudonym,
            names.get(pk, ""),
            participant_steps.completion_code(row) if row.exit else "",
            sums[pk],
        )
        for pk, row in sorted(people.items())
    ]


def _file_bytes(batch: PaymentBatch, lines: Sequence[BatchLine]) -> bytes:
    if batch.platform_study:
        return "".join(f"{line.outside},{line.amount:.2f}\n" for line in lines).encode("ascii")
    currency = participant_steps.design_of(batch.study).currency
    rows = (
        (x.participant, " ".join(x.outside.split()), x.code, f"{x.amount:.2f}", currency)
        for x in lines
    )
    return "".join("\t".join(cells(row)) + "\n" for row in rows).encode()


def _note(batch: PaymentBatch, event_kind: str, actor: str) -> None:
    reason = f"batch {batch.number}: {batch.lines} people, {batch.total}"
    audit_events.record_event(
        batch.study_id, payment_decisions.EVENT_PREFIX + event_kind, actor=actor, reason=reason
    )
