"""Factors of a study: what can vary between its conditions, and the values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.personas import own_style
from agents.personas.styles import BadStyle
from agents.recipe import METHODS
from game.engine import rulesets
from game.engine.roles import Setting
from webapp.play.turns import casting, model_choices
from webapp.study.design.conditions import CROSSED_FACULTIES, FACULTIES
from webapp.study.design.in_play_settings import IN_PLAY_KEYS, RULES_ABOUT_PEOPLE
from webapp.study.design.setting_fields import KEY_PATTERN
from webapp.study.design.stages import Factor, Level, TableDesign
from webapp.study.researcher.fields import set_error_messages
from webapp.study.researcher.setup.study_table_form import CONTEXT_LABELS, FACES, PACES

ON_OFF = ((True, gettext_lazy("on")), (False, gettext_lazy("off")))
RULE_PREFIX = "rule_"
SWITCH_PREFIX = "switch_"
GIVEN_PREFIX = "given_"
MINDS, SIGHT, RULES, DETAILS = "minds", "sight", "rules", "details"
GROUPS = {
    MINDS: gettext_lazy("Computer players"),
    SIGHT: gettext_lazy("Visibility"),
    RULES: gettext_lazy("Rules of the game"),
    DETAILS: gettext_lazy("Details of a method"),
}
FACULTY_LABELS = {
    "persona": gettext_lazy("Personality"),
    "favor": gettext_lazy("Likes and dislikes"),
    "strategy": gettext_lazy("Plan"),
}
MAX_SHORT_LABEL_CHARS = 15  # shorter ones need the label of the variable before them
KEPT_CHOICE = "kept"  # choice of a value that a file sets and no variable offers
MAX_LEVELS = 12


@dataclass(frozen=True)
class Variable:
    """A variable of the table.

    Attributes:
        values: (value in the table's data, label).
        group: one of GROUPS.
        seats: number of seats at the table.
    """

    key: str
    label: str
    values: Sequence[tuple[Any, str]]
    group: str = MINDS
    seats: int = 0

    @property
    def factor_name(self) -> str:
        """The name of its factor in data."""
        return slugify(
            self.key.removeprefix(RULE_PREFIX).removeprefix(SWITCH_PREFIX).replace("_", "-")
        )

    @property
    def path(self) -> tuple[str, ...]:
        """The keys that lead to its value in a level's table."""
        for prefix, part in (
            (RULE_PREFIX, "settings"),
            (SWITCH_PREFIX, "switches"),
            (GIVEN_PREFIX, FACULTIES),
        ):
            if self.key.startswith(prefix):
                return part, self.key.removeprefix(prefix)
        return ("casting",) if self.key == "persona" else (self.key,)

    def table_value(self, index: int) -> Any:
        """Return the content at `path` for the value at that index."""
        value = self.values[index][0]
        if self.key == "persona":
            choice = value if isinstance(value, Mapping) else {"persona": value}
            return {str(seat): choice for seat in range(1, self.seats + 1)}
        return value

    def index_of(self, table: Mapping[str, Any]) -> int | None:
        """Return the index of the value that a level's table has, None for none of them."""
        present = _get_path(table, self.path)
        table_values = [self.table_value(index) for index in range(len(self.values))]
        return next((index for index, value in enumerate(table_values) if value == present), None)

    def build_level(self, index: int) -> dict[str, Any]:
        """Return the level of the value at that index, JSON-shaped."""
        value, label = self.values[index]
        full_label = f"{self.label}: {label}" if len(label) <= MAX_SHORT_LABEL_CHARS else label
        table = _with_path({}, self.path, self.table_value(index))
        return {"name": self._level_name(value), "label": full_label[:100], "table": table}

    def _level_name(self, value: Any) -> str:
        if isinstance(value, Mapping):  # an own style
            value = own_style.parse_own_style(value["style"]).character.name
        value_name = {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
        slug = slugify(value_name.replace("+", "-").replace(":", "-").replace(".", "-"))[:30]
        own = slug[:1].isalpha() and not isinstance(value, bool)
        return slug if own else f"{self.factor_name[:20]}-{slug}"


def _get_path(table: Mapping[str, Any], path: Sequence[str]) -> Any:
    """Return the content at the path, None if there is none."""
    content: Any = table
    for key in path:
        content = content.get(key) if isinstance(content, Mapping) else None
    return content


def _with_path(table: Mapping[str, Any], path: Sequence[str], content: Any) -> dict[str, Any]:
    """Return a copy of the table with this content at the path. None removes it."""
    key, inner_path = path[0], path[1:]
    if inner_path:
        content = _with_path(table.get(key) or {}, inner_path, content) or None
    remaining = {name: value for name, value in table.items() if name != key}
    return remaining if content is None else {**remaining, key: content}


# Variables that experiments lack, because no person plays.
PEOPLE_VARIABLES = frozenset(
    {
        *("people", "blind", "faces", "personas", "claims", "pace"),
        *(RULE_PREFIX + key for key in RULES_ABOUT_PEOPLE),
    }
)


def table_variables(table: TableDesign) -> dict[str, Variable]:
    """Return all variables of a table like this one, by key. {} if its ruleset is unknown.

    The own styles of the table's seats count as personalities.
    """
    if table.ruleset not in rulesets.names():
        return {}
    ruleset = rulesets.get(table.ruleset)
    seats = len(ruleset.deck)
    models = list(_model_options())
    people = [(n, str(n)) for n in range(1, seats + 1)]
    variables = [
        Variable("method", _("Method of the computer players"), model_choices.method_options()),
        *(Variable(GIVEN_PREFIX + key, str(FACULTY_LABELS[key]), _with_labels(ON_OFF))
          for key in CROSSED_FACULTIES),
        Variable("backend", _("Model"), models),
        Variable("persona", _("Personality profile"), _persona_options(table), seats=seats),
        Variable("plain", _("Plain speech"), _with_labels(ON_OFF)),
        Variable("blind", _("Hide which players are human"), _with_labels(ON_OFF), SIGHT),
        Variable("faces", _("Faces of the computer players"), _with_labels(FACES), SIGHT),
        Variable("personas", _("Personality cards"), _with_labels(ON_OFF), SIGHT),
        Variable("claims", _("Claims panel"), _with_labels(ON_OFF), SIGHT),
        Variable("people", _("Number of human players"), people, RULES),
        Variable("pace", _("Pace"), _with_labels(PACES.items()), RULES),
    ]  # fmt: skip
    if len(models) > 1:
        contexts = _with_labels(CONTEXT_LABELS[1:])
        variables.append(Variable("context", _("Conversation context of models"), contexts, SIGHT))
    variables += [
        Variable(
            f"{SWITCH_PREFIX}{s.name}", f"{method}: {s.name}", [(v, v) for v in s.values], DETAILS
        )
        for method, one in METHODS.items()
        for s in one.switches
    ]
    variables += [
        _rule_variable(setting) for setting in ruleset.settings if setting.key not in IN_PLAY_KEYS
    ]
    # "backend" stays even with one value, because a file may name models that this site lacks.
    return {v.key: v for v in variables if len(v.values) > 1 or v.key == "backend"}


def _model_options() -> Iterator[tuple[str, str]]:
    """Yield (backend, label). The label says what a model lacks to play."""
    for name, label in model_choices.backend_options():
        lack = model_choices.missing_setup(name)
        text = _("{name}, not available: {lack}") if lack else "{name}"
        yield name, text.format(name=label, lack=lack)


def missing_model_setup() -> list[str]:
    """Return sentences about what is missing to compare more models."""
    names = [name for name, _label in model_choices.backend_options()]
    lacks = [(name, lack) for name in names if (lack := model_choices.missing_setup(name))]
    if len(names) == 1:
        return [
            _(
                "Only the built-in players are available. To compare language models, add them"
                " to the file of models (docs/models.md)."
            )
        ]
    text = _("The model “{name}” is not available: {lack}.")
    return [text.format(name=name, lack=lack) for name, lack in lacks]


def factor_labels(factor: Factor, table: TableDesign) -> tuple[str, list[str]]:
    """Return the labels of a factor and of its levels.

    Missing labels are those of the variable if the pages offer it, else the names in the data.
    """
    variables = table_variables(table)
    variable = next((v for v in variables.values() if v.factor_name == factor.name), None)
    return factor.label or (variable.label if variable else factor.name), [
        level.label or _value_label(variable, level) for level in factor.levels
    ]


def _value_label(variable: Variable | None, level: Level) -> str:
    index = variable.index_of(level.table) if variable else None
    if variable is None or index is None or level.table != variable.build_level(index)["table"]:
        return level.name
    return variable.values[index][1]


def _with_labels(values: Any) -> list[tuple[Any, str]]:
    return [(value, str(label)) for value, label in values]


def _persona_options(table: TableDesign) -> list[tuple[Any, str]]:
    offered = [
        (k, str(v))
        for _g, many in casting.persona_options()
        for k, v in many
        if k not in (casting.OWN_PERSONA, casting.OWN_STYLE)
    ]
    return [*offered, *_own_style_options(table)]


def _own_style_options(table: TableDesign) -> Iterator[tuple[Any, str]]:
    """Yield each style that a seat of the table has, once."""
    seats = {
        str(choice.get("style") or ""): seat
        for seat, choice in reversed(table.casting.items())
        if choice.get("persona") == casting.OWN_STYLE
    }
    for text, seat in sorted(seats.items(), key=lambda one: int(one[1])):
        try:
            name = own_style.parse_own_style(text).character.name
        except BadStyle:  # the page of the table shows the error
            continue
        label = _("“{name}”, the style of seat {seat}").format(name=name, seat=seat)
        yield {"persona": casting.OWN_STYLE, "style": text}, label


def _rule_variable(setting: Setting) -> Variable:
    values: list[tuple[Any, str]] = []
    if isinstance(setting.default, bool):
        values = _with_labels(ON_OFF)
    elif isinstance(setting.default, int):
        values = [(n, str(n)) for n in range(setting.min_value, setting.max_value + 1)]
    else:
        values = [(key, _(label)) for key, label in setting.choices]
    return Variable(RULE_PREFIX + setting.key, _(setting.label), values, RULES)


class LevelsForm(forms.Form):
    """The values of a factor."""

    levels = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Values to compare"),
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose at least two values.")},
    )

    def __init__(self, variable: Variable, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        self.variable = variable
        field = self.fields["levels"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(index, label) for index, (_value, label) in enumerate(variable.values)]
        if len(field.choices) == 2:  # a factor needs both
            field.initial = [0, 1]

    def clean_levels(self) -> list[int]:
        chosen: list[int] = self.cleaned_data["levels"]
        if not 2 <= len(chosen) <= MAX_LEVELS:
            raise forms.ValidationError(_("Choose from two to twelve values."))
        return chosen

    def build_factor(self) -> dict[str, Any]:
        """Return the chosen factor, JSON-shaped."""
        levels = [self.variable.build_level(index) for index in self.cleaned_data["levels"]]
        return {"name": self.variable.factor_name, "label": self.variable.label, "levels": levels}


class FactorForm(forms.Form):
    """A factor: its label, and each level's label, name and values of one or more variables.

    `added_key` names a variable that no level sets yet. Content beyond the variables is kept.
    """

    label = forms.CharField(label=gettext_lazy("Name of the factor"), max_length=100)

    def __init__(
        self,
        factor: Factor,
        variables: Mapping[str, Variable],
        added_key: str = "",
        data: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(data, initial={"label": factor.label or factor.name})
        self.levels = factor.levels
        self.columns = [
            variable
            for key, variable in variables.items()
            if key == added_key
            or any(_get_path(lv.table, variable.path) is not None for lv in factor.levels)
        ]
        for number, level in enumerate(self.levels):
            self._add_level(number, level)
        set_error_messages(self)

    def _add_level(self, number: int, level: Level) -> None:
        self.fields[f"label_{number}"] = forms.CharField(
            label=_("Label"), initial=level.label or level.name, max_length=100
        )
        self.fields[f"name_{number}"] = forms.RegexField(
            KEY_PATTERN,
            label=_("Name in the data"),
            initial=level.name,
            error_messages={
                "invalid": _("Start with a letter. Use lowercase letters, digits, - and _.")
            },
        )
        for variable in self.columns:
            choices = [("", _("same as the whole table"))]
            choices += [
                (str(index), label) for index, (_value, label) in enumerate(variable.values)
            ]
            index, content = variable.index_of(level.table), _get_path(level.table, variable.path)
            if content is not None and index is None:
                choices.append((KEPT_CHOICE, _kept_label(variable, content)))
                initial = KEPT_CHOICE
            else:
                initial = "" if index is None else str(index)
            self.fields[f"{variable.key}_{number}"] = forms.ChoiceField(
                label=variable.label, choices=choices, initial=initial, required=False
            )

    @property
    def rows(self) -> list[tuple[int, str, list[forms.BoundField]]]:
        """(number, title, fields) of each level."""
        return [
            (
                number + 1,
                level.label or level.name,
                [f for f in self if f.name.endswith(f"_{number}")],
            )
            for number, level in enumerate(self.levels)
        ]

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        names = [data.get(f"name_{number}") for number in range(len(self.levels))]
        for number, name in enumerate(names):
            if name and name in names[:number]:
                self.add_error(f"name_{number}", _("This name is taken."))
        return data

    def build_factor(self, name: str) -> dict[str, Any]:
        """Return the factor with the input, JSON-shaped."""
        levels = [self._build_level(number, level) for number, level in enumerate(self.levels)]
        return {"name": name, "label": self.cleaned_data["label"], "levels": levels}

    def _build_level(self, number: int, level: Level) -> dict[str, Any]:
        data, table = self.cleaned_data, dict(level.table)
        for variable in self.columns:
            chosen = data[f"{variable.key}_{number}"]
            if chosen != KEPT_CHOICE:
                table = _with_path(
                    table, variable.path, variable.table_value(int(chosen)) if chosen else None
                )
        return {"name": data[f"name_{number}"], "label": data[f"label_{number}"], "table": table}


def _kept_label(variable: Variable, content: Any) -> str:
    """Return the label of a value that the pages do not offer."""
    if variable.key == "backend" and (lack := model_choices.missing_setup(str(content))):
        return _("{name}, not available: {lack}").format(name=content, lack=lack)
    return str(content) if isinstance(content, str | int) else _("as in the file")


def build_empty_level(factor: Mapping[str, Any]) -> dict[str, Any]:
    """Return a further level, which sets nothing yet."""
    level_names = {level["name"] for level in factor["levels"]}
    number = next(n for n in range(1, MAX_LEVELS + 2) if f"level-{n}" not in level_names)
    return {"name": f"level-{number}", "table": {}}
