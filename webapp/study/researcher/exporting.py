"""Everything of a campaign to take away."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from webapp.study import exports
from webapp.study.models import Campaign, Rating
from webapp.study.researcher.doors import no_such, own_campaign

KINDS = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson; charset=utf-8",
    "json": "application/json; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
}
WHAT = {
    "long.csv": gettext_lazy("One row for each rating: what the statistics rest on."),
    "wide.csv": gettext_lazy("One row for each answer, a column for each item."),
    "transcripts": gettext_lazy("What was rated, and the talk it stands in, without names."),
    "codebook": gettext_lazy("What every column and value means."),
    "manifest": gettext_lazy("The hash of every file, and what the campaign was set up to be."),
}


@own_campaign
@require_GET
def listed(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    files = exports.files(campaign)
    context = {
        "campaign": campaign,
        "tab": "exports",
        "files": [
            {"name": name, "size": len(body), "what": _what(name)} for name, body in files.items()
        ],
        "ratings": Rating.objects.filter(assignment__rater__campaign=campaign).count(),
    }
    return render(request, "study/researcher/exports.html", context)


def _what(name: str) -> str:
    return next((str(text) for key, text in WHAT.items() if key in name), "")


@own_campaign
@require_GET
def one(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponse:
    if name == "all.zip":
        stem = f"fabula-{campaign.code}"
        return _file(exports.zipped(campaign), "application/zip", f"{stem}.zip")
    body = exports.files(campaign).get(name)
    if body is None:
        text = _("The files there are stand on the export page.")
        return no_such(request, _("There is no such file"), text)
    kind = KINDS.get(name.rpartition(".")[2], "application/octet-stream")
    return _file(body, kind, f"fabula-{campaign.code}-{name.replace('/', '-')}")


def _file(body: bytes, kind: str, name: str) -> HttpResponse:
    response = HttpResponse(body, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response
