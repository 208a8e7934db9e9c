"""Pages of a participant beside their step: its status, help, leaving, and their stored data."""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from webapp.study.design.exits import ExitKind
from webapp.study.design.refusals import Refused
from webapp.study.ethics import data_export, participant_erasure
from webapp.study.models import Participant, Payment, Rating, Response, Seating, Slot, Study
from webapp.study.participant import entrance, stage_pages
from webapp.study.participant.stage_pages import Visit
from webapp.study.rater.notice_pages import render_notice
from webapp.study.sessions import (
    lifecycle,
    messages,
    participant_state,
    study_events,
)
from webapp.study.sessions.participant_state import record_input, record_presence

LEFT: ExitKind = "left"  # the exit of participants who press the button to leave


def participant_required(
    view: Callable[[HttpRequest, Participant], HttpResponse],
) -> Callable[..., HttpResponse]:
    """Pass the link's participant to the view if they have agreed and this is their browser.

    An unknown key gets a notice, and too many requests get status 429. A link that was not agreed
    to, or is open in another browser, redirects to `personal_link`, which explains what to do.
    """

    @never_cache
    @wraps(view)
    def wrapped(request: HttpRequest, key: str) -> HttpResponse:
        participant = Participant.objects.filter(key=key).select_related("study").first()
        if participant is None:
            return render_notice(request, "unknown_link")
        uses_browser = participant_state.uses_browser(request.session, participant)
        if not participant.consented_at or not uses_browser:
            return redirect("take:step", key)
        if not entrance.request_limit.try_acquire(key):
            return HttpResponse(status=429)
        return view(request, participant)

    return wrapped


@require_safe
@participant_required
def step_status(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Return the state of the participant's page as JSON. Pages poll it every few seconds.

    The query has `input` if there was input since the last request. The keys of the JSON are:

    - `page_state`: changes when another page is to be shown.
    - `part`: the changing part of the waiting room's page as HTML, "" on other pages.
    - `deadline`: when the time of the step ends (ISO 8601), "" without a limit.
    - `messages_html`: the messages between the participant and the researchers.
    """
    if request.GET.get("input"):
        record_input(participant)
    else:
        record_presence(participant)
    step = participant_state.current_step(participant)
    visit = Visit(request, participant, step)
    status = {
        "page_state": stage_pages.format_page_state(participant, visit.seatings),
        "part": "" if participant.exit else entrance.find_page(step.kind).render_part(visit),
        "deadline": participant.due_at.isoformat() if participant.due_at else "",
        "messages_html": _render_messages(participant),
    }
    return JsonResponse(status)


def _render_messages(participant: Participant) -> str:
    context = {"owner_messages": stage_pages.list_messages(participant)}
    return render_to_string("play/told_words.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@participant_required
def leave_study(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Let the participant leave, and keep or delete their answers. They can also delete later.

    A deletion that is no longer possible changes nothing. The page after it shows the data's state.
    """
    action = request.POST.get("do", "")
    if action == "erase" and participant_erasure.can_erase(participant):
        forgoes_pay = request.POST.get("forgo") == "1"
        participant_erasure.erase_participant(
            participant, actor=study_events.PARTICIPANT, keeps_owed=not forgoes_pay
        )
    elif action == "keep":
        lifecycle.leave_by(participant, LEFT)
    if action in ("erase", "keep"):
        return redirect("take:step", participant.key)
    return render(request, "study/take/leave.html", _build_leave_context(participant))


def _build_leave_context(participant: Participant) -> dict[str, Any]:
    design = participant_state.design_of(participant.study)
    exit_settings = participant_state.exit_settings(participant.study, LEFT)
    played_seatings = participant.seatings.filter(player__isnull=False)
    running_seatings = played_seatings.filter(state=Seating.SEATED, slot__state=Slot.PLAYING)
    unpaid_payments = participant.payments.filter(status=Payment.DUE)
    return {
        "participant": participant,
        "owner_messages": stage_pages.list_messages(participant),
        "has_left": bool(participant.exit),
        "has_played": played_seatings.exists(),
        "is_in_game": running_seatings.exists(),
        "leaving_ends_game": design.dropout.policy == "end",
        "can_erase": participant_erasure.can_erase(participant),
        "erasure_deadline": participant_erasure.erasure_deadline(participant),
        "contact": design.ethics.contact,
        "is_payment_in_batch": unpaid_payments.exclude(batch=None).exists(),
        "is_owed_pay": unpaid_payments.exists() or bool(exit_settings.pay and not participant.exit),
        "has_answers": Response.objects.filter(participant=participant).exists()
        or Rating.objects.filter(assignment__rater__participant=participant).exists(),
        "pay": design.format_money(exit_settings.pay),
    }


@never_cache
@require_safe
def return_from_table(request: HttpRequest, key: str, page: str = "step") -> HttpResponse:
    """Redirect from a study's table to a page (under `take:`) of this browser's participant."""
    study = Study.objects.filter(key=key).first()
    if study is None:
        return render_notice(request, "unknown_link")
    participant = participant_state.find_current_participant(request, study)
    if participant is None:
        return redirect("take:shared_link", key)
    return redirect(f"take:{page}", participant.key)


@require_http_methods(["GET", "HEAD", "POST"])
@participant_required
def help_page(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Show the help page, or send a request for help. Refused input is shown again.

    A script gets JSON: the messages on the page, and the reason of a refusal.
    """
    typed_text, refused = request.POST.get("text", ""), ""
    is_script = "application/json" in request.headers.get("Accept", "")
    if request.method == "POST":
        try:
            messages.request_help(participant, typed_text)
        except Refused as refusal:
            refused = str(refusal)
        if not is_script and not refused:
            return redirect("take:step", participant.key)
    status = 422 if refused else 200
    if is_script:
        messages_html = _render_messages(participant)
        return JsonResponse({"refused": refused, "messages_html": messages_html}, status=status)
    context = {
        "participant": participant,
        "owner_messages": stage_pages.list_messages(participant),
        "typed": typed_text,
        "refused": refused,
    }
    return render(request, "study/take/help.html", context, status=status)


@require_safe
@participant_required
def own_data_page(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Show a summary of the participant's stored data, and a link to the file."""
    context = {
        "participant": participant,
        "counts": data_export.count_data(participant),
        "can_erase": participant_erasure.can_erase(participant),
        "erasure_deadline": participant_erasure.erasure_deadline(participant),
        "ethics": participant_state.design_of(participant.study).ethics,
    }
    return render(request, "study/take/own_data.html", context)


@require_safe
@participant_required
def download_own_data(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Return all stored data of the participant as a JSON file."""
    text = json.dumps(data_export.export_data(participant), ensure_ascii=False, indent=2) + "\n"
    response = HttpResponse(text, content_type="application/json; charset=utf-8")
    name = f"fabula-{participant.pseudonym}.json"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response
