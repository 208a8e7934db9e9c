"""Pages of a participant: the current step, help, leaving, and their stored data."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any, cast

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from webapp.play.rate_limits import Limit
from webapp.play.table_owners import OwnerMessage
from webapp.study.design.exits import ExitKind
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import QUESTION_KINDS
from webapp.study.ethics import data_export, participant_erasure
from webapp.study.models import Participant, Payment, Rating, Response, Seating, Slot, Study
from webapp.study.participant import entrance, stage_pages
from webapp.study.participant.debriefing import DebriefingPage
from webapp.study.participant.exit_page import VisitorField, render_exit_page
from webapp.study.participant.game_pages import GamePage, PracticePage, WaitingPage
from webapp.study.participant.questionnaires import QuestionnairePage
from webapp.study.participant.ratings import RatingsPage
from webapp.study.participant.rules import RulesPage
from webapp.study.participant.stage_pages import PlainPage, StagePage, Visit
from webapp.study.rater.notice_pages import erased_notice, unknown_link_notice
from webapp.study.sessions import (
    enrolment,
    lifecycle,
    messages,
    participant_state,
    responses,
    study_events,
)
from webapp.study.sessions.participant_state import GAME, WAITING, record_input, record_presence

_PAGES: dict[str, StagePage] = {
    page.kind: page
    for page in (
        RulesPage(),
        PracticePage(),
        WaitingPage(),
        GamePage(),
        RatingsPage(),
        DebriefingPage(),
        *map(QuestionnairePage, QUESTION_KINDS),
    )
}
LEFT: ExitKind = "left"  # the exit of participants who press the button to leave
request_limit = Limit(80, 10)  # 80 requests of a participant in 10 s, far above normal use


def participant_required(
    view: Callable[[HttpRequest, Participant], HttpResponse],
) -> Callable[..., HttpResponse]:
    """Pass the link's participant to the view if they have agreed and this is their browser.

    An unknown key gets a notice. Other requests go to `personal_link`, which explains what to do.
    """

    @never_cache
    @wraps(view)
    def wrapped(request: HttpRequest, key: str) -> HttpResponse:
        participant = Participant.objects.filter(key=key).select_related("study").first()
        if participant is None:
            return unknown_link_notice(request)
        uses_browser = participant_state.uses_browser(request.session, participant)
        if not participant.consented_at or not uses_browser:
            return redirect("take:step", key)
        return view(request, participant)

    return wrapped


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def personal_link(request: HttpRequest, key: str) -> HttpResponse:
    """Show the consent page or the current step, or in another browser offer to continue there."""
    participant = Participant.objects.filter(key=key).select_related("study").first()
    if participant is None:
        return erased_notice(request) if enrolment.was_erased(key) else unknown_link_notice(request)
    if not participant.consented_at:
        return entrance.personal_consent(request, participant)
    if not participant_state.uses_browser(request.session, participant):
        field = VisitorField("own", key, is_posted=request.method == "POST")
        return entrance.offer_move(request, participant, field)
    if not participant.withdrew:
        # A page submits by itself when its time ends. That is not input of the participant.
        if request.method == "POST" and not is_step_expired(participant):
            record_input(participant)
        else:
            record_presence(participant)
    if participant.exit:
        step = participant_state.current_step(participant)
        is_posted = request.method == "POST" and request.POST.get("step") == str(step.index)
        if is_posted and responses.was_ended_by_others(participant):
            # `responses.save_answers` accepts a page's answers for a short time.
            _save_final_input(Visit(request, participant, step))
        exit_kind = cast(ExitKind, participant.exit)  # Django types the column as text
        return render_exit_page(request, participant.study, exit_kind, participant)
    if request.method == "POST" and not request_limit.try_acquire(key):
        return HttpResponse(status=429)
    return _handle_step(request, participant)


def _save_final_input(visit: Visit) -> None:
    """Store the posted answers without completing the step, whichever button was pressed."""
    posted = visit.request.POST.copy()
    posted["do"] = "save"
    visit.request.POST = posted  # type: ignore[assignment]
    _find_page(visit.step.kind).post(replace(visit, is_final=True))


def _find_page(kind: str) -> StagePage:
    return _PAGES.get(kind) or PlainPage()


def _handle_step(request: HttpRequest, participant: Participant) -> HttpResponse:
    step = participant_state.current_step(participant)
    visit = Visit(request, participant, step)
    posts_to_step = request.method == "POST" and request.POST.get("step") == str(step.index)
    if is_step_expired(participant):
        if posts_to_step:  # when its time ends, the page posts the typed answers
            _save_final_input(visit)
        lifecycle.advance(participant, step.index, actor=study_events.CLOCK, if_due=True)
        return redirect("take:step", participant.key)
    if request.method != "POST":
        participant_state.start_step_timer(participant, step)
        return _find_page(step.kind).show(visit)
    if not posts_to_step:
        return redirect("take:step", participant.key)
    return _find_page(step.kind).post(visit)


def is_step_expired(participant: Participant) -> bool:
    """Return whether the step's time is over. Waiting rooms and games end by other rules."""
    if participant_state.current_step(participant).kind in (WAITING, GAME):
        return False
    return participant.due_at is not None and participant.due_at <= timezone.now()


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
    if not request_limit.try_acquire(participant.key):
        return HttpResponse(status=429)
    if request.GET.get("input"):
        record_input(participant)
    else:
        record_presence(participant)
    step = participant_state.current_step(participant)
    visit = Visit(request, participant, step)
    status = {
        "page_state": stage_pages.format_page_state(participant, visit.seatings),
        "part": "" if participant.exit else _find_page(step.kind).render_part(visit),
        "deadline": participant.due_at.isoformat() if participant.due_at else "",
        "messages_html": _render_messages(stage_pages.list_messages(participant)),
    }
    return JsonResponse(status)


def _render_messages(owner_messages: Sequence[OwnerMessage]) -> str:
    context = {"owner_messages": owner_messages}
    return render_to_string("play/told_words.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@participant_required
def leave_study(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Let the participant leave, and keep or delete their answers. They can also delete later."""
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
    seats = participant.seatings.filter(player__isnull=False)
    unpaid_payments = participant.payments.filter(status=Payment.DUE)
    return {
        "participant": participant,
        "owner_messages": stage_pages.list_messages(participant),
        "has_left": bool(participant.exit),
        "has_played": seats.exists(),
        "is_in_game": seats.filter(state=Seating.SEATED, slot__state=Slot.PLAYING).exists(),
        "leaving_ends_game": design.dropout.policy == "end",
        "may_erase": participant_erasure.can_erase(participant),
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
        return unknown_link_notice(request)
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
        if not request_limit.try_acquire(participant.key):
            return HttpResponse(status=429)
        try:
            messages.request_help(participant, typed_text)
        except Refused as refusal:
            refused = str(refusal)
        if not is_script and not refused:
            return redirect("take:step", participant.key)
    status = 422 if refused else 200
    owner_messages = stage_pages.list_messages(participant)
    if is_script:
        messages_html = _render_messages(owner_messages)
        return JsonResponse({"refused": refused, "messages_html": messages_html}, status=status)
    context = {
        "participant": participant,
        "owner_messages": owner_messages,
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
        "may_erase": participant_erasure.can_erase(participant),
        "erasure_deadline": participant_erasure.erasure_deadline(participant),
        "ethics": participant_state.design_of(participant.study).ethics,
    }
    return render(request, "study/take/own_data.html", context)


@require_safe
@participant_required
def download_own_data(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Return all stored data of the participant as a JSON file."""
    if not request_limit.try_acquire(participant.key):
        return HttpResponse(status=429)
    text = json.dumps(data_export.export_data(participant), ensure_ascii=False, indent=2) + "\n"
    response = HttpResponse(text, content_type="application/json; charset=utf-8")
    name = f"fabula-{participant.pseudonym}.json"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
