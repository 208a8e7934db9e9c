"""Forms for the parts of a study's design: games, analysis, questions in play, waiting, ethics.

Each part of the setup is a `PartForm`. It shows the design, and `build_settings` returns the
design with the input.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from webapp.study.design.analysis_plan import AnalysisPlan, format_tests
from webapp.study.design.conditions import build_conditions
from webapp.study.design.experiment_rules import format_league, parse_league
from webapp.study.design.in_play_settings import InPlayQuestions
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design, Dropout, Ethics
from webapp.study.models import Study
from webapp.study.planning.planned_tests import sides_by_test
from webapp.study.researcher.fields import (
    ResearcherForm,
    choice_field,
    number_field,
    optional_text,
    setting_field,
    show_if,
    switch_field,
    tests_field,
)

MAX_DAYS = 10_000


class PartForm(ResearcherForm):
    """The form of a part of the setup. It is read-only unless the study is a draft.

    Attributes:
        design_part: Name of the part of the design whose settings the fields have. Forms of
            several parts override `build_initial_data` and `build_parts`.
        folded_names: Names of rarely needed fields, which the page folds.
    """

    design_part: str
    folded_names: tuple[str, ...] = ()

    def __init__(self, study: Study, data: Mapping[str, Any] | None = None) -> None:
        self.study = study
        super().__init__(data)
        self.fields |= self.own_fields()
        self.initial = self.build_initial_data()
        if study.state != Study.DRAFT:
            for field in self.fields.values():
                field.disabled = True

    def own_fields(self) -> dict[str, forms.Field]:
        """Return the fields that depend on the study."""
        return {}

    def build_initial_data(self) -> dict[str, Any]:
        """Return the study's settings as initial data of the form."""
        return dict(self.study.design[self.design_part])

    def build_parts(self) -> dict[str, Any]:
        """Return a valid form's data as parts of the design, by their names."""
        settings = {name: value for name, value in self.cleaned_data.items() if name != "seed"}
        return {self.design_part: settings}

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


class GamesForm(PartForm):
    """The form of the numbers of games, for conditions and participants."""

    games = number_field(
        _("Games per condition"), 1, 1000,
        _("The number of games that count. Other participants play the rest again."),
    )  # fmt: skip
    games_each = number_field(_("Games per participant"), 1, 10)
    distinct_conditions = switch_field(_("Each condition only once per participant"))
    meet_once = switch_field(_("Participants never meet twice"))
    deals = choice_field(
        _("Roles of the seats"),
        [
            ("shared", _("same deals in every condition, for comparison")),
            ("fresh", _("a new deal for each game")),
        ],
    )
    seed = forms.CharField(
        label=_("Random seed"), max_length=80, help_text=_("All random draws depend on it.")
    )
    design_part = "assignment"
    folded_names = ("seed",)

    def build_initial_data(self) -> dict[str, Any]:
        return {**super().build_initial_data(), "seed": self.study.seed}


class ExperimentForm(PartForm):
    """The form of an experiment: numbers of games, budget, the systems of a league."""

    games = number_field(
        _("Games per condition"), 1, 1000,
        _("The number of games that count. A game without a result is played again."),
    )  # fmt: skip
    deals = GamesForm.base_fields["deals"]
    repeats = number_field(
        _("Games per deal and condition"), 1, 100,
        _("They differ in what the players draw and say."),
    )  # fmt: skip
    at_once = number_field(_("Parallel games"), 1, 64)
    probe = switch_field(
        _("Pause after the first game of each condition"),
        _("You can then estimate the total cost. These games count."),
    )
    budget_requests = number_field(_("Request budget"), 0, None, _("Enter 0 for no limit."))
    budget_tokens = number_field(_("Token budget"), 0, None, _("Enter 0 for no limit."))
    budget_money = forms.FloatField(
        label=_("Money budget"),
        min_value=0,
        help_text=_("In the currency of the models’ prices. Enter 0 for no limit."),
    )
    league = optional_text(
        _("League"),
        8000,
        _(
            "Enter one system per line, with a name, a model and a method: “first house/full”."
            " All systems share the tables, and each gets each role equally often. Leave empty"
            " to give all seats of a condition the same system."
        ),
        rows=4,
    )
    replays = number_field(_("Times that a game without a result is played again"), 0, 20)
    fallbacks = number_field(
        _("Maximum share of answers without a model, else the game fails (percent)"), 0, 100
    )
    failures = number_field(_("Failed games before the experiment pauses"), 1, 1000)
    seed = GamesForm.base_fields["seed"]
    folded_names = ("replays", "fallbacks", "failures", "seed")
    RULE_FIELDS = ("repeats", "at_once", "probe", "replays", "fallbacks", "failures")
    BUDGET_FIELDS = ("requests", "tokens", "money")

    def build_initial_data(self) -> dict[str, Any]:
        design = Design.from_json(self.study.design)
        rules = design.experiment
        return {
            "games": design.assignment.games,
            "deals": design.assignment.deals,
            **{name: getattr(rules, name) for name in self.RULE_FIELDS},
            **{f"budget_{name}": getattr(rules.budget, name) for name in self.BUDGET_FIELDS},
            "league": format_league(rules.league),
            "seed": self.study.seed,
        }

    def clean_league(self) -> list[dict[str, Any]]:
        present_league = Design.from_json(self.study.design).experiment.league
        try:
            return parse_league(self.cleaned_data["league"], present_league)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None

    def build_parts(self) -> dict[str, Any]:
        data, assignment = self.cleaned_data, self.study.design["assignment"]
        rules = {name: data[name] for name in (*self.RULE_FIELDS, "league")}
        budget = {name: data[f"budget_{name}"] for name in self.BUDGET_FIELDS}
        return {
            "assignment": {**assignment, "games": data["games"], "deals": data["deals"]},
            "experiment": {**rules, "budget": budget},
        }


class AnalysisForm(PartForm):
    """The form of the confirmatory tests, and of a planned interim look."""

    tests = tests_field()
    interim = setting_field(AnalysisPlan, "interim")
    design_part = "analysis"

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


class DuringForm(PartForm):
    """The form of the questions during play. LABELS has (label, help text)."""

    design_part = "during"
    LABELS = {
        "confidence": (
            _("Role guesses before each action"),
            _("Participants guess the role of every living player, with a confidence."),
        ),
        "polls": (
            _("Straw poll after each round"),
            _("The votes are secret. Computer players vote as well."),
        ),
        "why": (_("Ask for reasons"), _("One line for each vote.")),
    }
    LEADER_LABELS = (
        _("Trust before and after the leader speaks"),
        _(
            "Only in games with a discussion leader. “Unchanged” is one press. Statements are"
            " sorted by the rating of their speaker."
        ),
    )

    def own_fields(self) -> dict[str, forms.Field]:
        return {
            name: switch_field(*self.LABELS.get(name, self.LEADER_LABELS))
            for name in InPlayQuestions.model_fields
        }


class WaitingForm(PartForm):
    """The form of the waiting room, and of the policy for absent participants."""

    least = number_field(
        _("Minimum wait (seconds)"), 0, 600,
        _("A minimum hides how many participants are expected."),
    )  # fmt: skip
    leave_paid_after = number_field(_("Leaving with pay after (seconds)"), 0, 3600)
    most = number_field(_("Maximum wait (seconds)"), 30, 3600)
    at_most = choice_field(
        _("If a participant is still missing then"),
        [
            ("begin", _("computer players take the open seats")),
            ("end", _("participants are paid for waiting and leave")),
        ],
    )
    short_counts = switch_field(
        _("Games with computer players in open seats count"),
        _("Otherwise other participants play the game again."),
    )
    show_if(short_counts, "at_most", "begin")
    policy = choice_field(
        _("If a participant leaves a game"),
        [
            ("stand_in", _("a computer player plays until they return")),
            ("wait", _("time limits answer for them")),
            ("end", _("the game ends")),
        ],
    )
    grace = number_field(_("… after this many seconds of absence"), 10, 900)
    missed = number_field(
        _("… or after this many missed questions in a row"), 0, 20,
        _("It also applies while their page is open. Enter 0 for never."),
    )  # fmt: skip
    counts = switch_field(
        _("Games with such a replacement count"),
        _("Otherwise other participants play the game again."),
    )
    reading_factor = switch_field(
        _("Participants may choose extended time"),
        _("They choose before the game. It then applies to everyone at their table."),
    )
    ready = number_field(_("Time to press “I am ready” (seconds)"), 5, 120)
    folded_names = ("ready",)
    ROOM_FIELDS = ("least", "leave_paid_after", "most", "at_most", "short_counts", "ready")
    AWAY_FIELDS = ("policy", "grace", "missed", "counts")

    def build_initial_data(self) -> dict[str, Any]:
        design = self.study.design
        dropout = dict(Dropout.from_json(design["dropout"]))
        return {**design["waiting"], **dropout, "reading_factor": design["reading_factor"]}

    def build_parts(self) -> dict[str, Any]:
        data = self.cleaned_data
        return {
            "waiting": {name: data[name] for name in self.ROOM_FIELDS},
            "dropout": {name: data[name] for name in self.AWAY_FIELDS},
            "reading_factor": data["reading_factor"],
        }


class EthicsForm(PartForm):
    """The form about responsibility, retention and consent."""

    controller = optional_text(
        _("Data controller"), 200, _("The university or person that is legally responsible.")
    )
    contact = optional_text(
        _("Contact"), 200, _("An e-mail or postal address. Participants read it before they agree.")
    )
    board = optional_text(_("Board and approval number"), 200, _("If available."))
    legal_basis = optional_text(
        _("Legal basis"), 1000, _("For example: consent, GDPR Art. 6(1)(a)."), rows=2
    )
    least_age = number_field(_("Minimum age (years)"), 0, 99, _("Enter 0 to skip the question."))
    retention_days = number_field(
        _("Days until all personal data are deleted"), 0, MAX_DAYS,
        _("From the day the study closes. Enter 0 to keep them."),
    )  # fmt: skip
    identity_days = number_field(
        _("Days until external names and payments are deleted"), 0, MAX_DAYS,
        _("Enter 0 to delete them with the other data."),
    )  # fmt: skip
    withdraw_days = number_field(
        _("Days in which participants can have their data deleted"), 0, MAX_DAYS,
        _("From their own end. Enter 0 for as long as data are kept."),
    )  # fmt: skip
    terms = optional_text(
        _("Terms of the model providers"),
        20_000,
        _("What they do with text, for how long, and where. You can use Markdown."),
        rows=4,
    )
    publish_words = switch_field(
        _("Ask for permission to publish participants’ text"),
        _("A separate checkbox next to the consent. It is never required."),
    )
    consent_again = switch_field(
        _("Ask for consent again after the debriefing"),
        _("Participants confirm or withdraw their consent now that they know the purpose."),
    )

    design_part = "ethics"

    def build_initial_data(self) -> dict[str, Any]:
        return dict(self.study.design.get("ethics") or Ethics().to_json())
