"""Pages of the lists in a study's set-up: factors and stages."""

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

from webapp.study.design.stage_labels import STAGE_LABELS, stage_label
from webapp.study.design.stages import ConsentStage, Design
from webapp.study.models import Study
from webapp.study.planning import studies
from webapp.study.planning.stage_checks import SINGLE_STAGES
from webapp.study.researcher.access import own_study, own_study_of_people, render_not_found
from webapp.study.researcher.setup.study_factor_form import (
    GROUPS,
    OF_PEOPLE,
    FactorForm,
    LevelsForm,
    Variable,
    factor_labels,
    model_lacks,
    new_level,
    table_variables,
)
from webapp.study.researcher.setup.study_setup import change, context_of
from webapp.study.researcher.setup.study_stage_form import KINDS, StageForm
from webapp.study.sessions import rated_games


@own_study
@require_http_methods(["GET", "POST"])
def factors(request: HttpRequest, study: Study) -> HttpResponse:
    """Show and change the factors.

    `?vary=method` shows the values of a variable, and a POST adds a factor; `?factor=1` shows a
    factor, and a POST changes it; `do=remove:1` removes one.
    """
    design = Design.of(study.design)
    offered = table_variables(design.table)
    if study.is_experiment:
        offered = {key: one for key, one in offered.items() if key not in OF_PEOPLE}
    chosen = offered.get(request.GET.get("vary", ""))
    number = request.GET.get("factor", "")
    at = int(number) - 1 if number.isdecimal() else -1
    edits = 0 <= at < len(design.factors) and study.state == Study.DRAFT
    form: LevelsForm | FactorForm | None = None
    posted = request.POST if request.method == "POST" else None
    do, _colon, detail = request.POST.get("do", "").partition(":")
    if do == "remove":
        kept_factors = [f for n, f in enumerate(study.design["factors"], 1) if str(n) != detail]
        change(request, study, factors=kept_factors)
        return redirect("study:study_factors", study.code)
    if edits:
        form = FactorForm(design.factors[at], offered, request.GET.get("also", ""), posted)
        if posted and form.is_valid():
            return _save_factor(request, study, at, form)
    elif chosen:
        form = LevelsForm(chosen, posted)
        if posted and form.is_valid():
            change(request, study, factors=[*study.design["factors"], form.factor()])
            return redirect("study:study_factors", study.code)
    names_taken = {factor.name for factor in design.factors}
    free = [one for one in offered.values() if one.factor_name not in names_taken]
    context = context_of(
        study,
        "factors",
        factors=[factor_labels(factor, design.table) for factor in design.factors],
        offered=_grouped(free),
        others=_grouped(offered.values()),
        chosen=chosen,
        form=form,
        edited=number if edits else "",
        lacks=model_lacks(),
    )
    status = 422 if form and form.errors else 200
    return render(request, "study/researcher/study_factors.html", context, status=status)


def _grouped(variables: Iterable[Variable]) -> list[tuple[Any, list[Variable]]]:
    """Return (title, variables) of each group that has any with two values or more."""
    rows = [v for v in variables if len(v.values) > 1]
    by_group = {group: [v for v in rows if v.group == group] for group in GROUPS}
    return [(GROUPS[group], some) for group, some in by_group.items() if some]


def _save_factor(request: HttpRequest, study: Study, at: int, form: FactorForm) -> HttpResponse:
    """Store a factor. `do=level` adds a level, `drop:2` drops one, `also` varies a further thing.

    After these the factor is shown again.
    """
    all_factors = list(study.design["factors"])
    factor = form.factor(all_factors[at]["name"])
    do, _colon, detail = request.POST.get("do", "").partition(":")
    also = request.POST.get("also", "") if do == "also" else ""
    if do == "level":
        factor["levels"] = [*factor["levels"], new_level(factor)]
    elif do == "drop":
        factor["levels"] = [lv for n, lv in enumerate(factor["levels"], 1) if str(n) != detail]
    all_factors[at] = factor
    if change(request, study, factors=all_factors) and do in ("", "save"):
        messages.success(request, _("Saved."))
        return redirect("study:study_factors", study.code)
    query = urlencode({"factor": at + 1, **({"also": also} if also else {})})
    return redirect(f"{reverse('study:study_factors', args=[study.code])}?{query}")


@own_study_of_people
@require_http_methods(["GET", "POST"])
def stages(request: HttpRequest, study: Study) -> HttpResponse:
    """Show and change the stages, by `do=add`, `do=remove:2`, `do=up:2` and `do=down:2`."""
    if request.method == "POST":
        return _rearranged(request, study)
    design_stages = Design.of(study.design).stages
    rows = [(stage, stage_label(stage), STAGE_LABELS[type(stage)]) for stage in design_stages]
    kinds_present = {type(stage) for stage in design_stages}
    free = {
        key: kind
        for key, kind in KINDS.items()
        if kind not in SINGLE_STAGES or kind not in kinds_present
    }
    kinds = [(key, STAGE_LABELS[kind]) for key, kind in free.items()]
    context = context_of(study, "stages", stages=rows, kinds=kinds)
    return render(request, "study/researcher/study_stages.html", context)


def _rearranged(request: HttpRequest, study: Study) -> HttpResponse:
    stage_list: list[Any] = list(study.design["stages"])
    do, _colon, number_text = request.POST.get("do", "").partition(":")
    at = int(number_text) - 1 if number_text.isdecimal() else -1
    is_valid = 0 <= at < len(stage_list)
    kind = request.POST.get("kind", "")
    new = -1
    if do == "add" and kind in KINDS:
        new = _place_for(kind, stage_list)
        stage_list.insert(new, KINDS[kind]().data())
    elif do == "remove" and is_valid:
        stage_list.pop(at)
    elif do == "up" and is_valid and at > 0:
        stage_list.insert(at - 1, stage_list.pop(at))
    elif do == "down" and is_valid:
        stage_list.insert(at + 1, stage_list.pop(at))
    else:
        return redirect("study:study_stages", study.code)
    if not change(request, study, stages=stage_list) or new < 0:
        return redirect("study:study_stages", study.code)
    return redirect("study:study_stage", study.code, new + 1)


def _place_for(kind: str, stages: Sequence[Any]) -> int:
    """Return the default position of a new stage among the others, by the order of STAGE_LABELS."""
    if KINDS[kind] is ConsentStage:
        return 0
    order = list(KINDS)
    before = [n for n, s in enumerate(stages, 1) if order.index(s["kind"]) <= order.index(kind)]
    return max(before, default=0)


@own_study_of_people
@require_POST
def ratings(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Redirect to the set-up of a stage's ratings. The first call creates the campaign."""
    try:
        campaign = rated_games.get_or_create_draft(study, number - 1)
    except (studies.Refused, LookupError):
        return redirect("study:study_stages", study.code)
    return redirect("study:setup", campaign.code)


@own_study_of_people
@require_http_methods(["GET", "POST"])
def stage(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    if not 1 <= number <= len(study.design["stages"]):
        text = _("It may have been taken out, or the address may be mistyped.")
        return render_not_found(request, _("There is no such stage"), text)
    posted = request.POST if request.method == "POST" else None
    form = StageForm(study, number - 1, posted, request.user.pk)
    refused: Sequence[str] = ()
    if request.method == "POST" and form.is_valid():
        try:
            studies.change(study, **form.made())
            messages.success(request, _("Saved."))
            return redirect("study:study_stages", study.code)
        except studies.Refused as error:
            refused = error.sentences
    kind = STAGE_LABELS[form.kind]
    context = context_of(study, "stages", form=form, refused=refused, kind=kind, number=number)
    status = 422 if form.errors or refused else 200
    return render(request, "study/researcher/study_stage.html", context, status=status)
