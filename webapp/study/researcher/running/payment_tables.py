"""Builds the tables of the tab "Payments".

They show participants with payments and minutes, sums, payment files, requests to Prolific, and
differences from a platform's list.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webapp.study.design.exits import BONUS_LABELS, EXIT_DESCRIPTIONS
from webapp.study.design.stages import Design
from webapp.study.models import Payment, PaymentBatch, PlatformRequest, Study
from webapp.study.monitor.running_study import step_name
from webapp.study.payments import (
    batches,
    payment_decisions,
    platform_requests,
    prolific,
    submissions,
)
from webapp.study.payments.payment_decisions import MANUAL_REASON_PREFIX
from webapp.study.payments.platform_requests import KINDS
from webapp.study.payments.submissions import STATUSES, ListComparison
from webapp.study.sessions import bonuses, participant_state
from webapp.study.sessions.participant_state import Step, route

MAX_REQUESTS = 12  # the latest requests to Prolific are shown
REQUEST_STATES = {
    PlatformRequest.WAITING: gettext_lazy("starting"),
    PlatformRequest.RUNNING: gettext_lazy("in progress"),
    PlatformRequest.DONE: gettext_lazy("done"),
    PlatformRequest.FAILED: gettext_lazy("failed, with no effect"),
    PlatformRequest.UNSURE: gettext_lazy("unknown whether it was done"),
}


def build_payment_tables(study: Study) -> dict[str, Any]:
    """Return the tables of the page, except a comparison with a platform's list."""
    design = participant_state.design_of(study)
    steps, payments = route(design), list(payment_decisions.visible_payments(study))
    batch_rows = study.payment_batches.order_by("-number").prefetch_related("requests")
    return {
        "steps": [step_name(step, design.assignment.games_each) for step in steps],
        "people": _build_participant_rows(study, steps, payments),
        "sums": _build_sums(payments, design),
        "has_pending_bonuses": bool(design.bonuses) and not study.has_ended,
        "file_groups": _build_file_groups(study, design),
        "batches": [_build_batch(batch, design) for batch in batch_rows],
        "approved_count": _count_approved_rewards(study),
        "prolific": _build_prolific_section(study, design),
    }


def _build_participant_rows(
    study: Study, steps: Sequence[Step], payments: Sequence[Payment]
) -> list[dict[str, Any]]:
    """Return a row for each participant: exit, code, minutes of each step, payments."""
    payments_by_participant: dict[int, list[Payment]] = {}
    for payment in payments:
        payments_by_participant.setdefault(payment.participant_id, []).append(payment)
    people = study.participants.filter(consented_at__isnull=False)
    rows = []
    for person in people.select_related("identity", "platform_status"):
        person.study = study  # so that the design is parsed only once
        minutes = participant_state.minutes_by_step(person)
        platform: Any = getattr(person, "platform_status", None)
        rows.append(
            {
                "row": person,
                "outside": getattr(person, "identity", None),
                "exit": EXIT_DESCRIPTIONS.get(person.exit, ""),
                "code": participant_state.completion_code(person),
                "minutes": [_format_minutes(minutes.get(step.key)) for step in steps],
                "all_minutes": _format_minutes(sum(minutes.values())),
                "platform_status": STATUSES.get(platform.status, "") if platform else "",
                "payments": list(map(build_payment, payments_by_participant.get(person.pk, ()))),
            }
        )
    return rows


def _format_minutes(minutes: float | None) -> str:
    return "" if minutes is None else f"{minutes:.1f}"


def build_payment(payment: Payment) -> dict[str, Any]:
    is_by_hand = payment.reason.startswith(MANUAL_REASON_PREFIX)
    batch = payment.batch.number if payment.batch else 0
    if rule := bonuses.bonus_rule(payment):
        description = f"{BONUS_LABELS[rule]} × {payment.cases}"  # type: ignore[index]
    elif is_by_hand:
        description = payment.note
    else:
        description = _("base pay")
    is_undecided = payment.status == Payment.DUE and not batch
    return {
        "row": payment,
        "what": description,
        "amount": f"{payment.amount:.2f}",
        "batch": batch,
        "why": "" if is_by_hand else payment.note,
        "is_undecided": is_undecided,
        "can_release": payment.status == Payment.WITHHELD,
        "can_as_bonus": is_undecided and payment.reward,
    }


def _build_sums(payments: Sequence[Payment], design: Design) -> list[tuple[str, str]]:
    due = [payment for payment in payments if payment.status == Payment.DUE]
    groups = [
        (_("due, in no batch yet"), [p for p in due if not p.batch_id and not p.reward]),
        (_("in batches that are not paid yet"), [p for p in due if p.batch_id]),
        (_("to be paid by the platform"), [p for p in due if p.reward]),
        (_("paid"), [p for p in payments if p.status == Payment.PAID]),
        (_("withheld"), [p for p in payments if p.status == Payment.WITHHELD]),
    ]
    return [
        (str(label), design.format_money(payment_decisions.total(members)))
        for label, members in groups
        if members
    ]


def _build_file_groups(study: Study, design: Design) -> list[dict[str, Any]]:
    """Return the due payments by platform study, each with the number of files it needs."""
    groups = []
    for group in batches.due_groups(study):
        key, people = group.platform_study_id, group.participant_count
        files = math.ceil(people / batches.MAX_PROLIFIC_FILE_LINES) if key else 1
        total = design.format_money(group.total)
        groups.append({"key": key, "people": people, "total": total, "files": files})
    return groups


def _build_batch(batch: PaymentBatch, design: Design) -> dict[str, Any]:
    states = {request.state for request in batch.requests.all()}
    is_unpaid = batch.state == PaymentBatch.MADE
    can_request = prolific.has_token() and is_unpaid and batch.platform_study
    return {
        "row": batch,
        "total": design.format_money(batch.total),
        "can_pay_by_api": can_request and states <= {PlatformRequest.FAILED},
        "unsure": is_unpaid and PlatformRequest.UNSURE in states,
    }


def _build_prolific_section(study: Study, design: Design) -> dict[str, Any] | None:
    """Return the studies at Prolific and the latest requests, None without an API token."""
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
            for amount, people in platform_requests.groups_to_screen_out(study, key).items()
        ],
    }


def _count_approved_rewards(study: Study) -> int:
    """Return the number of due rewards that the platform had approved at the last comparison."""
    due = payment_decisions.visible_payments(study).filter(status=Payment.DUE, reward=True)
    return due.filter(participant__platform_status__status=submissions.APPROVED).count()


def build_list_comparison(comparison: ListComparison | None) -> dict[str, Any] | None:
    """Return the differences from a platform's list, None before a comparison."""
    if comparison is None:
        return None
    return {
        "differences": [
            {
                "row": row,
                "platform_status": STATUSES.get(row.there, _("missing")),
                "exit": EXIT_DESCRIPTIONS.get(row.here, "") if row.participant else "",
            }
            for row in comparison.differences
        ],
        "agree": comparison.agreeing_count,
        "without": comparison.other_people_count,
        "by_status": [(STATUSES[key], n) for key, n in comparison.by_status.items()],
    }
