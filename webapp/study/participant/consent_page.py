"""The consent page: shows the consent text and its form, and enrols a visitor who agrees.

The page may also end the visit: the visitor declines, the study is full, or the page's script
detects a browser that stores nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from webapp.proxies import client_address
from webapp.study.design.exits import ExitKind
from webapp.study.models import Participant, Study
from webapp.study.participant import consent_form
from webapp.study.participant.consent_form import ConsentForm
from webapp.study.participant.exit_page import HiddenField, render_exit_page
from webapp.study.participant.stage_pages import render_markdown
from webapp.study.planning import durations
from webapp.study.rater import notice_pages
from webapp.study.rating import effort, rater_exits
from webapp.study.sessions import bonuses, enrolment, participant_state
from webapp.study.sessions.enrolment import Agreement, NameTaken, NotOpened


def handle_consent_page(
    request: HttpRequest,
    study: Study,
    field: HiddenField,
    enrol: Callable[[Agreement], Participant | None],
    *,
    is_posted: bool,
) -> HttpResponse:
    """Show the consent page, and enrol a visitor who agrees.

    Args:
        field: Identifies the visitor in the page's form.
        enrol: Stores the agreement. It returns None if too many visitors have started.
        is_posted: Whether the page sent the request.
    """
    if refusal := _refuse_entry(request, study, field, is_posted=is_posted):
        return refusal
    form = ConsentForm(participant_state.design_of(study), request.POST if is_posted else None)
    if not form.is_valid() or _has_text_changed(study, form):
        return _render_consent_page(request, study, form, field)
    try:
        participant = enrol(form.build_agreement(study))
    except NameTaken:
        return notice_pages.name_taken_notice(request, study)
    except NotOpened:
        return notice_pages.not_open_notice(request, study)
    if participant is None:
        return notice_pages.rate_limit_notice(request)
    participant_state.remember_participant(request, participant)
    return redirect("take:step", participant.key)


def _render_consent_page(
    request: HttpRequest, study: Study, form: ConsentForm, field: HiddenField
) -> HttpResponse:
    """Render the consent page. A posted one is incomplete, or has to be confirmed again."""
    design, stage = participant_state.design_of(study), enrolment.consent_stage(study)
    unanswered = {"of_age", "experience"} & form.errors.keys()
    is_incomplete = bool(unanswered) and not _has_text_changed(study, form)
    is_reshown = request.method == "POST" and not is_incomplete
    action = reverse("take:shared_link", args=[study.key])
    if field.name == "own":
        action = reverse("take:step", args=[field.value])
    signed_moment = request.POST.get("shown", "")
    if not consent_form.read_moment(study.key, signed_moment):
        signed_moment = consent_form.sign_moment(study.key, timezone.now())
    completed = participant_state.exit_settings(study, "completed")
    campaign = study.campaigns.first() if study.rates_only else None
    minutes = effort.announced_minutes(campaign) if campaign else durations.total_minutes(design)
    context = {
        "study": study,
        "stage": stage,
        "text": render_markdown(enrolment.consent_text(study)),
        "form": form,
        "visitor_field": field,
        "again": is_reshown,
        "signed_moment": signed_moment,
        "consent_version": enrolment.consent_version(study),
        "minutes": minutes,
        "time_limit": study.stage("ratings").get("minutes") if study.rates_only else 0,
        "pay": design.format_money(completed.pay),
        "bonus": design.format_money(bonuses.max_bonus_or_zero(design)),
        "may_take_longer": design.reading_factor,
        "action": action,
    }
    error_status = 409 if is_reshown else 422
    status = error_status if is_reshown or is_incomplete else 200
    response = render(request, "study/take/consent.html", context, status=status)
    # The address may contain an outside name. No request for a style or picture may repeat it.
    response["Referrer-Policy"] = "strict-origin"
    return response


def _has_text_changed(study: Study, form: ConsentForm) -> bool:
    """Return whether the consent text changed between the page and its submission."""
    return bool(form.cleaned_data.get("version") != enrolment.consent_version(study))


def _refuse_entry(
    request: HttpRequest, study: Study, field: HiddenField, *, is_posted: bool
) -> HttpResponse | None:
    """Return an exit page if the visitor declines or no place is left, None if they can begin.

    The arguments are those of `handle_consent_page`.
    """
    if request.POST.get("do") == "decline":
        return _render_turned_away(request, study, "declined", field, is_posted=is_posted)
    campaign = study.campaigns.get() if study.rates_only else None
    if rater_exits.is_all_rated(campaign) if campaign else study.is_full:
        return _render_turned_away(request, study, "full", field, is_posted=is_posted)
    return None


@never_cache
@csrf_exempt  # it sets no cookies and changes no data
@require_http_methods(["GET", "HEAD", "POST"])
def unsuitable_browser(request: HttpRequest, key: str) -> HttpResponse:
    """Show the exit for a browser that stores nothing, to which the first page's script posts."""
    study = Study.objects.filter(key=key).first()
    if study is None or study.is_experiment:
        return notice_pages.unknown_link_notice(request)
    signed_form, own_key = request.POST.get("coming", ""), request.POST.get("own", "")
    field = HiddenField("coming", signed_form)
    is_posted = consent_form.read_form(study.key, signed_form) is not None
    if not is_posted:
        field = HiddenField("own", own_key)
        is_posted = study.participants.filter(key=own_key).exists()
    return _render_turned_away(request, study, "unsuitable", field, is_posted=is_posted)


def _render_turned_away(
    request: HttpRequest, study: Study, kind: ExitKind, field: HiddenField, *, is_posted: bool
) -> HttpResponse:
    """Show the exit page of a visitor who did not begin. Only a counter is stored, once a visit.

    The arguments are those of `handle_consent_page`.
    """
    # The page of a full study is counted when it is requested. Its button posts and is not counted
    # again. For other exits only a request from the first page counts, because anyone can send one.
    should_count = request.method == "GET" if kind == "full" else is_posted
    address = client_address(request)
    if should_count and consent_form.may_count_turned_away(str(study.pk), address, field.value):
        enrolment.increment_turned_away(study, kind)
    button_field = field if kind == "full" else None
    return render_exit_page(
        request, study, kind, is_from_first_page=is_posted, button_field=button_field
    )
