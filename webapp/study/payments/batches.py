"""Batches: payments that one file pays together, recorded so that nothing is paid twice.

A file for Prolific has a line `id,amount` for each of at most 200 participants of one Prolific
study: decimal point, two decimals, no heading, no quotes, a line feed after each line. A plain list
is a text with tabs: pseudonym, external name, completion code, amount, currency. Each download
generates the file again from the batch's payments, and compares it with the stored hash.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webapp.study.csv_cells import format_cells
from webapp.study.design.refusals import Refused
from webapp.study.models import Identity, Payment, PaymentBatch, PlatformRequest, Study
from webapp.study.payments import payment_decisions
from webapp.study.sessions import participant_state, slots

MAX_PROLIFIC_FILE_LINES = 200  # Prolific accepts no more lines in one file
PROLIFIC_ID = re.compile(r"[0-9a-fA-F]{24}")


class BatchLine(NamedTuple):
    """What one participant gets in a batch."""

    pseudonym: str
    external_name: str  # "" if there is none
    completion_code: str  # code that the exit showed; "" for none
    amount: Decimal  # the sum of the payments


class DueGroup(NamedTuple):
    """The due payments of the participants whom one of the platform's studies sent."""

    platform_study_id: str  # "" for participants without one
    participant_count: int
    total: Decimal


def due_groups(study: Study) -> list[DueGroup]:
    """Return the due payments without a batch, by the platform's study, "" last."""
    payments_by_study = defaultdict[str, list[Payment]](list)
    for payment in _due_payments(study):
        payments_by_study[_identity(payment).study].append(payment)
    return [
        DueGroup(key, len({p.participant_id for p in payments}), payment_decisions.total(payments))
        for key, payments in sorted(
            payments_by_study.items(), key=lambda item: (not item[0], item[0])
        )
    ]


def create_batch(
    study: Study, platform_study_id: str, *, actor: str, participants: Collection[int] | None = None
) -> tuple[PaymentBatch, list[str]]:
    """Create a batch of the payments due to participants of one of the platform's studies.

    If the id is "", the batch is a plain list of the participants without such a study. Only those
    with the primary keys `participants` are paid, if given. Return the batch, and sentences about
    participants whose due payments do not fit into its file. Raise `Refused` if none is left.
    """
    with transaction.atomic():
        row = slots.lock_study(study)  # two concurrent calls run one after the other
        due = [
            payment
            for payment in _due_payments(row)
            if _identity(payment).study == platform_study_id
            and (participants is None or payment.participant_id in participants)
        ]
        payments, left_out = _fitting_payments(due) if platform_study_id else (due, [])
        if not payments:
            raise Refused([*left_out, _("No due payment fits this kind of file.")])
        batch = PaymentBatch(
            study=row,
            number=(row.payment_batches.aggregate(last=Max("number"))["last"] or 0) + 1,
            platform_study=platform_study_id,
            made_by=actor,
        )
        lines = _build_lines(payments)
        batch.lines, batch.total = len(lines), payment_decisions.total(payments)
        batch.sha256 = hashlib.sha256(_file_bytes(batch, lines)).hexdigest()
        batch.save()
        Payment.objects.filter(pk__in=[p.pk for p in payments]).update(batch=batch)
        _record_event(batch, "batch", actor)
    return batch, left_out


def batch_file(batch: PaymentBatch) -> bytes:
    """Return the batch's file, always the same bytes. Raise `Refused` if that is impossible."""
    if batch.state == PaymentBatch.CANCELLED:
        raise Refused([_("This batch was revoked. Its payments are in other batches, or due.")])
    rows = batch.payments.select_related("participant__study", "participant__identity")
    content = _file_bytes(batch, _build_lines(rows))
    if hashlib.sha256(content).hexdigest() != batch.sha256:
        sentence = _(
            "The file cannot be created again because external names or payments in it were"
            " deleted."
        )
        raise Refused([sentence])
    return content


def mark_paid(batch: PaymentBatch, *, actor: str) -> None:
    """Mark an open batch and its payments as paid. Raise `Refused` as `_settle` does."""
    _settle(batch, PaymentBatch.PAID, actor, status=Payment.PAID)


def cancel_batch(batch: PaymentBatch, *, actor: str) -> None:
    """Cancel an open batch, so that its payments are due. Raise `Refused` as `_settle` does."""
    _settle(batch, PaymentBatch.CANCELLED, actor, batch=None)


def _settle(unsettled: PaymentBatch, state: str, actor: str, **payment_changes: Any) -> None:
    """Settle a batch and change its payments, or refuse if it is settled or being paid."""
    with transaction.atomic():
        slots.lock_study(unsettled.study_id)
        row = PaymentBatch.objects.get(pk=unsettled.pk)
        if row.state != PaymentBatch.MADE:
            raise Refused([_("This batch was paid or revoked already.")])
        if row.requests.filter(state__in=PlatformRequest.UNSETTLED).exists():
            raise Refused([_("Prolific is paying this batch. Wait for the answer.")])
        row.payments.update(**payment_changes)
        row.state, row.settled_at, row.settled_by = state, timezone.now(), actor
        row.save(update_fields=["state", "settled_at", "settled_by"])
        _record_event(row, f"batch_{state}", actor)


def _identity(payment: Payment) -> Identity:
    """Return the outside names of the payment's participant, empty ones if there are none."""
    return getattr(payment.participant, "identity", None) or Identity()


def _due_payments(study: Study) -> list[Payment]:
    """Return the payments that a file can contain: due, in no batch, and not a reward."""
    rows = payment_decisions.visible_payments(study).filter(
        status=Payment.DUE, batch=None, reward=False
    )
    rows = rows.select_related("participant__study", "participant__identity")
    return list(rows.order_by("participant", "pk"))


def _fitting_payments(due: Sequence[Payment]) -> tuple[list[Payment], list[str]]:
    """Return the payments that fit into Prolific's file, and sentences about the others."""
    names = {p.participant_id: _identity(p).label for p in due}
    pseudonyms = {p.participant_id: p.participant.pseudonym for p in due}
    valid_ids = [pk for pk, name in names.items() if PROLIFIC_ID.fullmatch(name)]
    included_ids = set(valid_ids[:MAX_PROLIFIC_FILE_LINES])
    invalid_ids = sorted(names.keys() - set(valid_ids))
    invalid_names = {pseudonyms[pk]: names[pk] for pk in invalid_ids}
    sentences = _left_out_sentences(invalid_names, len(valid_ids) - MAX_PROLIFIC_FILE_LINES)
    return [p for p in due if p.participant_id in included_ids], list(sentences)


def _left_out_sentences(names_by_pseudonym: Mapping[str, str], surplus: int) -> Iterator[str]:
    """Yield sentences about external names that are no Prolific IDs, and about surplus lines."""
    if names_by_pseudonym:
        names = (f"{pseudonym} ({name!r})" for pseudonym, name in names_by_pseudonym.items())
        yield ngettext(
            "{n} participant is left out because the external name is not a Prolific ID: {who}. Pay"
            " them another way.",
            "{n} participants are left out because their external names are not Prolific IDs:"
            " {who}. Pay them another way.",
            len(names_by_pseudonym),
        ).format(n=len(names_by_pseudonym), who=", ".join(names))
    if surplus > 0:
        yield ngettext(
            "The maximum is {most} participants per file. {n} more waits for the next file.",
            "The maximum is {most} participants per file. {n} more wait for the next file.",
            surplus,
        ).format(most=MAX_PROLIFIC_FILE_LINES, n=surplus)


def _build_lines(payments: Iterable[Payment]) -> list[BatchLine]:
    payments_by_participant = defaultdict[int, list[Payment]](list)
    for payment in payments:
        payments_by_participant[payment.participant_id].append(payment)
    return [
        BatchLine(
            pseudonym=own_payments[0].participant.pseudonym,
            external_name=_identity(own_payments[0]).label,
            completion_code=participant_state.completion_code(own_payments[0].participant),
            amount=payment_decisions.total(own_payments),
        )
        for _pk, own_payments in sorted(payments_by_participant.items())
    ]


def _file_bytes(batch: PaymentBatch, lines: Sequence[BatchLine]) -> bytes:
    if batch.platform_study:
        rows = (f"{line.external_name},{line.amount:.2f}\n" for line in lines)
        return "".join(rows).encode("ascii")
    currency = participant_state.design_of(batch.study).currency
    text = ""
    for line in lines:
        name = " ".join(line.external_name.split())  # a tab in a name would begin another column
        cells = (line.pseudonym, name, line.completion_code, f"{line.amount:.2f}", currency)
        text += "\t".join(format_cells(cells)) + "\n"
    return text.encode()


def _record_event(batch: PaymentBatch, event_kind: str, actor: str) -> None:
    reason = f"batch {batch.number}: {batch.lines} people, {batch.total}"
    payment_decisions.record_payment_event(batch.study_id, event_kind, actor, reason)
