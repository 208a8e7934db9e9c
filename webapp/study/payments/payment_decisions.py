"""Payments owed to the participants of a study, and researchers' decisions on them.

No decision rejects a participant, and excluding data does not withhold pay. Code that changes a
payment holds the study's row. Only `batches` changes payments in a batch. Audit events of payments
have the prefix `pay:`. Like payments they are in no export, and `delete_payments` deletes them.
"""

import re
from collections.abc import Iterable
from decimal import Decimal

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from webapp.play.shredding import overwrite_deleted_rows, shred_journal
from webapp.study.design.refusals import Refused
from webapp.study.design.setting_fields import text_check
from webapp.study.models import (
    AuditEvent,
    Participant,
    Payment,
    PaymentBatch,
    PlatformRequest,
    PlatformStatus,
    Study,
)
from webapp.study.payments.submissions import APPROVED
from webapp.study.sessions import participant_state, slots, study_events

PAYMENT_EVENT_PREFIX = "pay:"
MANUAL_REASON_PREFIX = "hand:"  # Begins `Payment.reason`. The form's ticket follows.
MAX_PAYMENT = Decimal(1000)
MAX_REASON_CHARS = 200
MAX_TICKET_CHARS = 24
AMOUNT = re.compile(r"[0-9]{1,4}(\.[0-9]{1,2})?")
AS_BONUS = "as_bonus"
# Decision -> the status that the payment must have, its new status, the kind of the audit event.
DECISIONS = {
    "withhold": (Payment.DUE, Payment.WITHHELD, "withheld"),
    "release": (Payment.WITHHELD, Payment.DUE, "released"),
    # It was paid elsewhere. The reason is the proof, such as a receipt.
    "paid": (Payment.DUE, Payment.PAID, "paid"),
    # The researcher pays the platform's reward of a returned or timed-out submission as a bonus.
    AS_BONUS: (Payment.DUE, Payment.DUE, "as_bonus"),
}


def visible_payments(study: Study) -> QuerySet[Payment]:
    """Return the payments that may be shown: all except sealed bonuses."""
    rows = Payment.objects.filter(participant__study=study).exclude(status=Payment.SEALED)
    return rows.select_related("participant", "batch").order_by("pk")


def total(payments: Iterable[Payment]) -> Decimal:
    return sum((payment.amount for payment in payments), Decimal(0))


def parse_amount(value: str) -> Decimal:
    """Parse an amount up to MAX_PAYMENT, with a point or comma, or raise `Refused`."""
    text = value.strip().replace(",", ".")
    amount = Decimal(text if AMOUNT.fullmatch(text) else 0)
    if not 0 < amount <= MAX_PAYMENT:
        raise Refused([_("Enter an amount such as 1.50, more than 0 and not more than 1000.")])
    return amount.quantize(Decimal("0.01"))


def add_payment(
    participant: Participant, amount: Decimal, reason: str, *, actor: str, ticket: str
) -> Payment:
    """Add a payment for a reason. The form's random `ticket` makes a double press add only one."""
    reason = text_check(_("Reason"), MAX_REASON_CHARS, 1)(reason)
    with transaction.atomic():
        slots.lock_study(participant.study_id)
        payment, is_new = Payment.objects.get_or_create(
            participant=participant,
            reason=MANUAL_REASON_PREFIX + ticket[:MAX_TICKET_CHARS],
            defaults={"amount": amount, "note": reason},
        )
        if is_new:
            record_payment_event(participant, "added", actor, f"{amount}: {reason}")
    return payment


def decide(payment: Payment, decision: str, reason: str, *, actor: str) -> None:
    """Store one of DECISIONS on a payment for a reason.

    Raise `Refused` if the reason is invalid, or the payment's state does not allow the decision.
    """
    reason = text_check(_("Reason"), MAX_REASON_CHARS, 1)(reason)
    status, new_status, event_kind = DECISIONS[decision]
    with transaction.atomic():
        slots.lock_study(payment.participant.study_id)
        row = Payment.objects.select_related("participant").get(pk=payment.pk)
        if row.status != status or row.batch_id or (decision == AS_BONUS and not row.reward):
            raise Refused(
                [_("This is not possible in the payment’s current state. Reload the page.")]
            )
        if decision == AS_BONUS:
            _check_platform_pays_nothing(row)
            row.reward = False
        row.status, row.note = new_status, reason
        row.save(update_fields=["status", "reward", "note"])
        record_payment_event(row.participant, event_kind, actor, reason)


def _check_platform_pays_nothing(reward: Payment) -> None:
    platform_status = PlatformStatus.objects.filter(participant=reward.participant_id).first()
    if platform_status and platform_status.status == APPROVED:
        raise Refused([_("The platform has approved this submission and pays the reward.")])


def approved_rewards(study: Study) -> QuerySet[Payment]:
    """Return the due rewards that the platform had approved when its list was last compared."""
    due = visible_payments(study).filter(status=Payment.DUE, reward=True)
    return due.filter(participant__platform_status__status=APPROVED)


def mark_rewards_paid(study: Study, *, actor: str) -> int:
    """Mark the approved rewards as paid. Return their number."""
    with transaction.atomic():
        slots.lock_study(study)
        rows = list(approved_rewards(study))
        Payment.objects.filter(pk__in=[row.pk for row in rows]).update(status=Payment.PAID)
        for row in rows:
            record_payment_event(row.participant, "paid", actor, "approved by the platform")
    return len(rows)


def count_due(study: Study) -> int:
    """Return the number of due payments, with those in open batches."""
    return visible_payments(study).filter(status=Payment.DUE).count()


def delete_payments(study: Study, *, actor: str, is_confirmed: bool) -> None:
    """Delete all data of payments: rows, batches, platform statuses and audit events.

    Raise `Refused` if a payment is still due, and the deletion is not confirmed.
    """
    overwrite_deleted_rows()
    with transaction.atomic():
        slots.lock_study(study)
        # Not whether sealed bonuses exist, because the answer must not reveal that.
        may_be_sealed = participant_state.design_of(study).bonuses and not study.has_ended
        if not is_confirmed and (count_due(study) or may_be_sealed):
            raise Refused([_("Some payments are still due. Tick the box to delete them anyway.")])
        count, _by_model = Payment.objects.filter(participant__study=study).delete()
        PlatformRequest.objects.filter(study=study).delete()
        PaymentBatch.objects.filter(study=study).delete()
        PlatformStatus.objects.filter(participant__study=study).delete()
        AuditEvent.objects.filter(study=study, what__startswith=PAYMENT_EVENT_PREFIX).delete()
        study_events.record_event(
            study, "payments_deleted", actor=actor, reason="" if count else "none"
        )
    shred_journal()


def record_payment_event(
    subject: Participant | int, event_kind: str, actor: str, reason: str
) -> None:
    """Record an event about a participant, or about the study with this id."""
    kind = PAYMENT_EVENT_PREFIX + event_kind
    study_events.record_event(subject, kind, actor=actor, reason=reason)
