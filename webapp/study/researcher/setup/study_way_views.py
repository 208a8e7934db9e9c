"""Pages of the lists in a study's setup: factors and stages."""

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

from webapp.study.design.stage_labels import STAGE_NAMES, stage_label
from webapp.study.design.stages import ConsentStage, Design
from webapp.study.models import Study
from webapp.study.planning import studies
from webapp.study.planning.stage_checks import SINGLE_STAGES
from webapp.study.researcher.access import own_study, own_study_of_people, render_not_found
from webapp.study.researcher.setup.study_factor_form import (
    GROUPS,
    PEOPLE_VARIABLES,
    FactorForm,
    LevelsForm,
    Variable,
    build_empty_level,
    factor_labels,
    missing_model_setup,
    table_variables,
)
from webapp.study.researcher.setup.study_setup import build_context, change_parts
from webapp.study.researcher.setup.study_stage_form import KINDS, StageForm
from webapp.study.sessions import study_campaigns


@own_study
@require_http_methods(["GET", "POST"])
def factors(request: HttpRequest, study: Study) -> HttpResponse:
    """Show and change the factors.

    `?vary=method` shows the values of a variable, and a POST adds a factor; `?factor=1` shows a
    factor, and a POST changes it; `do=remove:1` removes one.
    """
    design = Design.from_json(study.design)
    offered = table_variables(design.table)
    if study.is_experiment:
        offered = {key: v for key, v in offered.items() if key not in PEOPLE_VARIABLES}
    chosen = offered.get(request.GET.get("vary", ""))
    number = request.GET.get("factor", "")
    index = int(number) - 1 if number.isdecimal() else -1
    is_editing = 0 <= index < len(design.factors) and study.state == Study.DRAFT
    form: LevelsForm | FactorForm | None = None
    posted = request.POST if request.method == "POST" else None
    action, _colon, detail = request.POST.get("do", "").partition(":")
    if action == "remove":
        kept_factors = [f for n, f in enumerate(study.design["factors"], 1) if str(n) != detail]
        change_parts(request, study, factors=kept_factors)
        return redirect("study:study_factors", study.code)
    if is_editing:
        form = FactorForm(design.factors[index], offered, request.GET.get("also", ""), posted)
        if posted and form.is_valid():
            return _save_factor(request, study, index, form)
    elif chosen:
        form = LevelsForm(chosen, posted)
        if posted and form.is_valid():
            change_parts(request, study, factors=[*study.design["factors"], form.build_factor()])
            return redirect("study:study_factors", study.code)
    taken_names = {factor.name for factor in design.factors}
    free = [v for v in offered.values() if v.factor_name not in taken_names]
    context = build_context(
        study,
        "factors",
        factors=[factor_labels(factor, design.table) for factor in design.factors],
        offered=_group_variables(free),
        others=_group_variables(offered.values()),
        chosen=chosen,
        form=form,
        edited=number if is_editing else "",
        lacks=missing_model_setup(),
    )
    status = 422 if form and form.errors else 200
    return render(request, "study/researcher/study_factors.html", context, status=status)


def _group_variables(variables: Iterable[Variable]) -> list[tuple[Any, list[Variable]]]:
    """Return (title, variables) of each group that has any with two values or more."""
    rows = [v for v in variables if len(v.values) > 1]
    by_group = {group: [v for v in rows if v.group == group] for group in GROUPS}
    return [(GROUPS[group], some) for group, some in by_group.items() if some]


def _save_factor(request: HttpRequest, study: Study, index: int, form: FactorForm) -> HttpResponse:
    """Store a factor.

    `do=level` adds a level, `do=drop:2` drops one, `do=also` adds a variable. After these, the page
    of the factor is shown again.
    """
    all_factors = list(study.design["factors"])
    factor = form.build_factor(all_factors[index]["name"])
    action, _colon, detail = request.POST.get("do", "").partition(":")
    added_key = request.POST.get("also", "") if action == "also" else ""
    if action == "level":
        factor["levels"] = [*factor["levels"], build_empty_level(factor)]
    elif action == "drop":
        factor["levels"] = [lv for n, lv in enumerate(factor["levels"], 1) if str(n) != detail]
    all_factors[index] = factor
    if change_parts(request, study, factors=all_factors) and action in ("", "save"):
        messages.success(request, _("Saved."))
        return redirect("study:study_factors", study.code)
    query = urlencode({"factor": index + 1, **({"also": added_key} if added_key else {})})
    return redirect(f"{reverse('study:study_factors', args=[study.code])}?{query}")


@own_study_of_people
@require_http_methods(["GET", "POST"])
def stages(request: HttpRequest, study: Study) -> HttpResponse:
    """Show and change the stages, by `do=add`, `do=remove:2`, `do=up:2` and `do=down:2`."""
    if request.method == "POST":
        return _rearrange_stages(request, study)
    design_stages = Design.from_json(study.design).stages
    rows = [(stage, stage_label(stage), STAGE_NAMES[type(stage)].label) for stage in design_stages]
    kinds_present = {type(stage) for stage in design_stages}
    free = {
        key: kind
        for key, kind in KINDS.items()
        if kind not in SINGLE_STAGES or kind not in kinds_present
    }
    kinds = [(key, STAGE_NAMES[kind].label) for key, kind in free.items()]
    context = build_context(study, "stages", stages=rows, kinds=kinds)
    return render(request, "study/researcher/study_stages.html", context)


def _rearrange_stages(request: HttpRequest, study: Study) -> HttpResponse:
    """Add, remove or move a stage, as `do` says."""
    stage_list: list[Any] = list(study.design["stages"])
    action, _colon, number_text = request.POST.get("do", "").partition(":")
    index = int(number_text) - 1 if number_text.isdecimal() else -1
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
    """Return the default position of a new stage, by the order of STAGE_NAMES."""
    if KINDS[kind] is ConsentStage:
        return 0
    order = list(KINDS)
    before = [n for n, s in enumerate(stages, 1) if order.index(s["kind"]) <= order.index(kind)]
    return max(before, default=0)


@own_study_of_people
@require_POST
def ratings(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Redirect to the setup of a stage's ratings. The first call creates the campaign."""
    try:
        campaign = study_campaigns.get_or_create_draft(study, number - 1)
    except (studies.Refused, LookupError):
        return redirect("study:study_stages", study.code)
    return redirect("study:setup", campaign.code)


@own_study_of_people
@require_http_methods(["GET", "POST"])
def stage(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Show the form of a stage, and store it."""
    if not 1 <= number <= len(study.design["stages"]):
        text = _("The stage may have been removed, or the address may be mistyped.")
        return render_not_found(request, _("This stage does not exist"), text)
    posted = request.POST if request.method == "POST" else None
    form = StageForm(study, number - 1, posted, request.user.pk)
    refused: Sequence[str] = ()
    if request.method == "POST" and form.is_valid():
        try:
            studies.change(study, **form.build_settings())
            messages.success(request, _("Saved."))
            return redirect("study:study_stages", study.code)
        except studies.Refused as error:
            refused = error.sentences
    kind = STAGE_NAMES[form.kind].label
    context = build_context(study, "stages", form=form, refused=refused, kind=kind, number=number)
    status = 422 if form.errors or refused else 200
    return render(request, "study/researcher/study_stage.html", context, status=status)
