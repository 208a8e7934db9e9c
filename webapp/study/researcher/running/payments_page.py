"""The tab "Payments" of a study: payments, payment files, and a platform's list.

Views of outside names are recorded. Nothing here reveals who is a person too early
(`sessions.bonuses`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from game.models import new_key
from webapp.storable_text import read_number
from webapp.study.design.exits import EXIT_DESCRIPTIONS
from webapp.study.design.refusals import Refused
from webapp.study.models import Participant, Study
from webapp.study.monitor.active_participants import step_name
from webapp.study.payments import batches, payment_decisions, platform_requests, submissions
from webapp.study.payments.submissions import ListComparison
from webapp.study.researcher import audit
from webapp.study.researcher.access import own_study_of_people, render_not_found
from webapp.study.researcher.downloads import download
from webapp.study.researcher.running.payment_table import (
    build_batch,
    build_file_groups,
    build_list_comparison,
    build_payment,
    build_payment_rows,
    build_payment_sums,
    build_prolific_section,
    count_approved_rewards,
)
from webapp.study.sessions import participant_state
from webapp.study.sessions.participant_state import route

PAGE_NAME = "study:study_payments"
MAX_ID_DIGITS = 17  # Ids of this length fit the database's integers.


@own_study_of_people
@require_http_methods(["GET", "POST"])
def payment_list(request: HttpRequest, study: Study) -> HttpResponse:
    """Show all participants with their payments. A POST also shows their outside names."""
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
    steps = route(design)
    payments = list(payment_decisions.visible_payments(study))
    context = {
        "study": study,
        "tab": "payments",
        "names": show_names,
        "steps": [step_name(step, design.assignment.games_each) for step in steps],
        "people": build_payment_rows(study, steps, payments),
        "sums": build_payment_sums(payments, design),
        "to_come": bool(design.bonuses) and not study.has_ended,
        "waiting": build_file_groups(study, design),
        "batches": [
            build_batch(batch, design)
            for batch in study.payment_batches.order_by("-number").prefetch_related("requests")
        ],
        "approved": count_approved_rewards(study),
        "prolific": build_prolific_section(study, design),
        "open_ends": payment_decisions.count_due(study),
        "compared": build_list_comparison(comparison),
        "refused": refused,
        "typed": request.POST if refused else {},
    }
    status = 422 if refused else 200
    return render(request, "study/researcher/study_payments.html", context, status=status)


def _show_refusals(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Show the page with the reasons if the view raises Refused."""

    @wraps(view)
    def wrapped(request: HttpRequest, study: Study, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, study, **kwargs)
        except Refused as refused:
            return _render_page(request, study, refused=refused.sentences)

    return wrapped


@own_study_of_people
@require_POST
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


@own_study_of_people
@require_POST
@_show_refusals
def create_batch(request: HttpRequest, study: Study) -> HttpResponse:
    """Create a batch of the due payments of one study at the platform."""
    platform_study, actor = request.POST.get("platform_study", ""), request.user.get_username()
    batch, left_out = batches.create_batch(study, platform_study, actor=actor)
    audit.record_line(request, "batch", f"{study.code} {batch.number}")
    text = _("Batch {n} was created. Download it, make the payments, then mark it as paid here.")
    messages.success(request, text.format(n=batch.number))
    for sentence in left_out:
        messages.warning(request, sentence)
    return redirect(PAGE_NAME, study.code)


@own_study_of_people
@require_GET
@_show_refusals
def download_batch(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Download the batch's file, each time the same bytes."""
    batch = study.payment_batches.filter(number=number).first()
    if batch is None:
        return _render_not_found(request)
    body = batches.batch_file(batch)
    extension = "csv" if batch.platform_study else "txt"
    audit.record_line(request, "export", f"{study.code} batch {batch.number}")
    return download(body, f"fabula-{study.code}-batch-{batch.number}.{extension}")


@own_study_of_people
@require_POST
@_show_refusals
def settle_batch(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Mark a batch as paid, or take it back."""
    batch = study.payment_batches.filter(number=number).first()
    if batch is None:
        return _render_not_found(request)
    changes: dict[str, Callable[..., None]] = {
        "paid": batches.mark_paid,
        "cancel": batches.cancel_batch,
    }
    if change := changes.get(request.POST.get("do", "")):
        change(batch, actor=request.user.get_username())
        messages.success(request, _("The change was recorded."))
    return redirect(PAGE_NAME, study.code)


@own_study_of_people
@require_POST
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
        rows = study.payment_batches.filter(number=read_number(post.get("batch", "")))
        if (batch := rows.first()) is None:
            return _render_not_found(request)
        platform_requests.request_bonuses(batch, actor=actor)
    else:
        places = post.get("places", "").strip()
        platform_requests.request_study_change(
            study, action, key.strip().lower(), places, actor=actor
        )
    return redirect(f"{reverse(PAGE_NAME, args=[study.code])}#prolific")


@own_study_of_people
@require_POST
def mark_rewards_paid(request: HttpRequest, study: Study) -> HttpResponse:
    """Mark the platform's approved rewards as paid."""
    count = payment_decisions.mark_rewards_paid(study, actor=request.user.get_username())
    text = ngettext("{n} reward was paid.", "{n} rewards were paid.", count)
    messages.success(request, text.format(n=count))
    return redirect(PAGE_NAME, study.code)


@own_study_of_people
@require_POST
@_show_refusals
def delete_payments(request: HttpRequest, study: Study) -> HttpResponse:
    """Delete all data of payments, if the researcher has confirmed it."""
    is_confirmed, actor = request.POST.get("confirmed") == "on", request.user.get_username()
    payment_decisions.delete_payments(study, actor=actor, is_confirmed=is_confirmed)
    audit.record_line(request, "payments deleted", study.code)
    messages.success(request, _("All payment data were deleted."))
    return redirect(PAGE_NAME, study.code)


@own_study_of_people
@require_http_methods(["GET", "POST"])
def person(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    """Show a participant's payments, with the possible decisions."""
    people = study.participants.filter(consented_at__isnull=False)
    row = people.filter(pseudonym=pseudonym).first()
    if row is None:
        return _render_not_found(request)
    refused: Sequence[str] = ()
    if request.method == "POST":
        try:
            _decide(request, study, row)
            messages.success(request, _("The change was recorded."))
            return redirect("study:study_payment", study.code, pseudonym)
        except Refused as error:
            refused = error.sentences
    own_payments = payment_decisions.visible_payments(study).filter(participant=row)
    context = {
        "study": study,
        "tab": "payments",
        "person": row,
        "exit": EXIT_DESCRIPTIONS.get(row.exit, ""),
        "payments": [build_payment(payment) for payment in own_payments],
        "currency": participant_state.design_of(study).currency,
        "ticket": request.POST.get("ticket") or new_key(),
        "typed": request.POST if refused else {},
        "refused": refused,
    }
    status = 422 if refused else 200
    return render(request, "study/researcher/study_payment.html", context, status=status)


def _decide(request: HttpRequest, study: Study, row: Participant) -> None:
    """Make the posted decision: `do` on `payment`, with the reason `why`."""
    actor, reason = request.user.get_username(), request.POST.get("why", "")
    action = request.POST.get("do", "")
    if action == "add":
        value = payment_decisions.parse_amount(request.POST.get("amount", ""))
        ticket = request.POST.get("ticket", "") or new_key()
        payment_decisions.add_payment(row, value, reason, actor=actor, ticket=ticket)
        return
    decisions: dict[str, Callable[..., None]] = {
        "withhold": payment_decisions.withhold,
        "release": payment_decisions.release,
        "paid": payment_decisions.mark_paid_by_hand,
        "as_bonus": payment_decisions.turn_into_bonus,
    }
    key = request.POST.get("payment", "")
    own_payments = payment_decisions.visible_payments(study).filter(participant=row)
    is_id = key.isdecimal() and len(key) <= MAX_ID_DIGITS
    payment = own_payments.filter(pk=int(key)).first() if is_id else None
    if payment is None or action not in decisions:
        raise Refused([_("This payment no longer exists. Reload the page.")])
    decisions[action](payment, reason, actor=actor)


def _render_not_found(request: HttpRequest) -> HttpResponse:
    return render_not_found(request, _("This page does not exist"), _("It may have been deleted."))
