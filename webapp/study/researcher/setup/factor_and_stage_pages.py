"""Pages of a study's setup for its factors and its stages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from webapp.storable_text import read_number
from webapp.study.design.refusals import Refused
from webapp.study.design.stage_labels import STAGE_NAMES, stage_label
from webapp.study.design.stages import ConsentStage, Design
from webapp.study.models import Study
from webapp.study.planning.stage_checks import SINGLE_STAGES
from webapp.study.researcher.access import own_study, own_study_of_people, render_not_found
from webapp.study.researcher.setup.factor_forms import FactorForm, LevelsForm, build_empty_level
from webapp.study.researcher.setup.study_setup import build_context, change_parts, save_settings
from webapp.study.researcher.setup.study_stage_form import KINDS, StageForm
from webapp.study.researcher.setup.table_variables import (
    GROUPS,
    PEOPLE_VARIABLES,
    Variable,
    factor_labels,
    missing_model_setup,
    table_variables,
)
from webapp.study.sessions import study_campaigns


@own_study
@require_http_methods(["GET", "POST"])
def factors(request: HttpRequest, study: Study) -> HttpResponse:
    """Show and change the factors.

    With `vary=KEY` in the query, show the values of a variable, and add its factor on a post. With
    `factor=1`, show a factor, and change it on a post. The button `remove:1` removes a factor.
    """
    if request.POST.get("do", "").startswith("remove:"):
        removed_number = request.POST["do"].removeprefix("remove:")
        return _remove_factor(request, study, removed_number)
    design = Design.from_json(study.design)
    posted = request.POST if request.method == "POST" else None
    variables = _variables_to_vary(study, design)
    chosen = variables.get(request.GET.get("vary", ""))
    number_text = request.GET.get("factor", "")
    index = read_number(number_text) - 1
    is_editing = 0 <= index < len(design.factors) and study.state == Study.DRAFT
    form: LevelsForm | FactorForm | None = None
    if is_editing:
        form = FactorForm(design.factors[index], variables, request.GET.get("also", ""), posted)
        if form.is_valid():
            return _save_factor(request, study, index, form)
    elif chosen:
        form = LevelsForm(chosen, posted)
        if form.is_valid():
            change_parts(request, study, factors=[*study.design["factors"], form.build_factor()])
            return redirect("study:study_factors", study.code)
    taken_names = {factor.name for factor in design.factors}
    context = build_context(
        study,
        "factors",
        factors=[factor_labels(factor, design.table) for factor in design.factors],
        offered=_group_variables(v for v in variables.values() if v.factor_name not in taken_names),
        others=_group_variables(variables.values()),
        chosen=chosen,
        form=form,
        edited=number_text if is_editing else "",
        missing_model_setup=missing_model_setup(),
    )
    status = 422 if form and form.errors else 200
    return render(request, "study/researcher/study_factors.html", context, status=status)


def _remove_factor(request: HttpRequest, study: Study, number_text: str) -> HttpResponse:
    numbered = enumerate(study.design["factors"], 1)
    others = [factor for number, factor in numbered if str(number) != number_text]
    change_parts(request, study, factors=others)
    return redirect("study:study_factors", study.code)


def _variables_to_vary(study: Study, design: Design) -> dict[str, Variable]:
    """Return the variables that a factor can have. In an experiment, no person plays."""
    variables = table_variables(design.table)
    if study.is_experiment:
        return {key: v for key, v in variables.items() if key not in PEOPLE_VARIABLES}
    return variables


def _group_variables(variables: Iterable[Variable]) -> list[tuple[Any, list[Variable]]]:
    """Return (title, variables with two values or more) of each group that has any."""
    by_group: dict[str, list[Variable]] = {group: [] for group in GROUPS}
    for variable in variables:
        if len(variable.values) > 1:
            by_group[variable.group].append(variable)
    return [(GROUPS[group], members) for group, members in by_group.items() if members]


def _save_factor(request: HttpRequest, study: Study, index: int, form: FactorForm) -> HttpResponse:
    """Store a factor, and redirect to the list.

    The buttons `level`, `drop:2` and `also` add a level, drop one and add a variable. After these,
    redirect to the page of the factor.
    """
    all_factors = list(study.design["factors"])
    factor = form.build_factor(all_factors[index]["name"])
    action, _colon, detail = request.POST.get("do", "").partition(":")
    added_key = request.POST.get("also", "") if action == "also" else ""
    if action == "level":
        factor["levels"] = [*factor["levels"], build_empty_level(factor)]
    elif action == "drop":
        numbered = enumerate(factor["levels"], 1)
        factor["levels"] = [level for number, level in numbered if str(number) != detail]
    all_factors[index] = factor
    if change_parts(request, study, factors=all_factors) and action in ("", "save"):
        messages.success(request, _("Saved."))
        return redirect("study:study_factors", study.code)
    query = urlencode({"factor": index + 1, **({"also": added_key} if added_key else {})})
    return redirect(f"{reverse('study:study_factors', args=[study.code])}?{query}")


@own_study_of_people
@require_http_methods(["GET", "POST"])
def show_stages(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the stages, or rearrange them (`_rearrange_stages`)."""
    if request.method == "POST":
        return _rearrange_stages(request, study)
    design_stages = Design.from_json(study.design).stages
    rows = [(stage, stage_label(stage), STAGE_NAMES[type(stage)].label) for stage in design_stages]
    present_kinds = {type(stage) for stage in design_stages}
    kinds = [
        (key, STAGE_NAMES[kind].label)
        for key, kind in KINDS.items()
        if kind not in SINGLE_STAGES or kind not in present_kinds
    ]
    context = build_context(study, "stages", stages=rows, kinds=kinds)
    return render(request, "study/researcher/study_stages.html", context)


def _rearrange_stages(request: HttpRequest, study: Study) -> HttpResponse:
    """Add, remove or move a stage by the buttons `add`, `remove:2`, `up:2` and `down:2`."""
    stage_list: list[Any] = list(study.design["stages"])
    action, _colon, number_text = request.POST.get("do", "").partition(":")
    index = read_number(number_text) - 1
    is_index = 0 <= index < len(stage_list)
    kind = request.POST.get("kind", "")
    new_index = -1
    if action == "add" and kind in KINDS:
        new_index = _default_index(kind, stage_list)
        stage_list.insert(new_index, KINDS[kind]().to_json())
    elif action == "remove" and is_index:
        stage_list.pop(index)
    elif action == "up" and is_index and index > 0:
        stage_list.insert(index - 1, stage_list.pop(index))
    elif action == "down" and is_index:
        stage_list.insert(index + 1, stage_list.pop(index))
    else:
        return redirect("study:study_stages", study.code)
    if not change_parts(request, study, stages=stage_list) or new_index < 0:
        return redirect("study:study_stages", study.code)
    return redirect("study:study_stage", study.code, new_index + 1)


def _default_index(kind: str, stages: Sequence[Any]) -> int:
    """Return the index of a new stage: after the last one that is earlier in STAGE_NAMES."""
    if KINDS[kind] is ConsentStage:
        return 0
    ranks = {key: rank for rank, key in enumerate(KINDS)}
    earlier = (n for n, stage in enumerate(stages, 1) if ranks[stage["kind"]] <= ranks[kind])
    return max(earlier, default=0)


@own_study_of_people
@require_POST
def open_ratings_setup(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Redirect to the setup of a stage's ratings. The first call creates the campaign."""
    try:
        campaign = study_campaigns.get_or_create_draft(study, number - 1)
    except (Refused, LookupError):
        return redirect("study:study_stages", study.code)
    return redirect("study:setup", campaign.code)


@own_study_of_people
@require_http_methods(["GET", "POST"])
def edit_stage(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Show the form of a stage, and store it."""
    if not 1 <= number <= len(study.design["stages"]):
        text = _("The stage may have been removed, or the address may be mistyped.")
        return render_not_found(request, _("This stage does not exist"), text)
    posted = request.POST if request.method == "POST" else None
    form = StageForm(study, number - 1, posted, request.user.pk)
    errors: Sequence[str] = ()
    if form.is_valid():
        errors = save_settings(request, study, **form.build_settings())
        if not errors:
            return redirect("study:study_stages", study.code)
    kind = STAGE_NAMES[form.kind].label
    context = build_context(study, "stages", form=form, refused=errors, kind=kind, number=number)
    status = 422 if form.errors or errors else 200
    return render(request, "study/researcher/study_stage.html", context, status=status)
