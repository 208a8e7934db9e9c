"""What is owed to the participants of a study, and what researchers decide of it.

Nothing here rejects anybody, and leaving somebody's data out withholds nothing. Whoever changes a
payment holds the study's row; what is in a batch is changed by the batch alone. Money is Decimal.
What was done is on record as `pay:…`, which is in the data no more than payments are, and goes
with them (`forget`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from webapp.sqlite.shredding import overwrite_what_is_deleted, shred
from webapp.study.design.value_checks import Refused, text
from webapp.study.models import (
    Happening,
    Participant,
    Payment,
    PaymentBatch,
    PlatformStatus,
    Study,
)
from webapp.study.payments.submissions import APPROVED
from webapp.study.sessions import audit_events, bonuses, routes, slots

RECORD = "pay:"  # before what was done, in a study's record
HAND = "hand:"  # before a form's ticket, as the reason of what a researcher added
MOST = Decimal(1000)  # of one payment
AMOUNT = re.compile(r"[0-9]{1,4}(\.[0-9]{1,2})?")


def of_study(study: Study) -> QuerySet[Payment]:
    """Return what may be told of what is owed and paid.

    A sealed bonus is not.
    """
    rows = Payment.objects.filter(participant__study=study).exclude(status=Payment.SEALED)
    return rows.select_related("participant", "batch").order_by("pk")


def total(payments: Iterable[Payment]) -> Decimal:
    return sum((payment.amount for payment in payments), Decimal(0))


def amount(value: str) -> Decimal:
    """Return an amount as somebody typed it, with a point or a comma. Raises Refused."""
    typed = value.strip().replace(",", ".")
    value_ = Decimal(typed if AMOUNT.fullmatch(typed) else 0)
    if not 0 < value_ <= MOST:
        raise Refused([_("Write the amount as in 1.50, more than 0 and 1000 at most.")])
    return value_.quantize(Decimal("0.01"))


def add(
    participant: Participant, value: Decimal, reason: str, *, actor: str, ticket: str
) -> Payment:
    """Something more is owed, for a reason.

    ticket: of the form, so that pressing twice adds once. Raises Refused.
    """
    reason = text(_("The reason"), 200, 1)(reason)
    with transaction.atomic():
        slots.locked(participant.study_id)
        payment, new = Payment.objects.get_or_create(
            participant=participant,
            reason=HAND + ticket[:24],
            defaults={"amount": value, "note": reason},
        )
        if new:
            _note(payment, "added", actor, f"{value}: {reason}")
    return payment


def withhold(payment: Payment, reason: str, *, actor: str) -> None:
    """Withhold a payment for a reason.

    Raises Refused where it is paid or in a batch.
    """
    _turn(payment, Payment.DUE, Payment.WITHHELD, "withheld", reason, actor)


def release(payment: Payment, reason: str, *, actor: str) -> None:
    """Make a withheld payment due again."""
    _turn(payment, Payment.WITHHELD, Payment.DUE, "released", reason, actor)


def paid_by_hand(payment: Payment, reason: str, *, actor: str) -> None:
    """Note that a payment was made elsewhere; reason: how, such as a receipt's number."""
    _turn(payment, Payment.DUE, Payment.PAID, "paid", reason, actor)


def _turn(
    payment: Payment, before: str, after: str, event_kind: str, reason: str, actor: str
) -> None:
    reason = text(_("The reason"), 200, 1)(reason)
    with transaction.atomic():
        row = _locked_payment(payment)
        if row.status != before or row.batch_id:
            raise Refused([_no_longer_due()])
        row.status, row.note = after, reason
        row.save(update_fields=["status", "note"])
        _note(row, event_kind, actor, reason)


def as_bonus(payment: Payment, reason: str, *, actor: str) -> None:
    """The platform will not pay its reward, for the submission was returned or timed out there:
    the researcher pays it, as a bonus. Raises Refused.
    """
    reason = text(_("The reason"), 200, 1)(reason)
    with transaction.atomic():
        row = _locked_payment(payment)
        if row.status != Payment.DUE or not row.reward:
            raise Refused([_no_longer_due()])
        platform_status = PlatformStatus.objects.filter(participant=row.participant_id).first()
        if platform_status and platform_status.status == APPROVED:
            raise Refused([_("The platform has approved this submission, and pays the reward.")])
        row.reward, row.note = False, reason
        row.save(update_fields=["reward", "note"])
        _note(row, "as_bonus", actor, reason)


def rewards_paid(study: Study, *, actor: str) -> int:
    """Return the platform's rewards of those whom it has approved, as last compared, are paid.

    Returns how many there were.
    """
    with transaction.atomic():
        slots.locked(study)
        approved = PlatformStatus.objects.filter(participant__study=study, status=APPROVED)
        due = of_study(study).filter(status=Payment.DUE, reward=True)
        due = due.filter(participant__in=approved.values("participant"))
        due_rows = list(due)
        Payment.objects.filter(pk__in=[row.pk for row in due_rows]).update(status=Payment.PAID)
        for row in due_rows:
            _note(row, "paid", actor, "approved by the platform")
    return len(due_rows)


def open_ends(study: Study) -> int:
    """Return how many payments are still due, batches that nobody said were paid among them."""
    return of_study(study).filter(status=Payment.DUE).count()


def forget(study: Study, *, actor: str, confirmed: bool) -> None:
    """Delete all there is of payments.

    Rows, batches, what the platform said, and the record of it. Raises Refused where something is
    due and it was not confirmed that it goes all the same.
    """
    overwrite_what_is_deleted()
    with transaction.atomic():
        slots.locked(study)
        if not confirmed and (open_ends(study) or _sealed_may_be(study)):
            raise Refused([_("Something is due still: tick that it is to go all the same.")])
        mine = {"participant__study": study}
        number = Payment.objects.filter(**mine).delete()[0]
        PaymentBatch.objects.filter(study=study).delete()
        PlatformStatus.objects.filter(**mine).delete()
        Happening.objects.filter(study=study, what__startswith=RECORD).delete()
        audit_events.note(study, "payments_deleted", actor=actor, reason="" if number else "none")
    shred()


def _sealed_may_be(study: Study) -> bool:
    """Return whether there may be bonuses that can't be told yet.

    The same whoever has one.
    """
    return bool(routes.design_of(study).bonuses) and not bonuses.may_tell(study)


def _locked_payment(payment: Payment) -> Payment:
    """Return the payment as it is, with its study held until the transaction ends."""
    slots.locked(payment.participant.study_id)
    return Payment.objects.select_related("participant").get(pk=payment.pk)


def _no_longer_due() -> str:
    return _("That can’t be done with this payment as it is now. Look at the page again.")


def _note(payment: Payment, event_kind: str, actor: str, reason: str) -> None:
    participant = payment.participant
    audit_events.note(
        participant.study_id,
        RECORD + event_kind,
        actor=actor,
        reason=reason,
        participant=participant,
    )
