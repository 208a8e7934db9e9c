"""The results of a study: covered until it has ended, unless its researcher looks, on record."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from webapp.study import analysis, audit
from webapp.study.exports.studies.study_data import Source
from webapp.study.models import Happening, Slot, Study
from webapp.study.researcher.access import asked_by_script, no_such, own_study
from webapp.study.researcher.downloads import download
from webapp.study.researcher.result_views import (
    computation_state,
    figure_response,
)
from webapp.study.researcher.study_result_tables import study_results
from webapp.study.sessions import happenings

SEEN = "results_seen"


BEFORE, AFTER = "before the study had ended", "after the study had ended"


def seen_today(study: Study, actor: str, reason: str) -> bool:
    """Whether it stands on record of today (UTC) already."""
    today = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    rows = Happening.objects.filter(study=study, what=SEEN, actor=actor, reason=reason)
    return rows.filter(at__gte=today).exists()


def note_seen(study: Study, actor: str, *, ended: bool) -> None:
    """Put on record that `actor` sees the results, where today's record does not have it."""
    reason = AFTER if ended else BEFORE
    if not seen_today(study, actor, reason):
        happenings.note(study, SEEN, actor=actor, reason=reason)


# form of an address -> (part of what is kept, ending of the file's name)
FORMS = {
    "estimates": ("estimates", "estimates.csv"),
    "comparisons": ("comparisons", "comparisons.csv"),
    "md": ("markdown", "tables.md"),
    "tex": ("latex", "tables.tex"),
}
View = Callable[..., HttpResponse]


@own_study
@require_GET
def results(request: HttpRequest, study: Study) -> HttpResponse:
    context = {"study": study, "tab": "study_results", **_found(request, study)}
    return render(request, "study/researcher/study_results.html", context)


@own_study
@require_GET
def part(request: HttpRequest, study: Study) -> HttpResponse:
    """What has changed since the page was drawn: 204 where nothing has."""
    if not asked_by_script(request):
        return redirect("study:study_results", study.code)
    context = {"study": study, **_found(request, study)}
    if request.GET.get("have") == context["have"]:
        return HttpResponse(status=204)
    return render(request, "study/researcher/study_results_part.html", context)


@own_study
@require_POST
def look(request: HttpRequest, study: Study) -> HttpResponse:
    """Uncover, for today, what may be told before the study has ended."""
    note_seen(study, _who(request), ended=Source(study).ended)
    return redirect("study:study_results", study.code)


def _who(request: HttpRequest) -> str:
    return request.user.get_username()


def _found(request: HttpRequest, study: Study) -> dict[str, Any]:
    """What the page shows; new results are asked for where the data have changed."""
    ended = Source(study).ended
    played = study.slots.filter(state=Slot.DONE).count()
    context = {"ended": ended, "played": played, "live": study.state != Study.DRAFT,
               "covered": not _open_to(request, study, ended)}  # fmt: skip
    if context["covered"] or not played:
        return {**context, "have": f"{ended}-{played}", "results": None, "state": "covered"}
    note_seen(study, _who(request), ended=ended)
    row = analysis.fresh(study)
    found, state = analysis.current(study), computation_state(row)
    return {
        **context,
        "analysis": row,
        "state": state,
        "results": study_results(found["results"], found["figures"]) if found else None,
        "have": f"{row.rests_on[:12]}-{state}-{bool(found)}",
    }


def _open_to(request: HttpRequest, study: Study, ended: bool) -> bool:
    return ended or seen_today(study, _who(request), BEFORE)


def uncovered(view: View) -> View:
    """What is taken away is seen: covered, it leads to the page; else that goes on record."""

    @wraps(view)
    def wrapped(request: HttpRequest, study: Study, **named: str) -> HttpResponse:
        ended = Source(study).ended
        if not _open_to(request, study, ended):
            return redirect("study:study_results", study.code)
        note_seen(study, _who(request), ended=ended)
        return view(request, study, **named)

    return wrapped


@own_study
@require_GET
@uncovered
def take(request: HttpRequest, study: Study, form: str) -> HttpResponse:
    """The results as a file."""
    found = analysis.current(study)
    if found is None or form not in FORMS:
        return _not_yet(request)
    name, ending = FORMS[form]
    audit.note(request, "export", f"{study.code} {ending}")
    return download(found[name], f"fabula-{study.code}-{ending}")


@own_study
@require_GET
@uncovered
def figure(request: HttpRequest, study: Study, key: str) -> HttpResponse:
    """A picture as SVG."""
    found = analysis.current(study)
    svg = found["figures"].get(key) if found else None
    if svg is None:
        return _not_yet(request)
    return figure_response(request, svg, f"fabula-{study.code}-{key}.svg")


def _not_yet(request: HttpRequest) -> HttpResponse:
    text = _("There are no results of this kind yet. They come with the first games.")
    return no_such(request, _("Nothing to show yet"), text)
