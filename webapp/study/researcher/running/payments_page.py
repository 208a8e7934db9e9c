"""The tab "Payments" of a study: payments, payment files, Prolific, and a platform's list.

Views of external names are recorded. Nothing here reveals who is a person too early
(`sessions.bonuses`).
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.models import new_key
from webapp.storable_text import read_number
from webapp.study.design.exits import BONUS_LABELS, EXIT_DESCRIPTIONS
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design
from webapp.study.models import Participant, Payment, PaymentBatch, PlatformRequest, Study
from webapp.study.payments import (
    batches,
    payment_decisions,
    platform_requests,
    prolific,
    submissions,
)
from webapp.study.payments.platform_requests import KINDS
from webapp.study.payments.submissions import STATUSES, ListComparison
from webapp.study.researcher import audit
from webapp.study.researcher.access import Row, View, get_row_or_404, own_study_of_people
from webapp.study.researcher.labels import LABELS
from webapp.study.researcher.responses import download, render_form_page, run_or_get_errors
from webapp.study.sessions import bonuses, participant_state
from webapp.study.sessions.participant_state import Step, route, step_name

PAGE_NAME = "study:study_payments"
MAX_REQUESTS = 12  # the latest requests to Prolific are shown


@own_study_of_people("GET", "POST")
def payment_list(request: HttpRequest, study: Study) -> HttpResponse:
    """Show all participants with their payments. A POST also shows their external names."""
    show_names = request.method == "POST"
    if show_names:
        audit.record_line(request, "names", f"{study.code} payments")
    return _render_page(request, study, show_names=show_names)


def _render_page(
    request: HttpRequest,
    study: Study,
    *,
    show_names: bool = False,
    comparison: ListComparison | None = None,
    refused: Sequence[str] = (),
) -> HttpResponse:
    design = participant_state.design_of(study)
    steps, payments = route(design), list(payment_decisions.visible_payments(study))
    batch_rows = study.payment_batches.order_by("-number").prefetch_related("requests")
    context = {
        "study": study,
        "tab": "payments",
        "shows_names": show_names,
        "steps": [step_name(step, design.assignment.games_each) for step in steps],
        "people": _build_participant_rows(study, steps, payments),
        "sums": _build_sums(payments, design),
        "has_pending_bonuses": bool(design.bonuses) and not study.has_ended,
        "due_groups": [
            (group, design.format_money(group.total)) for group in batches.due_groups(study)
        ],
        "batches": [_build_batch(batch, design) for batch in batch_rows],
        "approved_count": payment_decisions.approved_rewards(study).count(),
        "prolific": _build_prolific_section(study, design) if prolific.has_token() else None,
        "due_count": payment_decisions.count_due(study),
        "comparison": comparison,
        "submission_counts": _label_statuses(comparison.by_status) if comparison else [],
        "refused": refused,
        "typed": request.POST if refused else {},
    }
    return render_form_page(request, "study_payments", context)


def _build_participant_rows(
    study: Study, steps: Sequence[Step], payments: Sequence[Payment]
) -> list[dict[str, Any]]:
    """Return a row for each participant: exit, code, minutes of each step, payments."""
    payments_by_participant = defaultdict[int, list[Payment]](list)
    for payment in payments:
        payments_by_participant[payment.participant_id].append(payment)
    people = study.participants.filter(consented_at__isnull=False)
    rows = []
    for person in people.select_related("identity", "platform_status"):
        person.study = study  # so that the design is parsed only once
        minutes = participant_state.minutes_by_step(person)
        platform: Any = getattr(person, "platform_status", None)
        rows.append(
            {
                "row": person,
                "exit": EXIT_DESCRIPTIONS.get(person.exit, ""),
                "code": participant_state.completion_code(person),
                "minutes": [_format_minutes(minutes.get(step.key)) for step in steps],
                "all_minutes": _format_minutes(sum(minutes.values())),
                "platform_status": STATUSES.get(platform.status, "") if platform else "",
                "payments": list(map(_build_payment, payments_by_participant[person.pk])),
            }
        )
    return rows


def _format_minutes(minutes: float | None) -> str:
    return "" if minutes is None else f"{minutes:.1f}"


def _build_payment(payment: Payment) -> dict[str, Any]:
    is_by_hand = payment.reason.startswith(payment_decisions.MANUAL_REASON_PREFIX)
    if rule := bonuses.bonus_rule(payment):
        description = f"{BONUS_LABELS[rule]} × {payment.cases}"  # type: ignore[index]
    else:
        description = payment.note if is_by_hand else _("base pay")
    return {
        "row": payment,
        "description": description,
        "decision_reason": "" if is_by_hand else payment.note,
        "is_undecided": payment.status == Payment.DUE and not payment.batch,
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
        (label, design.format_money(payment_decisions.total(members)))
        for label, members in groups
        if members
    ]


def _build_batch(batch: PaymentBatch, design: Design) -> dict[str, Any]:
    request_states = {request.state for request in batch.requests.all()}
    is_unpaid = batch.state == PaymentBatch.MADE
    can_request = prolific.has_token() and is_unpaid and batch.platform_study
    return {
        "row": batch,
        "total": design.format_money(batch.total),
        "can_pay_by_api": can_request and request_states <= {PlatformRequest.FAILED},
        "unsure": is_unpaid and PlatformRequest.UNSURE in request_states,
    }


def _build_prolific_section(study: Study, design: Design) -> dict[str, Any]:
    """Return the studies at Prolific, and the latest requests."""
    rows = list(study.platform_requests.select_related("batch")[:MAX_REQUESTS])
    labels = LABELS["request_states"]
    return {
        "studies": [
            _build_platform_study(study, key, design)
            for key in platform_requests.platform_studies(study)
        ],
        "requests": [
            {"row": row, "kind": KINDS[row.kind], "state": labels[row.state]} for row in rows
        ],
        "busy": any(row.state in PlatformRequest.UNSETTLED for row in rows),
    }


def _build_platform_study(study: Study, key: str, design: Design) -> dict[str, Any]:
    """Return a study at Prolific: its last refresh, and the requests that are possible now."""
    refresh = platform_requests.last_refresh(study, key)
    result = refresh.result if refresh else {}
    kinds = platform_requests.KINDS_BY_STATUS.get(result.get("status", ""), ())
    return {
        "key": key,
        "refresh": refresh,
        "submission_counts": _label_statuses(result.get("submissions", {})),
        "actions": [(kind, KINDS[kind]) for kind in kinds],
        "approve": platform_requests.participants_to_approve(study, key),
        "screen_out": [
            (design.format_money(amount), design.format_money(amount * len(people)), people)
            for amount, people in platform_requests.groups_to_screen_out(study, key).items()
        ],
    }


def _label_statuses(counts: Mapping[str, int]) -> list[tuple[Any, int]]:
    """Return (label, number of submissions) of each status on the platform."""
    return [(STATUSES[status], count) for status, count in counts.items()]


def _show_refusals(view: View) -> View:
    """Show the page with the reasons if the view raises Refused."""

    @wraps(view)
    def wrapped(request: HttpRequest, study: Study, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, study, **kwargs)
        except Refused as refused:
            return _render_page(request, study, refused=refused.sentences)

    return wrapped


@own_study_of_people("POST")
@_show_refusals
def compare(request: HttpRequest, study: Study) -> HttpResponse:
    """Compare a platform's uploaded list with the payments. Only its statuses are stored."""
    upload = request.FILES.get("file")
    if upload is None:
        raise Refused([_("Choose a file first.")])
    if (upload.size or 0) > submissions.MAX_BYTES:
        raise Refused([_("The file is too large for a list of submissions.")])
    comparison = submissions.compare_list(study, submissions.parse_list(upload.read()))
    audit.record_line(request, "compare", f"{study.code} submissions")
    return _render_page(request, study, comparison=comparison)


@own_study_of_people("POST")
@_show_refusals
def create_batch(request: HttpRequest, study: Study) -> HttpResponse:
    platform_study_id = request.POST.get("platform_study", "")
    actor = request.user.get_username()
    batch, left_out = batches.create_batch(study, platform_study_id, actor=actor)
    audit.record_line(request, "batch", f"{study.code} {batch.number}")
    text = _("Batch {n} was created. Download it, make the payments, then mark it as paid here.")
    messages.success(request, text.format(n=batch.number))
    for sentence in left_out:
        messages.warning(request, sentence)
    return redirect(PAGE_NAME, study.code)


@own_study_of_people("GET")
@_show_refusals
def download_batch(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Download the batch's file, each time the same bytes."""
    batch = _get_row(study.payment_batches.filter(number=number))
    body = batches.batch_file(batch)
    extension = "csv" if batch.platform_study else "txt"
    audit.record_line(request, "export", f"{study.code} batch {batch.number}")
    return download(body, f"fabula-{study.code}-batch-{batch.number}.{extension}")


@own_study_of_people("POST")
@_show_refusals
def settle_batch(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    batch = _get_row(study.payment_batches.filter(number=number))
    changes: dict[str, Callable[..., None]] = {
        "paid": batches.mark_paid,
        "cancel": batches.cancel_batch,
    }
    if change := changes.get(request.POST.get("do", "")):
        change(batch, actor=request.user.get_username())
        messages.success(request, _("The change was recorded."))
    return redirect(PAGE_NAME, study.code)


@own_study_of_people("POST")
@_show_refusals
def request_prolific(request: HttpRequest, study: Study) -> HttpResponse:
    """Store a request to Prolific, which a worker sends."""
    post, actor = request.POST, request.user.get_username()
    action, key, people = post.get("do", ""), post.get("platform_study", ""), post.getlist("person")
    if action == platform_requests.APPROVE:
        platform_requests.request_approval(study, key, people, actor=actor)
    elif action == platform_requests.SCREEN_OUT:
        platform_requests.request_screen_out(study, key, people, actor=actor)
    elif action == platform_requests.BONUS:
        number = read_number(post.get("batch", ""))
        batch = _get_row(study.payment_batches.filter(number=number))
        platform_requests.request_bonuses(batch, actor=actor)
    else:
        place_count, key = post.get("places", "").strip(), key.strip().lower()
        platform_requests.request_study_change(study, action, key, place_count, actor=actor)
    return redirect(f"{reverse(PAGE_NAME, args=[study.code])}#prolific")


@own_study_of_people("POST")
def mark_rewards_paid(request: HttpRequest, study: Study) -> HttpResponse:
    count = payment_decisions.mark_rewards_paid(study, actor=request.user.get_username())
    text = ngettext("{n} reward was paid.", "{n} rewards were paid.", count)
    messages.success(request, text.format(n=count))
    return redirect(PAGE_NAME, study.code)


@own_study_of_people("POST")
@_show_refusals
def delete_payments(request: HttpRequest, study: Study) -> HttpResponse:
    """Delete all data of payments, if the researcher has confirmed it."""
    is_confirmed, actor = request.POST.get("confirmed") == "on", request.user.get_username()
    payment_decisions.delete_payments(study, actor=actor, is_confirmed=is_confirmed)
    audit.record_line(request, "payments deleted", study.code)
    messages.success(request, _("All payment data were deleted."))
    return redirect(PAGE_NAME, study.code)


@own_study_of_people("GET", "POST")
def person(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    """Show a participant's payments, with the possible decisions."""
    row = _get_row(study.participants.filter(consented_at__isnull=False, pseudonym=pseudonym))
    refused: list[str] = []
    if request.method == "POST":
        refused = run_or_get_errors(lambda: _decide(request, study, row))
        if not refused:
            messages.success(request, _("The change was recorded."))
            return redirect("study:study_payment", study.code, pseudonym)
    own_payments = payment_decisions.visible_payments(study).filter(participant=row)
    context = {
        "study": study,
        "tab": "payments",
        "person": row,
        "exit": EXIT_DESCRIPTIONS.get(row.exit, ""),
        "payments": list(map(_build_payment, own_payments)),
        "currency": participant_state.design_of(study).currency,
        "ticket": request.POST.get("ticket") or new_key(),
        "typed": request.POST if refused else {},
        "refused": refused,
    }
    return render_form_page(request, "study_payment", context)


def _decide(request: HttpRequest, study: Study, row: Participant) -> None:
    """Make the posted decision: `do` on `payment`, with the reason `why`."""
    actor, reason = request.user.get_username(), request.POST.get("why", "")
    action = request.POST.get("do", "")
    if action == "add":
        value = payment_decisions.parse_amount(request.POST.get("amount", ""))
        ticket = request.POST.get("ticket", "") or new_key()
        payment_decisions.add_payment(row, value, reason, actor=actor, ticket=ticket)
        return
    own_payments = payment_decisions.visible_payments(study).filter(participant=row)
    payment = own_payments.filter(pk=read_number(request.POST.get("payment", ""))).first()
    if payment is None or action not in payment_decisions.DECISIONS:
        raise Refused([_("This payment no longer exists. Reload the page.")])
    payment_decisions.decide(payment, action, reason, actor=actor)


def _get_row(rows: QuerySet[Row]) -> Row:
    return get_row_or_404(rows, _("This page does not exist"), _("It may have been deleted."))
