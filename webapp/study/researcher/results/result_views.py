"""Pages of the results of a campaign and of a study, their figures, and downloads.

A study's results are covered until it has ended, and a campaign's tests until it is closed or has
all its ratings, unless their researcher looks, on record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from webapp.statistics import VERSION
from webapp.study import analysis, looks
from webapp.study.data.studies import report_files
from webapp.study.data.studies.study_source import StudySource
from webapp.study.design.conditions import readable_names
from webapp.study.models import Analysis, Campaign, Slot, Study, StudyAnalysis
from webapp.study.researcher import audit
from webapp.study.researcher.access import (
    is_htmx_request,
    own_campaign,
    own_study,
    render_not_found,
)
from webapp.study.researcher.downloads import download
from webapp.study.researcher.results.campaign_result_tables import campaign_results
from webapp.study.researcher.results.judge_result_tables import judge_results
from webapp.study.researcher.results.study_result_tables import study_results
from webapp.study.results.result_table import tables_from_json
from webapp.study.sessions.participant_steps import design_of

# A figure is served as a picture: it runs no scripts, loads nothing, and may use styles.
FIGURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
TABLES = {"tex": "latex", "md": "markdown"}  # extension of the file -> key of the stored data
# Format in the URL of a study -> (key of the stored data, end of the file's name).
DOWNLOADS = {
    "estimates": ("estimates", "estimates.csv"),
    "comparisons": ("comparisons", "comparisons.csv"),
    "md": ("markdown", "tables.md"),
    "tex": ("latex", "tables.tex"),
}
View = Callable[..., HttpResponse]


def _context(
    request: HttpRequest, of: Campaign | Study, *, retry: bool = False
) -> tuple[str, dict[str, Any]]:
    """Return the prefix of the templates' names, and the context with the newest results.

    New results are requested if the data have changed, or to retry a failed computation.
    """
    if isinstance(of, Campaign):
        return "results", {"campaign": of, "tab": "results", **_of_campaign(request, of, retry)}
    return "study_results", {"study": of, "tab": "study_results", **_of_study(request, of, retry)}


@require_GET
def _page(request: HttpRequest, of: Campaign | Study) -> HttpResponse:
    # Only a page that is opened or reloaded retries: its refresh would repeat a failure for ever.
    name, context = _context(request, of, retry=True)
    return render(request, f"study/researcher/{name}.html", context)


@require_GET
def _part(request: HttpRequest, of: Campaign | Study) -> HttpResponse:
    """Return the part that has changed since the page was rendered, 204 if nothing has."""
    if not is_htmx_request(request):
        name = "results" if isinstance(of, Campaign) else "study_results"
        return redirect(f"study:{name}", of.code)
    name, context = _context(request, of)
    if request.GET.get("have") == context["have"]:
        return HttpResponse(status=204)
    return render(request, f"study/researcher/{name}_part.html", context)


campaign_page, study_page = own_campaign(_page), own_study(_page)
campaign_part, study_part = own_campaign(_part), own_study(_part)


def _of_campaign(request: HttpRequest, campaign: Campaign, retry: bool) -> dict[str, Any]:
    newest = analysis.newest_results(campaign, retry=retry)
    of_looks = looks.page_context(campaign, request.user.get_username())
    covered = of_looks["covered"]
    data = looks.hide_tests(newest.data) if covered else newest.data
    results, state = current_results(data), computation_state(newest)
    figures = sorted(data.get("figures") or {})
    rated = bool(results and results["totals"]["marks"])
    return {
        "analysis": newest,
        "state": state,
        "results": _campaign_tables(campaign, results, data) if results and rated else None,
        "figures": figures,
        "rater_flow": _rater_flow(campaign),
        "judges": judge_results(data.get("judges") or []) if results else None,
        "have": f"{newest.rests_on[:12]}-{state}-{covered}-{bool(newest.failure)}",
        # A page that shows tests stays as it is: a look is at the data of its time.
        "live": covered or state == "working",
        **of_looks,
    }


def _campaign_tables(
    campaign: Campaign, results: Mapping[str, Any], data: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the tables of the page, with the conditions' names for readers."""
    shown_results = campaign_results(results, data.get("published"))
    items = shown_results["items"]
    tables = [item[name] for item in items for name in ("means", "comparisons")]
    for table in filter(None, [*tables, shown_results["turns"], shown_results["sensitivity"]]):
        table.rename(readable_names(design_of(campaign.study)), _("Condition"))
    return shown_results


def _rater_flow(campaign: Campaign) -> list[tuple[str, int]]:
    """Return how many raters came how far (CONSORT). Each rates all conditions."""
    unfinished = Q(finished_at=None, screened_out_at=None)
    left, remaining = unfinished & ~Q(left_as=""), unfinished & Q(left_as="")
    counts = campaign.raters.aggregate(
        agreed=Count("pk"),
        screened=Count("pk", filter=~Q(screened_out_at=None)),
        began=Count("pk", filter=~Q(trained_at=None)),
        finished=Count("pk", filter=~Q(finished_at=None)),
        left=Count("pk", filter=left),
        remaining=Count("pk", filter=remaining),
        excluded=Count("pk", filter=Q(excluded=True)),
    )
    labels = {
        "agreed": _("agreed to rate"),
        "screened": _("were screened out"),
        "began": _("began to rate"),
        "finished": _("rated everything they were given"),
        "left": _("left before"),
        "remaining": _("have not come to the end"),
        "excluded": _("are left out of the results"),
    }
    return [(label, counts[key]) for key, label in labels.items()]


def current_results(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the stored results if their layout is current. Older ones are computed again."""
    results: dict[str, Any] | None = data.get("results")
    return results if results and results["version"] == VERSION else None


def computation_state(row: Analysis | StudyAnalysis) -> str:
    """Return working, done or failed."""
    if row.done_at is None or (row.asked_at and row.asked_at > row.done_at):
        return "working"
    return "failed" if row.failure else "done"


def _of_study(request: HttpRequest, study: Study, retry: bool) -> dict[str, Any]:
    ended = StudySource(study).ended
    played = study.slots.filter(state=Slot.DONE).count()
    of_looks = looks.page_context(study, request.user.get_username()) if played else {}
    context = {"ended": ended, "played": played, "live": study.state != Study.DRAFT, **of_looks}
    if not played or context["covered"]:
        return {**context, "have": f"{ended}-{played}", "results": None, "state": "covered"}
    row = analysis.newest_results(study, retry=retry)
    current_data, state = analysis.current_study_results(study, row), computation_state(row)
    return {
        **context,
        "live": context["live"] and (ended or state == "working"),
        "analysis": row,
        "state": state,
        "names_in_data": current_data["names"].items() if current_data and ended else (),
        **(_shown_results(study, current_data) if current_data else {"results": None}),
        "have": f"{row.rests_on[:12]}-{state}-{bool(current_data)}-{bool(row.failure)}",
    }


def _shown_results(study: Study, stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of the page. Those of an ended study link to the list of their games."""
    results, names = study_results(stored["results"], stored["figures"]), stored["names"]
    facts, papers = tables_from_json(stored["facts"]), tables_from_json(stored["papers"])
    blocks = [block for section in results["sections"] for block in section["blocks"]]
    of_blocks = [table for block in blocks for table in block["tables"]]
    flow_tables = [results["flow"]["table"]] if results["flow"] else []
    of_completers = filter(None, [results["completers"]])
    for table in (*facts, *papers):
        table.rename(names)
    for table in (*of_blocks, *flow_tables, *of_completers):
        table.rename(names, _("Condition"))
    if stored["ended"]:
        of = f"{reverse('study:all_games')}?{urlencode({'study': study.code})}"
        addresses = {"": of, _("all"): of}
        for name in stored["games"]:
            addresses[names.get(name, name)] = f"{of}&{urlencode({'condition': name})}"
        for table in (*facts, *papers):
            table.link_games(addresses)
        for table in of_blocks:
            table.link_games(addresses, _("Condition"))
    return {"results": results, "facts": facts, "papers": papers}


@own_campaign
@require_POST
def look_at_campaign(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show today's tests and intervals while people rate, on record."""
    if looks.is_covered(campaign, request.user.get_username()):
        looks.record_look(campaign, request.user.get_username())
    return redirect("study:results", campaign.code)


@own_study
@require_POST
def uncover(request: HttpRequest, study: Study) -> HttpResponse:
    """Uncover, for today, the results that may be shown before the study has ended."""
    if looks.is_covered(study, request.user.get_username()):
        looks.record_look(study, request.user.get_username())
    return redirect("study:study_results", study.code)


def recorded_download(view: View) -> View:
    """Protect a download: it redirects while the results are covered, and is recorded otherwise."""

    @wraps(view)
    def wrapped(request: HttpRequest, study: Study, **url_names: str) -> HttpResponse:
        actor = request.user.get_username()
        if looks.is_covered(study, actor):
            return redirect("study:study_results", study.code)
        looks.record_look(study, actor)
        return view(request, study, **url_names)

    return wrapped


@own_campaign
@require_GET
def campaign_figure(request: HttpRequest, campaign: Campaign, key: str) -> HttpResponse:
    """Return one dimension's distributions as SVG."""
    svg = (_stored(campaign).get("figures") or {}).get(key)
    return _not_yet(request, campaign) if svg is None else _figure(request, svg, f"{key}.svg")


def _stored(campaign: Campaign) -> dict[str, Any]:
    """Return the latest results, even if outdated."""
    row = Analysis.objects.filter(campaign=campaign).first()
    return row.data if row else {}


@own_study
@require_GET
@recorded_download
def study_figure(request: HttpRequest, study: Study, key: str) -> HttpResponse:
    """Return a figure of a study as SVG, or as PDF if requested."""
    stored = analysis.current_study_results(study) or {}
    svg = stored.get("figures", {}).get(key)
    if svg is None:
        return _not_yet(request, study)
    if request.GET.get("save") == "pdf":
        return download(analysis.stored_pdfs(study)[key], f"fabula-{study.code}-{key}.pdf")
    return _figure(request, svg, f"fabula-{study.code}-{key}.svg")


def _figure(request: HttpRequest, svg: str, filename: str) -> HttpResponse:
    """Return the figure for display, or for saving if requested."""
    response = HttpResponse(svg, content_type="image/svg+xml; charset=utf-8")
    response["Content-Security-Policy"] = FIGURE_POLICY
    if request.GET.get("save"):
        response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response


@own_campaign
@require_GET
def tables(request: HttpRequest, campaign: Campaign, form: str) -> HttpResponse:
    """Download the tables for a paper."""
    text = _stored(campaign).get(TABLES[form])
    if text is None:
        return _not_yet(request, campaign)
    if looks.is_covered(campaign, request.user.get_username()):
        return redirect("study:results", campaign.code)
    looks.record_look(campaign, request.user.get_username())
    return download(text, f"fabula-{campaign.code}-tables.{form}")


@own_study
@require_GET
@recorded_download
def download_results(request: HttpRequest, study: Study, form: str) -> HttpResponse:
    """Download the results as a file."""
    current_data = analysis.current_study_results(study)
    if current_data is None or form not in (*DOWNLOADS, "html"):
        return _not_yet(request, study)
    if form == "html":
        ending, content = report_files.PAGE, report_files.build_page(study, current_data)
    else:
        name, ending = DOWNLOADS[form]
        content = current_data[name]
    audit.record_line(request, "export", f"{study.code} {ending}")
    return download(content, f"fabula-{study.code}-{ending}")


def _not_yet(request: HttpRequest, of: Campaign | Study) -> HttpResponse:
    if isinstance(of, Campaign):
        text = _("There are no results of this kind yet. They come with the first ratings.")
    else:
        text = _("There are no results of this kind yet. They come with the first games.")
    return render_not_found(request, _("Nothing to show yet"), text)
