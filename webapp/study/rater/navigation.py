"""A rater's route: example, quiz on the task, pages, submission, and the return to the study."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from webapp.play import visitors
from webapp.study.design.exits import ExitKind
from webapp.study.design.instruments import Instrument
from webapp.study.models import Assignment, Campaign, Participant, Rater, Unit
from webapp.study.rater import assigning
from webapp.study.rating import exclusion, quotas
from webapp.study.rating.stimuli import build_fields, missing_labels, submitted_values
from webapp.study.sessions import lifecycle, participant_state, study_campaigns, study_events


def redirect_to_current_page(request: HttpRequest, rater: Rater) -> HttpResponse:
    if has_finished(rater):
        return return_to_study(rater)
    if not rater.trained_at:
        return redirect("rate:example", rater.key)
    assigning.assign_pages(rater, visitor=visitors.visitor_of(request.session))
    assignments = assigning.rater_pages(rater)
    if not assignments:
        campaign = rater.campaign
        # In a study that only rates, other raters may still release units.
        can_wait = campaign.state == Campaign.OPEN and not quotas.is_all_rated(campaign)
        if participant_of(rater).study.rates_only and can_wait:
            return render(request, "study/rater/waiting.html", {"rater": rater})
        return leave_without_units(rater)
    for assignment in assignments:
        if assignment.state == Assignment.OPEN:
            return redirect("rate:item", assignment.key)
    return redirect("rate:overview", rater.key)


def participant_of(rater: Rater) -> Participant:
    """Return the rater's participant. Only judges have none, and they see no pages."""
    assert rater.participant
    return rater.participant


def uses_browser(request: HttpRequest, rater: Rater) -> bool:
    return participant_state.uses_browser(request.session, participant_of(rater))


def time_out_if_due(rater: Rater) -> bool:
    """Move on a rater whose time is over. Return whether they have timed out, now or earlier."""
    participant = participant_of(rater)
    if not participant.exit and participant.due_at and participant.due_at <= timezone.now():
        step = participant_state.current_step(participant)
        if study_campaigns.is_rater_of(rater, step) and not rater.finished_at:
            exclusion.record_exit(rater, Rater.TIMED_OUT)
        lifecycle.advance(participant, step.index, actor=study_events.CLOCK, if_due=True)
        participant.refresh_from_db()
    return rater.left_as == Rater.TIMED_OUT


def has_finished(rater: Rater) -> bool:
    """Return whether the rater has finished or left. A rater whose time is over is timed out."""
    has_ended = rater.finished_at or rater.screened_out_at or rater.left_as
    return bool(has_ended or participant_of(rater).exit or time_out_if_due(rater))


def return_to_study(rater: Rater) -> HttpResponse:
    """Move the participant to the step after the ratings, and redirect there."""
    participant = participant_of(rater)
    step = participant_state.current_step(participant)
    if study_campaigns.is_rater_of(rater, step):
        lifecycle.advance(participant, step.index)
    return redirect(participant.study.current_step_path)


def leave_without_units(rater: Rater) -> HttpResponse:
    """Record that nothing is left to rate, and move the participant to the next step, or out."""
    participant = participant_of(rater)
    study_events.record_event(
        participant,
        "ratings:nothing_left",
        actor=study_events.CLOCK,
        reason=f"campaign {rater.campaign.code}",
    )
    exclusion.record_exit(rater, Rater.FULL)
    if participant.study.rates_only:
        # "full" means that others took all places. A campaign that is closed before that ends the
        # time to rate.
        kind: ExitKind = "full" if rater.campaign.state == Campaign.OPEN else "timed_out"
        lifecycle.leave_by(participant, kind, actor=study_events.CLOCK)
    return return_to_study(rater)


def render_example(request: HttpRequest, rater: Rater) -> HttpResponse:
    instrument = Instrument.from_json(rater.campaign.instrument)
    example_data = instrument.example
    example_values = [
        {
            "dimension": d,
            "value": example_data.values[d.key],
            "place": d.place_of(example_data.values[d.key]) if d.rank else None,
            "why": example_data.why.get(d.key, ""),
        }
        for d in instrument.dimensions
        if d.key in example_data.values
    ]
    context = {
        "rater": rater,
        "instrument": instrument,
        "example": example_data,
        "example_values": example_values,
        "fewer_pages": fewer_pages(rater),
    }
    return render(request, "study/rater/example.html", context)


def fewer_pages(rater: Rater) -> int:
    """Return the number of assigned units if it is lower than announced, else 0."""
    pages = Assignment.objects.filter(rater=rater, unit__use="", is_repeat=False)
    pages = pages.exclude(state=Assignment.TIMED_OUT).exclude(unit__kind=Unit.ATTENTION)
    count = pages.count()
    return count if count < rater.campaign.units_per_rater else 0


def missing_questions(rater: Rater) -> dict[int, list[str]]:
    """Return id of an open assignment -> labels of its questions without a value."""
    missing_by_assignment = {}
    rows = Assignment.objects.filter(rater=rater, state=Assignment.OPEN).select_related("unit")
    for assignment in rows.prefetch_related("unit__stimuli", "ratings"):
        assignment.unit.campaign = rater.campaign
        rating_fields = build_fields(assignment)
        missing_by_assignment[assignment.pk] = missing_labels(
            rating_fields, submitted_values(assignment, rating_fields)
        )
    return missing_by_assignment


def submit_all(rater: Rater) -> bool:
    """Submit all ratings, once. Return False if a page is incomplete."""
    with transaction.atomic():
        row = Rater.everyone.select_for_update().get(pk=rater.pk)
        assignments = assigning.rater_pages(row)
        # A rater who left meanwhile has released the open pages.
        has_left = row.left_as or (row.participant and row.participant.exit)
        is_incomplete = any(a.state == Assignment.OPEN for a in assignments)
        if has_left or not assignments or is_incomplete:
            return bool(row.finished_at)
        if not row.finished_at:
            row.finished_at = row.seen_at = timezone.now()
            row.save(update_fields=["finished_at", "seen_at"])
    exclusion.apply_rules(row)
    return True


def next_address(assignment: Assignment, keys: Sequence[uuid.UUID]) -> str:
    """Return the address of the button "next". `keys` are `assigning.page_keys`."""
    if assignment.unit.use == Unit.PRACTICE:
        return reverse("rate:feedback", args=[assignment.key])
    return address_after_feedback(assignment, keys)


def address_after_feedback(assignment: Assignment, keys: Sequence[uuid.UUID]) -> str:
    """Return the address of the button "next" on the page with feedback."""
    number = keys.index(assignment.key) + 1 if assignment.key in keys else len(keys)
    if number == len(keys):
        return reverse("rate:overview", args=[assignment.rater.key])
    pages_per_break = assignment.unit.campaign.break_after
    if pages_per_break and number % pages_per_break == 0:
        return reverse("rate:break", args=[assignment.key])
    return reverse("rate:item", args=[keys[number]])


@dataclass(frozen=True)
class QuizAnswer:
    """A question with its answer."""

    name: str  # name of the form field
    text: str
    options: tuple[str, ...]
    chosen: int | None  # index of the chosen option, None without an answer
    is_wrong: bool  # the page marks the answer as wrong


def list_quiz_answers(
    rater: Rater, posted: Mapping[str, str], *, is_judged: bool
) -> list[QuizAnswer]:
    """Return all questions with the posted answers. `is_judged` marks the wrong ones."""
    answers = []
    for number, question in enumerate(rater.campaign.quiz.get("questions", ())):
        name, options = f"q{number}", tuple(question["options"])
        options_by_value = {str(index): index for index in range(len(options))}
        chosen = options_by_value.get(posted.get(name, ""))
        is_wrong = is_judged and chosen is not None and chosen != question["right"]
        answers.append(QuizAnswer(name, question["text"], options, chosen, is_wrong))
    return answers


def quiz_tries_left(rater: Rater) -> int:
    return max(0, int(rater.campaign.quiz.get("tries", 1)) - rater.quiz_tries)


def take_quiz(rater: Rater, answers: list[QuizAnswer], earlier_tries: str) -> bool:
    """Complete the quiz, or count a wrong try. Return whether all answers are right.

    After the last wrong try the rater is screened out. `earlier_tries` is their number when the
    page was rendered, as posted. If the stored number differs, this try has been counted already.
    """
    if not any(answer.is_wrong for answer in answers):
        mark_trained(rater)
        return True
    with transaction.atomic():
        row = Rater.objects.select_for_update(of=("self",)).get(pk=rater.pk)
        if str(row.quiz_tries) == earlier_tries and not row.trained_at:
            row.quiz_tries += 1
            if row.quiz_tries >= rater.campaign.quiz["tries"]:
                row.screened_out_at = timezone.now()
            row.save(update_fields=["quiz_tries", "screened_out_at"])
    rater.refresh_from_db(fields=["quiz_tries", "screened_out_at"])
    participant = rater.participant
    if rater.screened_out_at and participant and participant.study.rates_only:
        lifecycle.leave_by(participant, "quiz_failed", reason=f"tries: {rater.quiz_tries}")
    return False


def mark_trained(rater: Rater) -> None:
    """Record that the rater has finished the example, and the quiz if there is one."""
    if not rater.trained_at and not rater.screened_out_at:
        rater.trained_at = timezone.now()
        rater.save(update_fields=["trained_at"])
