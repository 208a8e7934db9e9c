"""The form of a campaign's setup page, in sections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from webapp.study.design import compared_conditions, instruments
from webapp.study.design.instruments import Instrument
from webapp.study.design.rating_design import RatingDesign, UnitChoice, team_names
from webapp.study.games import situations
from webapp.study.models import Campaign
from webapp.study.rater import unit_choice
from webapp.study.rating import campaigns, unit_candidates, units
from webapp.study.rating.campaign_settings import CampaignSettings
from webapp.study.researcher.fields import set_choices, setting_field
from webapp.study.researcher.rating import route_fields, system_fields

DEFAULT_PER_CONDITION = 20
RADIO_OPTIONS: dict[str, Any] = {"widget": forms.RadioSelect}
CHECKBOX_OPTIONS: dict[str, Any] = {"widget": forms.CheckboxSelectMultiple, "required": False}
OWN_INSTRUMENT = "own"  # the campaign's present instrument, if it is not a built-in one
EXPERIENCE_CHOICES = [
    (0, _("anyone")),
    (1, _("people who know the game")),
    (2, _("people who have played it")),
    (3, _("intermediate players and experts")),
    (4, _("experts only")),
]


@dataclass(frozen=True)
class FormSection:
    """A section of the page: fields that are always shown, and rarely needed ones."""

    key: str
    title: Any
    text: Any
    fields: tuple[str, ...]
    rare_fields: tuple[str, ...] = ()


# Name of the field of a quota -> its situation.
QUOTA_FIELDS = {
    f"quota_{key or 'elsewhere'}": key for key in (*situations.KEYS, units.OTHER_SITUATIONS)
}
SECTIONS = (
    FormSection("what", _("Questionnaire"), "", ("instrument",)),
    FormSection(
        "units", _("Units to rate"), "",
        ("compare", "speakers", "words", "teams", "situations", "pick", "per_condition",
         *QUOTA_FIELDS, "context"),
    ),
    FormSection(
        "pairs", _("Single units or comparisons"),
        _(
            "In a comparison, raters see what was said in the game and what other kinds of"
            " computer player would have said. The order is drawn for each comparison."
        ),
        ("pairs", "rival_backend", "rival_method", "rival_condition"),
        ("rival_switches", "without_log", *system_fields.further_field_names()),
    ),
    FormSection(
        "raters", _("Number of ratings"), "",
        ("raters_per_unit", "fill", "units_per_rater", "repeats", "attention", "lease_minutes"),
        ("time_limit", "break_after"),
    ),
    FormSection(
        "terms", _("Consent text"), "",
        ("consent", "least_experience", "listed_only"),
        ("quiz", "quiz_tries"),
    ),
    FormSection(
        "rules", _("Exclusion rules"),
        _(
            "The rules are fixed before the study opens. They apply to every rater who has"
            " finished. Leave a field empty to turn its rule off."
        ),
        (),
        route_fields.RULE_FIELDS,
    ),
    FormSection(
        "tests", _("Planned tests"),
        _(
            "Tests that are named before the first rating are confirmatory. The results show"
            " them separately from exploratory tests."
        ),
        ("tests", "interim"),
    ),
    FormSection(
        "codes", _("End of the study"),
        _(
            "If you recruit with Prolific or another service, enter its completion codes and its"
            " return address. Leave empty what you do not need."
        ),
        route_fields.exit_field_names(*route_fields.MAIN_EXITS),
        route_fields.MORE_EXIT_FIELDS,
    ),
    FormSection("draw", _("Name and random seed"), "", ("name", "seed")),
)  # fmt: skip
# Fields of settings that the campaign's study stores (campaigns.STUDY_SETTINGS).
STUDY_FIELDS = (
    "name", "listed_only", "consent", "least_experience", "time_limit",
    *route_fields.ALL_EXIT_FIELDS,
)  # fmt: skip
# Settings whose fields have the declared label, help and bounds.
DECLARED_FIELDS = (
    "name", "seed", "listed_only", "without_log", "context", "raters_per_unit",
    "units_per_rater", "repeats", "attention", "break_after", "time_limit",
)  # fmt: skip
# Fields of the settings in campaigns.ALWAYS_CHANGEABLE.
UNLOCKED_FIELDS = ("name", "listed_only", *route_fields.ALL_EXIT_FIELDS)


def _radio_field(name: str, *choices: tuple[str, Any]) -> Any:
    """Return the field of a setting of UnitChoice, as radio buttons."""
    return setting_field(UnitChoice, name, forms.ChoiceField, choices=choices, **RADIO_OPTIONS)


class CampaignForm(route_fields.RouteForm):
    """All settings of a campaign except its games and the items of its instrument."""

    instrument = setting_field(RatingDesign, "instrument", forms.ChoiceField, **RADIO_OPTIONS)
    pick = _radio_field(
        "pick",
        ("all", _("all available")),
        ("sample", _("a sample of equal size from each condition")),
    )
    per_condition = setting_field(UnitChoice, "per_condition", required=False)
    situations = setting_field(
        UnitChoice, "situations", forms.MultipleChoiceField,
        choices=list(situations.LABELS.items()), **CHECKBOX_OPTIONS,
    )  # fmt: skip
    compare = _radio_field("compare", *compared_conditions.COMPARISON_LABELS.items())
    fill = _radio_field(
        "fill",
        ("depth", _("start with units that have ratings, so that raters overlap early")),
        ("breadth", _("start with units without ratings, so that all are rated early")),
    )
    speakers = _radio_field(
        "speakers", ("agents", _("computer players only")), ("all", _("everyone"))
    )
    words = _radio_field(
        "words",
        ("any", _("all")),
        ("own", _("text that the player generated")),
        ("prepared", _("prepared lines only")),
    )
    teams = setting_field(
        UnitChoice, "teams", forms.MultipleChoiceField,
        choices=lambda: list(team_names().items()), **CHECKBOX_OPTIONS,
    )  # fmt: skip
    pairs = forms.ChoiceField(
        label=_("Presentation"),
        choices=[("", _("one unit at a time")), ("pairs", _("several side by side"))],
        required=False,
        **RADIO_OPTIONS,
    )
    lease_minutes = setting_field(RatingDesign, "lease_minutes", low=5)
    consent = setting_field(
        CampaignSettings, "consent", max_length=10_000, widget=forms.Textarea(attrs={"rows": 10})
    )
    least_experience = setting_field(
        CampaignSettings, "least_experience", forms.TypedChoiceField,
        choices=EXPERIENCE_CHOICES, coerce=int,
    )  # fmt: skip

    def __init__(
        self, campaign: Campaign, data: Mapping[str, Any] | None = None, *, is_locked: bool = False
    ) -> None:
        """Build the form. If `is_locked`, ratings exist and only UNLOCKED_FIELDS can change."""
        self.campaign, self.is_locked = campaign, is_locked
        super().__init__(data, initial=build_initial_data(campaign))
        for name in DECLARED_FIELDS:
            self.fields[name] = setting_field(CampaignSettings, name)
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

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        has_count = data.get("per_condition") or any(data.get(name) for name in QUOTA_FIELDS)
        if data.get("pick") == "sample" and not has_count:
            self.add_error("per_condition", _("Enter a number, or choose all available units."))
        for name, error in system_fields.find_errors(data):
            self.add_error(name, error)
        return data

    def sections(self) -> list[tuple[FormSection, list[forms.BoundField], list[forms.BoundField]]]:
        """Return each section that has fields, with them and the rarely needed ones."""
        rows = []
        for section in SECTIONS:
            fields = [self[name] for name in section.fields if name in self.fields]
            rare_fields = [self[name] for name in section.rare_fields if name in self.fields]
            if fields or rare_fields:
                rows.append((section, fields, rare_fields))
        return rows


def _quota_field(situation: str) -> Any:
    where = situations.LABELS.get(situation, _("none of these"))
    label = format_lazy(_("Per condition, where {situation}"), situation=where)
    return setting_field(UnitChoice, "per_condition", label=label, help_text="", required=False)


def _instrument_choices(own: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return (key, title) of the built-in instruments, and of the campaign's own one if any."""
    choices: list[tuple[str, Any]] = [(i.key, i.title) for i in instruments.for_raters()]
    if _find_built_in(own) is None:
        choices.append((OWN_INSTRUMENT, own.get("title") or _("created here")))
    return choices


def _find_built_in(data: Mapping[str, Any]) -> Instrument | None:
    """Return the built-in instrument that equals a stored one, if there is one."""
    stored = Instrument.from_json(data)  # settings of items that are newer get their defaults
    return next((built_in for built_in in instruments.for_raters() if built_in == stored), None)


def build_initial_data(campaign: Campaign) -> dict[str, Any]:
    """Return the campaign's settings as initial data of the form."""
    choice = campaign.choice
    built_in = _find_built_in(campaign.instrument)
    plain_names = set(campaigns.SETTINGS) - {
        "instrument", "choice", *system_fields.SETTINGS, "quiz", "exits",
        "planned_analysis", "exclusion",
    }  # fmt: skip
    return {
        **{name: getattr(campaign, name) for name in plain_names},
        **route_fields.build_initial_data(campaign),
        "instrument": built_in.key if built_in else OWN_INSTRUMENT,
        **{"pick": "all", "speakers": "agents", "words": "any", **choice},
        "compare": unit_candidates.comparison_key(campaign),
        "fill": unit_choice.fill_order(campaign),
        **{name: (choice.get("quotas") or {}).get(key) for name, key in QUOTA_FIELDS.items()},
        "per_condition": choice.get("per_condition") or DEFAULT_PER_CONDITION,
        "pairs": "pairs" if campaign.systems else "",
        **system_fields.build_initial_data(campaign),
    }


def build_settings(campaign: Campaign, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a valid form's data as arguments of `campaigns.change`."""
    key = data["instrument"]
    instrument = campaign.instrument if key == OWN_INSTRUMENT else instruments.get(key).to_json()
    rates_statements, rates_games = (instrument["unit"] == unit for unit in ("utterance", "game"))
    has_teams = not (rates_games or Instrument.from_json(instrument).is_ranking)
    has_quotas = rates_statements and data["pick"] == "sample"
    return {
        **{name: value for name, value in data.items() if name in campaigns.SETTINGS},
        **route_fields.build_settings(data),
        "instrument": instrument,
        "choice": {
            "pick": data["pick"],
            "per_condition": data.get("per_condition") or DEFAULT_PER_CONDITION,
            "situations": list(data["situations"]) if rates_statements else [],
            "speakers": data["speakers"],
            "words": data["words"] if rates_statements else "any",
            "teams": list(data["teams"]) if has_teams else [],
            "compare": compared_conditions.COMPARE_GAMES if rates_games else data["compare"],
            "quotas": {
                key: data[name]
                for name, key in QUOTA_FIELDS.items()
                if has_quotas and data.get(name)
            },
            "fill": data["fill"],
        },
        **system_fields.build_settings(data, has_pairs=bool(data["pairs"]) and rates_statements),
    }
