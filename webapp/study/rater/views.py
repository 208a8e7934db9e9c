"""Views of a rater: example, quiz, rating pages, feedback, breaks, and the overview of all pages.

A rater's link has the rater's key, a rating page the key of its assignment.
"""

import json
import uuid
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from webapp.play import visitors
from webapp.proxies import site_address
from webapp.rate_counters import ProcessRate
from webapp.study.models import Assignment, Rater, Unit
from webapp.study.rater import assigning, navigation, saving
from webapp.study.rater.notice_pages import render_notice, render_text
from webapp.study.rater.rating_form import RatingForm
from webapp.study.rater.saving import InvalidSubmission, RaterFinished, Stale
from webapp.study.rating import known_answers, rater_erasure
from webapp.study.rating.stimuli import build_fields
from webapp.study.sessions import participant_state

RaterView = Callable[[HttpRequest, Rater], HttpResponse]
ItemView = Callable[Concatenate[HttpRequest, Assignment, ...], HttpResponse]

request_limit = ProcessRate(80, 10)  # 80 requests of a rater in 10 s, far above normal use


def rater_required(view: RaterView) -> Callable[..., HttpResponse]:
    """Pass an unfinished rater in their own browser to a view. Redirect others to the link."""

    @never_cache
    @wraps(view)
    def wrapped(request: HttpRequest, key: str) -> HttpResponse:
        rater = _find_rater(key)
        is_own_browser = rater and navigation.uses_browser(request, rater)
        if rater and is_own_browser and not navigation.has_finished(rater):
            return view(request, rater)
        return redirect("rate:next_page", key)

    return wrapped


def _find_rater(key: str) -> Rater | None:
    rows = Rater.objects.filter(key=key)
    return rows.select_related("campaign", "participant__study").first()


def assignment_required(view: ItemView) -> Callable[..., HttpResponse]:
    """Pass the address's assignment to a view, or show a notice in another browser."""

    @never_cache
    @wraps(view)
    def wrapped(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
        rows = Assignment.objects.select_related(
            "rater__campaign", "rater__participant__study", "unit"
        ).order_by()
        assignment = rows.filter(key=key, rater__kind=Rater.PERSON).first()
        if assignment and navigation.uses_browser(request, assignment.rater):
            assignment.unit.campaign = assignment.rater.campaign
            return view(request, assignment)
        if assignment is None and participant_state.has_withdrawn_participant(request.session):
            text = _("Your ratings were deleted on request. None of them are kept.")
            return _refusal(request, 410, _("These ratings are deleted"), text)
        text = _("Open your own link again, in this browser or in the one where you started.")
        return _refusal(request, 404, _("This page is not available to you"), text)

    return wrapped


def _refusal(
    request: HttpRequest, status: int, title: str, text: str, **extra: Any
) -> HttpResponse:
    """Return a refusal as JSON for a script, as a page for a form."""
    if _is_json_request(request):
        return JsonResponse({"error": text, **extra}, status=status)
    return render_text(request, status, title, text)


def _is_json_request(request: HttpRequest) -> bool:
    return request.content_type == "application/json"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def redirect_old_link(request: HttpRequest, key: str) -> HttpResponse:
    """Redirect a shared link from the time before raters were participants."""
    query = request.META.get("QUERY_STRING", "")
    return redirect(reverse("take:shared_link", args=[key]) + (f"?{query}" if query else ""))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def personal_link(request: HttpRequest, key: str) -> HttpResponse:
    """Redirect to the rater's current page, or in another browser to the participant's link."""
    rater = _find_rater(key)
    if rater is None and rater_erasure.was_erased(key):
        return render_notice(request, "erased")
    if rater is None:  # an unused link from the time before raters were participants
        return redirect("take:step", key)
    if not navigation.uses_browser(request, rater):
        return redirect("take:step", navigation.participant_of(rater).key)
    return navigation.redirect_to_current_page(request, rater)


@require_http_methods(["GET", "HEAD", "POST"])
@rater_required
def example(request: HttpRequest, rater: Rater) -> HttpResponse:
    """Show the worked example. A POST leads to the quiz or the first rating page."""
    if request.method == "POST":
        if rater.campaign.quiz and not rater.trained_at:
            return redirect("rate:quiz", rater.key)
        navigation.mark_trained(rater)
        return redirect("rate:next_page", rater.key)
    return navigation.render_example(request, rater)


@require_http_methods(["GET", "HEAD", "POST"])
@assignment_required
def item(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Show a rating page, or store its rating."""
    if request.method == "POST":
        return _store_submission(request, assignment)
    rater = assignment.rater
    if not rater.trained_at or navigation.has_finished(rater):
        return redirect("rate:next_page", rater.key)
    assigning.renew_leases(rater, visitor=visitors.visitor_of(request.session))
    assignment.refresh_from_db(fields=["state"])
    if assignment.state == Assignment.TIMED_OUT:
        return redirect("rate:next_page", rater.key)
    if not request.headers.get("X-Ahead"):  # set if a script fetches the page in advance
        _record_shown(assignment)
    return _render_item(request, assignment)


def _record_shown(assignment: Assignment) -> None:
    now = timezone.now()
    if assignment.shown_at is None:
        Assignment.objects.filter(pk=assignment.pk, shown_at=None).update(shown_at=now)
    Rater.objects.filter(pk=assignment.rater_id).update(seen_at=now)


def _render_item(
    request: HttpRequest, assignment: Assignment, *, error: str = "", status: int = 200
) -> HttpResponse:
    rater, keys = assignment.rater, assigning.page_keys(assignment.rater)
    number = keys.index(assignment.key) + 1
    context = {
        "form": RatingForm(assignment, request.POST.dict() if error else None),
        "assignment": assignment,
        "rater": rater,
        "intro": rater.campaign.instrument.get("intro", ""),
        "number": number,
        "count": len(keys),
        "before": keys[number - 2] if number > 1 else None,
        "after": keys[number] if number < len(keys) else None,
        "practice": assignment.unit.use == Unit.PRACTICE,
        "next_address": navigation.next_address(assignment, keys),
        "reasons": saving.SKIP_REASONS,
        "skipped": assignment.skip_reason if assignment.state == Assignment.SKIPPED else "",
        "error": error,
    }
    if number == 1 and rater.campaign.study.rates_only:
        # Not on the page of the example, because units are assigned after it.
        context["fewer_pages"] = navigation.fewer_pages(rater)
    return render(request, "study/rater/item.html", context, status=status)


@require_POST
@assignment_required
def mark_seen(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Record that a page that was fetched in advance is now shown."""
    _record_shown(assignment)
    return HttpResponse(status=204)


def _store_submission(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    rater = assignment.rater
    if not request_limit.try_acquire(str(rater.pk)):
        text = _("You sent your answers very quickly. Wait a moment, then send them again.")
        return _refusal(request, 429, _("Please slow down"), text)
    navigation.time_out_if_due(rater)  # then `store_rating` raises RaterFinished
    rating_fields = build_fields(assignment)
    try:
        if _is_json_request(request):
            submission = saving.read_json(_parse_json(request), rating_fields)
        else:
            submission = saving.read_form(request.POST.dict(), rating_fields)
            if not submission.values and submission.skip is None:  # the form is empty
                return redirect(_form_redirect(assignment, request.POST.get("do", "")))
        state = saving.store_rating(assignment, submission, rating_fields)
    except InvalidSubmission as error:
        if _is_json_request(request) or assignment.state == Assignment.TIMED_OUT:
            return _refusal(request, 422, _("This can’t be saved"), str(error))
        return _render_item(request, assignment, error=str(error), status=422)
    except Stale as stale:
        text = _("A newer answer is already saved.")
        return JsonResponse({"error": text, **stale.args[0]._asdict()}, status=409)
    except RaterFinished:
        text = _(
            "Your ratings can’t be changed any more. You submitted them, stopped, or ran "
            "out of time."
        )
        link = reverse("rate:next_page", args=[assignment.rater.key])
        return _refusal(request, 409, _("Already submitted"), text, finished=True, way=link)
    except Assignment.DoesNotExist:
        text = _("Your ratings were deleted on request. None of them are kept.")
        return _refusal(request, 410, _("These ratings are deleted"), text)
    if _is_json_request(request):
        return JsonResponse(state._asdict())
    return redirect(_form_redirect(assignment, request.POST.get("do", "")))


def _parse_json(request: HttpRequest) -> Any:
    try:
        return json.loads(request.body)
    except (ValueError, RecursionError):
        raise InvalidSubmission(saving.UNREADABLE) from None


def _form_redirect(assignment: Assignment, action: str) -> str:
    """Return the address after a form without scripts. `action` is its pressed button."""
    keys = assigning.page_keys(assignment.rater)
    if assignment.key in keys and action in ("back", "stay"):
        index = max(0, keys.index(assignment.key) - (action == "back"))
        return reverse("rate:item", args=[keys[index]])
    return navigation.next_address(assignment, keys)


@require_http_methods(["GET", "HEAD", "POST"])
@rater_required
def overview(request: HttpRequest, rater: Rater) -> HttpResponse:
    """Show the list of all pages with their missing values, and submit all ratings."""
    if not rater.trained_at:
        return redirect("rate:next_page", rater.key)
    if request.method == "POST" and navigation.submit_all(rater):
        return navigation.return_to_study(rater)
    assignments = assigning.rater_pages(rater)
    if not assignments:
        return redirect("rate:next_page", rater.key)
    missing_by_assignment = navigation.missing_questions(rater)
    rows = [
        {
            "assignment": assignment,
            "number": number,
            "missing": missing_by_assignment.get(assignment.pk),
            "untouched": assignment.first_answer_at is None,
        }
        for number, assignment in enumerate(assignments, 1)
    ]
    is_refused = request.method == "POST"  # a POST leads here because a page is incomplete
    context = {
        "rater": rater,
        "rows": rows,
        "open_count": sum(row["missing"] is not None for row in rows),
        "is_refused": is_refused,
        "site": site_address(request),
    }
    status = 422 if is_refused else 200
    return render(request, "study/rater/overview.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@rater_required
def quiz(request: HttpRequest, rater: Rater) -> HttpResponse:
    """Show the quiz on the task. The ratings begin when all answers are right."""
    if rater.trained_at or not rater.campaign.quiz:
        return redirect("rate:next_page", rater.key)
    is_post = request.method == "POST"
    answers = navigation.list_quiz_answers(rater, request.POST.dict(), is_judged=is_post)
    is_incomplete = is_post and any(answer.chosen is None for answer in answers)
    if is_post and not is_incomplete:
        has_passed = navigation.take_quiz(rater, answers, request.POST.get("tried", ""))
        if has_passed or rater.screened_out_at:
            return redirect("rate:next_page", rater.key)
    context = {
        "rater": rater,
        "questions": answers,
        "is_incomplete": is_incomplete,
        "is_judged": is_post and not is_incomplete,
        "tries_left": navigation.quiz_tries_left(rater),
    }
    return render(request, "study/rater/quiz.html", context, status=422 if is_post else 200)


@require_safe
@assignment_required
def feedback(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Show the accepted values of a practice page, with the reason."""
    rater, unit = assignment.rater, assignment.unit
    if unit.use != Unit.PRACTICE or rater.finished_at or rater.left_as:
        return redirect("rate:next_page", rater.key)
    form = RatingForm(assignment)
    place_by_stimulus = dict(unit.stimuli.values_list("pk", "place"))
    rows = []
    for question in form.questions:
        for scale in question.scales:
            place, value = place_by_stimulus[scale.field.stimulus], scale.value
            limits = known_answers.correct_range(unit.known_answers, place, question.dimension.key)
            fits = limits is None or (value is not None and limits[0] <= value <= limits[1])
            rows.append({"scale": scale, "limits": limits, "fits": fits})
    context = {
        "rater": rater,
        "assignment": assignment,
        "form": form,
        "rows": rows,
        "why": unit.known_answers.get("why", ""),
        "next_address": navigation.address_after_feedback(assignment, assigning.page_keys(rater)),
    }
    return render(request, "study/rater/feedback.html", context)


@require_safe
@assignment_required
def pause(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Show the break after each `Campaign.break_after` pages."""
    rater, keys = assignment.rater, assigning.page_keys(assignment.rater)
    number = keys.index(assignment.key) + 1 if assignment.key in keys else len(keys)
    if rater.finished_at or rater.left_as or not 0 < number < len(keys):
        return redirect("rate:next_page", rater.key)
    context = {"rater": rater, "number": number, "count": len(keys), "after": keys[number]}
    return render(request, "study/rater/break.html", context)


@require_POST
@rater_required
def stop_waiting(request: HttpRequest, rater: Rater) -> HttpResponse:
    """Let a rater leave who waits for units. If there are units by now, redirect to them."""
    if assigning.rater_pages(rater):
        return redirect("rate:next_page", rater.key)
    return navigation.leave_without_units(rater)
