"""The content of the tab "Payments".

It has participants with payments and minutes, sums, payment files, and differences from a
platform's list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webapp.study.design.exits import EXIT_DESCRIPTIONS
from webapp.study.design.stages import Design
from webapp.study.models import Payment, PaymentBatch, PlatformRequest, Study
from webapp.study.payments import (
    batches,
    payment_decisions,
    platform_requests,
    prolific,
    submissions,
)
from webapp.study.payments.payment_decisions import HAND_PREFIX
from webapp.study.payments.platform_requests import KINDS
from webapp.study.payments.submissions import STATUSES, ListComparison
from webapp.study.planning.pay_checks import BONUS_LABELS
from webapp.study.sessions import bonuses, participant_steps
from webapp.study.sessions.participant_steps import Step

MAX_REQUESTS = 12  # to Prolific that are shown, the latest first
REQUEST_STATES = {
    PlatformRequest.WAITING: gettext_lazy("starting"),
    PlatformRequest.RUNNING: gettext_lazy("in progress"),
    PlatformRequest.DONE: gettext_lazy("done"),
    PlatformRequest.FAILED: gettext_lazy("failed, with no effect"),
    PlatformRequest.UNSURE: gettext_lazy("unknown whether it was done"),
}


def build_payment_rows(
    study: Study, steps: Sequence[Step], rows: Sequence[Payment]
) -> list[dict[str, Any]]:
    """Return a row for each participant: exit, code, minutes of each step, payments."""
    payments_by_participant: dict[int, list[Payment]] = {}
    for row in rows:
        payments_by_participant.setdefault(row.participant_id, []).append(row)
    people = study.participants.filter(consented_at__isnull=False)
    payment_rows = []
    for person in people.select_related("identity", "platform_status"):
        person.study = study  # so that the design is parsed only once
        minutes = participant_steps.minutes_by_step(person)
        platform: Any = getattr(person, "platform_status", None)
        payment_rows.append(
            {
                "row": person,
                "outside": getattr(person, "identity", None),
                "exit": EXIT_DESCRIPTIONS.get(person.exit, ""),
                "code": participant_steps.completion_code(person) if person.exit else "",
                "minutes": [_format_minutes(minutes.get(step.key)) for step in steps],
                "all_minutes": _format_minutes(sum(minutes.values())),
                "there": STATUSES.get(platform.status, "") if platform else "",
                "payments": [
                    payment_row(p, study) for p in payments_by_participant.get(person.pk, ())
                ],
            }
        )
    return payment_rows


def _format_minutes(minutes: float | None) -> str:
    return "" if minutes is None else f"{minutes:.1f}"


def payment_row(payment: Payment, study: Study) -> dict[str, Any]:
    """Return a payment as the page shows it: reason, amount and state."""
    rule = bonuses.bonus_rule(payment)
    batch = payment.batch.number if payment.batch else 0
    if rule:
        description = f"{BONUS_LABELS[rule]} × {payment.cases}"  # type: ignore[index]
    elif payment.reason.startswith(HAND_PREFIX):
        description = payment.note
    else:
        description = _("base pay")
    is_undecided = payment.status == Payment.DUE and not batch
    return {
        "row": payment,
        "what": description,
        "amount": f"{payment.amount:.2f}",
        "batch": batch,
        "why": "" if payment.reason.startswith(HAND_PREFIX) else payment.note,
        "can_withhold": is_undecided,
        "can_release": payment.status == Payment.WITHHELD,
        "can_pay": is_undecided,
        "can_as_bonus": is_undecided and payment.reward,
    }


def build_payment_sums(rows: Sequence[Payment], design: Design) -> list[tuple[str, str]]:
    """Return (label, amount) for due, in a file, by the platform, paid, withheld.

    Empty groups are omitted.
    """
    due = [r for r in rows if r.status == Payment.DUE]
    groups = [
        (_("due, in no batch yet"), [r for r in due if not r.batch_id and not r.reward]),
        (_("in batches that are not paid yet"), [r for r in due if r.batch_id]),
        (_("to be paid by the platform"), [r for r in due if r.reward]),
        (_("paid"), [r for r in rows if r.status == Payment.PAID]),
        (_("withheld"), [r for r in rows if r.status == Payment.WITHHELD]),
    ]
    return [
        (str(label), design.format_money(payment_decisions.total(owed_payments)))
        for label, owed_payments in groups
        if owed_payments
    ]


def build_file_groups(study: Study, design: Design) -> list[dict[str, Any]]:
    """Return the due payments by platform study, each with the number of files it needs."""
    return [
        {"key": one.platform_study, "people": one.people,
         "total": design.format_money(one.total),
         "files": -(-one.people // batches.MAX_PROLIFIC_LINES) if one.platform_study else 1}
        for one in batches.due_groups(study)
    ]  # fmt: skip


def batch_row(batch: PaymentBatch, design: Design) -> dict[str, Any]:
    """Return a batch with the possible actions."""
    requests = list(batch.requests.all())
    can_request = prolific.has_token() and batch.state == PaymentBatch.MADE and batch.platform_study
    return {
        "row": batch,
        "total": design.format_money(batch.total),
        "can_pay_by_api": can_request and all(r.state == PlatformRequest.FAILED for r in requests),
        "unsure": batch.state == PaymentBatch.MADE
        and any(r.state == PlatformRequest.UNSURE for r in requests),
    }


def build_prolific_section(study: Study, design: Design) -> dict[str, Any] | None:
    """Return the Prolific studies with the possible requests, None without a token."""
    if not prolific.has_token():
        return None
    rows = list(study.platform_requests.select_related("batch")[:MAX_REQUESTS])
    return {
        "studies": [
            _build_platform_study(study, key, design)
            for key in platform_requests.platform_studies(study)
        ],
        "requests": [
            {"row": row, "kind": KINDS[row.kind], "state": REQUEST_STATES[row.state]}
            for row in rows
        ],
        "busy": any(row.state in PlatformRequest.UNSETTLED for row in rows),
    }


def _build_platform_study(study: Study, key: str, design: Design) -> dict[str, Any]:
    """Return a study at Prolific: its last reading and the possible requests."""
    reading = platform_requests.last_refresh(study, key)
    result = reading.result if reading else {}
    return {
        "key": key,
        "reading": reading,
        "result": result,
        "by_status": [(STATUSES[name], n) for name, n in result.get("submissions", {}).items()],
        "actions": [
            (kind, KINDS[kind])
            for kind in platform_requests.KINDS_BY_STATUS.get(result.get("status", ""), ())
        ],
        "approve": platform_requests.participants_to_approve(study, key),
        "screen_out": [
            (design.format_money(amount), design.format_money(amount * len(people)), people)
            for amount, people in platform_requests.groups_to_screen_out(study, key)
        ],
    }


def count_approved_rewards(study: Study) -> int:
    """Return the number of due rewards that the platform had approved at the last comparison."""
    due = payment_decisions.visible_payments(study).filter(status=Payment.DUE, reward=True)
    return due.filter(participant__platform_status__status=submissions.APPROVED).count()


def build_comparison_rows(compared: ListComparison | None) -> dict[str, Any] | None:
    """Return the differences from a platform's list as the page shows them."""
    if compared is None:
        return None
    return {
        "differences": [
            {
                "row": one,
                "there": STATUSES.get(one.there, _("missing")),
                "here": EXIT_DESCRIPTIONS.get(one.here, "") if one.participant else "",
            }
            for one in compared.differences
        ],
        "agree": compared.agree,
        "without": compared.without,
        "by_status": [(STATUSES[key], n) for key, n in compared.by_status.items()],
    }
