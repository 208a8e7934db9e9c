"""The fields of the systems that answer at the rated moments, in a campaign's setup form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.recipe import Recipe
from webapp.play.turns import model_choices
from webapp.play.turns.casting import SwitchesField, switch_errors
from webapp.study.design.rating_design import MAX_ANSWERS
from webapp.study.models import Campaign
from webapp.study.rating.campaign_settings import CampaignSettings
from webapp.study.researcher.fields import setting_field

FIELD_PARTS = ("backend", "method", "condition", "switches")
# Settings that these fields determine.
SETTING_NAMES = ("rival", "rival_condition", "more_rivals")


def field_name(number: int, part: str) -> str:
    """Return the name of a system's field. number: of the system, from 1."""
    return f"rival{number if number > 1 else ''}_{part}"


def further_field_names() -> list[str]:
    """Return the names of all fields of further systems."""
    return [field_name(n, part) for n in range(2, MAX_ANSWERS + 1) for part in FIELD_PARTS]


def build_fields(system_count: int) -> dict[str, forms.Field]:
    """Return the fields of that many systems, by name."""
    return {
        field_name(number, part): field
        for number in range(1, min(system_count, MAX_ANSWERS) + 1)
        for part, field in _build_fields_of_system(number).items()
    }


def _build_fields_of_system(number: int) -> dict[str, forms.Field]:
    backend = forms.ChoiceField(
        label=gettext_lazy("Model and method of the other system"),
        choices=model_choices.backend_options,
        required=False,
    )
    method = forms.ChoiceField(
        label=gettext_lazy("Mental state"), choices=model_choices.method_options, required=False
    )
    condition: Any = setting_field(CampaignSettings, "rival_condition")
    fields = {
        "backend": backend,
        "method": method,
        "condition": condition,
        "switches": SwitchesField(),
    }
    if number > 1:
        condition.help_text = gettext_lazy("Leave it empty if there is no such system.")
        for field in fields.values():
            field.label = format_lazy("{number}. {label}", number=number, label=field.label)
    return fields


def count_systems(campaign: Campaign, data: Mapping[str, Any] | None) -> int:
    """Return for how many systems the form has fields: for one more than there are."""
    posted = [n for n in range(1, MAX_ANSWERS + 1) if field_name(n, "condition") in (data or {})]
    return max([*posted, len(campaign.systems) + 1, 2])


def build_initial_data(campaign: Campaign) -> dict[str, Any]:
    """Return the systems as initial data of their fields."""
    systems = list(campaign.systems.values())
    values: dict[str, Any] = {}
    for number in range(1, MAX_ANSWERS + 1):
        condition, recipe = systems[number - 1] if number <= len(systems) else ("", {})
        values[field_name(number, "backend")] = recipe.get(
            "backend", model_choices.default_backend()
        )
        values[field_name(number, "method")] = recipe.get("method", "baseline")
        values[field_name(number, "switches")] = recipe.get("switches", {})
        values[field_name(number, "condition")] = condition
    return values


def find_errors(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (field, sentence) for each error of valid fields."""
    if data.get("pairs") and not data.get("rival_condition"):
        yield "rival_condition", _("Enter a name for the other system, such as “baseline”.")
    if data.get("pairs") and data.get("without_log") and len(_named_systems(data)) < 2:
        yield "without_log", _("Name a second system, or show what was said.")
    for number in range(1, MAX_ANSWERS + 1):
        method = data.get(field_name(number, "method")) or Recipe.method
        name = field_name(number, "switches")
        for error in switch_errors([method], data.get(name) or {}):
            yield name, error


def _named_systems(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the systems that have a name."""
    return [
        {"condition": condition, "recipe": _build_recipe(number, data)}
        for number in range(1, MAX_ANSWERS + 1)
        if (condition := data.get(field_name(number, "condition")))
    ]


def build_settings(data: Mapping[str, Any], *, has_pairs: bool) -> dict[str, Any]:
    """Return a valid form's systems as settings of a campaign, if it has pairs."""
    systems = _named_systems(data) if has_pairs else []
    return {
        "rival": systems[0]["recipe"] if systems else None,
        "rival_condition": systems[0]["condition"] if systems else "",
        "more_rivals": systems[1:],
        "without_log": has_pairs and bool(data["without_log"]),
    }


def _build_recipe(number: int, data: Mapping[str, Any]) -> dict[str, Any]:
    backend, method, switches = (
        data.get(field_name(number, part)) for part in ("backend", "method", "switches")
    )
    recipe = Recipe(
        backend or model_choices.default_backend(), method or Recipe.method, switches=switches or {}
    )
    return recipe.data()
