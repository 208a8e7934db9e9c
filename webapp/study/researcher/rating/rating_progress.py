"""The page of a campaign's progress: raters, coverage, and missing ratings."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import Any

from django.db.models import Count, Max, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from webapp.play.error_pages import is_htmx_request
from webapp.study.design.conditions import readable_names
from webapp.study.models import Assignment, Campaign, Rater
from webapp.study.rating import quotas, rater_erasure
from webapp.study.rating.stimuli import first_place
from webapp.study.researcher.access import own_campaign
from webapp.study.researcher.rating.rater_views import stage_of
from webapp.study.researcher.rating.unit_views import rated_units
from webapp.study.researcher.running import study_people
from webapp.study.sessions.participant_state import design_of


@own_campaign("GET")
def progress(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the progress of the campaign."""
    context = {"campaign": campaign, "tab": "progress", **progress_figures(campaign)}
    return render(request, "study/researcher/progress.html", context)


@own_campaign("GET")
def progress_part(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Return the part of the page that is polled."""
    if not is_htmx_request(request):
        return redirect("study:progress", campaign.code)
    context = {"campaign": campaign, **progress_figures(campaign)}
    return render(request, "study/researcher/progress_part.html", context)


def progress_figures(campaign: Campaign) -> dict[str, Any]:
    """Return the counts of the page. Repeats, checks and excluded raters do not count."""
    units = rated_units(campaign).filter(withdrawn=False)
    units = units.annotate(covered=quotas.answer_count())
    units = units.filter(stimuli__place=first_place(campaign))
    answers_by_condition: dict[str, list[int]] = {}  # condition -> numbers of answers of its units
    for condition, answers in units.values_list("stimuli__condition", "covered"):
        answers_by_condition.setdefault(condition, []).append(answers)
    unit_counts = Counter(chain.from_iterable(answers_by_condition.values()))  # by answers
    quota, names = campaign.raters_per_unit, readable_names(design_of(campaign.study))
    wanted_count = quota * unit_counts.total()
    given_count = sum(min(answers, quota) * count for answers, count in unit_counts.items())
    return {
        "wanted": wanted_count,
        "given": given_count,
        "percent": 100 * given_count // wanted_count if wanted_count else 0,
        "people": _count_raters_by_stage(campaign),
        "coverage": [
            {"answers": n, "units": unit_counts[n]}
            for n in sorted({*range(quota + 1), *unit_counts})
        ],
        "units": unit_counts.total(),
        "conditions": [
            {
                "name": names.get(name, name),
                "given": sum(min(n, quota) for n in answer_counts),
                "wanted": quota * len(answer_counts),
            }
            for name, answer_counts in sorted(answers_by_condition.items())
        ],
        "live": campaign.state == Campaign.OPEN,
        **_count_answers(campaign),
    }


def _count_raters_by_stage(campaign: Campaign) -> list[dict[str, Any]]:
    """Return the number of raters at each stage, with the stages' labels."""
    raters = [rater for rater in campaign.raters.all() if not rater_erasure.is_erased(rater)]
    stages = Counter(stage_of(rater) for rater in raters if rater.consented_at)
    if campaign.study.rates_only:
        stages["invited"] = study_people.unused_links(campaign.study).count()
    names = {
        "invited": _("unused links"),
        "reading": _("reading the example"),
        "rating": _("rating"),
        "finished": _("finished"),
        "screened_out": _("screened out"),
        "full": _("arrived after all ratings were done"),
        "withdrawn": _("withdrawn"),
        "timed_out": _("out of time"),
    }
    rows = [{"key": key, "name": name, "n": stages[key]} for key, name in names.items()]
    excluded_count = sum(rater.excluded for rater in raters)
    excluded_text = _("excluded from the results")
    return [*rows, {"key": "excluded", "name": excluded_text, "n": excluded_count}]


def _count_answers(campaign: Campaign) -> dict[str, Any]:
    """Return the counts of open, skipped and late answers, and the time of the latest."""
    assignments = Assignment.objects.filter(
        rater__campaign=campaign, rater__kind=Rater.PERSON, unit__game__isnull=False, unit__use=""
    )
    return assignments.aggregate(
        out=Count("pk", filter=Q(state=Assignment.OPEN, leased_until__gt=timezone.now())),
        skipped=Count("pk", filter=Q(state=Assignment.SKIPPED)),
        late=Count("pk", filter=Q(over_quota=True)),
        latest=Max("submitted_at"),
    )
