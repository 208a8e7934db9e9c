"""Forms of a study's factors: the values of a new one, and the levels of an existing one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webapp.play.turns import model_choices
from webapp.study.design.setting_fields import KEY_PATTERN
from webapp.study.design.stages import Factor, Level
from webapp.study.researcher.fields import ResearcherForm, set_choices
from webapp.study.researcher.setup.table_variables import Variable, get_path, with_path

KEPT_CHOICE = "kept"  # keeps a value that a file has set and no variable offers
MAX_LEVELS = 12


class LevelsForm(forms.Form):
    """The form of a new factor: the values of its variable."""

    levels = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Values to compare"),
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose at least two values.")},
    )

    def __init__(self, variable: Variable, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        self.variable = variable
        choices = [(index, label) for index, (_value, label) in enumerate(variable.values)]
        field = set_choices(self, "levels", choices)
        if len(choices) == 2:  # a factor needs both
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


class FactorForm(ResearcherForm):
    """The form of a factor: its label, and each level's label, name and values of variables.

    Settings of a level that no variable covers are kept.

    Args:
        variables: The table's variables. Those that a level sets have fields.
        added_key: Key of a further variable with fields, which no level sets yet.
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
        self.variables = [
            variable
            for key, variable in variables.items()
            if key == added_key
            or any(get_path(level.table, variable.path) is not None for level in factor.levels)
        ]
        for number, level in enumerate(self.levels):
            self._add_level(number, level)

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
        for variable in self.variables:
            choices = [("", _("same as the whole table"))]
            choices += [
                (str(index), label) for index, (_value, label) in enumerate(variable.values)
            ]
            index, content = variable.index_of(level.table), get_path(level.table, variable.path)
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
        rows = []
        for number, level in enumerate(self.levels):
            fields = [field for field in self if field.name.endswith(f"_{number}")]
            rows.append((number + 1, level.label or level.name, fields))
        return rows

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
        for variable in self.variables:
            chosen = data[f"{variable.key}_{number}"]
            if chosen != KEPT_CHOICE:
                value = variable.table_value(int(chosen)) if chosen else None
                table = with_path(table, variable.path, value)
        return {"name": data[f"name_{number}"], "label": data[f"label_{number}"], "table": table}


def _kept_label(variable: Variable, content: Any) -> str:
    """Return the label of a value that the pages do not offer."""
    if variable.key == "backend" and (lack := model_choices.missing_setup(str(content))):
        return _("{name}, not available: {lack}").format(name=content, lack=lack)
    return str(content) if isinstance(content, str | int) else _("as in the file")


def build_empty_level(factor: Mapping[str, Any]) -> dict[str, Any]:
    """Return a further level of a factor, which sets nothing yet."""
    level_names = {level["name"] for level in factor["levels"]}
    number = next(n for n in range(1, MAX_LEVELS + 2) if f"level-{n}" not in level_names)
    return {"name": f"level-{number}", "table": {}}
