"""Units of known answer: the researcher sets the right ranges, and practice or gold."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST

from webapp.storable_text import storable
from webapp.study.models import Assignment, Campaign, Unit
from webapp.study.rating import known_answers, units
from webapp.study.researcher.access import own_campaign, render_not_found


class KnownForm(forms.Form):
    """The use of a unit, and the least and greatest right value of every item."""

    use = forms.ChoiceField(
        label=gettext_lazy("It is"),
        choices=[
            ("", gettext_lazy("rated")),
            (known_answers.PRACTICE, gettext_lazy("practice, with feedback")),
            (known_answers.GOLD, gettext_lazy("a gold item")),
        ],
        required=False,
        widget=forms.RadioSelect,
    )
    why = forms.CharField(
        label=gettext_lazy("Why, told after practice"),
        required=False,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def __init__(self, unit: Unit, data: Any = None) -> None:
        initial: dict[str, Any] = {"use": unit.use, "why": unit.known.get("why", "")}
        super().__init__(data, initial=initial)
        # Question -> names of the fields with the least and greatest value.
        self.limits: dict[str, tuple[str, str]] = {}
        stimulus_places = list(unit.stimuli.values_list("place", flat=True))
        for stimulus_place in stimulus_places:
            for dimension in units.dimensions(unit):
                key = f"{stimulus_place}/{dimension.key}"
                label = (
                    f"{dimension.label} ({stimulus_place})"
                    if len(stimulus_places) > 1
                    else dimension.label
                )
                limits = known_answers.range_of(unit.known, stimulus_place, dimension.key) or (
                    None,
                    None,
                )
                names = (f"least {key}", f"most {key}")
                self.limits[key] = names
                texts = (_("{item}: from"), _("{item}: to"))
                for name, text, value in zip(names, texts, limits, strict=True):
                    self.initial[name] = value
                    self.fields[name] = forms.IntegerField(
                        label=text.format(item=label),
                        min_value=dimension.min,
                        max_value=dimension.max,
                        required=False,
                    )

    def rows(self) -> list[tuple[forms.BoundField, forms.BoundField]]:
        return [(self[least], self[most]) for least, most in self.limits.values()]

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        ranges = {}
        for key, (least, most) in self.limits.items():
            low, high = data.get(least), data.get(most)
            if (low is None) != (high is None) or (low is not None and low > (high or 0)):
                self.add_error(most, _("Give both, the smaller one first, or neither."))
            elif low is not None:
                ranges[key] = [low, high]
        data["ranges"] = ranges
        if data.get("use") and not ranges and not self.errors:
            self.add_error("use", _("Say of one item at least what fits."))
        data["why"] = storable(data.get("why", "")).strip()
        return data


def why_locked(unit: Unit) -> str:
    """Return why the unit's known answer can't be changed, "" if it can."""
    if unit.campaign.locked or Assignment.objects.filter(unit=unit).exists():
        return _("Raters have begun: what is practice and what is gold stays as it is.")
    if unit.stimuli.exclude(state="idle").exists():
        return _("Make the other system’s answer first.")
    if any(d.rank for d in units.dimensions(unit)):
        return _("Rankings have no right answer for one alone.")
    return ""


@own_campaign
@require_POST
def edit_known_answer(request: HttpRequest, campaign: Campaign, index: int) -> HttpResponse:
    """Make a unit practice or gold, or have it rated again."""
    unit = campaign.units.filter(index=index, game__isnull=False).first()
    if unit is None:
        text = _("It may have been drawn anew since. Look at the list again.")
        return render_not_found(request, _("There is nothing of this number"), text)
    form = KnownForm(unit, request.POST)
    if trouble_text := why_locked(unit) or _other_track(unit):
        messages.error(request, trouble_text)
    elif not form.is_valid():
        for errors in form.errors.values():
            for error in errors:
                messages.error(request, str(error))
    else:
        _change(request, unit, form.cleaned_data)
    return redirect("study:unit", campaign.code, index)


def _other_track(unit: Unit) -> str:
    known_units = unit.campaign.units.filter(game=unit.game).exclude(use="").exclude(pk=unit.pk)
    if known_units.exclude(track=unit.track).exists():
        return _("Its words are shown with another unit of known answer of the same game.")
    return ""


def _change(request: HttpRequest, unit: Unit, data: dict[str, Any]) -> None:
    if not data["use"]:
        units.withdraw(unit, on=False)
        messages.success(request, _("It is rated like the others."))
        return
    unit.use, unit.withdrawn = data["use"], True
    unit.known = {"ranges": data["ranges"], "why": data["why"]}
    unit.save(update_fields=["use", "withdrawn", "known"])
    other_track_units = unit.campaign.units.filter(game=unit.game, withdrawn=False).exclude(
        track=unit.track
    )
    withdrawn_count = other_track_units.update(withdrawn=True)
    text = _("Everybody is given it, beside what they rate.")
    if withdrawn_count:
        more = ngettext(
            "{n} unit of its game that shows its words is withdrawn.",
            "{n} units of its game that show its words are withdrawn.",
            withdrawn_count,
        )
        text = f"{text} {more.format(n=withdrawn_count)}"
    messages.success(request, text)
