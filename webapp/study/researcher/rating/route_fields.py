"""Fields of a campaign's setup form for quiz, exclusion rules, planned tests and exits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy

from webapp.study.design.analysis_plan import AnalysisPlan, format_tests
from webapp.study.design.exits import EXITS, RATER_EXITS
from webapp.study.design.rating_design import (
    ExclusionLimits,
    InstructionQuiz,
    format_questions,
    parse_questions,
)
from webapp.study.design.refusals import Refused
from webapp.study.models import Campaign
from webapp.study.researcher import fields

MAIN_EXITS = ("completed", "screened_out")  # the exits that most campaigns need


def exit_field_names(*kinds: str) -> tuple[str, ...]:
    return tuple(f"{kind}_{part}" for kind in kinds for part in ("code", "url"))


ALL_EXIT_FIELDS = exit_field_names(*RATER_EXITS)
MORE_EXIT_FIELDS = exit_field_names(*(kind for kind in RATER_EXITS if kind not in MAIN_EXITS))
RULE_FIELDS = tuple(ExclusionLimits.model_fields)


class RouteForm(fields.ResearcherForm):
    """The part of the form about the raters' route from the quiz to the exits."""

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
    tests = fields.tests_field()
    interim = fields.setting_field(AnalysisPlan, "interim")
    quiz_tries = fields.setting_field(InstructionQuiz, "tries", required=False)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for key in RULE_FIELDS:
            self.fields[key] = fields.setting_field(ExclusionLimits, key, required=False)
        for kind in RATER_EXITS:
            label = gettext_lazy("Code for {who}").format(who=EXITS[kind])
            self.fields[f"{kind}_code"] = fields.optional_text(label, 40)
            self.fields[f"{kind}_url"] = fields.return_address_field()

    def clean_quiz(self) -> list[dict[str, Any]]:
        try:
            questions = parse_questions(self.cleaned_data["quiz"])
            InstructionQuiz.from_json({"questions": questions})
        except Refused as refused:
            raise ValidationError(refused.sentences) from None
        return questions


def build_initial_data(campaign: Campaign) -> dict[str, Any]:
    initial: dict[str, Any] = {
        "quiz": format_questions(campaign.quiz.get("questions", ())),
        "quiz_tries": campaign.quiz.get("tries", 2),
        "tests": format_tests(campaign.planned_analysis.get("tests", ())),
        "interim": campaign.planned_analysis.get("interim", False),
        **{key: campaign.exclusion.get(key) for key in RULE_FIELDS},
    }
    for kind in RATER_EXITS:
        exit_data = campaign.exits.get(kind, {})
        initial |= {f"{kind}_{part}": exit_data.get(part, "") for part in ("code", "url")}
    return initial


def build_settings(data: Mapping[str, Any]) -> dict[str, Any]:
    questions = data["quiz"]
    settings = {
        "quiz": {"questions": questions, "tries": data.get("quiz_tries") or 2} if questions else {},
        "planned_analysis": {"tests": data["tests"], "interim": bool(data["interim"])},
        "exclusion": {key: data[key] for key in RULE_FIELDS if data.get(key) is not None},
    }
    if ALL_EXIT_FIELDS[0] in data:
        settings["exits"] = {
            kind: {part: data[f"{kind}_{part}"] for part in ("code", "url")} for kind in RATER_EXITS
        }
    return settings
