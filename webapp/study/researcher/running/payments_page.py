"""The tab "Payments" of a study: payments, payment files, and a platform's list.

Views of external names are recorded. Nothing here reveals who is a person too early
(`sessions.bonuses`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from webapp.study.design.exits import EXIT_DESCRIPTIONS
from webapp.study.design.refusals import Refused
from webapp.study.models import Participant, Study
from webapp.study.payments import batches, payment_decisions, platform_requests, submissions
from webapp.study.payments.submissions import ListComparison
from webapp.study.researcher import audit
from webapp.study.researcher.access import Row, View, get_row_or_404, own_study_of_people
from webapp.study.researcher.responses import download, render_form_page, run_or_get_errors
from webapp.study.researcher.running import payment_tables
from webapp.study.sessions import participant_state

PAGE_NAME = "study:study_payments"


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
    context = {
        "study": study,
        "tab": "payments",
        "shows_names": show_names,
        **payment_tables.build_payment_tables(study),
        "due_count": payment_decisions.count_due(study),
        "compared": payment_tables.build_list_comparison(comparison),
        "refused": refused,
        "typed": request.POST if refused else {},
    }
    return render_form_page(request, "study_payments", context)


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
        "payments": [payment_tables.build_payment(payment) for payment in own_payments],
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
