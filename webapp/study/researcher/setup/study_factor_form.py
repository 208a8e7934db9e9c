"""Factors of a study: what can vary between its conditions, and the values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.methods import METHODS
from agents.personas import own_style
from agents.personas.styles import BadStyle
from game.engine import rulesets
from game.engine.roles import Setting
from webapp.play.turns import casting, model_choices
from webapp.study.design.conditions import CROSSED_FACULTIES, FACULTIES
from webapp.study.design.in_play_settings import KEYS, RULES_OF_PEOPLE
from webapp.study.design.stages import Factor, Level, TableDesign
from webapp.study.design.value_checks import KEY
from webapp.study.researcher.fields import set_error_messages
from webapp.study.researcher.setup.study_table_form import CONTEXT_LABELS, FACES, PACES

ON_OFF = ((True, gettext_lazy("on")), (False, gettext_lazy("off")))
RULE = "rule_"
SWITCH = "switch_"
GIVEN = "given_"
MINDS, SIGHT, RULES, DETAILS = "minds", "sight", "rules", "details"
GROUPS = {
    MINDS: gettext_lazy("What the computer players are"),
    SIGHT: gettext_lazy("Who sees what"),
    RULES: gettext_lazy("Rules of the game"),
    DETAILS: gettext_lazy("Details of a method"),
}
FACULTY_LABELS = {
    "persona": gettext_lazy("Personality"),
    "favor": gettext_lazy("Likes and dislikes"),
    "strategy": gettext_lazy("Plan"),
}
SHORT = 15  # a value's label of at most so many characters says nothing without its variable
KEPT = "kept"  # choice: what a file set, and no variable offers
MAX_LEVELS = 12


@dataclass(frozen=True)
class Variable:
    """A variable of the table.

    values: (value in the table's data, label). seats: number of seats at the table.
    """

    key: str
    label: str
    values: Sequence[tuple[Any, str]]
    group: str = MINDS
    seats: int = 0

    @property
    def factor_name(self) -> str:
        """Return what its factor is called in data."""
        return slugify(self.key.removeprefix(RULE).removeprefix(SWITCH).replace("_", "-"))

    @property
    def path(self) -> tuple[str, ...]:
        """The keys under which a level's table has its value."""
        for prefix, part in ((RULE, "settings"), (SWITCH, "switches"), (GIVEN, FACULTIES)):
            if self.key.startswith(prefix):
                return part, self.key.removeprefix(prefix)
        return ("casting",) if self.key == "persona" else (self.key,)

    def content(self, at: int) -> Any:
        """Return what stands under its path for the value at that index."""
        value = self.values[at][0]
        if self.key == "persona":
            choice = value if isinstance(value, Mapping) else {"persona": value}
            return {str(seat): choice for seat in range(1, self.seats + 1)}
        return value

    def index_of(self, table: Mapping[str, Any]) -> int | None:
        """Return the index of the value that a level's table has, None for none of them."""
        content_there = _look_up(table, self.path)
        contents = [self.content(at) for at in range(len(self.values))]
        return next((at for at, content in enumerate(contents) if content == content_there), None)

    def level(self, at: int) -> dict[str, Any]:
        """Return the level of the value at that index, JSON-shaped."""
        value, label = self.values[at]
        full_label = f"{self.label}: {label}" if len(label) <= SHORT else label
        table = _with_path({}, self.path, self.content(at))
        return {"name": self._name(value), "label": full_label[:100], "table": table}

    def _name(self, value: Any) -> str:
        if isinstance(value, Mapping):  # an own style
            value = own_style.parse(value["style"]).character.name
        value_name = {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
        slug = slugify(value_name.replace("+", "-").replace(":", "-").replace(".", "-"))[:30]
        own = slug[:1].isalpha() and not isinstance(value, bool)
        return slug if own else f"{self.factor_name[:20]}-{slug}"


def _look_up(table: Mapping[str, Any], path: Sequence[str]) -> Any:
    """Return what stands under the path, None for nothing."""
    content: Any = table
    for key in path:
        content = content.get(key) if isinstance(content, Mapping) else None
    return content


def _with_path(table: Mapping[str, Any], path: Sequence[str], content: Any) -> dict[str, Any]:
    """Return the table with the content under the path, without it if that is None."""
    key, inner_path = path[0], path[1:]
    if inner_path:
        content = _with_path(table.get(key) or {}, inner_path, content) or None
    remaining = {name: value for name, value in table.items() if name != key}
    return remaining if content is None else {**remaining, key: content}


# Keys of what an experiment, in which no person plays, cannot vary.
OF_PEOPLE = frozenset(
    {
        *("people", "blind", "faces", "personas", "claims", "pace"),
        *(RULE + key for key in RULES_OF_PEOPLE),
    }
)


def table_variables(table: TableDesign) -> dict[str, Variable]:
    """Return everything that can vary at a table like this one, by key.

    A personality is also each style that a seat of the table has. {} if its ruleset is unknown.
    """
    if table.ruleset not in rulesets.names():
        return {}
    ruleset = rulesets.get(table.ruleset)
    seats = len(ruleset.deck)
    models = list(_models())
    people = [(n, str(n)) for n in range(1, seats + 1)]
    variables = [
        Variable("method", _("What computer players are given"), model_choices.method_options()),
        *(Variable(GIVEN + key, str(FACULTY_LABELS[key]), _labelled(ON_OFF))
          for key in CROSSED_FACULTIES),
        Variable("backend", _("Which model plays"), models),
        Variable("persona", _("Which personality they have"), _personas(table), seats=seats),
        Variable("plain", _("Plain speech"), _labelled(ON_OFF)),
        Variable("blind", _("Whether nobody can see who is a person"), _labelled(ON_OFF), SIGHT),
        Variable("faces", _("Faces of the computer players"), _labelled(FACES), SIGHT),
        Variable("personas", _("Whether it is shown who they are"), _labelled(ON_OFF), SIGHT),
        Variable("claims", _("The sheet of claims"), _labelled(ON_OFF), SIGHT),
        Variable("people", _("How many people play"), people, RULES),
        Variable("pace", _("Pace"), _labelled(PACES.items()), RULES),
    ]  # fmt: skip
    if len(models) > 1:
        contexts = _labelled(CONTEXT_LABELS[1:])
        variables.append(Variable("context", _("What models read of the talk"), contexts, SIGHT))
    variables += [
        Variable(f"{SWITCH}{s.name}", f"{method}: {s.name}", [(v, v) for v in s.values], DETAILS)
        for method, one in METHODS.items()
        for s in one.switches
    ]
    variables += [_rule(setting) for setting in ruleset.settings if setting.key not in KEYS]
    # A file may name models where there is none.
    return {v.key: v for v in variables if len(v.values) > 1 or v.key == "backend"}


def _models() -> Iterator[tuple[str, str]]:
    """Yield (backend, label). The label says what a model lacks to play."""
    for name, label in model_choices.backend_options():
        lack = model_choices.missing_setup(name)
        yield (
            name,
            _("{name}, which can’t play yet: {lack}").format(name=label, lack=lack)
            if lack
            else label,
        )


def model_lacks() -> list[str]:
    """Return what is to be done so that more models can be compared, as sentences."""
    names = [name for name, _label in model_choices.backend_options()]
    lacks = [(name, lack) for name in names if (lack := model_choices.missing_setup(name))]
    if len(names) == 1:
        return [
            _(
                "Only the built-in players can play here. To compare language models, name them in"
                " the file of models (docs/models.md)."
            )
        ]
    text = _("The model “{name}” can’t play yet: {lack}.")
    return [text.format(name=name, lack=lack) for name, lack in lacks]


def factor_labels(factor: Factor, table: TableDesign) -> tuple[str, list[str]]:
    """Return the labels of a factor and of its levels.

    Without labels of their own: those of the variable, if it is one that the pages offer, else the
    names in the data.
    """
    variables = table_variables(table)
    varies = next((one for one in variables.values() if one.factor_name == factor.name), None)
    return factor.label or (varies.label if varies else factor.name), [
        level.label or _value_label(varies, level) for level in factor.levels
    ]


def _value_label(varies: Variable | None, level: Level) -> str:
    at = varies.index_of(level.table) if varies else None
    if varies is None or at is None or level.table != varies.level(at)["table"]:
        return level.name
    return varies.values[at][1]


def _labelled(values: Any) -> list[tuple[Any, str]]:
    return [(value, str(label)) for value, label in values]


def _personas(table: TableDesign) -> list[tuple[Any, str]]:
    offered = [
        (k, str(v))
        for _g, many in casting.persona_options()
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
    return Variable(RULE + setting.key, _(setting.label), values, RULES)


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
        if len(field.choices) == 2:  # both, as one value does not vary
            field.initial = [0, 1]

    def clean_levels(self) -> list[int]:
        chosen: list[int] = self.cleaned_data["levels"]
        if not 2 <= len(chosen) <= MAX_LEVELS:
            raise forms.ValidationError(_("Choose from two to twelve values."))
        return chosen

    def factor(self) -> dict[str, Any]:
        """Return the chosen factor, JSON-shaped."""
        levels = [self.varies.level(at) for at in self.cleaned_data["levels"]]
        return {"name": self.varies.factor_name, "label": self.varies.label, "levels": levels}


class FactorForm(forms.Form):
    """A factor: its label, and each level's label, name and values of one or more variables.

    also: key of a variable that no level sets yet. What a file set beyond the variables is kept.
    """

    label = forms.CharField(label=gettext_lazy("What the factor is called"), max_length=100)

    def __init__(
        self,
        factor: Factor,
        variables: Mapping[str, Variable],
        also: str = "",
        data: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(data, initial={"label": factor.label or factor.name})
        self.levels = factor.levels
        self.columns = [
            one
            for key, one in variables.items()
            if key == also or any(_look_up(lv.table, one.path) is not None for lv in factor.levels)
        ]
        for n, level in enumerate(self.levels):
            self._add_level(n, level)
        set_error_messages(self)

    def _add_level(self, n: int, level: Level) -> None:
        self.fields[f"label_{n}"] = forms.CharField(
            label=_("Its readable name"), initial=level.label or level.name, max_length=100
        )
        self.fields[f"name_{n}"] = forms.RegexField(
            KEY,
            label=_("Its name in the data"),
            initial=level.name,
            error_messages={
                "invalid": _("Begin with a small letter; then letters, digits, - and _.")
            },
        )
        for one in self.columns:
            choices = [("", _("as the whole table"))]
            choices += [(str(at), label) for at, (_value, label) in enumerate(one.values)]
            at, content = one.index_of(level.table), _look_up(level.table, one.path)
            if content is not None and at is None:
                choices.append((KEPT, _kept_label(one, content)))
            initial = KEPT if content is not None and at is None else "" if at is None else str(at)
            self.fields[f"{one.key}_{n}"] = forms.ChoiceField(
                label=one.label, choices=choices, initial=initial, required=False
            )

    @property
    def rows(self) -> list[tuple[int, str, list[forms.BoundField]]]:
        """Return (number, title, fields) of each level."""
        return [
            (n + 1, level.label or level.name, [f for f in self if f.name.endswith(f"_{n}")])
            for n, level in enumerate(self.levels)
        ]

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        names = [data.get(f"name_{n}") for n in range(len(self.levels))]
        for n, name in enumerate(names):
            if name and name in names[:n]:
                self.add_error(f"name_{n}", _("Another level has this name."))
        return data

    def factor(self, name: str) -> dict[str, Any]:
        """Return the factor with what was entered, JSON-shaped."""
        levels = [self._level(n, level) for n, level in enumerate(self.levels)]
        return {"name": name, "label": self.cleaned_data["label"], "levels": levels}

    def _level(self, n: int, level: Level) -> dict[str, Any]:
        data, table = self.cleaned_data, dict(level.table)
        for one in self.columns:
            chosen = data[f"{one.key}_{n}"]
            if chosen != KEPT:
                table = _with_path(table, one.path, one.content(int(chosen)) if chosen else None)
        return {"name": data[f"name_{n}"], "label": data[f"label_{n}"], "table": table}


def _kept_label(varies: Variable, content: Any) -> str:
    """Return the label of a value that the pages do not offer."""
    if varies.key == "backend" and (lack := model_choices.missing_setup(str(content))):
        return _("{name}, which can’t play yet: {lack}").format(name=content, lack=lack)
    return str(content) if isinstance(content, str | int) else _("as the file has it")


def new_level(factor: Mapping[str, Any]) -> dict[str, Any]:
    """Return a further level, which sets nothing yet."""
    level_names = {level["name"] for level in factor["levels"]}
    number = next(n for n in range(1, MAX_LEVELS + 2) if f"level-{n}" not in level_names)
    return {"name": f"level-{number}", "table": {}}
