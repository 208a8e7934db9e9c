"""Pages of a campaign's units: list, withdrawal, known answers, answers of other systems."""

from itertools import product
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from webapp.middleware import is_htmx_request
from webapp.play.page.narrator import label_text
from webapp.storable_text import storable
from webapp.study.games import situations
from webapp.study.models import Assignment, Campaign, Stimulus, Unit
from webapp.study.rating import campaigns, comparison_system, known_answers, quotas, stimuli, units
from webapp.study.rating.rater_view import render_unit
from webapp.study.researcher.access import get_row_or_404, own_campaign
from webapp.study.researcher.all_games import paginate
from webapp.study.researcher.fields import set_choices
from webapp.study.researcher.labels import LABELS
from webapp.study.researcher.responses import run_or_show_errors

UNIT_FILTERS = {
    "flagged": ~Q(flags=[]),
    "withdrawn": Q(withdrawn=True, use=""),
    "known": ~Q(use=""),
    "failed": Q(stimuli__state=Stimulus.FAILED),
}
MAX_QUERY_CHARS = 500


class UnitFilterForm(forms.Form):
    condition = forms.ChoiceField(label=gettext_lazy("Condition"), required=False)
    look = forms.ChoiceField(
        label=gettext_lazy("Show"),
        required=False,
        choices=list(LABELS["unit_filters"].items()),
    )

    def __init__(self, campaign: Campaign, data: Any) -> None:
        super().__init__(data)
        rows = Stimulus.objects.filter(unit__campaign=campaign, unit__game__isnull=False)
        names = rows.order_by("condition").values_list("condition", flat=True).distinct()
        set_choices(self, "condition", [("", _("any")), *((name, name) for name in names)])


class KnownAnswerForm(forms.Form):
    """The form of a unit's use, and of the lowest and highest correct value of each item."""

    use = forms.ChoiceField(
        label=gettext_lazy("Type"),
        choices=list(LABELS["unit_uses"].items()),
        required=False,
        widget=forms.RadioSelect,
    )
    why = forms.CharField(
        label=gettext_lazy("Explanation, shown after practice"),
        required=False,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def __init__(self, unit: Unit, data: Any = None) -> None:
        initial: dict[str, Any] = {"use": unit.use, "why": unit.known_answers.get("why", "")}
        super().__init__(data, initial=initial)
        # "place/item" -> names of the fields of the lowest and the highest correct value.
        self.limit_fields: dict[str, tuple[str, str]] = {}
        places = list(unit.stimuli.values_list("place", flat=True))
        texts = (_("{item}: minimum"), _("{item}: maximum"))
        for place, dimension in product(places, stimuli.unit_dimensions(unit)):
            label = f"{dimension.label} ({place})" if len(places) > 1 else dimension.label
            bounds = known_answers.correct_range(unit.known_answers, place, dimension.key)
            key = f"{place}/{dimension.key}"
            names = self.limit_fields[key] = (f"least {key}", f"most {key}")
            for name, text, value in zip(names, texts, bounds or (None, None), strict=True):
                self.fields[name] = forms.IntegerField(
                    label=text.format(item=label), min_value=dimension.min, max_value=dimension.max,
                    initial=value, required=False,
                )  # fmt: skip

    def rows(self) -> list[tuple[forms.BoundField, forms.BoundField]]:
        """Return the fields of the lowest and the highest correct value of each item."""
        return [(self[least], self[most]) for least, most in self.limit_fields.values()]

    def clean(self) -> dict[str, Any]:
        """Require complete ranges, and at least one for a practice or gold item."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        ranges = {}
        for key, (least, most) in self.limit_fields.items():
            low, high = data.get(least), data.get(most)
            if (low is None) != (high is None) or (low is not None and low > (high or 0)):
                self.add_error(most, _("Enter both, the smaller one first, or neither."))
            elif low is not None:
                ranges[key] = [low, high]
        data["ranges"] = ranges
        if data.get("use") and not ranges and not self.errors:
            self.add_error("use", _("Enter the correct values of at least one item."))
        data["why"] = storable(data.get("why", "")).strip()
        return data


def known_answer_lock_reason(unit: Unit) -> str:
    """Return why the unit's known answer cannot be changed, "" if it can."""
    if unit.campaign.has_ratings or Assignment.objects.filter(unit=unit).exists():
        return _("Rating has begun, so practice and gold items can no longer change.")
    if unit.stimuli.exclude(state=Stimulus.READY).exists():
        return _("Prepare the other system’s answer first.")
    if any(dimension.rank for dimension in stimuli.unit_dimensions(unit)):
        return _("A ranking has no correct answer for a single player.")
    return ""


def units_without_checks(campaign: Campaign) -> QuerySet[Unit]:
    """Return the campaign's units without the attention checks."""
    return campaign.units.filter(game__isnull=False)


@own_campaign("GET")
def unit_list(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    form = UnitFilterForm(campaign, request.GET)
    filters = form.cleaned_data if form.is_valid() else {}
    matching_units = units_without_checks(campaign)
    if filters.get("condition"):
        matching_units = matching_units.filter(stimuli__condition=filters["condition"])
    matching_units = matching_units.filter(UNIT_FILTERS.get(filters.get("look", ""), Q()))
    matching_units = matching_units.select_related("game").prefetch_related("stimuli__utterance")
    matching_units = matching_units.annotate(covered=quotas.answer_count()).order_by("index")
    page, query = paginate(request, matching_units)
    all_units = units_without_checks(campaign)
    context = {
        "campaign": campaign,
        "tab": "units",
        "form": form,
        "page": page,
        "units": [_build_row(unit) for unit in page],
        "query": query,
        "unit_count": all_units.count(),
        "flagged": all_units.exclude(flags=[]).filter(withdrawn=False).count(),
        "withdrawn": all_units.filter(withdrawn=True, use="").count(),
        "locked": campaign.has_ratings,
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


@own_campaign("POST")
def draw_units(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Draw the units, so that the researcher can inspect them before raters see them."""
    run_or_show_errors(request, lambda: campaigns.draw_units(campaign))
    return redirect("study:units", campaign.code)


@own_campaign("GET")
def show_unit(request: HttpRequest, campaign: Campaign, index: int) -> HttpResponse:
    """Show a unit as raters see it, and its hidden facts."""
    unit = _get_unit(campaign.units.all(), index)
    other_units = units_without_checks(campaign)
    context = {
        "campaign": campaign,
        "tab": "units",
        "rendered_unit": render_unit(unit),
        "dimensions": stimuli.unit_dimensions(unit),
        "unit": _build_row(unit),
        "known_answer_form": None if known_answer_lock_reason(unit) else KnownAnswerForm(unit),
        "previous_unit": other_units.filter(index__lt=index).order_by("-index").first(),
        "next_unit": other_units.filter(index__gt=index).order_by("index").first(),
    }
    return render(request, "study/researcher/unit.html", context)


@own_campaign("POST")
def change_withdrawal(request: HttpRequest, campaign: Campaign, index: int) -> HttpResponse:
    """Withdraw a unit from the ratings, or restore it."""
    unit = _get_unit(campaign.units.all(), index)
    if unit.use:  # known answers are changed on the unit's own page
        reason = known_answer_lock_reason(unit)
        messages.error(request, reason or _("Change this on the unit’s own page."))
    else:
        units.set_withdrawn(unit, is_withdrawn=request.POST.get("do") != "restore")
    query = request.POST.get("query", "")[:MAX_QUERY_CHARS]
    if request.POST.get("page") == "unit":
        return redirect("study:unit", campaign.code, index)
    response = redirect("study:units", campaign.code)
    response["Location"] += f"?{query}" if query else ""
    return response


def _get_unit(rows: QuerySet[Unit], index: int) -> Unit:
    rows = rows.filter(index=index).prefetch_related("stimuli__utterance")
    text = _("The unit may have been drawn again. Check the list.")
    return get_row_or_404(rows, _("This number does not exist"), text)


def _system_answer_progress(campaign: Campaign) -> dict[str, Any] | None:
    """Return the numbers of comparison systems' answers, None without such a system."""
    if campaign.rival is None:
        return None
    counts = comparison_system.count_answers(campaign)
    total = counts["made"] + counts["waiting"] + counts["failed"]
    return {**counts, "total": total, "failures": list(counts["failures"].items())}


@own_campaign("GET")
def show_system_answers(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Return the part of the page with these numbers, which is polled."""
    if not is_htmx_request(request):
        return redirect("study:units", campaign.code)
    context = {"campaign": campaign, "rivals": _system_answer_progress(campaign)}
    return render(request, "study/researcher/rivals.html", context)


@own_campaign("POST")
def request_system_answers(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    if refusal := comparison_system.unavailable_reason(campaign):
        text = _("The other system is not available ({why}). Solve that, then try again.")
        messages.error(request, text.format(why=refusal))
    else:
        run_or_show_errors(request, lambda: comparison_system.queue_answers(campaign))
    return redirect("study:units", campaign.code)


@own_campaign("POST")
def edit_known_answer(request: HttpRequest, campaign: Campaign, index: int) -> HttpResponse:
    """Make a unit a practice or gold item, or have it rated again."""
    unit = _get_unit(units_without_checks(campaign), index)
    form = KnownAnswerForm(unit, request.POST)
    if refusal := known_answer_lock_reason(unit) or _conflict_with_other_track(unit):
        messages.error(request, refusal)
    elif not form.is_valid():
        for errors in form.errors.values():
            for error in errors:
                messages.error(request, str(error))
    else:
        _store_use(request, unit, form.cleaned_data)
    return redirect("study:unit", campaign.code, index)


def _conflict_with_other_track(unit: Unit) -> str:
    """Return why another known answer of the same game excludes this one, "" if none does."""
    known_units = unit.campaign.units.filter(game=unit.game).exclude(use="").exclude(pk=unit.pk)
    if known_units.exclude(track=unit.track).exists():
        return _("Its text is shown with another practice or gold item of the same game.")
    return ""


def _store_use(request: HttpRequest, unit: Unit, data: dict[str, Any]) -> None:
    """Store the use, and withdraw the units of the game that would show this one's text."""
    if not data["use"]:
        units.set_withdrawn(unit, is_withdrawn=False)
        messages.success(request, _("It is rated like the others."))
        return
    unit.use, unit.withdrawn = data["use"], True
    unit.known_answers = {"ranges": data["ranges"], "why": data["why"]}
    unit.save(update_fields=["use", "withdrawn", "known_answers"])
    units_of_game = unit.campaign.units.filter(game=unit.game, withdrawn=False)
    withdrawn_count = units_of_game.exclude(track=unit.track).update(withdrawn=True)
    text = _("All raters receive it in addition to their other units.")
    if withdrawn_count:
        more = ngettext(
            "{n} unit of the same game that shows its text is withdrawn.",
            "{n} units of the same game that show its text are withdrawn.",
            withdrawn_count,
        )
        text = f"{text} {more.format(n=withdrawn_count)}"
    messages.success(request, text)
