"""Where a rater stands, and the page for it: example, ratings, handing in, the code."""

from __future__ import annotations

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from webapp.play import visitors
from webapp.study import exclusion, exits, rater_exits
from webapp.study.erasure import is_erased
from webapp.study.instruments import Instrument
from webapp.study.models import Assignment, Campaign, Rater
from webapp.study.rater import assigning, of_participants
from webapp.study.rater.rating_form import fields, missing, stated

__all__ = ["finish", "is_erased", "onward", "unfinished"]


def onward(request: HttpRequest, rater: Rater) -> HttpResponse:
    """From the rater's own link to where they are."""
    if rater.participant_id and of_participants.is_through(rater):
        return of_participants.back(rater)
    if rater.screened_out_at:
        return ended(request, rater.campaign, exits.SCREENED_OUT, rater)
    if rater.finished_at:
        return ended(request, rater.campaign, exits.COMPLETE, rater)
    if rater.left_as or rater_exits.is_late(rater):
        return ended(request, rater.campaign, rater.left_as, rater)
    if not rater.trained_at:
        return redirect("rate:example", rater.key)
    assigning.give(rater, visitor=visitors.visitor_of(request.session))
    way = assigning.way(rater)
    if not way:
        return _nothing_left(request, rater)
    for assignment in way:
        if assignment.state == Assignment.OPEN:
            return redirect("rate:item", assignment.key)
    return redirect("rate:all", rater.key)


def _nothing_left(request: HttpRequest, rater: Rater) -> HttpResponse:
    campaign = rater.campaign
    if rater.participant_id:
        return of_participants.nothing_left(rater)
    if campaign.state != Campaign.OPEN:  # it may be opened again
        return ended(request, campaign, exits.TIMED_OUT, rater)
    if rater_exits.all_rated(campaign):
        rater_exits.leave(rater, exits.FULL)
        return ended(request, campaign, exits.FULL, rater)
    return render(request, "study/rater/waiting.html", {"rater": rater})


def ended(
    request: HttpRequest,
    campaign: Campaign,
    kind: str,
    rater: Rater | None = None,
    *,
    erased: bool = False,
) -> HttpResponse:
    """A way out: its page with its code and the way back. rater: who goes, where that is known."""
    way = exits.of(campaign.exits, kind)
    if rater and [kind, way.code] not in rater.exits_shown:
        rater.exits_shown = [*rater.exits_shown, [kind, way.code]]
        rater.save(update_fields=["exits_shown"])
    context = {"way": way, "gone": rater, "erased": erased}
    return render(request, "study/rater/ended.html", context)


def example(request: HttpRequest, rater: Rater) -> HttpResponse:
    """How a rating is made, once through, with the reasons."""
    instrument = Instrument.of(rater.campaign.instrument)
    told = instrument.example
    worked = [
        {
            "dimension": d,
            "value": told.values[d.key],
            "place": d.place(told.values[d.key]) if d.rank else None,
            "why": told.why.get(d.key, ""),
        }
        for d in instrument.dimensions
        if d.key in told.values
    ]
    context = {"rater": rater, "instrument": instrument, "example": told, "worked": worked}
    return render(request, "study/rater/example.html", context)


def unfinished(rater: Rater) -> dict[int, list[str]]:
    """What is still missing, by the pages' keys: the questions without a value."""
    found = {}
    rows = Assignment.objects.filter(rater=rater, state=Assignment.OPEN).select_related("unit")
    for assignment in rows.prefetch_related("unit__stimuli", "ratings"):
        assignment.unit.campaign = rater.campaign
        asked = fields(assignment)
        found[assignment.pk] = missing(asked, stated(assignment, asked))
    return found


def finish(rater: Rater) -> bool:
    """Hand everything in, once; False where something is missing."""
    with transaction.atomic():
        row = Rater.everyone.select_for_update().get(pk=rater.pk)
        way = assigning.way(row)
        if not way or any(a.state == Assignment.OPEN for a in way):
            return bool(row.finished_at)
        if not row.finished_at:
            row.finished_at = row.seen_at = timezone.now()
            row.save(update_fields=["finished_at", "seen_at"])
    exclusion.apply(row)
    return True
