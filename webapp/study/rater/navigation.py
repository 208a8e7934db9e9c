"""A rater's route through the pages: current page, next page, submission of all ratings."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from webapp.play import visitors
from webapp.study.design.instruments import Instrument
from webapp.study.models import Assignment, Campaign, Rater, Unit
from webapp.study.rater import assigning, participant_raters
from webapp.study.rating import exclusion, rater_exits
from webapp.study.rating.known_answers import PRACTICE
from webapp.study.rating.stimuli import build_fields, missing_labels, submitted_values


def redirect_to_current_page(request: HttpRequest, rater: Rater) -> HttpResponse:
    if participant_raters.has_finished(rater):
        return participant_raters.return_to_study(rater)
    if not rater.trained_at:
        return redirect("rate:example", rater.key)
    assigning.assign_pages(rater, visitor=visitors.visitor_of(request.session))
    assignments = assigning.rater_pages(rater)
    if not assignments:
        return _leave_or_wait(request, rater)
    for assignment in assignments:
        if assignment.state == Assignment.OPEN:
            return redirect("rate:item", assignment.key)
    return redirect("rate:overview", rater.key)


def _leave_or_wait(request: HttpRequest, rater: Rater) -> HttpResponse:
    """Let a rater without units leave the stage.

    In a study that only rates, a page asks to wait as long as other raters may release units.
    """
    campaign = rater.campaign
    must_wait = campaign.state == Campaign.OPEN and not rater_exits.is_all_rated(campaign)
    if participant_raters.participant_of(rater).study.rates_only and must_wait:
        return render(request, "study/rater/waiting.html", {"rater": rater})
    return participant_raters.leave_without_units(rater)


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
    if assignment.unit.use == PRACTICE:
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
