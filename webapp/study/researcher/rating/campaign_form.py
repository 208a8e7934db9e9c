"""The form of a campaign's setup page, in sections."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webapp.study.design import instruments, rating_design
from webapp.study.design.analysis_plan import AnalysisPlan, format_tests
from webapp.study.design.exits import EXITS, RATER_EXITS
from webapp.study.design.instruments import Instrument
from webapp.study.design.rating_design import (
    CampaignSettings,
    ExclusionLimits,
    InstructionQuiz,
    RatingDesign,
    UnitChoice,
    format_questions,
    parse_questions,
    team_names,
)
from webapp.study.design.refusals import Refused
from webapp.study.games import situations
from webapp.study.models import Campaign, Unit
from webapp.study.rater import unit_choice
from webapp.study.rating import campaigns, unit_candidates, units
from webapp.study.researcher.fields import (
    CHECKBOXES,
    ResearcherForm,
    optional_text,
    radio_buttons,
    return_address_field,
    set_choices,
    setting_field,
    tests_field,
)
from webapp.study.researcher.labels import LABELS
from webapp.study.researcher.rating import system_fields

EXIT_PARTS = ("code", "url")
MAIN_EXITS = ("completed", "screened_out")  # the exits that most campaigns need
DEFAULT_PER_CONDITION = 20
OWN_INSTRUMENT = "own"  # the campaign's present instrument, if it is not a built-in one


def exit_field_names(*kinds: str) -> tuple[str, ...]:
    return tuple(f"{kind}_{part}" for kind in kinds for part in EXIT_PARTS)


ALL_EXIT_FIELDS = exit_field_names(*RATER_EXITS)
MORE_EXIT_FIELDS = exit_field_names(*(kind for kind in RATER_EXITS if kind not in MAIN_EXITS))
RULE_FIELDS = tuple(ExclusionLimits.model_fields)


@dataclass(frozen=True)
class FormSection:
    """A section of the page: fields that are always shown, and rarely needed ones."""

    key: str
    fields: tuple[str, ...]
    rare_fields: tuple[str, ...] = ()

    @property
    def title(self) -> Any:
        return LABELS["campaign_sections"][self.key]

    @property
    def text(self) -> Any:
        return LABELS["campaign_section_texts"].get(self.key, "")


# Name of the field of a quota -> its situation.
QUOTA_FIELDS = {
    f"quota_{key or 'elsewhere'}": key for key in (*situations.KEYS, units.OTHER_SITUATIONS)
}
SECTIONS = (
    FormSection("what", ("instrument",)),
    FormSection(
        "units",
        ("compare", "speakers", "words", "teams", "situations", "pick", "per_condition",
         *QUOTA_FIELDS, "context"),
    ),
    FormSection(
        "pairs",
        ("pairs", "rival_backend", "rival_method", "rival_condition"),
        ("rival_switches", "without_log", *system_fields.further_field_names()),
    ),
    FormSection(
        "raters",
        ("raters_per_unit", "fill", "units_per_rater", "repeats", "attention", "lease_minutes"),
        ("time_limit", "break_after"),
    ),
    FormSection("terms", ("consent", "least_experience", "listed_only"), ("quiz", "quiz_tries")),
    FormSection("rules", (), RULE_FIELDS),
    FormSection("tests", ("tests", "interim")),
    FormSection("codes", exit_field_names(*MAIN_EXITS), MORE_EXIT_FIELDS),
    FormSection("draw", ("name", "seed")),
)  # fmt: skip
# Settings whose fields have the declared label, help and bounds.
DECLARED_FIELDS = (
    "name", "seed", "listed_only", "without_log", "context", "raters_per_unit",
    "units_per_rater", "repeats", "attention", "break_after", "time_limit",
)  # fmt: skip


def _field_names(settings: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the fields of these settings. The exits have several fields."""
    return tuple(
        field_name
        for name in settings
        for field_name in (ALL_EXIT_FIELDS if name == "exits" else (name,))
    )


STUDY_FIELDS = _field_names(campaigns.STUDY_SETTINGS)
UNLOCKED_FIELDS = _field_names(campaigns.ALWAYS_CHANGEABLE)


def _radio_field(name: str, *choices: tuple[str, Any]) -> Any:
    return setting_field(UnitChoice, name, **radio_buttons(*choices))


class CampaignForm(ResearcherForm):
    """All settings of a campaign except its games and the items of its instrument."""

    instrument = setting_field(RatingDesign, "instrument", **radio_buttons())
    pick = _radio_field("pick", *LABELS["unit_picks"].items())
    per_condition = setting_field(UnitChoice, "per_condition", required=False)
    situations = setting_field(
        UnitChoice, "situations", choices=list(situations.LABELS.items()), **CHECKBOXES
    )
    compare = _radio_field("compare", *rating_design.COMPARISON_LABELS.items())
    fill = _radio_field("fill", *LABELS["fill_orders"].items())
    speakers = _radio_field("speakers", *LABELS["rated_speakers"].items())
    words = _radio_field("words", *LABELS["rated_words"].items())
    teams = setting_field(
        UnitChoice, "teams", choices=lambda: list(team_names().items()), **CHECKBOXES
    )
    pairs = forms.ChoiceField(
        label=gettext_lazy("Presentation"),
        choices=list(LABELS["presentations"].items()),
        required=False,
        widget=forms.RadioSelect,
    )
    lease_minutes = setting_field(RatingDesign, "lease_minutes", low=5)
    consent = setting_field(CampaignSettings, "consent", widget=forms.Textarea(attrs={"rows": 10}))
    least_experience = setting_field(
        CampaignSettings, "least_experience", forms.TypedChoiceField,
        choices=list(LABELS["rater_experience"].items()), coerce=int,
    )  # fmt: skip
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

    def __init__(
        self, campaign: Campaign, data: Mapping[str, Any] | None = None, *, is_locked: bool = False
    ) -> None:
        """Build the form. If `is_locked`, ratings exist and only UNLOCKED_FIELDS can change."""
        self.campaign, self.is_locked = campaign, is_locked
        super().__init__(data, initial=build_initial_data(campaign))
        for name in DECLARED_FIELDS:
            self.fields[name] = setting_field(CampaignSettings, name)
        for name in RULE_FIELDS:
            self.fields[name] = setting_field(ExclusionLimits, name, required=False)
        for kind in RATER_EXITS:
            label = gettext_lazy("Code for {who}").format(who=EXITS[kind])
            self.fields[f"{kind}_code"] = optional_text(label, 40)
            self.fields[f"{kind}_url"] = return_address_field()
        system_count = system_fields.count_systems(campaign, data)
        self.fields |= system_fields.build_fields(system_count)
        self.fields |= {name: _quota_field(key) for name, key in QUOTA_FIELDS.items()}
        for name, field in self.fields.items():
            field.disabled = is_locked and name not in UNLOCKED_FIELDS
        set_choices(self, "instrument", _instrument_choices(campaign.instrument))
        if not campaign.study.rates_only:  # the study has these, for all its stages
            for name in STUDY_FIELDS:
                del self.fields[name]
        self.order_fields(
            [name for section in SECTIONS for name in section.fields + section.rare_fields]
        )

    def clean_quiz(self) -> list[dict[str, Any]]:
        try:
            questions = parse_questions(self.cleaned_data["quiz"])
            InstructionQuiz.from_json({"questions": questions})
        except Refused as refused:
            raise ValidationError(refused.sentences) from None
        return questions

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        has_count = cleaned.get("per_condition") or any(cleaned.get(name) for name in QUOTA_FIELDS)
        if cleaned.get("pick") == "sample" and not has_count:
            self.add_error("per_condition", _("Enter a number, or choose all available units."))
        for name, error in system_fields.find_errors(cleaned):
            self.add_error(name, error)
        return cleaned

    def sections(self) -> Iterator[tuple[FormSection, list[Any], list[Any]]]:
        """Yield (section, fields, rarely needed fields) of those that have fields in this form."""
        for section in SECTIONS:
            fields = [self[name] for name in section.fields if name in self.fields]
            rare_fields = [self[name] for name in section.rare_fields if name in self.fields]
            if fields or rare_fields:
                yield section, fields, rare_fields


def _quota_field(situation: str) -> Any:
    """Return the field for the number of units of a situation, "" for all other situations."""
    where = situations.LABELS.get(situation, _("none of these"))
    label = _("Per condition, where {situation}").format(situation=where)
    return setting_field(UnitChoice, "per_condition", label=label, help_text="", required=False)


def _instrument_choices(stored: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return (key, title) of the built-in instruments, and of the stored one if it is another."""
    choices: list[tuple[str, Any]] = [(i.key, i.title) for i in instruments.for_raters()]
    if _find_built_in(stored) is None:
        choices.append((OWN_INSTRUMENT, stored.get("title") or _("created here")))
    return choices


def _find_built_in(stored: Mapping[str, Any]) -> Instrument | None:
    instrument = Instrument.from_json(stored)  # settings of items that are newer get defaults
    equal = (built_in for built_in in instruments.for_raters() if built_in == instrument)
    return next(equal, None)


def build_initial_data(campaign: Campaign) -> dict[str, Any]:
    choice = campaign.choice
    built_in = _find_built_in(campaign.instrument)
    plain_names = set(campaigns.SETTINGS) - {
        "instrument", "choice", *system_fields.SETTINGS, "quiz", "exits",
        "planned_analysis", "exclusion",
    }  # fmt: skip
    return {
        **{name: getattr(campaign, name) for name in plain_names},
        "quiz": format_questions(campaign.quiz.get("questions", ())),
        "quiz_tries": campaign.quiz.get("tries", 2),
        "tests": format_tests(campaign.planned_analysis.get("tests", ())),
        "interim": campaign.planned_analysis.get("interim", False),
        **{key: campaign.exclusion.get(key) for key in RULE_FIELDS},
        **{
            f"{kind}_{part}": campaign.exits.get(kind, {}).get(part, "")
            for kind in RATER_EXITS
            for part in EXIT_PARTS
        },
        "instrument": built_in.key if built_in else OWN_INSTRUMENT,
        **{"pick": "all", "speakers": "agents", "words": "any", **choice},
        "compare": unit_candidates.comparison_key(campaign),
        "fill": unit_choice.fill_order(campaign),
        **{name: (choice.get("quotas") or {}).get(key) for name, key in QUOTA_FIELDS.items()},
        "per_condition": choice.get("per_condition") or DEFAULT_PER_CONDITION,
        "pairs": "pairs" if campaign.systems else "",
        **system_fields.build_initial_data(campaign),
    }


def build_settings(campaign: Campaign, cleaned: Mapping[str, Any]) -> dict[str, Any]:
    """Return the cleaned data of a valid form as arguments of `campaigns.change`."""
    key = cleaned["instrument"]
    instrument = campaign.instrument if key == OWN_INSTRUMENT else instruments.get(key).to_json()
    has_pairs = bool(cleaned["pairs"]) and instrument["unit"] == Unit.UTTERANCE
    questions, tries = cleaned["quiz"], cleaned.get("quiz_tries") or 2
    exits = {
        kind: {part: cleaned[f"{kind}_{part}"] for part in EXIT_PARTS}
        for kind in (RATER_EXITS if ALL_EXIT_FIELDS[0] in cleaned else ())
    }
    return {
        **{name: value for name, value in cleaned.items() if name in campaigns.SETTINGS},
        "quiz": {"questions": questions, "tries": tries} if questions else {},
        "planned_analysis": {"tests": cleaned["tests"], "interim": bool(cleaned["interim"])},
        "exclusion": {key: cleaned[key] for key in RULE_FIELDS if cleaned.get(key) is not None},
        **({"exits": exits} if exits else {}),
        "instrument": instrument,
        "choice": _build_choice(instrument, cleaned),
        **system_fields.build_settings(cleaned, has_pairs=has_pairs),
    }


def _build_choice(instrument: Mapping[str, Any], cleaned: Mapping[str, Any]) -> dict[str, Any]:
    """Return the choice of units, without what the instrument's unit rules out.

    Situations, types of text and quotas are about statements. A game has no speaker whose team or
    other property could be chosen or compared. A ranking has the players of all teams.
    """
    choice = {name: cleaned[name] for name in ("pick", "speakers", "teams", "compare", "fill")}
    choice["per_condition"] = cleaned.get("per_condition") or DEFAULT_PER_CONDITION
    if instrument["unit"] == Unit.UTTERANCE:
        choice |= {name: cleaned[name] for name in ("situations", "words")}
        if cleaned["pick"] == "sample":
            numbers = {key: cleaned.get(name) for name, key in QUOTA_FIELDS.items()}
            choice["quotas"] = {key: number for key, number in numbers.items() if number}
    if instrument["unit"] == Unit.GAME:
        choice["compare"] = rating_design.COMPARE_GAMES
    if instrument["unit"] == Unit.GAME or Instrument.from_json(instrument).is_ranking:
        choice["teams"] = []
    return choice
