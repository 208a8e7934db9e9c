"""The form and the view that make a unit a practice or gold item with correct ranges."""

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
from webapp.study.design.instruments import Dimension
from webapp.study.models import Assignment, Campaign, Unit
from webapp.study.rating import known_answers, stimuli, units
from webapp.study.researcher.access import own_campaign, render_not_found


class KnownAnswerForm(forms.Form):
    """The form of a unit's use, and of the lowest and highest correct value of each item."""

    use = forms.ChoiceField(
        label=gettext_lazy("Type"),
        choices=[
            ("", gettext_lazy("rated")),
            (known_answers.PRACTICE, gettext_lazy("practice, with feedback")),
            (known_answers.GOLD, gettext_lazy("gold item")),
        ],
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
        for place in places:
            for dimension in stimuli.unit_dimensions(unit):
                label = f"{dimension.label} ({place})" if len(places) > 1 else dimension.label
                bounds = known_answers.correct_range(unit.known_answers, place, dimension.key)
                self._add_limit_fields(place, dimension, label, bounds or (None, None))

    def _add_limit_fields(
        self, place: int, dimension: Dimension, label: str, bounds: tuple[int | None, int | None]
    ) -> None:
        key = f"{place}/{dimension.key}"
        names = self.limit_fields[key] = (f"least {key}", f"most {key}")
        texts = (_("{item}: minimum"), _("{item}: maximum"))
        for name, text, value in zip(names, texts, bounds, strict=True):
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
    if unit.campaign.is_locked or Assignment.objects.filter(unit=unit).exists():
        return _("Rating has begun, so practice and gold items can no longer change.")
    if unit.stimuli.exclude(state="idle").exists():
        return _("Prepare the other system’s answer first.")
    if any(dimension.rank for dimension in stimuli.unit_dimensions(unit)):
        return _("A ranking has no correct answer for a single player.")
    return ""


@own_campaign
@require_POST
def edit_known_answer(request: HttpRequest, campaign: Campaign, index: int) -> HttpResponse:
    """Make a unit a practice or gold item, or have it rated again."""
    unit = campaign.units.filter(index=index, game__isnull=False).first()
    if unit is None:
        text = _("The unit may have been drawn again. Check the list.")
        return render_not_found(request, _("This number does not exist"), text)
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
        units.withdraw(unit, is_withdrawn=False)
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
