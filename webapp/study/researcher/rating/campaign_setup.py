"""The setup page of a campaign: its form, and the plan, which is updated while typing."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST

from webapp.study.design import compared_conditions, instruments
from webapp.study.design.instruments import Instrument
from webapp.study.design.rating_design import RatingDesign, UnitChoice, team_names
from webapp.study.games import situations
from webapp.study.models import Campaign
from webapp.study.rater import unit_choice
from webapp.study.rating import campaigns, units
from webapp.study.rating.campaign_settings import CampaignSettings
from webapp.study.researcher.access import own_campaign
from webapp.study.researcher.fields import set_error_messages, setting_field
from webapp.study.researcher.rating import game_picker, setup_fields
from webapp.study.researcher.setup.study_setup import setup_parts

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
    """A section of the page. `more` names the fields that are rarely needed."""

    key: str
    title: Any
    text: Any
    fields: tuple[str, ...]
    more: tuple[str, ...] = ()


# Field of a number in a sample -> its situation.
QUOTA_FIELDS = {f"quota_{key or 'elsewhere'}": key for key in (*situations.KEYS, units.ELSEWHERE)}
SECTIONS = (
    FormSection("what", _("Questionnaire"), "", ("instrument",)),
    FormSection(
        "units",
        _("Units to rate"),
        "",
        (
            "compare",
            "speakers",
            "words",
            "teams",
            "situations",
            "pick",
            "per_condition",
            *QUOTA_FIELDS,
            "context",
        ),
    ),
    FormSection(
        "pairs",
        _("Single units or comparisons"),
        _(
            "In a comparison, raters see what was said in the game and what other kinds of"
            " computer player would have said. The order is drawn for each comparison."
        ),
        ("pairs", "rival_backend", "rival_method", "rival_condition"),
        ("rival_switches", "without_log", *setup_fields.further_system_field_names()),
    ),
    FormSection(
        "raters",
        _("Number of ratings"),
        "",
        ("raters_per_unit", "fill", "units_per_rater", "repeats", "attention", "lease_minutes"),
        ("time_limit", "break_after"),
    ),
    FormSection(
        "terms",
        _("Consent text"),
        "",
        ("consent", "least_experience", "listed_only"),
        ("quiz", "quiz_tries"),
    ),
    FormSection(
        "rules",
        _("Exclusion rules"),
        _(
            "The rules are fixed before the study opens. They apply to every rater who has"
            " finished. Leave a field empty to turn its rule off."
        ),
        (),
        setup_fields.RULE_FIELDS,
    ),
    FormSection(
        "tests",
        _("Planned tests"),
        _(
            "Tests that are named before the first rating are confirmatory. The results show"
            " them separately from exploratory tests."
        ),
        ("tests", "interim"),
    ),
    FormSection(
        "codes",
        _("End of the study"),
        _(
            "If you recruit with Prolific or another service, enter its completion codes and its"
            " return address. Leave empty what you do not need."
        ),
        setup_fields.exit_field_names(*setup_fields.MAIN_EXITS),
        setup_fields.MORE_EXIT_FIELDS,
    ),
    FormSection("draw", _("Name and random seed"), "", ("name", "seed")),
)


# Fields of settings that the campaign's study stores (campaigns.STUDY_SETTINGS).
STUDY_FIELDS = (
    "name", "listed_only", "consent", "least_experience", "time_limit",
    *setup_fields.ALL_EXIT_FIELDS,
)  # fmt: skip
# Settings whose fields are as declared.
DECLARED_FIELDS = (
    "name", "seed", "listed_only", "without_log", "context", "raters_per_unit",
    "units_per_rater", "repeats", "attention", "break_after", "time_limit",
)  # fmt: skip
# Fields of campaigns.ALWAYS_CHANGEABLE.
UNLOCKED_FIELDS = ("name", "listed_only", *setup_fields.ALL_EXIT_FIELDS)


def _radio_field(name: str, *choices: tuple[str, Any]) -> Any:
    """Return the field of a setting of UnitChoice, as radio buttons."""
    return setting_field(UnitChoice, name, forms.ChoiceField, choices=choices, **RADIO_OPTIONS)


class SetupForm(setup_fields.RouteForm):
    """All settings of a campaign except its games and the items of its instrument."""

    instrument = setting_field(RatingDesign, "instrument", forms.ChoiceField, **RADIO_OPTIONS)
    pick = _radio_field(
        "pick",
        ("all", _("all available")),
        ("sample", _("a sample of equal size from each condition")),
    )
    per_condition = setting_field(UnitChoice, "per_condition", required=False)
    situations = setting_field(
        UnitChoice,
        "situations",
        forms.MultipleChoiceField,
        choices=list(situations.LABELS.items()),
        **CHECKBOX_OPTIONS,
    )
    compare = _radio_field("compare", *compared_conditions.LABELS.items())
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
        UnitChoice,
        "teams",
        forms.MultipleChoiceField,
        choices=lambda: list(team_names().items()),
        **CHECKBOX_OPTIONS,
    )
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
        CampaignSettings,
        "least_experience",
        forms.TypedChoiceField,
        choices=EXPERIENCE_CHOICES,
        coerce=int,
    )

    def __init__(
        self, campaign: Campaign, data: Mapping[str, Any] | None = None, *, is_locked: bool = False
    ) -> None:
        """Build the form. If `is_locked`, ratings exist and only UNLOCKED_FIELDS can change."""
        self.campaign, self.is_locked = campaign, is_locked
        super().__init__(data, initial=build_initial_data(campaign))
        for name in DECLARED_FIELDS:
            self.fields[name] = setting_field(CampaignSettings, name)
        self.fields.update(
            setup_fields.build_system_fields(setup_fields.count_systems(campaign, data))
        )
        for name, setting in self.fields.items():
            setting.disabled = is_locked and name not in UNLOCKED_FIELDS
        field, own = self.fields["instrument"], campaign.instrument
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(i.key, i.title) for i in instruments.for_raters()]
        if _find_built_in(own) is None:
            title = own.get("title") or _("created here")
            field.choices = [*field.choices, (OWN_INSTRUMENT, title)]
        for name, key in QUOTA_FIELDS.items():
            self.fields[name] = _quota_field(key)
            self.fields[name].disabled = is_locked
        if not campaign.study.rates_only:  # the study has these, for all its stages
            for name in STUDY_FIELDS:
                del self.fields[name]
        self.order_fields([name for part in SECTIONS for name in (*part.fields, *part.more)])
        set_error_messages(self)

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        has_count = data.get("per_condition") or any(data.get(name) for name in QUOTA_FIELDS)
        if data.get("pick") == "sample" and not has_count:
            self.add_error("per_condition", _("Enter a number, or choose all available units."))
        for name, error in setup_fields.find_system_errors(data):
            self.add_error(name, error)
        return data

    def sections(self) -> list[tuple[FormSection, list[forms.BoundField], list[forms.BoundField]]]:
        """Return each section with its fields and its rarely needed fields."""
        section_rows = (
            (part, [self[n] for n in part.fields if n in self.fields],
             [self[n] for n in part.more if n in self.fields])
            for part in SECTIONS
        )  # fmt: skip
        return [(part, fields, more) for part, fields, more in section_rows if fields or more]


def _quota_field(situation: str) -> Any:
    where = situations.LABELS.get(situation, _("none of these"))
    label = format_lazy(_("Per condition, where {situation}"), situation=where)
    return setting_field(UnitChoice, "per_condition", label=label, help_text="", required=False)


def _find_built_in(data: Mapping[str, Any]) -> Instrument | None:
    """Return the built-in instrument of which `data` is an unchanged copy, None if changed."""
    stored = Instrument.from_json(data)  # newer fields of items get their defaults here
    return next((i for i in instruments.for_raters() if i == stored), None)


def build_initial_data(campaign: Campaign) -> dict[str, Any]:
    """Return the campaign's settings as initial data of the form."""
    choice = campaign.choice
    built_in = _find_built_in(campaign.instrument)
    plain_names = set(campaigns.SETTINGS) - {
        "instrument",
        "choice",
        *setup_fields.SYSTEM_SETTINGS,
        "quiz",
        "exits",
        "planned_analysis",
    }
    return {
        **{name: getattr(campaign, name) for name in plain_names - {"exclusion"}},
        **setup_fields.build_initial_data(campaign),
        "instrument": built_in.key if built_in else OWN_INSTRUMENT,
        **{"pick": "all", "speakers": "agents", "words": "any", **choice},
        "compare": units.comparison_key(campaign),
        "fill": unit_choice.fill_order(campaign),
        **{name: (choice.get("quotas") or {}).get(key) for name, key in QUOTA_FIELDS.items()},
        "per_condition": choice.get("per_condition") or DEFAULT_PER_CONDITION,
        "pairs": "pairs" if campaign.systems else "",
        **setup_fields.build_system_data(campaign),
    }


def build_settings(campaign: Campaign, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a valid form's data as arguments of `campaigns.change`."""
    key = data["instrument"]
    own = campaign.instrument if key == OWN_INSTRUMENT else instruments.get(key).to_json()
    unit = own["unit"]
    has_pairs = bool(data["pairs"]) and unit == "utterance"
    has_quotas = unit == "utterance" and data["pick"] == "sample"
    return {
        **{name: value for name, value in data.items() if name in campaigns.SETTINGS},
        **setup_fields.build_settings(data),
        "instrument": own,
        "choice": {
            "pick": data["pick"],
            "per_condition": data.get("per_condition") or DEFAULT_PER_CONDITION,
            "situations": list(data["situations"]) if unit == "utterance" else [],
            "speakers": data["speakers"],
            "words": data["words"] if unit == "utterance" else "any",
            "teams": list(data["teams"])
            if unit != "game" and not Instrument.from_json(own).is_ranking
            else [],
            "compare": data["compare"] if unit != "game" else compared_conditions.GAME,
            "quotas": {k: data[n] for n, k in QUOTA_FIELDS.items() if has_quotas and data.get(n)},
            "fill": data["fill"],
        },
        **setup_fields.build_system_settings(data, has_pairs=has_pairs),
    }


@own_campaign
@require_http_methods(["GET", "POST"])
def setup(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the form with the plan, store it, and lead to the page that was requested."""
    if request.method == "GET":
        return _render_page(request, campaign, SetupForm(campaign, is_locked=campaign.is_locked))
    is_locked, refused = campaign.is_locked, []
    form = SetupForm(campaign, request.POST, is_locked=is_locked)
    if form.is_valid():
        new_settings = build_settings(campaign, form.cleaned_data)
        if is_locked:  # the other fields are read-only
            new_settings = {
                name: new_settings[name]
                for name in campaigns.ALWAYS_CHANGEABLE
                if name in new_settings
            }
        try:
            campaigns.change(campaign, **new_settings)
            if request.POST.get("do") == "open":
                if problems := campaigns.plan(campaign)["problems"]:
                    raise campaigns.Refused(problems)
                return redirect("study:study_open", campaign.study.code)
            messages.success(request, _("Saved."))
            return redirect(_url_name_after_save(request), campaign.code)
        except campaigns.Refused as error:
            refused = error.sentences
            campaign.refresh_from_db()
    return _render_page(request, campaign, form, refused)


def _url_name_after_save(request: HttpRequest) -> str:
    """Return the URL name of the page after saving, because buttons to other pages save first."""
    url_names = {"games": "study:games", "instrument": "study:instrument", "units": "study:units"}
    return url_names.get(request.POST.get("do", ""), "study:setup")


def _render_page(
    request: HttpRequest, campaign: Campaign, form: SetupForm, refused: list[str] | None = None
) -> HttpResponse:
    has_errors, is_locked = bool(form.errors or refused), form.is_locked
    context = {
        "campaign": campaign,
        "form": form,
        "refused": refused or [],
        "plan": None if is_locked else campaigns.plan(campaign),
        "conditions": game_picker.count_games_by_condition(campaign),
        "locked": is_locked,
        "parts": setup_parts(campaign.study),
        "part": "rating",
        "tab": "setup",
    }
    status = 422 if has_errors else 200
    return render(request, "study/researcher/setup.html", context, status=status)


@own_campaign
@require_POST
def campaign_plan(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Return the plan of the settings typed so far. Nothing is stored."""
    form = SetupForm(campaign, request.POST)
    if form.is_valid():
        with suppress(campaigns.Refused):  # only saving shows errors
            campaigns.apply(campaign, build_settings(campaign, form.cleaned_data))
    context = {
        "campaign": campaign,
        "plan": campaigns.plan(campaign),
        "incomplete": [form[name].label for name in form.errors if name != "__all__"],
    }
    return render(request, "study/researcher/plan.html", context)
