"""Everything of a campaign to take away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from webapp.study import audit, exports
from webapp.study.models import Campaign, Rater, Rating
from webapp.study.researcher.access import no_such, own_campaign
from webapp.study.researcher.downloads import download

WHAT = {
    "ratings_long.csv": gettext_lazy("One row for each rating: what the statistics rest on."),
    "ratings_wide.csv": gettext_lazy("One row for each answer, a column for each item."),
    "items.csv": gettext_lazy("What was rated: its condition, where it comes from, its words."),
    "transcripts.csv": gettext_lazy("The talk it stands in, by seat, as a table."),
    "transcripts.jsonl": gettext_lazy("The same, one JSON object in each line."),
    "raters.csv": gettext_lazy("The raters by number: experience, checks, who is left out."),
    "judge_ratings.csv": gettext_lazy("What language models stated as raters, with every draw."),
    "judge_scores.csv": gettext_lazy("Scores of whole games by language models, as in the paper."),
    "codebook.md": gettext_lazy("What every column and value means, to read."),
    "codebook.json": gettext_lazy("The same for programs."),
    "manifest.json": gettext_lazy("The hash of every file, and how the campaign was set up."),
}


@own_campaign
@require_GET
def listed(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    context = {
        "campaign": campaign,
        "tab": "exports",
        "files": rows(
            {name: WHAT.get(name, "") for name in exports.FILES}, "study:export", campaign.code
        ),
        "ratings": Rating.objects.filter(
            assignment__rater__campaign=campaign, assignment__rater__kind=Rater.PERSON
        ).count(),
    }
    return render(request, "study/researcher/exports.html", context)


def rows(files: Mapping[str, str | Promise], route: str, code: str) -> list[dict[str, Any]]:
    """What a page that lists files shows of each. `route`: the address of one, by code and name."""
    return [
        {"name": name, "what": what, "url": reverse(route, args=[code, name])}
        for name, what in files.items()
    ]


@own_campaign
@require_GET
def one(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponse:
    stem = f"fabula-{campaign.code}"
    if name == "all.zip" or name in exports.FILES:
        audit.note(request, "export", f"{campaign.code} {name}")
    if name == "all.zip":
        return download(exports.zipped(campaign), f"{stem}.zip")
    if name not in exports.FILES:
        text = _("The files there are stand on the export page.")
        return no_such(request, _("There is no such file"), text)
    return download(exports.one(campaign, name), f"{stem}-{name}")
