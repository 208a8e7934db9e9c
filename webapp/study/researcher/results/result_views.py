"""Pages of the results of a campaign and of a study, their figures, and downloads.

A study's results are covered until it has ended. A campaign's tests are covered until it is closed
or has all its ratings. A researcher can look at them earlier (`looks`), which is recorded.
"""

from functools import wraps
from typing import Any

from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from webapp.middleware import is_htmx_request
from webapp.statistics import VERSION
from webapp.study import analysis, looks
from webapp.study.data.studies import report_files
from webapp.study.data.studies.study_source import StudySource
from webapp.study.design.conditions import readable_names
from webapp.study.models import Analysis, Campaign, Slot, Study, StudyAnalysis
from webapp.study.researcher import audit
from webapp.study.researcher.access import PageNotFound, View, own_campaign, own_study
from webapp.study.researcher.responses import download
from webapp.study.researcher.results.campaign_result_tables import build_campaign_results
from webapp.study.researcher.results.judge_result_tables import build_judge_results
from webapp.study.researcher.results.study_result_tables import build_study_results
from webapp.study.results.result_table import Data, tables_from_json
from webapp.study.sessions.participant_state import design_of

# The policy of a figure, which may use styles, but no scripts and nothing from elsewhere.
FIGURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
# Format in the URL -> (key of the stored text, end of the file's name).
DOWNLOADS = {
    "estimates": ("estimates", "estimates.csv"),
    "comparisons": ("comparisons", "comparisons.csv"),
    "md": ("markdown", "tables.md"),
    "tex": ("latex", "tables.tex"),
}


def _render_page(request: HttpRequest, subject: Campaign | Study) -> HttpResponse:
    # Only opening or reloading the page retries. Its polling would repeat a failure for ever.
    name, context = _build_context(request, subject, should_retry=True)
    return render(request, f"study/researcher/{name}.html", context)


def _render_part(request: HttpRequest, subject: Campaign | Study) -> HttpResponse:
    """Return the part that has changed since the page was rendered, 204 if nothing has."""
    if not is_htmx_request(request):
        return _redirect_to_results(subject)
    name, context = _build_context(request, subject)
    if request.GET.get("have") == context["have"]:
        return HttpResponse(status=204)
    return render(request, f"study/researcher/{name}_part.html", context)


campaign_page, study_page = own_campaign("GET")(_render_page), own_study("GET")(_render_page)
campaign_part, study_part = own_campaign("GET")(_render_part), own_study("GET")(_render_part)


def _build_context(
    request: HttpRequest, subject: Campaign | Study, *, should_retry: bool = False
) -> tuple[str, dict[str, Any]]:
    """Return (prefix of the templates' names, context with the newest results).

    Request new results if the data have changed, or if the last computation failed and
    `should_retry`.
    """
    if isinstance(subject, Campaign):
        context = _campaign_context(request, subject, should_retry)
        return "results", {"campaign": subject, "tab": "results", **context}
    context = _study_context(request, subject, should_retry)
    return "study_results", {"study": subject, "tab": "study_results", **context}


def _campaign_context(
    request: HttpRequest, campaign: Campaign, should_retry: bool
) -> dict[str, Any]:
    newest = analysis.newest_results(campaign, should_retry=should_retry)
    look_context = looks.record_look_and_build_context(campaign, request.user.get_username())
    are_tests_hidden = look_context["are_tests_hidden"]
    data = looks.hide_tests(newest.data) if are_tests_hidden else newest.data
    results, state = data.get("results"), _computation_state(newest)
    if results and results["version"] != VERSION:
        results = None  # of an old layout, so they are computed again
    is_rated = bool(results and results["totals"]["marks"])
    return {
        "analysis": newest,
        "state": state,
        "results": _campaign_tables(campaign, results, data) if results and is_rated else None,
        "figures": sorted(data.get("figures") or {}),
        "rater_flow": _rater_flow(campaign),
        "judges": build_judge_results(data.get("judges") or []) if results else None,
        "have": f"{newest.data_digest[:12]}-{state}-{are_tests_hidden}-{bool(newest.failure)}",
        # A page with tests does not change, because a look is at the data of its time.
        "live": are_tests_hidden or state == "working",
        **look_context,
    }


def _campaign_tables(campaign: Campaign, results: Data, data: Data) -> dict[str, Any]:
    """Return the tables of the page, with the conditions' names for readers."""
    page = build_campaign_results(results, data.get("published"))
    tables = [item[name] for item in page["items"] for name in ("means", "comparisons")]
    for table in filter(None, [*tables, page["turns"], page["sensitivity"]]):
        table.rename(readable_names(design_of(campaign.study)), _("Condition"))
    return page


def _rater_flow(campaign: Campaign) -> list[tuple[str, int]]:
    """Return the flow of raters (CONSORT) as (label, number). Each rates all conditions."""
    unfinished = Q(finished_at=None, screened_out_at=None)
    steps = {
        _("agreed to rate"): Q(),
        _("were screened out"): ~Q(screened_out_at=None),
        _("started rating"): ~Q(trained_at=None),
        _("finished all their ratings"): ~Q(finished_at=None),
        _("left early"): unfinished & ~Q(left_as=""),
        _("have not finished yet"): unfinished & Q(left_as=""),
        _("are excluded from the results"): Q(excluded=True),
    }
    counts = {f"n{n}": Count("pk", filter=step) for n, step in enumerate(steps.values())}
    return list(zip(steps, campaign.raters.aggregate(**counts).values(), strict=True))


def _computation_state(row: Analysis | StudyAnalysis) -> str:
    if row.done_at is None or (row.requested_at and row.requested_at > row.done_at):
        return "working"
    return "failed" if row.failure else "done"


def _study_context(request: HttpRequest, study: Study, should_retry: bool) -> dict[str, Any]:
    """Return the context of a study's results, which are hidden, being computed, or shown."""
    ended = StudySource(study).has_ended
    game_count = study.slots.filter(state=Slot.DONE).count()
    context = {"ended": ended, "played": game_count, "live": study.state != Study.DRAFT}
    if game_count:
        context |= looks.record_look_and_build_context(study, request.user.get_username())
    if not game_count or context["are_tests_hidden"]:
        return {**context, "have": f"{ended}-{game_count}", "results": None, "state": "covered"}
    row = analysis.newest_results(study, should_retry=should_retry)
    stored, state = analysis.current_study_results(study, row), _computation_state(row)
    return {
        **context,
        "live": context["live"] and (ended or state == "working"),
        "analysis": row,
        "state": state,
        "names_in_data": stored["names"].items() if stored and ended else (),
        **(_shown_results(study, stored) if stored else {"results": None}),
        "have": f"{row.data_digest[:12]}-{state}-{bool(stored)}-{bool(row.failure)}",
    }


def _shown_results(study: Study, stored: Data) -> dict[str, Any]:
    """Return the tables of the page. In an ended study they link to lists of their games."""
    results, names = build_study_results(stored["results"], stored["figures"]), stored["names"]
    facts, papers = tables_from_json(stored["facts"]), tables_from_json(stored["papers"])
    blocks = [block for section in results["sections"] for block in section["blocks"]]
    block_tables = [table for block in blocks for table in block["tables"]]
    flow_tables = [results["flow"]["table"]] if results["flow"] else []
    completer_tables = filter(None, [results["completers"]])
    for table in (*facts, *papers):
        table.rename(names)
    for table in (*block_tables, *flow_tables, *completer_tables):
        table.rename(names, _("Condition"))
    if stored["ended"]:
        games_address = f"{reverse('study:all_games')}?{urlencode({'study': study.code})}"
        addresses = {"": games_address, _("all"): games_address}
        for name in stored["games"]:
            addresses[names.get(name, name)] = f"{games_address}&{urlencode({'condition': name})}"
        for table in (*facts, *papers):
            table.link_games(addresses)
        for table in block_tables:
            table.link_games(addresses, _("Condition"))
    return {"results": results, "facts": facts, "papers": papers}


def _look_early(request: HttpRequest, subject: Campaign | Study) -> HttpResponse:
    """Show the hidden tests or results for today, and record that."""
    actor = request.user.get_username()
    if looks.are_tests_hidden(subject, actor):
        looks.record_look(subject, actor)
    return _redirect_to_results(subject)


look_at_campaign = own_campaign("POST")(_look_early)
look_at_study = own_study("POST")(_look_early)


def _redirect_to_results(subject: Campaign | Study) -> HttpResponse:
    url_name = "results" if isinstance(subject, Campaign) else "study_results"
    return redirect(f"study:{url_name}", subject.code)


def _recorded_download(view: View) -> View:
    """Record a download by the view as a look. Redirect to the page while results are hidden."""

    @wraps(view)
    def wrapped(request: HttpRequest, study: Study, **url_arguments: str) -> HttpResponse:
        actor = request.user.get_username()
        if looks.are_tests_hidden(study, actor):
            return redirect("study:study_results", study.code)
        looks.record_look(study, actor)
        return view(request, study, **url_arguments)

    return wrapped


@own_campaign("GET")
def campaign_figure(request: HttpRequest, campaign: Campaign, key: str) -> HttpResponse:
    """Return the figure of an item's distributions as SVG."""
    svg = (_stored_results(campaign).get("figures") or {}).get(key)
    if svg is None:
        raise _no_results(campaign)
    return _figure_response(request, svg, f"{key}.svg")


def _stored_results(campaign: Campaign) -> dict[str, Any]:
    """Return the latest results, even if outdated."""
    row = Analysis.objects.filter(campaign=campaign).first()
    return row.data if row else {}


@own_study("GET")
@_recorded_download
def study_figure(request: HttpRequest, study: Study, key: str) -> HttpResponse:
    """Return a figure of a study as SVG, or as PDF if requested."""
    stored = analysis.current_study_results(study) or {}
    svg = stored.get("figures", {}).get(key)
    if svg is None:
        raise _no_results(study)
    if request.GET.get("save") == "pdf":
        return download(analysis.stored_pdfs(study)[key], f"fabula-{study.code}-{key}.pdf")
    return _figure_response(request, svg, f"fabula-{study.code}-{key}.svg")


def _figure_response(request: HttpRequest, svg: str, filename: str) -> HttpResponse:
    response = HttpResponse(svg, content_type="image/svg+xml; charset=utf-8")
    response["Content-Security-Policy"] = FIGURE_POLICY
    if request.GET.get("save"):
        response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response


@own_campaign("GET")
def download_tables(request: HttpRequest, campaign: Campaign, form: str) -> HttpResponse:
    key, file_name = DOWNLOADS[form]
    text = _stored_results(campaign).get(key)
    if text is None:
        raise _no_results(campaign)
    if looks.are_tests_hidden(campaign, request.user.get_username()):
        return redirect("study:results", campaign.code)
    looks.record_look(campaign, request.user.get_username())
    return download(text, f"fabula-{campaign.code}-{file_name}")


@own_study("GET")
@_recorded_download
def download_results(request: HttpRequest, study: Study, form: str) -> HttpResponse:
    stored = analysis.current_study_results(study)
    if stored is None or form not in (*DOWNLOADS, "html"):
        raise _no_results(study)
    if form == "html":
        file_name, content = report_files.PAGE_FILE, report_files.build_page(study, stored)
    else:
        key, file_name = DOWNLOADS[form]
        content = stored[key]
    audit.record_line(request, "export", f"{study.code} {file_name}")
    return download(content, f"fabula-{study.code}-{file_name}")


def _no_results(subject: Campaign | Study) -> PageNotFound:
    if isinstance(subject, Campaign):
        text = _("There are no results of this kind yet. They appear after the first ratings.")
    else:
        text = _("There are no results of this kind yet. They appear after the first games.")
    return PageNotFound(_("No results yet"), text)
