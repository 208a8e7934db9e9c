"""Pages of units: every unit with its text, flags and number of ratings."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
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
from webapp.study.researcher.access import own_campaign, render_not_found
from webapp.study.researcher.action_errors import run_or_show_errors
from webapp.study.researcher.rating import known_answer_views

UNITS_PER_PAGE = 50
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
        field = self.fields["condition"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", _("any")), *((name, name) for name in names)]


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
    if filters.get("look") == "flagged":
        found_units = found_units.exclude(flags=[])
    elif filters.get("look") == "withdrawn":
        found_units = found_units.filter(withdrawn=True, use="")
    elif filters.get("look") == "known":
        found_units = found_units.exclude(use="")
    elif filters.get("look") == "failed":
        found_units = found_units.filter(stimuli__state="failed")
    found_units = found_units.select_related("game").prefetch_related("stimuli__utterance")
    page = Paginator(
        found_units.annotate(covered=quotas.count_answers()).order_by("index"), UNITS_PER_PAGE
    ).get_page(request.GET.get("page"))
    query = request.GET.copy()
    query.pop("page", None)
    all_units = rated_units(campaign)
    context = {
        "campaign": campaign,
        "tab": "units",
        "form": form,
        "page": page,
        "units": [_build_row(unit) for unit in page],
        "query": query.urlencode(),
        "drawn": all_units.count(),
        "flagged": all_units.exclude(flags=[]).filter(withdrawn=False).count(),
        "withdrawn": all_units.filter(withdrawn=True, use="").count(),
        "known": all_units.exclude(use="").count(),
        "locked": campaign.is_locked,
        "rivals": count_rivals(campaign),
    }
    return render(request, "study/researcher/units.html", context)


def _build_row(unit: Unit) -> dict[str, Any]:
    """Return a unit as the list shows it: stimuli with their sources, flags, situations."""
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
    """Draw the units, which the researcher can then inspect before raters see them."""
    run_or_show_errors(request, lambda: campaigns.draw_units(campaign))
    return redirect("study:units", campaign.code)


def _find_unit(request: HttpRequest, campaign: Campaign, index: int) -> Unit | HttpResponse:
    """Return the unit, or a page with status 404."""
    unit = campaign.units.filter(index=index).prefetch_related("stimuli__utterance").first()
    if unit:
        return unit
    text = _("The unit may have been drawn again. Check the list.")
    return render_not_found(request, _("This number does not exist"), text)


@own_campaign
@require_GET
def show_unit(request: HttpRequest, campaign: Campaign, index: int) -> HttpResponse:
    """Show a unit as raters see it, and its hidden facts."""
    unit_or_page = _find_unit(request, campaign, index)
    if isinstance(unit_or_page, HttpResponse):
        return unit_or_page
    other_units = rated_units(campaign)
    context = {
        "campaign": campaign,
        "tab": "units",
        "shown": render_unit(unit_or_page),
        "dimensions": stimuli.unit_dimensions(unit_or_page),
        "unit": _build_row(unit_or_page),
        "known": None
        if known_answer_views.why_locked(unit_or_page)
        else known_answer_views.KnownAnswerForm(unit_or_page),
        "before": other_units.filter(index__lt=index).order_by("-index").first(),
        "after": other_units.filter(index__gt=index).order_by("index").first(),
    }
    return render(request, "study/researcher/unit.html", context)


@own_campaign
@require_POST
def change_withdrawal(request: HttpRequest, campaign: Campaign, index: int) -> HttpResponse:
    """Withdraw a unit from rating, or reverse that."""
    unit_or_page = _find_unit(request, campaign, index)
    if isinstance(unit_or_page, HttpResponse):
        return unit_or_page
    if unit_or_page.use:  # known answers are changed on the unit's own page
        messages.error(
            request,
            known_answer_views.why_locked(unit_or_page) or _("Change this on the unit’s own page."),
        )
    else:
        units.withdraw(unit_or_page, is_withdrawn=request.POST.get("do") != "restore")
    query = request.POST.get("query", "")[:MAX_QUERY_CHARS]
    if request.POST.get("page") == "unit":
        return redirect("study:unit", campaign.code, index)
    answer = redirect("study:units", campaign.code)
    answer["Location"] += f"?{query}" if query else ""
    return answer


def count_rivals(campaign: Campaign) -> dict[str, Any] | None:
    """Return the progress of the comparison system's answers, None without such a system."""
    if campaign.rival is None:
        return None
    counts = comparison_system.count_answers(campaign)
    total = counts["made"] + counts["waiting"] + counts["failed"]
    return {**counts, "total": total, "failures": list(counts["failures"].items())}


@own_campaign
@require_GET
def show_rivals(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Return the part of the page with that progress, which is polled."""
    if not is_htmx_request(request):
        return redirect("study:units", campaign.code)
    context = {"campaign": campaign, "rivals": count_rivals(campaign)}
    return render(request, "study/researcher/rivals.html", context)


@own_campaign
@require_POST
def request_rivals(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Request the comparison system's missing and failed answers."""
    if refusal := comparison_system.unavailable_reason(campaign):
        text = _("The other system is not available ({why}). Solve that, then try again.")
        messages.error(request, text.format(why=refusal))
    else:
        run_or_show_errors(request, lambda: comparison_system.queue_answers(campaign))
    return redirect("study:units", campaign.code)
