"""The variables of a study's table: what a factor can vary, with its possible values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.personas import own_style
from agents.personas.styles import BadStyle
from agents.recipe import METHODS
from game.engine import rulesets
from game.engine.declarations import Setting
from webapp.play.tables import cast_form
from webapp.play.turns import casting, model_choices
from webapp.study.design.conditions import CROSSED_FACULTIES, FACULTIES
from webapp.study.design.participation_rules import IN_PLAY_KEYS
from webapp.study.design.stages import Factor, Level, TableDesign
from webapp.study.researcher.labels import LABELS
from webapp.study.researcher.setup.study_table_form import (
    CONTEXT_LABELS,
    FACES,
    PACES,
    RULES_ABOUT_PEOPLE,
)

ON_OFF = ((True, gettext_lazy("on")), (False, gettext_lazy("off")))
# Beginning of a variable's key -> the dict in the table's data that has its value.
DICTS_BY_PREFIX = {"rule_": "settings", "switch_": "switches", "given_": FACULTIES}
MINDS, SIGHT, RULES, DETAILS = "minds", "sight", "rules", "details"
GROUPS = LABELS["variable_groups"]
MAX_SHORT_LABEL_CHARS = 15  # labels of values up to this length follow the variable's label


@dataclass(frozen=True)
class Variable:
    """A property of the table that a factor can vary.

    Attributes:
        values: (value in the table's data, label) of each possible value.
        group: One of GROUPS.
        seat_count: Number of seats, for a value that is set for each seat.
    """

    key: str
    label: str
    values: Sequence[tuple[Any, str]]
    group: str = MINDS
    seat_count: int = 0

    @property
    def factor_name(self) -> str:
        return slugify(self.key.removeprefix("rule_").removeprefix("switch_").replace("_", "-"))

    @property
    def path(self) -> tuple[str, ...]:
        """The keys that lead to its value in a level's table."""
        for prefix, dict_name in DICTS_BY_PREFIX.items():
            if self.key.startswith(prefix):
                return dict_name, self.key.removeprefix(prefix)
        return ("casting",) if self.key == "persona" else (self.key,)

    def table_value(self, index: int) -> Any:
        """Return what a table has at `path` for the value at that index."""
        value = self.values[index][0]
        if self.key == "persona":
            choice = value if isinstance(value, Mapping) else {"persona": value}
            return {str(seat): choice for seat in range(1, self.seat_count + 1)}
        return value

    def index_of(self, table: Mapping[str, Any]) -> int | None:
        """Return the index of the value that a level's table has, None for none of them."""
        present = get_path(table, self.path)
        table_values = [self.table_value(index) for index in range(len(self.values))]
        return next((index for index, value in enumerate(table_values) if value == present), None)

    def build_level(self, index: int) -> dict[str, Any]:
        value, label = self.values[index]
        full_label = f"{self.label}: {label}" if len(label) <= MAX_SHORT_LABEL_CHARS else label
        table = with_path({}, self.path, self.table_value(index))
        return {"name": self._level_name(value), "label": full_label[:100], "table": table}

    def _level_name(self, value: Any) -> str:
        if isinstance(value, Mapping):  # a style written by the researcher
            value = own_style.parse_own_style(value["style"]).character.name
        value_name = {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
        slug = slugify(value_name.replace("+", "-").replace(":", "-").replace(".", "-"))[:30]
        can_stand_alone = slug[:1].isalpha() and not isinstance(value, bool)
        return slug if can_stand_alone else f"{self.factor_name[:20]}-{slug}"


def get_path(table: Mapping[str, Any], path: Sequence[str]) -> Any:
    """Return the content at the path, None if there is none."""
    content: Any = table
    for key in path:
        content = content.get(key) if isinstance(content, Mapping) else None
    return content


def with_path(table: Mapping[str, Any], path: Sequence[str], content: Any) -> dict[str, Any]:
    """Return a copy of the table with this content at the path. None removes it."""
    key, inner_path = path[0], path[1:]
    if inner_path:
        content = with_path(table.get(key) or {}, inner_path, content) or None
    remaining = {name: value for name, value in table.items() if name != key}
    return remaining if content is None else {**remaining, key: content}


# Variables that experiments do not offer. A factor of a file may still set them.
PEOPLE_VARIABLES = {"people", "blind", "faces", "personas", "claims", "pace"} | {
    f"rule_{key}" for key in RULES_ABOUT_PEOPLE
}


def table_variables(table: TableDesign) -> dict[str, Variable]:
    """Return key -> variable of a table like this one, {} if its ruleset is unknown.

    The own styles of the table's seats count as personalities.
    """
    if table.ruleset not in rulesets.names():
        return {}
    ruleset = rulesets.get(table.ruleset)
    seat_count = len(ruleset.deck)
    models = list(_model_options())
    people = [(n, str(n)) for n in range(1, seat_count + 1)]
    variables = [
        Variable("method", _("Method of the computer players"), model_choices.method_options()),
        *(Variable(f"given_{key}", str(LABELS["faculties"][key]), _with_labels(ON_OFF))
          for key in CROSSED_FACULTIES),
        Variable("backend", _("Model"), models),
        Variable("persona", _("Personality profile"), _persona_options(table),
                 seat_count=seat_count),
        Variable("plain", _("Plain speech"), _with_labels(ON_OFF)),
        Variable("blind", _("Hide which players are human"), _with_labels(ON_OFF), SIGHT),
        Variable("faces", _("Faces of the computer players"), _with_labels(FACES.items()), SIGHT),
        Variable("personas", _("Personality cards"), _with_labels(ON_OFF), SIGHT),
        Variable("claims", _("Claims panel"), _with_labels(ON_OFF), SIGHT),
        Variable("people", _("Number of human players"), people, RULES),
        Variable("pace", _("Pace"), _with_labels(PACES.items()), RULES),
    ]  # fmt: skip
    if len(models) > 1:
        contexts = _with_labels(CONTEXT_LABELS[1:])
        variables.append(Variable("context", _("Conversation context of models"), contexts, SIGHT))
    for method_name, method in METHODS.items():
        for switch in method.switches:
            label, values = f"{method_name}: {switch.name}", [(v, v) for v in switch.values]
            variables.append(Variable(f"switch_{switch.name}", label, values, DETAILS))
    variables += [_rule_variable(rule) for rule in ruleset.settings if rule.key not in IN_PLAY_KEYS]
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
    if len(names) == 1:
        text = _(
            "Only the built-in players are available. To compare language models, add them"
            " to the file of models (docs/models.md)."
        )
        return [text]
    text = _("The model “{name}” is not available: {lack}.")
    lacks = ((name, model_choices.missing_setup(name)) for name in names)
    return [text.format(name=name, lack=lack) for name, lack in lacks if lack]


def factor_labels(factor: Factor, table: TableDesign) -> tuple[str, list[str]]:
    """Return the labels of a factor and of its levels.

    A missing label is that of the variable if the pages offer it, else the name in the data.
    """
    variables = table_variables(table)
    variable = next((v for v in variables.values() if v.factor_name == factor.name), None)
    return factor.label or (variable.label if variable else factor.name), [
        level.label or _value_label(variable, level) for level in factor.levels
    ]


def _value_label(variable: Variable | None, level: Level) -> str:
    """Return the variable's label of the value that a level has, or else the level's name."""
    index = variable.index_of(level.table) if variable else None
    if variable is None or index is None or level.table != variable.build_level(index)["table"]:
        return level.name
    return variable.values[index][1]


def _with_labels(values: Any) -> list[tuple[Any, str]]:
    return [(value, str(label)) for value, label in values]


def _persona_options(table: TableDesign) -> list[tuple[Any, str]]:
    built_in = [
        (key, str(label))
        for _group, options in cast_form.persona_options()
        for key, label in options
        if key not in (casting.OWN_PERSONA, casting.OWN_STYLE)
    ]
    return [*built_in, *_own_style_options(table)]


def _own_style_options(table: TableDesign) -> Iterator[tuple[Any, str]]:
    """Yield (casting, label) of each own style that a seat of the table has."""
    seats_by_style = {
        str(choice.get("style") or ""): seat
        for seat, choice in reversed(table.casting.items())
        if choice.get("persona") == casting.OWN_STYLE
    }
    for text, seat in sorted(seats_by_style.items(), key=lambda item: int(item[1])):
        try:
            name = own_style.parse_own_style(text).character.name
        except BadStyle:  # the page of the table shows the error
            continue
        label = _("“{name}”, the style of seat {seat}").format(name=name, seat=seat)
        yield {"persona": casting.OWN_STYLE, "style": text}, label


def _rule_variable(setting: Setting) -> Variable:
    values: list[tuple[Any, str]]
    if isinstance(setting.default, bool):
        values = _with_labels(ON_OFF)
    elif isinstance(setting.default, int):
        values = [(n, str(n)) for n in range(setting.min_value, setting.max_value + 1)]
    else:
        values = [(key, _(label)) for key, label in setting.choices]
    return Variable(f"rule_{setting.key}", _(setting.label), values, RULES)
