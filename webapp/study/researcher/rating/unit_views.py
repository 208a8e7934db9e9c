"""Pages of a campaign's units: their texts, flags and numbers of ratings, and withdrawal."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from webapp.play.error_pages import is_htmx_request
from webapp.play.page.narrator import label_text
from webapp.study.games import situations
from webapp.study.models import Campaign, Stimulus, Unit
from webapp.study.rating import campaigns, comparison_system, quotas, stimuli, units
from webapp.study.rating.rater_view import render_unit
from webapp.study.researcher.access import get_row_or_404, own_campaign
from webapp.study.researcher.all_games import paginate
from webapp.study.researcher.fields import set_choices
from webapp.study.researcher.rating.known_answer_views import (
    KnownAnswerForm,
    known_answer_lock_reason,
)
from webapp.study.researcher.responses import run_or_show_errors

UNITS_PER_PAGE = 50
UNIT_FILTERS = {
    "flagged": ~Q(flags=[]),
    "withdrawn": Q(withdrawn=True, use=""),
    "known": ~Q(use=""),
    "failed": Q(stimuli__state="failed"),
}
MAX_QUERY_CHARS = 500


class UnitFilterForm(forms.Form):
    """The filter of the list of units."""

    condition = forms.ChoiceField(label=gettext_lazy("Condition"), required=False)
    look = forms.ChoiceField(
        label=gettext_lazy("Show"),
        required=False,
        choices=[
            ("", gettext_lazy("all")),
            ("flagged", gettext_lazy("may reveal information")),
            ("withdrawn", gettext_lazy("withdrawn")),
            ("known", gettext_lazy("practice and gold items")),
            ("failed", gettext_lazy("failed answers of the other system")),
        ],
    )

    def __init__(self, campaign: Campaign, data: Any) -> None:
        super().__init__(data)
        rows = Stimulus.objects.filter(unit__campaign=campaign, unit__game__isnull=False)
        names = rows.order_by("condition").values_list("condition", flat=True).distinct()
        set_choices(self, "condition", [("", _("any")), *((name, name) for name in names)])


def rated_units(campaign: Campaign) -> QuerySet[Unit]:
    """Return the campaign's units without the attention checks."""
    return campaign.units.filter(game__isnull=False)


@own_campaign
@require_GET
def unit_list(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the units that match the filter, by page."""
    form = UnitFilterForm(campaign, request.GET)
    filters = form.cleaned_data if form.is_valid() else {}
    found_units = rated_units(campaign)
    if filters.get("condition"):
        found_units = found_units.filter(stimuli__condition=filters["condition"])
    found_units = found_units.filter(UNIT_FILTERS.get(filters.get("look", ""), Q()))
    found_units = found_units.select_related("game").prefetch_related("stimuli__utterance")
    found_units = found_units.annotate(covered=quotas.answer_count()).order_by("index")
    page, query = paginate(request, found_units, UNITS_PER_PAGE)
    all_units = rated_units(campaign)
    context = {
        "campaign": campaign,
        "tab": "units",
        "form": form,
        "page": page,
        "units": [_build_row(unit) for unit in page],
        "query": query,
        "drawn": all_units.count(),
        "flagged": all_units.exclude(flags=[]).filter(withdrawn=False).count(),
        "withdrawn": all_units.filter(withdrawn=True, use="").count(),
        "locked": campaign.is_locked,
        "rivals": _system_answer_progress(campaign),
    }
    return render(request, "study/researcher/units.html", context)


def _build_row(unit: Unit) -> dict[str, Any]:
    """Return a unit with its stimuli, their sources, its flags and situations."""
    sides = [
        {
            "condition": side.condition,
            "text": side.utterance.display_text if side.utterance else side.text,
            "state": side.state,
            "failure": side.failure,
            "label": label_text(side.labels),
        }
        for side in unit.stimuli.all()
    ]
    return {
        "row": unit,
        "sides": sides,
        "flags": [_(flag) for flag in unit.flags],
        "situations": [situations.ALL_LABELS.get(key, key) for key in unit.situations],
    }


@own_campaign
@require_POST
def draw_units(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Draw the units, so that the researcher can inspect them before raters see them."""
    run_or_show_errors(request, lambda: campaigns.draw_units(campaign))
    return redirect("study:units", campaign.code)


@own_campaign
@require_GET
def show_unit(request: HttpRequest, campaign: Campaign, index: int) -> HttpResponse:
    """Show a unit as raters see it, and its hidden facts."""
    unit = _get_unit(campaign, index)
    other_units = rated_units(campaign)
    context = {
        "campaign": campaign,
        "tab": "units",
        "shown": render_unit(unit),
        "dimensions": stimuli.unit_dimensions(unit),
        "unit": _build_row(unit),
        "known": None if known_answer_lock_reason(unit) else KnownAnswerForm(unit),
        "before": other_units.filter(index__lt=index).order_by("-index").first(),
        "after": other_units.filter(index__gt=index).order_by("index").first(),
    }
    return render(request, "study/researcher/unit.html", context)


@own_campaign
@require_POST
def change_withdrawal(request: HttpRequest, campaign: Campaign, index: int) -> HttpResponse:
    """Withdraw a unit from the ratings, or restore it."""
    unit = _get_unit(campaign, index)
    if unit.use:  # known answers are changed on the unit's own page
        reason = known_answer_lock_reason(unit)
        messages.error(request, reason or _("Change this on the unit’s own page."))
    else:
        units.withdraw(unit, is_withdrawn=request.POST.get("do") != "restore")
    query = request.POST.get("query", "")[:MAX_QUERY_CHARS]
    if request.POST.get("page") == "unit":
        return redirect("study:unit", campaign.code, index)
    response = redirect("study:units", campaign.code)
    response["Location"] += f"?{query}" if query else ""
    return response


def _get_unit(campaign: Campaign, index: int) -> Unit:
    rows = campaign.units.filter(index=index).prefetch_related("stimuli__utterance")
    text = _("The unit may have been drawn again. Check the list.")
    return get_row_or_404(rows, _("This number does not exist"), text)


def _system_answer_progress(campaign: Campaign) -> dict[str, Any] | None:
    """Return the numbers of comparison systems' answers, None without such a system."""
    if campaign.rival is None:
        return None
    counts = comparison_system.count_answers(campaign)
    total = counts["made"] + counts["waiting"] + counts["failed"]
    return {**counts, "total": total, "failures": list(counts["failures"].items())}


@own_campaign
@require_GET
def show_system_answers(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Return the part of the page with these numbers, which is polled."""
    if not is_htmx_request(request):
        return redirect("study:units", campaign.code)
    context = {"campaign": campaign, "rivals": _system_answer_progress(campaign)}
    return render(request, "study/researcher/rivals.html", context)


@own_campaign
@require_POST
def request_system_answers(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Queue the missing and failed answers of the comparison systems."""
    if refusal := comparison_system.unavailable_reason(campaign):
        text = _("The other system is not available ({why}). Solve that, then try again.")
        messages.error(request, text.format(why=refusal))
    else:
        run_or_show_errors(request, lambda: comparison_system.queue_answers(campaign))
    return redirect("study:units", campaign.code)
