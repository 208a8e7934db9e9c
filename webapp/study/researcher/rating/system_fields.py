"""Fields of a campaign's setup form for the comparison systems.

Each system has a model, a method, a condition and switches. POST names begin with "rival".
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.recipe import Recipe
from webapp.play.tables.switches_field import SwitchesField, switch_errors
from webapp.play.turns import model_choices
from webapp.study.design.rating_design import MAX_ANSWERS, CampaignSettings
from webapp.study.models import Campaign, ComparisonSystem
from webapp.study.researcher.fields import setting_field

# The form can have fields for the systems with these numbers.
SYSTEM_NUMBERS = range(1, MAX_ANSWERS + 1)
FIELD_PARTS = ("backend", "method", "condition", "switches")
SETTINGS = ("rival", "rival_condition", "more_rivals")  # settings that these fields determine


def further_field_names() -> list[str]:
    """Return the names of the fields of all systems except the first."""
    return [_field_name(number, part) for number in SYSTEM_NUMBERS[1:] for part in FIELD_PARTS]


def build_fields(system_count: int) -> dict[str, forms.Field]:
    return {
        _field_name(number, part): field
        for number in SYSTEM_NUMBERS[:system_count]
        for part, field in _build_fields_of(number).items()
    }


def _build_fields_of(number: int) -> dict[str, forms.Field]:
    """Return part of FIELD_PARTS -> field of a system."""
    fields: dict[str, forms.Field] = {
        "backend": forms.ChoiceField(
            label=gettext_lazy("Model and method of the other system"),
            choices=model_choices.backend_options,
            required=False,
        ),
        "method": forms.ChoiceField(
            label=gettext_lazy("Mental state"), choices=model_choices.method_options, required=False
        ),
        "condition": setting_field(CampaignSettings, "rival_condition"),
        "switches": SwitchesField(),
    }
    if number > 1:
        fields["condition"].help_text = gettext_lazy("Leave it empty if there is no such system.")
        for field in fields.values():
            field.label = format_lazy("{number}. {label}", number=number, label=field.label)
    return fields


def count_systems(campaign: Campaign, data: Mapping[str, Any] | None) -> int:
    """Return the number of systems that the form has fields for: at least one more than exist."""
    posted = [n for n in SYSTEM_NUMBERS if _field_name(n, "condition") in (data or {})]
    return max([*posted, len(campaign.systems) + 1, 2])


def build_initial_data(campaign: Campaign) -> dict[str, Any]:
    systems = dict(enumerate(campaign.systems.values(), 1))
    initial: dict[str, Any] = {}
    for number in SYSTEM_NUMBERS:
        system = systems.get(number, ComparisonSystem("", {}))
        values = {
            "backend": system.recipe.get("backend", model_choices.default_backend()),
            "method": system.recipe.get("method", "baseline"),
            "switches": system.recipe.get("switches", {}),
            "condition": system.condition,
        }
        initial |= {_field_name(number, part): value for part, value in values.items()}
    return initial


def find_errors(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (name of a field, sentence) for each combination of values that is an error."""
    if data.get("pairs") and not data.get("rival_condition"):
        yield "rival_condition", _("Enter a name for the other system, such as “baseline”.")
    if data.get("pairs") and data.get("without_log") and len(_named_systems(data)) < 2:
        yield "without_log", _("Name a second system, or show what was said.")
    for number in SYSTEM_NUMBERS:
        method = data.get(_field_name(number, "method")) or Recipe.method
        name = _field_name(number, "switches")
        for error in switch_errors([method], data.get(name) or {}):
            yield name, error


def build_settings(data: Mapping[str, Any], *, has_pairs: bool) -> dict[str, Any]:
    """Return a valid form's systems as settings of the campaign. Without pairs there are none."""
    systems = _named_systems(data) if has_pairs else []
    return {
        "rival": systems[0]["recipe"] if systems else None,
        "rival_condition": systems[0]["condition"] if systems else "",
        "more_rivals": systems[1:],
        "without_log": has_pairs and bool(data["without_log"]),
    }


def _named_systems(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {"condition": condition, "recipe": _build_recipe(number, data)}
        for number in SYSTEM_NUMBERS
        if (condition := data.get(_field_name(number, "condition")))
    ]


def _build_recipe(number: int, data: Mapping[str, Any]) -> dict[str, Any]:
    backend, method, switches = (
        data.get(_field_name(number, part)) for part in ("backend", "method", "switches")
    )
    backend = backend or model_choices.default_backend()
    return Recipe(backend, method or Recipe.method, switches=switches or {}).data()


def _field_name(number: int, part: str) -> str:
    """Return the name of a field of the system with this number, from 1."""
    return f"rival{number if number > 1 else ''}_{part}"
