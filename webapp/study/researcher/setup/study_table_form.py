"""The form of a study's table: the game, its rules, people's seats, computer players."""

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from agents.recipe import METHODS
from game.engine import rulesets
from game.lobby import DEFAULT_LIMITS
from webapp.play.tables.cast_form import CastForm, build_cast_forms
from webapp.play.tables.rule_fields import build_rule_field
from webapp.play.tables.rules_pages import DEFAULT_RULESET
from webapp.play.tables.switches_field import SwitchesField, switch_errors
from webapp.play.turns import model_choices
from webapp.study.design.participation_rules import IN_PLAY_KEYS
from webapp.study.design.stages import TableDesign
from webapp.study.models import Study
from webapp.study.researcher.fields import (
    CHECKBOXES,
    number_field,
    radio_buttons,
    set_choices,
    show_if,
)
from webapp.study.researcher.labels import LABELS
from webapp.study.researcher.setup.study_forms import PartForm

FACES = LABELS["faces"]
PACES = LABELS["paces"]
CONTEXT_LABELS = list(LABELS["contexts"].items())
# Settings of rulesets without effect in a game without people.
RULES_ABOUT_PEOPLE = frozenset({"people_lead", "needs_people"})
LIMIT_LABELS = LABELS["time_limits"]


class TableForm(PartForm):
    """The form of the table, whose settings all conditions share unless a factor varies them."""

    ruleset = forms.CharField(widget=forms.HiddenInput)
    switches = SwitchesField()
    backends = SwitchesField(
        _("Other models"),
        _(
            "Assign another model to a purpose, as in “office=gpt, weaker=small”. office: while"
            " a player holds a badge. weaker: when a model gave no usable answer."
        ),
    )
    design_parts = ("table",)
    field_options = {
        "people": {"low": 1},
        "people_seats": CHECKBOXES,
        "people_roles": CHECKBOXES,
        "backend": radio_buttons(),
        "method": {"kind": forms.ChoiceField},
        "temperature": {
            "kind": forms.FloatField,
            "required": False,
            "widget": forms.NumberInput(attrs={"step": "0.1"}),
        },
        "context": {"kind": forms.ChoiceField, "choices": CONTEXT_LABELS, "required": False},
        "faces": radio_buttons(*FACES.items()),
        "pace": radio_buttons(*PACES.items()),
    }
    field_order = ("ruleset", "people", "people_seats", "people_roles", "backend", "method",
                   "plain", "switches", "temperature", "context", "backends", "blind",
                   "pace")  # fmt: skip
    MAIN_FIELDS = ("people", "backend", "method", "plain", "blind", "pace")
    SEAT_FIELDS = ("people_seats", "people_roles")
    MODEL_FIELDS = ("temperature", "context", "backends")
    # Experiments lack these, and the time limits.
    PEOPLE_FIELDS = ("people", *SEAT_FIELDS, "blind", "pace", "faces", "personas", "claims")

    def __init__(self, study: Study, data: Mapping[str, Any] | None = None) -> None:
        name = study.design["table"]["ruleset"]
        self.game = rulesets.get(name if name in rulesets.names() else DEFAULT_RULESET)
        hidden_keys = (IN_PLAY_KEYS | RULES_ABOUT_PEOPLE) if study.is_experiment else IN_PLAY_KEYS
        self.rule_settings = [s for s in self.game.settings if s.key not in hidden_keys]
        super().__init__(study, data)
        if study.is_experiment:
            for name in self.PEOPLE_FIELDS:
                del self.fields[name]
        else:
            self._set_people_choices()
        set_choices(self, "backend", model_choices.backend_options())
        set_choices(self, "method", model_choices.method_options())
        # Without a configured model there is nothing to choose.
        if len(model_choices.backend_options()) == 1:
            for name in ("backend", *self.MODEL_FIELDS):
                self.fields[name].widget = forms.HiddenInput()
        rare_names = (
            *self.SEAT_FIELDS, "switches", *self.MODEL_FIELDS, "faces", "personas", "claims",
            *(f"rule_{s.key}" for s in self.rule_settings if s.is_for_studies),
            *(f"limit-{kind}" for kind in LIMIT_LABELS),
        )  # fmt: skip
        self.folded_names = tuple(name for name in rare_names if name in self.fields)
        self.casts = self._build_casts()

    def _build_casts(self) -> list[CastForm]:
        cast_data = (
            self.data if self.is_bound else _cast_data(self.study.design["table"]["casting"])
        )
        seats = build_cast_forms(list(self.game.table_names), cast_data)
        label = _("Player with the role {role}")
        roles = [
            CastForm(label.format(role=_(role.name)), role.key, cast_data)
            for role in self.game.roles
            if role.key in self.game.deck
        ]
        for form in (*seats, *roles):
            for field in form.fields.values():
                field.disabled = self.study.state != Study.DRAFT
        return [*seats, *roles]

    def own_fields(self) -> dict[str, forms.Field]:
        """Add the ruleset's settings, and the time limits of people."""
        fields = super().own_fields()
        fields |= {f"rule_{s.key}": build_rule_field(s, self.game) for s in self.rule_settings}
        if self.study.is_experiment:
            return fields
        for kind, label in LIMIT_LABELS.items():
            fields[f"limit-{kind}"] = number_field(label, 5, 3600, required=False)
            fields[f"limit-{kind}"].widget.attrs["placeholder"] = DEFAULT_LIMITS[kind]
        return fields

    def _set_people_choices(self) -> None:
        for name in ("pace", "faces", "personas"):
            show_if(self.fields[name], "blind", "false")
        seats = [(str(number), name) for number, name in enumerate(self.game.table_names, 1)]
        set_choices(self, "people_seats", seats)
        set_choices(self, "people_roles", [(role.key, _(role.name)) for role in self.game.roles])

    def build_initial_data(self) -> dict[str, Any]:
        table = super().build_initial_data()
        return {
            **table,
            "people_seats": [str(seat) for seat in table["people_seats"]],
            **{f"rule_{key}": value for key, value in table["settings"].items()},
            **{f"limit-{kind}": value for kind, value in table["limits"].items()},
        }

    @property
    def main_fields(self) -> list[forms.BoundField]:
        names = (name for name in self.MAIN_FIELDS if name in self.fields)
        return [self[name] for name in names if not self[name].is_hidden]

    @property
    def rules(self) -> list[forms.BoundField]:
        return [self[f"rule_{s.key}"] for s in self.rule_settings if not s.is_for_studies]

    @property
    def games(self) -> list[tuple[str, str, bool]]:
        """(name, title, whether it is chosen) of each ruleset."""
        all_rulesets = map(rulesets.get, rulesets.names())
        return [(r.name, str(_(r.title)), r.name == self.game.name) for r in all_rulesets]

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        for form in self.casts:
            if form.is_valid():
                form.check_consistency(data.get("method", ""), is_blind=bool(data.get("blind")))
        for error in switch_errors(METHODS, data.get("switches") or {}):
            self.add_error("switches", error)
        if any(form.errors for form in self.casts):
            self.add_error(None, _("Check the settings of the computer players."))
        return data

    def build_parts(self) -> dict[str, Any]:
        data = self.cleaned_data
        changed = {name: data[name] for name in TableDesign.model_fields if name in data}
        table = {**self.study.design["table"], **changed}
        table |= {
            "ruleset": self.game.name,
            "people_seats": [int(seat) for seat in data.get("people_seats", ())],
            "settings": dict(self._changed_settings()),
            "limits": {k: data[f"limit-{k}"] for k in LIMIT_LABELS if data.get(f"limit-{k}")},
            "casting": {
                form.key: choice for form in self.casts if (choice := self._build_choice(form))
            },
        }
        return {"table": table}

    def _build_choice(self, form: CastForm) -> dict[str, Any]:
        """Return the casting of a seat or role, with its settings that the form does not show."""
        present = self.study.design["table"]["casting"].get(form.key, {})
        hidden = {key: present[key] for key in ("persona_seed", "profile") if key in present}
        return {**hidden, **form.chosen_casting()}

    def _changed_settings(self) -> Iterator[tuple[str, Any]]:
        """Yield the rules that differ from the default."""
        for setting in self.rule_settings:
            value = self.cleaned_data.get(f"rule_{setting.key}")
            if value not in (None, "") and value != setting.default:
                yield setting.key, value


def _cast_data(casting: Mapping[str, Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return a design's casting as data of its forms, None if there is none."""
    initial: dict[str, Any] = {}
    for seat_or_role, choice in casting.items():
        values = {**choice, **choice.get("scores", {})}
        initial |= {f"seat-{seat_or_role}-{key}": value for key, value in values.items()}
    return initial or None
