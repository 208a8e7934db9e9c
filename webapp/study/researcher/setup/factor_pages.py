"""The pages of a study's factors: a new factor, and the levels of an existing one."""

import itertools
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webapp.play.turns import model_choices
from webapp.storable_text import read_number
from webapp.study.design.setting_fields import KEY_PATTERN
from webapp.study.design.stages import Design, Factor, Level
from webapp.study.models import Study
from webapp.study.researcher.access import own_study
from webapp.study.researcher.fields import ResearcherForm, set_choices
from webapp.study.researcher.responses import render_form_page
from webapp.study.researcher.setup.study_setup import build_context, change_parts_or_show_errors
from webapp.study.researcher.setup.table_variables import (
    GROUPS,
    PEOPLE_VARIABLES,
    Variable,
    factor_labels,
    get_path,
    missing_model_setup,
    table_variables,
    with_path,
)

KEPT_CHOICE = "kept"  # keeps a value that a file has set and no variable offers
MAX_LEVELS = 12


class NewFactorForm(forms.Form):
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
        levels = [self.variable.build_level(index) for index in self.cleaned_data["levels"]]
        return {"name": self.variable.factor_name, "label": self.variable.label, "levels": levels}


class FactorForm(ResearcherForm):
    """The form of a factor: its label, and each level's label, name and values of variables.

    Names of a level's fields end with its index, from 0. Readers see numbers from 1.

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
        for index, level in enumerate(self.levels):
            self._add_level(index, level)

    def _add_level(self, index: int, level: Level) -> None:
        self.fields[f"label_{index}"] = forms.CharField(
            label=_("Label"), initial=level.label or level.name, max_length=100
        )
        self.fields[f"name_{index}"] = forms.RegexField(
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
                (str(choice), label) for choice, (_value, label) in enumerate(variable.values)
            ]
            choice, content = variable.index_of(level.table), get_path(level.table, variable.path)
            if content is not None and choice is None:
                choices.append((KEPT_CHOICE, _kept_label(variable, content)))
                initial = KEPT_CHOICE
            else:
                initial = "" if choice is None else str(choice)
            self.fields[f"{variable.key}_{index}"] = forms.ChoiceField(
                label=variable.label, choices=choices, initial=initial, required=False
            )

    @property
    def rows(self) -> list[tuple[int, str, list[forms.BoundField]]]:
        """(number from 1, title, fields) of each level."""
        rows = []
        for index, level in enumerate(self.levels):
            fields = [field for field in self if field.name.endswith(f"_{index}")]
            rows.append((index + 1, level.label or level.name, fields))
        return rows

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        names = [data.get(f"name_{index}") for index in range(len(self.levels))]
        for index, name in enumerate(names):
            if name and name in names[:index]:
                self.add_error(f"name_{index}", _("This name is taken."))
        return data

    def build_factor(self, name: str) -> dict[str, Any]:
        """Return the factor with the input, JSON-shaped."""
        levels = [self._build_level(index, level) for index, level in enumerate(self.levels)]
        return {"name": name, "label": self.cleaned_data["label"], "levels": levels}

    def _build_level(self, index: int, level: Level) -> dict[str, Any]:
        data, table = self.cleaned_data, dict(level.table)
        for variable in self.variables:
            chosen = data[f"{variable.key}_{index}"]
            if chosen != KEPT_CHOICE:
                value = variable.table_value(int(chosen)) if chosen else None
                table = with_path(table, variable.path, value)
        return {"name": data[f"name_{index}"], "label": data[f"label_{index}"], "table": table}


def _kept_label(variable: Variable, content: Any) -> str:
    """Return the label of a value that the pages do not offer."""
    if variable.key == "backend" and (lack := model_choices.missing_setup(str(content))):
        return _("{name}, not available: {lack}").format(name=content, lack=lack)
    return str(content) if isinstance(content, str | int) else _("as in the file")


@own_study("GET", "POST")
def factors(request: HttpRequest, study: Study) -> HttpResponse:
    """Show and change the factors.

    With `vary=KEY` in the query, show the values of a variable, and add its factor on a post. With
    `factor=1`, show a factor, and change it on a post; `also=KEY` shows a further variable there.
    The button `remove:1` removes a factor. A change that is refused keeps the typed input.
    """
    action, _colon, detail = request.POST.get("do", "").partition(":")
    if action == "remove":
        return _remove_factor(request, study, number_text=detail)
    design = Design.from_json(study.design)
    posted = request.POST if request.method == "POST" else None
    variables = table_variables(design.table)
    if study.is_experiment:
        variables = {key: v for key, v in variables.items() if key not in PEOPLE_VARIABLES}
    chosen = variables.get(request.GET.get("vary", ""))
    number_text = request.GET.get("factor", "")
    index = read_number(number_text) - 1
    is_editing = 0 <= index < len(design.factors) and study.state == Study.DRAFT
    taken_names = {factor.name for factor in design.factors}
    if chosen and chosen.factor_name in taken_names:  # a form that is submitted twice
        return redirect("study:study_factors", study.code)
    form: NewFactorForm | FactorForm | None = None
    response: HttpResponse | None = None
    if is_editing:
        form = FactorForm(design.factors[index], variables, request.GET.get("also", ""), posted)
        response = _edit_factor(request, study, index, form) if form.is_valid() else None
    elif chosen:
        form = NewFactorForm(chosen, posted)
        response = _add_factor(request, study, form) if form.is_valid() else None
    if response:
        return response
    context = build_context(
        study,
        "factors",
        factors=[factor_labels(factor, design.table) for factor in design.factors],
        offered=_group_variables(v for v in variables.values() if v.factor_name not in taken_names),
        others=_group_variables(variables.values()),  # offered for a further variable of a factor
        chosen=chosen,
        form=form,
        edited=number_text if is_editing else "",
        missing_model_setup=missing_model_setup(),
    )
    page = render_form_page(request, "study_factors", context)
    if form and form.is_bound:  # whether invalid or refused: what is accepted redirects
        page.status_code = 422
    return page


def _remove_factor(request: HttpRequest, study: Study, number_text: str) -> HttpResponse:
    """Remove the factor with that number, and redirect to the list."""
    numbered = enumerate(study.design["factors"], 1)
    remaining = [factor for number, factor in numbered if str(number) != number_text]
    change_parts_or_show_errors(request, study, factors=remaining)
    return redirect("study:study_factors", study.code)


def _add_factor(request: HttpRequest, study: Study, form: NewFactorForm) -> HttpResponse | None:
    """Store a new factor, and redirect to the list. Return None if it is refused."""
    all_factors = [*study.design["factors"], form.build_factor()]
    if not change_parts_or_show_errors(request, study, factors=all_factors):
        return None
    return redirect("study:study_factors", study.code)


def _group_variables(variables: Iterable[Variable]) -> list[tuple[Any, list[Variable]]]:
    """Return (title, variables with two values or more) of each group that has any."""
    by_group: dict[str, list[Variable]] = {group: [] for group in GROUPS}
    for variable in variables:
        if len(variable.values) > 1:
            by_group[variable.group].append(variable)
    return [(GROUPS[group], members) for group, members in by_group.items() if members]


def _edit_factor(
    request: HttpRequest, study: Study, index: int, form: FactorForm
) -> HttpResponse | None:
    """Store a factor, and redirect to the list. Return None if it is refused.

    The buttons `level`, `drop:2` and `also` add a level, drop one and add a variable. After these,
    redirect to the page of the factor.
    """
    all_factors = list(study.design["factors"])
    factor = form.build_factor(all_factors[index]["name"])
    action, _colon, detail = request.POST.get("do", "").partition(":")
    if action == "level":
        names = {level["name"] for level in factor["levels"]}
        free_names = (name for n in itertools.count(1) if (name := f"level-{n}") not in names)
        factor["levels"].append({"name": next(free_names), "table": {}})
    elif action == "drop":
        numbered = enumerate(factor["levels"], 1)
        factor["levels"] = [level for number, level in numbered if str(number) != detail]
    all_factors[index] = factor
    if not change_parts_or_show_errors(request, study, factors=all_factors):
        return None
    if action in ("", "save"):
        messages.success(request, _("Saved."))
        return redirect("study:study_factors", study.code)
    added_key = request.POST.get("also", "") if action == "also" else ""
    query: dict[str, Any] = {"factor": index + 1}
    if added_key:
        query["also"] = added_key
    address = reverse("study:study_factors", args=[study.code])
    return redirect(f"{address}?{urlencode(query)}")
