"""Pages between the ratings: quiz, feedback on practice, breaks, and leaving."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from webapp.study.models import Assignment, Rater
from webapp.study.rater import assigning, participant_raters, quiz_answers, stages
from webapp.study.rater.rating_form import RatingForm
from webapp.study.rater.views import assignment_required, rater_required
from webapp.study.rating import known_answers


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@rater_required
def quiz(request: HttpRequest, rater: Rater) -> HttpResponse:
    """Show the quiz on the task. The ratings begin after all answers are right."""
    if rater.trained_at or not rater.campaign.quiz:
        return redirect("rate:next_page", rater.key)
    is_post = request.method == "POST"
    questions = quiz_answers.list_answers(rater, request.POST.dict(), is_judged=is_post)
    is_incomplete = is_post and any(question.chosen is None for question in questions)
    if is_post and not is_incomplete:
        passed = quiz_answers.take_quiz(rater, questions, request.POST.get("tried", ""))
        if passed or rater.screened_out_at:
            return redirect("rate:next_page", rater.key)
    context = {
        "rater": rater,
        "questions": questions,
        "missing": is_incomplete,
        "judged": is_post and not is_incomplete,
        "left": quiz_answers.tries_left(rater),
    }
    return render(request, "study/rater/quiz.html", context, status=422 if is_post else 200)


@never_cache
@require_safe
@assignment_required
def feedback(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Show the correct values of a practice page, with the reason."""
    rater, unit = assignment.rater, assignment.unit
    if unit.use != known_answers.PRACTICE or rater.finished_at or rater.left_as:
        return redirect("rate:next_page", rater.key)
    sheet = RatingForm(assignment)
    place_by_stimulus = dict(unit.stimuli.values_list("pk", "place"))
    rows = []
    for question in sheet.questions:
        for scale in question.scales:
            stimulus_place, key = place_by_stimulus[scale.field.stimulus], question.dimension.key
            limits = known_answers.range_of(unit.known, stimulus_place, key)
            fits = limits is None or (
                scale.value is not None and limits[0] <= scale.value <= limits[1]
            )
            rows.append({"scale": scale, "limits": limits, "fits": fits})
    keys = [a.key for a in assigning.rater_pages(rater)]
    context = {
        "rater": rater,
        "assignment": assignment,
        "sheet": sheet,
        "rows": rows,
        "why": unit.known.get("why", ""),
        "onward": stages.address_after_feedback(assignment, keys),
    }
    return render(request, "study/rater/feedback.html", context)


@never_cache
@require_safe
@assignment_required
def pause(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Show the break after a number of pages (`Campaign.break_after`)."""
    rater = assignment.rater
    keys = [a.key for a in assigning.rater_pages(rater)]
    number = keys.index(assignment.key) + 1 if assignment.key in keys else len(keys)
    if rater.finished_at or rater.left_as or not 0 < number < len(keys):
        return redirect("rate:next_page", rater.key)
    context = {"rater": rater, "number": number, "count": len(keys), "after": keys[number]}
    return render(request, "study/rater/break.html", context)


@require_POST
@rater_required
def stop_waiting(request: HttpRequest, rater: Rater) -> HttpResponse:
    """Let a rater without units leave, or continue with the next stage of their study.

    If units are available by now, redirect to them.
    """
    if assigning.rater_pages(rater):
        return redirect("rate:next_page", rater.key)
    return participant_raters.leave_without_units(rater)
