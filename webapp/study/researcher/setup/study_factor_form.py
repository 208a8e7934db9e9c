"""Factors of a study: what can vary between its conditions, and the values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents import own_style
from agents.methods import METHODS
from agents.styles import BadStyle
from game.engine import rulesets
from game.engine.roles import Setting
from webapp.play.turns import casting, model_choices
from webapp.study.design.in_play_settings import KEYS, RULES_OF_PEOPLE
from webapp.study.design.stages import Factor, TableDesign
from webapp.study.researcher.setup.study_table_form import FACES, PACES

ON_OFF = ((True, gettext_lazy("on")), (False, gettext_lazy("off")))
RULE = "rule_"
SWITCH = "switch_"


@dataclass(frozen=True)
class Variable:
    """A variable of the table.

    values: (value in the table's data, label). seats: number of seats at the table.
    """

    key: str
    label: str
    values: Sequence[tuple[Any, str]]
    seats: int = 0

    @property
    def factor_name(self) -> str:
        """Return what its factor is called in data."""
        return slugify(self.key.removeprefix(RULE).removeprefix(SWITCH).replace("_", "-"))

    def level(self, at: int) -> dict[str, Any]:
        """Return the level of the value at that index, JSON-shaped."""
        value = self.values[at][0]
        return {"name": self._name(value), "table": self._table(value)}

    def _name(self, value: Any) -> str:
        if isinstance(value, Mapping):  # an own style
            value = own_style.parse(value["style"]).character.name
        value_name = {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
        slug = slugify(value_name.replace("+", "-").replace(":", "-").replace(".", "-"))[:30]
        own = slug[:1].isalpha() and not isinstance(value, bool)
        return slug if own else f"{self.factor_name[:20]}-{slug}"

    def _table(self, value: Any) -> dict[str, Any]:
        if self.key.startswith(RULE):
            return {"settings": {self.key.removeprefix(RULE): value}}
        if self.key.startswith(SWITCH):
            return {"switches": {self.key.removeprefix(SWITCH): value}}
        if self.key == "persona":
            choice = value if isinstance(value, Mapping) else {"persona": value}
            return {"casting": {str(seat): choice for seat in range(1, self.seats + 1)}}
        return {self.key: value}


# Keys of what an experiment, in which no person plays, cannot vary.
OF_PEOPLE = frozenset(
    {"people", "blind", "faces", "personas", "pace", *(RULE + key for key in RULES_OF_PEOPLE)}
)


def table_variables(table: TableDesign) -> dict[str, Variable]:
    """Return everything that can vary at a table like this one, by key.

    A personality is also each style that a seat of the table has. {} if its ruleset is unknown.
    """
    if table.ruleset not in rulesets.names():
        return {}
    ruleset = rulesets.get(table.ruleset)
    seats = len(ruleset.deck)
    variables = [
        Variable("method", _("What computer players are given"), model_choices.methods()),
        Variable("backend", _("Which model plays"), model_choices.options()),
        Variable("people", _("How many people play"), [(n, str(n)) for n in range(1, seats + 1)]),
        Variable("persona", _("The computer players’ personality"), _personas(table), seats),
        Variable("blind", _("Whether nobody can see who is a person"), _labelled(ON_OFF)),
        Variable("faces", _("Faces of the computer players"), _labelled(FACES)),
        Variable("personas", _("Whether it is shown who they are"), _labelled(ON_OFF)),
        Variable("plain", _("Plain speech"), _labelled(ON_OFF)),
        Variable("pace", _("Pace"), _labelled(PACES.items())),
    ]
    variables += [
        Variable(f"{SWITCH}{s.name}", f"{method}: {s.name}", [(v, v) for v in s.values])
        for method, one in METHODS.items()
        for s in one.switches
    ]
    variables += [_rule(setting) for setting in ruleset.settings if setting.key not in KEYS]
    return {one.key: one for one in variables if len(one.values) > 1}


def factor_labels(factor: Factor, table: TableDesign) -> tuple[str, list[str]]:
    """Return the labels of a factor's variable and of its levels.

    They are the names in the data if a file varies something that the pages don't offer.
    """
    variables = table_variables(table)
    varies = next((one for one in variables.values() if one.factor_name == factor.name), None)
    if varies is None:
        return factor.name, [level.name for level in factor.levels]
    tables = [varies.level(at)["table"] for at in range(len(varies.values))]
    labels = [label for _value, label in varies.values]
    return varies.label, [
        labels[tables.index(level.table)] if level.table in tables else level.name
        for level in factor.levels
    ]


def _labelled(values: Any) -> list[tuple[Any, str]]:
    return [(value, str(label)) for value, label in values]


def _personas(table: TableDesign) -> list[tuple[Any, str]]:
    offered = [
        (k, str(v))
        for _g, many in casting.personas()
        for k, v in many
        if k not in (casting.OWN_PERSONA, casting.OWN_STYLE)
    ]
    return [*offered, *_own_styles(table)]


def _own_styles(table: TableDesign) -> Iterator[tuple[Any, str]]:
    """Yield each style that a seat of the table has, once."""
    seats = {
        str(choice.get("style") or ""): seat
        for seat, choice in reversed(table.casting.items())
        if choice.get("persona") == casting.OWN_STYLE
    }
    for text, seat in sorted(seats.items(), key=lambda one: int(one[1])):
        try:
            name = own_style.parse(text).character.name
        except BadStyle:  # the page of the table says so
            continue
        label = _("“{name}”, the style of seat {seat}").format(name=name, seat=seat)
        yield {"persona": casting.OWN_STYLE, "style": text}, label


def _rule(setting: Setting) -> Variable:
    values: list[tuple[Any, str]] = []
    if isinstance(setting.default, bool):
        values = _labelled(ON_OFF)
    elif isinstance(setting.default, int):
        values = [(n, str(n)) for n in range(setting.least, setting.most + 1)]
    else:
        values = [(key, _(label)) for key, label in setting.choices]
    return Variable(RULE + setting.key, _(setting.label), values)


class LevelsForm(forms.Form):
    """The values of a factor."""

    levels = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Choose the values that you want to compare"),
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose two values or more.")},
    )

    def __init__(self, varies: Variable, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        self.varies = varies
        field = self.fields["levels"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(at, label) for at, (_value, label) in enumerate(varies.values)]

    def clean_levels(self) -> list[int]:
        chosen: list[int] = self.cleaned_data["levels"]
        if not 2 <= len(chosen) <= 12:
            raise forms.ValidationError(_("Choose from two to twelve values."))
        return chosen

    def factor(self) -> dict[str, Any]:
        """Return the chosen factor, JSON-shaped."""
        levels = [self.varies.level(at) for at in self.cleaned_data["levels"]]
        return {"name": self.varies.factor_name, "levels": levels}
