"""Two groups of fields of a campaign's setup form.

The raters' route has quiz, breaks, time limit, exclusion rules and exits. The comparison systems
have a model, a method, a condition and switches each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.recipe import Recipe
from webapp.play.turns import model_choices
from webapp.play.turns.casting import SwitchesField, switch_errors
from webapp.study.design import rating_quiz as quiz
from webapp.study.design.analysis_plan import AnalysisPlan, format_tests
from webapp.study.design.exits import EXITS, RATER_EXITS
from webapp.study.design.rating_design import MAX_ANSWERS, ExclusionLimits
from webapp.study.design.rating_quiz import InstructionQuiz
from webapp.study.design.refusals import Refused
from webapp.study.models import Campaign
from webapp.study.rating.campaign_settings import CampaignSettings
from webapp.study.researcher.fields import clean_tests_text, setting_field, tests_field

SYSTEM_FIELD_PARTS = ("backend", "method", "condition", "switches")
# Settings of a campaign that these fields determine.
SYSTEM_SETTINGS = ("rival", "rival_condition", "more_rivals")
MAIN_EXITS = ("completed", "screened_out")  # the exits that most campaigns need


def exit_field_names(*kinds: str) -> tuple[str, ...]:
    """Return the names of these exits' fields."""
    return tuple(f"{kind}_{part}" for kind in kinds for part in ("code", "url"))


ALL_EXIT_FIELDS = exit_field_names(*RATER_EXITS)
MORE_EXIT_FIELDS = exit_field_names(*(kind for kind in RATER_EXITS if kind not in MAIN_EXITS))
RULE_FIELDS = tuple(ExclusionLimits.model_fields)


class RouteForm(forms.Form):
    """The part of the form about the raters' route."""

    quiz = forms.CharField(
        label=gettext_lazy("Comprehension quiz"),
        max_length=20_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=gettext_lazy(
            "Write one question per line. Below it, write one answer per line, after “-”, or"
            " after “+” if it is correct. Separate questions by an empty line. Raters see them"
            " after the example."
        ),
    )
    tests = tests_field()
    interim = setting_field(AnalysisPlan, "interim")
    quiz_tries = setting_field(InstructionQuiz, "tries", required=False)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for key in RULE_FIELDS:
            self.fields[key] = setting_field(ExclusionLimits, key, required=False)
        for kind in RATER_EXITS:
            label = gettext_lazy("Code for {who}").format(who=EXITS[kind])
            self.fields[f"{kind}_code"] = forms.CharField(
                label=label, max_length=40, required=False
            )
            self.fields[f"{kind}_url"] = forms.URLField(
                label=gettext_lazy("Return address"), max_length=400, required=False,
                assume_scheme="https",
            )  # fmt: skip

    def clean_quiz(self) -> list[dict[str, Any]]:
        try:
            questions = quiz.parse_questions(self.cleaned_data["quiz"])
            InstructionQuiz.from_json({"questions": questions})
        except Refused as refused:
            raise ValidationError(refused.sentences) from None
        return questions

    def clean_tests(self) -> list[dict[str, Any]]:
        return clean_tests_text(self.cleaned_data["tests"])


def build_route_data(campaign: Campaign) -> dict[str, Any]:
    """Return the settings of the route as initial data of the form."""
    initial: dict[str, Any] = {
        "quiz": quiz.format_questions(campaign.quiz.get("questions", ())),
        "quiz_tries": campaign.quiz.get("tries", 2),
        "tests": format_tests(campaign.planned_analysis.get("tests", ())),
        "interim": campaign.planned_analysis.get("interim", False),
        "time_limit": campaign.time_limit,
        "break_after": campaign.break_after,
        **{key: campaign.exclusion.get(key) for key in RULE_FIELDS},
    }
    for kind in RATER_EXITS:
        exit_data = campaign.exits.get(kind, {})
        initial |= {f"{kind}_{part}": exit_data.get(part, "") for part in ("code", "url")}
    return initial


def build_route_settings(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a valid form's data as the settings of the route."""
    questions = data["quiz"]
    settings = {
        "quiz": {"questions": questions, "tries": data.get("quiz_tries") or 2} if questions else {},
        "break_after": data["break_after"],
        "planned_analysis": {"tests": data["tests"], "interim": bool(data["interim"])},
        "exclusion": {key: data[key] for key in RULE_FIELDS if data.get(key) is not None},
    }
    if "time_limit" in data:
        settings["time_limit"] = data["time_limit"]
    if ALL_EXIT_FIELDS[0] in data:
        settings["exits"] = {
            kind: {part: data[f"{kind}_{part}"] for part in ("code", "url")} for kind in RATER_EXITS
        }
    return settings


def _system_field_name(number: int, part: str) -> str:
    """Return the name of a field of the system with this number, from 1."""
    return f"rival{number if number > 1 else ''}_{part}"


def further_system_field_names() -> list[str]:
    """Return the names of the fields of all systems except the first."""
    numbers = range(2, MAX_ANSWERS + 1)
    return [_system_field_name(n, part) for n in numbers for part in SYSTEM_FIELD_PARTS]


def build_system_fields(system_count: int) -> dict[str, forms.Field]:
    """Return name -> field of that many systems."""
    return {
        _system_field_name(number, part): field
        for number in range(1, min(system_count, MAX_ANSWERS) + 1)
        for part, field in _build_fields_of_system(number).items()
    }


def _build_fields_of_system(number: int) -> dict[str, forms.Field]:
    """Return part of SYSTEM_FIELD_PARTS -> field of a system."""
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
    numbers, names = range(1, MAX_ANSWERS + 1), data or {}
    posted = [n for n in numbers if _system_field_name(n, "condition") in names]
    return max([*posted, len(campaign.systems) + 1, 2])


def build_system_data(campaign: Campaign) -> dict[str, Any]:
    """Return the systems as initial data of their fields."""
    systems = list(campaign.systems.values())
    initial: dict[str, Any] = {}
    for number in range(1, MAX_ANSWERS + 1):
        condition, recipe = systems[number - 1] if number <= len(systems) else ("", {})
        values = {
            "backend": recipe.get("backend", model_choices.default_backend()),
            "method": recipe.get("method", "baseline"),
            "switches": recipe.get("switches", {}),
            "condition": condition,
        }
        initial |= {_system_field_name(number, part): value for part, value in values.items()}
    return initial


def find_system_errors(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (name of a field, sentence) for each combination of values that is an error."""
    if data.get("pairs") and not data.get("rival_condition"):
        yield "rival_condition", _("Enter a name for the other system, such as “baseline”.")
    if data.get("pairs") and data.get("without_log") and len(_named_systems(data)) < 2:
        yield "without_log", _("Name a second system, or show what was said.")
    for number in range(1, MAX_ANSWERS + 1):
        method = data.get(_system_field_name(number, "method")) or Recipe.method
        name = _system_field_name(number, "switches")
        for error in switch_errors([method], data.get(name) or {}):
            yield name, error


def build_system_settings(data: Mapping[str, Any], *, has_pairs: bool) -> dict[str, Any]:
    """Return a valid form's systems as settings of the campaign. Without pairs there are none."""
    systems = _named_systems(data) if has_pairs else []
    return {
        "rival": systems[0]["recipe"] if systems else None,
        "rival_condition": systems[0]["condition"] if systems else "",
        "more_rivals": systems[1:],
        "without_log": has_pairs and bool(data["without_log"]),
    }


def _named_systems(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the systems that have a name."""
    return [
        {"condition": condition, "recipe": _build_recipe(number, data)}
        for number in range(1, MAX_ANSWERS + 1)
        if (condition := data.get(_system_field_name(number, "condition")))
    ]


def _build_recipe(number: int, data: Mapping[str, Any]) -> dict[str, Any]:
    backend, method, switches = (
        data.get(_system_field_name(number, part)) for part in ("backend", "method", "switches")
    )
    backend = backend or model_choices.default_backend()
    return Recipe(backend, method or Recipe.method, switches=switches or {}).data()
