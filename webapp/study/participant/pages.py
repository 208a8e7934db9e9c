"""The page of a participant: a single address that shows the current step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from webapp.play.rate_limits import Limit
from webapp.study.ethics import participant_erasure
from webapp.study.models import Participant, Payment, Rating, Response, Seating, Slot, Study
from webapp.study.participant import entrance
from webapp.study.participant.debriefing import DebriefingPage
from webapp.study.participant.exit_page import render_exit_page
from webapp.study.participant.game_step import GamePage, PracticePage
from webapp.study.participant.questionnaires import QuestionnairePage
from webapp.study.participant.ratings import RatingsPage
from webapp.study.participant.rules import RulesPage
from webapp.study.participant.stage_pages import Visit, list_messages, page_of, page_state, register
from webapp.study.participant.waiting_room import WaitingPage
from webapp.study.rater.notices import erased_notice, unknown
from webapp.study.sessions import (
    audit_events,
    lifecycle,
    participant_sessions,
    participant_steps,
    responses,
)
from webapp.study.sessions.participant_steps import WAITING, record_input, record_presence

register(RulesPage())
register(PracticePage())
register(WaitingPage())
register(GamePage())
register(RatingsPage())
register(DebriefingPage())
for _kind in ("background", "questionnaire", "interview"):
    register(QuestionnairePage(_kind))

request_limit = Limit(80, 10)  # requests per participant; far above normal use


def participant_required(
    view: Callable[[HttpRequest, Participant], HttpResponse],
) -> Callable[..., HttpResponse]:
    """Pass the participant of the link to the view if they have agreed and use their own browser.

    Other requests get a page that explains what to do.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, key: str) -> HttpResponse:
        participant = Participant.objects.filter(key=key).select_related("study").first()
        if participant is None:
            return unknown(request)
        here = participant_sessions.is_own_browser(request.session, participant)
        if not participant.consented_at or not here:
            return redirect("take:as", key)
        return view(request, participant)

    return wrapped


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def personal_link(request: HttpRequest, key: str) -> HttpResponse:
    """Show the consent page of a personal link, or later the participant's current step.

    In another browser than the participant's, a button first moves the participant there.
    """
    participant = Participant.objects.filter(key=key).select_related("study").first()
    if participant is None:
        return erased_notice(request) if participant_erasure.was_erased(key) else unknown(request)
    if not participant.consented_at:
        return entrance.personal_consent(request, participant)
    if not participant_sessions.is_own_browser(request.session, participant):
        if request.method == "POST" and request.POST.get("change"):
            participant_sessions.move_to_browser(request, participant)
            return redirect("take:as", key)
        return entrance.move_page(request, reverse("take:as", args=[key]))
    if not participant.withdrew:
        # A page whose time is over posts by itself.
        acts = request.method == "POST" and not is_due(participant)
        (record_input if acts else record_presence)(participant)
    if participant.exit:
        if request.method == "POST":
            _send_late(request, participant)
        return render_exit_page(request, participant.study, participant.exit, participant)  # type: ignore[arg-type]
    if request.method == "POST" and not request_limit.allows(key):
        return HttpResponse(status=429)
    return _at_step(request, participant)


def _send_late(request: HttpRequest, participant: Participant) -> None:
    """Store what the page had not sent yet when others ended the participation."""
    step = participant_steps.step_of(participant)
    if responses.was_ended_by_others(participant) and request.POST.get("step") == str(step.index):
        _save(Visit(request, participant, step))


def _save(visit: Visit) -> None:
    """Store what a page sends as typed, whatever button was pressed."""
    saved = visit.request.POST.copy()
    saved["do"] = "save"
    visit.request.POST = saved  # type: ignore[assignment]  # `post` of a stage page then stores without submitting
    page_of(visit.step.kind).post(replace(visit, ends=True))


def _at_step(request: HttpRequest, participant: Participant) -> HttpResponse:
    step = participant_steps.step_of(participant)
    visit = Visit(request, participant, step)
    posted = request.method == "POST" and request.POST.get("step") == str(step.index)
    if is_due(participant):
        if posted:  # when its time ends, the page sends what was typed until then
            _save(visit)
        lifecycle.advance(participant, step.index, actor=audit_events.CLOCK, if_due=True)
        return redirect("take:as", participant.key)
    if request.method != "POST":
        participant_steps.start_step_timer(participant, step)
        return page_of(step.kind).show(visit)
    if not posted:
        return redirect("take:as", participant.key)
    return page_of(step.kind).post(visit)


def is_due(participant: Participant) -> bool:
    """Return whether the time of the stage is over. Waiting and games end by rules of their own."""
    if participant_steps.step_of(participant).kind in (WAITING, "game"):
        return False
    return participant.due_at is not None and participant.due_at <= timezone.now()


@never_cache
@require_safe
@participant_required
def stage_status(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Return the participant's current state as JSON, for a page that polls every few seconds.

    The query `input` says that they did something since the last time.

    at: identifies the page that is due. part: the changing part of the waiting room's page, as
    HTML.
    """
    if not request_limit.allows(participant.key):
        return HttpResponse(status=429)
    (record_input if request.GET.get("input") else record_presence)(participant)
    step = participant_steps.step_of(participant)
    visit = Visit(request, participant, step)
    part = "" if participant.exit else page_of(step.kind).part(visit)
    news_data = {
        "at": page_state(participant, visit.seatings),
        "part": part,
        "due": participant.due_at.isoformat() if participant.due_at else "",
        "words": render_to_string("play/told_words.html", {"words": list_messages(participant)}),
    }
    return JsonResponse(news_data)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@participant_required
def leave_study(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Leave the study, and choose what happens to the answers. It also works after leaving."""
    do = request.POST.get("do", "")
    if do == "erase" and participant_erasure.can_erase(participant):
        forgoes = request.POST.get("forgo") == "1"
        participant_erasure.erase(
            participant, actor=audit_events.PARTICIPANT, keeps_owed=not forgoes
        )
    elif do == "keep":
        lifecycle.leave_by(participant, "left")
    if do in ("erase", "keep"):
        return redirect("take:as", participant.key)
    design, exit_route = (
        participant_steps.design_of(participant.study),
        participant_steps.exit_settings(participant.study, "left"),
    )
    seats = participant.seatings.filter(player__isnull=False)
    context = {
        "participant": participant,
        "words": list_messages(participant),
        "gone": bool(participant.exit),
        "played": seats.exists(),
        "playing": seats.filter(state=Seating.SEATED, slot__state=Slot.PLAYING).exists(),
        "ends_it": design.dropout.policy == "end",
        "may_erase": participant_erasure.can_erase(participant),
        "until": participant_erasure.erasable_until(participant),
        "contact": design.ethics.contact,
        "in_batch": _due(participant).exclude(batch=None).exists(),
        "due": _due(participant).exists() or bool(exit_route.pay and not participant.exit),
        "answered": Response.objects.filter(participant=participant).exists()
        or Rating.objects.filter(assignment__rater__participant=participant).exists(),
        "pay": design.format_money(exit_route.pay),
    }
    return render(request, "study/take/leave.html", context)


def _due(participant: Participant) -> QuerySet[Payment]:
    return participant.payments.filter(status=Payment.DUE)


@never_cache
@require_safe
def from_table(request: HttpRequest, key: str, page: str = "as") -> HttpResponse:
    """Redirect from a table to a page of this browser's participant. page: name of the URL."""
    study = Study.objects.filter(key=key).first()
    if study is None:
        return unknown(request)
    participant = participant_sessions.find_current_participant(request, study)
    return (
        redirect(f"take:{page}", participant.key) if participant else redirect("take:shared", key)
    )
