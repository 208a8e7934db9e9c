"""The results as they come, their figures and tables, and everything to take away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from webapp.study import analysis
from webapp.study.models import Analysis, Campaign, StudyAnalysis
from webapp.study.researcher.access import asked_by_script, no_such, own_campaign
from webapp.study.researcher.campaign_result_tables import campaign_results
from webapp.study.researcher.downloads import download
from webapp.study.researcher.judge_result_tables import judge_results
from webapp.study.statistics import VERSION

# A figure is shown as a picture: it runs nothing, loads nothing, and may style itself.
FIGURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
TABLES = {"tex": "latex", "md": "markdown"}  # ending of the file -> key of what is stored


@own_campaign
@require_GET
def results(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    context = {"campaign": campaign, "tab": "results", **_found(campaign)}
    return render(request, "study/researcher/results.html", context)


@own_campaign
@require_GET
def part(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """What has changed since the page was drawn: 204 where nothing has."""
    if not asked_by_script(request):
        return redirect("study:results", campaign.code)
    context = {"campaign": campaign, **_found(campaign)}
    if request.GET.get("have") == context["have"]:
        return HttpResponse(status=204)
    return render(request, "study/researcher/results_part.html", context)


def _found(campaign: Campaign) -> dict[str, Any]:
    """The newest statistics there are; new ones are asked for where ratings have changed."""
    newest = analysis.fresh(campaign)
    data = newest.data
    found, state = current(data), computation_state(newest)
    figures = sorted(data.get("figures") or {})
    return {
        "analysis": newest,
        "state": state,
        "results": campaign_results(found, data.get("published"))
        if found and found["totals"]["marks"]
        else None,
        "figures": figures,
        "judges": judge_results(data.get("judges") or []) if found else None,
        "have": f"{newest.rests_on[:12]}-{state}",
        "live": campaign.state == Campaign.OPEN or state == "working",
    }


def current(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """The stored results, if they have the layout that pages read; older ones come anew."""
    found: dict[str, Any] | None = data.get("results")
    return found if found and found["version"] == VERSION else None


def computation_state(row: Analysis | StudyAnalysis) -> str:
    """working, done or failed."""
    if row.done_at is None or (row.asked_at and row.asked_at > row.done_at):
        return "working"
    return "failed" if row.failure else "done"


@own_campaign
@require_GET
def figure(request: HttpRequest, campaign: Campaign, key: str) -> HttpResponse:
    """One dimension's distributions as SVG."""
    stored = Analysis.objects.filter(campaign=campaign).first()
    svg = (stored.data.get("figures") or {}).get(key) if stored else None
    return _not_yet(request) if svg is None else figure_response(request, svg, f"{key}.svg")


def figure_response(request: HttpRequest, svg: str, filename: str) -> HttpResponse:
    """The figure to show, or to save where that is requested."""
    response = HttpResponse(svg, content_type="image/svg+xml; charset=utf-8")
    response["Content-Security-Policy"] = FIGURE_POLICY
    if request.GET.get("save"):
        response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response


@own_campaign
@require_GET
def tables(request: HttpRequest, campaign: Campaign, form: str) -> HttpResponse:
    """The tables for a paper."""
    stored = Analysis.objects.filter(campaign=campaign).first()
    text = stored.data.get(TABLES[form]) if stored else None
    if text is None:
        return _not_yet(request)
    return download(text, f"fabula-{campaign.code}-tables.{form}")


def _not_yet(request: HttpRequest) -> HttpResponse:
    text = _("There are no results of this kind yet. They come with the first ratings.")
    return no_such(request, _("Nothing to show yet"), text)
