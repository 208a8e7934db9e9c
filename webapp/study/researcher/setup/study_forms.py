"""Forms for the parts of a study's design.

Each part of the setup is a `PartForm`. It shows the design, and `build_settings` returns the
design with the input.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from webapp.study.design.analysis_plan import AnalysisPlan, format_tests
from webapp.study.design.conditions import build_conditions
from webapp.study.design.exits import BONUS_LABELS, EXITS, Bonus, Exit, Platform
from webapp.study.design.experiment_rules import Budget, format_league, parse_league
from webapp.study.design.participation_rules import AssignmentRules
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design
from webapp.study.models import Study
from webapp.study.planning.planned_tests import sides_by_test
from webapp.study.researcher.fields import (
    CHECKBOXES,
    ResearcherForm,
    lines_of_text,
    optional_text,
    radio_buttons,
    return_address_field,
    setting_field,
    show_if,
    tests_field,
)
from webapp.study.researcher.labels import LABELS


class PartForm(ResearcherForm):
    """The form of a part of the setup. It is read-only unless the study is a draft.

    Attributes:
        design_parts: Names of the parts of the design whose labelled settings have fields.
        field_options: Name of a setting -> options of its field, as of `setting_field`.
        folded_names: Names of rarely needed fields, which the page folds.
    """

    design_parts: tuple[str, ...] = ()
    field_options: Mapping[str, Mapping[str, Any]] = {}
    folded_names: tuple[str, ...] = ()

    def __init__(self, study: Study, data: Mapping[str, Any] | None = None) -> None:
        self.study = study
        super().__init__(data)
        self.fields |= self.own_fields()
        main_names = [name for name in self.fields if name not in self.folded_names]
        self.order_fields(self.field_order or main_names)
        self.initial = self.build_initial_data()
        if study.state != Study.DRAFT:
            for field in self.fields.values():
                field.disabled = True

    def own_fields(self) -> dict[str, forms.Field]:
        """Return the fields of `design_parts`, and others that are not declared."""
        return {
            name: setting_field(part_class, name, **self.field_options.get(name, {}))
            for part in self.design_parts
            for name, part_class in _labelled_settings(part).items()
        }

    def build_initial_data(self) -> dict[str, Any]:
        """Return the study's settings as initial data of the form."""
        design = Design.from_json(self.study.design)
        initial: dict[str, Any] = {"seed": self.study.seed}
        for part in self.design_parts:
            initial |= dict(getattr(design, part))
        return initial

    def build_parts(self) -> dict[str, Any]:
        """Return a valid form's data as parts of the design, by their names."""
        return {
            part: {name: self.cleaned_data[name] for name in _labelled_settings(part)}
            for part in self.design_parts
        }

    def build_settings(self) -> dict[str, Any]:
        """Return a valid form's data as arguments of `studies.change`."""
        design = {**self.study.design, **self.build_parts()}
        has_seed = "seed" in self.cleaned_data  # a setting of the study, not of its design
        return {"design": design, **({"seed": self.cleaned_data["seed"]} if has_seed else {})}

    @property
    def main_fields(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in self.folded_names]

    @property
    def folded_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.folded_names]


def _labelled_settings(part: str) -> dict[str, Any]:
    """Return name -> class of the part, for the settings of the part that have a label."""
    part_class: Any = Design.model_fields[part].annotation
    return {name: part_class for name, field in part_class.model_fields.items() if field.title}


class GamesForm(PartForm):
    seed = forms.CharField(
        label=_("Random seed"), max_length=80, help_text=_("All random draws depend on it.")
    )
    design_parts = ("assignment",)
    field_options = {"deals": radio_buttons(*LABELS["deals"].items())}
    field_order = ("games", "games_each", "distinct_conditions", "meet_once", "deals")
    folded_names = ("seed",)


class ExperimentForm(PartForm):
    """The form of an experiment: numbers of games, budget, the systems of a league."""

    games = setting_field(
        AssignmentRules,
        "games",
        help_text=_("The number of games that count. A game without a result is played again."),
    )
    deals = setting_field(AssignmentRules, "deals", **GamesForm.field_options["deals"])
    budget_requests = setting_field(Budget, "requests")
    budget_tokens = setting_field(Budget, "tokens")
    budget_money = setting_field(Budget, "money", forms.FloatField)
    seed = GamesForm.base_fields["seed"]
    design_parts = ("experiment",)
    field_options = {"league": {**lines_of_text(4), "max_length": 8000}}
    field_order = ("games", "deals", "repeats", "at_once", "probe", "budget_requests",
                   "budget_tokens", "budget_money", "league", "replays", "fallbacks",
                   "failures")  # fmt: skip
    folded_names = ("replays", "fallbacks", "failures", "seed")

    def build_initial_data(self) -> dict[str, Any]:
        design = Design.from_json(self.study.design)
        return {
            **super().build_initial_data(),
            "games": design.assignment.games,
            "deals": design.assignment.deals,
            **{f"budget_{name}": limit for name, limit in design.experiment.budget},
            "league": format_league(design.experiment.league),
        }

    def clean_league(self) -> list[dict[str, Any]]:
        present_league = Design.from_json(self.study.design).experiment.league
        try:
            return parse_league(self.cleaned_data["league"], present_league)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None

    def build_parts(self) -> dict[str, Any]:
        data, assignment = self.cleaned_data, self.study.design["assignment"]
        rules = super().build_parts()["experiment"]
        budget = {name: data[f"budget_{name}"] for name in Budget.model_fields}
        return {
            "assignment": {**assignment, "games": data["games"], "deals": data["deals"]},
            "experiment": {**rules, "budget": budget},
        }


class AnalysisForm(PartForm):
    tests = tests_field()
    interim = setting_field(AnalysisPlan, "interim")

    @property
    def sides(self) -> dict[str, list[str]]:
        """Item of a possible test -> the conditions or kinds of players that it can compare."""
        design = Design.from_json(self.study.design)
        try:
            return sides_by_test(design, build_conditions(design))
        except (Refused, LookupError):
            return {}  # the plan beside the form shows the error

    def build_initial_data(self) -> dict[str, Any]:
        plan = self.study.design.get("analysis", {})
        tests = format_tests(plan.get("tests", ()))
        return {"tests": tests, "interim": plan.get("interim", False)}

    def build_parts(self) -> dict[str, Any]:
        return {"analysis": self.cleaned_data}


class DuringForm(PartForm):
    design_parts = ("during",)


class WaitingForm(PartForm):
    """The form of the waiting room, and of the policy for absent participants."""

    design_parts = ("waiting", "dropout")
    field_options = {
        "at_most": radio_buttons(*LABELS["wait_ends"].items()),
        "policy": radio_buttons(*LABELS["dropout_policies"].items()),
    }
    folded_names = ("ready",)

    def own_fields(self) -> dict[str, forms.Field]:
        fields = super().own_fields()
        show_if(fields["short_counts"], "at_most", "begin")
        return fields | {"reading_factor": setting_field(Design, "reading_factor")}

    def build_initial_data(self) -> dict[str, Any]:
        reading_factor = self.study.design["reading_factor"]
        return super().build_initial_data() | {"reading_factor": reading_factor}

    def build_parts(self) -> dict[str, Any]:
        return super().build_parts() | {"reading_factor": self.cleaned_data["reading_factor"]}


class EthicsForm(PartForm):
    design_parts = ("ethics",)
    field_options = {"legal_basis": lines_of_text(2), "terms": lines_of_text(4)}


class ExitsForm(PartForm):
    EXIT_FIELDS = ("text", "code_kind", "code", "url", "pay")
    currency = optional_text(
        _("Currency"), 8, _("For example: GBP or €. Leave empty if there is no pay.")
    )

    def own_fields(self) -> dict[str, forms.Field]:
        fields: dict[str, forms.Field] = {}
        code_kinds = radio_buttons(*LABELS["code_kinds"].items())
        for kind in EXITS:
            fields |= {
                f"{kind}-text": setting_field(Exit, "text", **lines_of_text(2)),
                f"{kind}-code_kind": setting_field(Exit, "code_kind", **code_kinds),
                f"{kind}-code": setting_field(Exit, "code"),
                f"{kind}-url": return_address_field(),
                f"{kind}-pay": _money_field(_("Pay"), 1000),
            }
            show_if(fields[f"{kind}-code"], f"{kind}-code_kind", "same")
        return fields

    def build_initial_data(self) -> dict[str, Any]:
        design = self.study.design
        initial: dict[str, Any] = {"currency": design["currency"]}
        for kind in EXITS:
            exit_data = {"code_kind": "none", **design["exits"].get(kind, {})}
            initial |= {f"{kind}-{name}": exit_data.get(name, "") for name in self.EXIT_FIELDS}
        return initial

    def build_parts(self) -> dict[str, Any]:
        data, exits = self.cleaned_data, {}
        for kind in EXITS:
            exit_data = {name: data[f"{kind}-{name}"] for name in self.EXIT_FIELDS}
            exit_data["pay"] = str(exit_data["pay"] or Decimal(0))
            if Exit.from_json(exit_data) != Exit():
                exits[kind] = exit_data
        return {"currency": data["currency"], "exits": exits}

    @property
    def main_fields(self) -> list[forms.BoundField]:
        return [self["currency"]]

    @property
    def exits(self) -> list[tuple[Any, list[forms.BoundField], bool]]:
        """(label, fields, whether it has settings or errors, so that it is unfolded) of each."""
        rows = []
        for kind, label in EXITS.items():
            fields = [self[f"{kind}-{name}"] for name in self.EXIT_FIELDS]
            has_settings = kind in self.study.design["exits"]
            has_errors = any(field.errors for field in fields)
            rows.append((label, fields, has_settings or has_errors))
        return rows


class PayForm(PartForm):
    """The form of the bonus of each rule, and of the recruiting platform's rewards and limits."""

    def own_fields(self) -> dict[str, forms.Field]:
        fields: dict[str, forms.Field] = {}
        for rule in BONUS_LABELS:
            fields[f"{rule}-amount"] = _money_field(LABELS["bonus_fields"][rule], 1000)
            fields[f"{rule}-most"] = _money_field(
                _("… maximum of this bonus per participant"), 10_000,
                _("Leave empty for no maximum."),
            )  # fmt: skip
        fields["rewards"] = setting_field(
            Platform, "rewards", choices=list(EXITS.items()), **CHECKBOXES
        )
        fields["most_minutes"] = setting_field(Platform, "most_minutes")
        return fields

    def build_initial_data(self) -> dict[str, Any]:
        platform = Platform.from_json(self.study.design.get("platform", {}))
        initial: dict[str, Any] = platform.to_json()
        for bonus_data in self.study.design.get("bonuses", ()):
            bonus = Bonus.from_json(bonus_data)
            initial[f"{bonus.rule}-amount"] = bonus.amount
            initial[f"{bonus.rule}-most"] = bonus.most or None
        return initial

    def build_parts(self) -> dict[str, Any]:
        data = self.cleaned_data
        bonuses = [
            {"rule": rule, "amount": str(amount), "most": str(data[f"{rule}-most"] or 0)}
            for rule in BONUS_LABELS
            if (amount := data[f"{rule}-amount"])
        ]
        platform = {name: data[name] for name in ("rewards", "most_minutes")}
        return {"bonuses": bonuses, "platform": platform}


def _money_field(label: Any, max_value: int, help_text: Any = "") -> forms.DecimalField:
    return forms.DecimalField(
        label=label, help_text=help_text, min_value=0, max_value=max_value, decimal_places=2,
        required=False,
    )  # fmt: skip
