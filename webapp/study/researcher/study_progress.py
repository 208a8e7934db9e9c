"""How far a study is: who is at which stage, which games were played, who went out how."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.db.models import Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from webapp.study.models import Slot, Study
from webapp.study.researcher.access import asked_by_script, own_study
from webapp.study.sessions.design import Design
from webapp.study.sessions.route import WAITING, Step, route
from webapp.study.sessions.way_checks import EXITS, name_of


@own_study
@require_GET
def progress(request: HttpRequest, study: Study) -> HttpResponse:
    context = {"study": study, "tab": "progress", **figures(study)}
    return render(request, "study/researcher/study_progress.html", context)


@own_study
@require_GET
def part(request: HttpRequest, study: Study) -> HttpResponse:
    if not asked_by_script(request):
        return redirect("study:study_progress", study.code)
    context = {"study": study, **figures(study)}
    return render(request, "study/researcher/study_progress_part.html", context)


def figures(study: Study) -> dict[str, Any]:
    """Everything the page counts. Void games count for nothing but their own number."""
    design = Design.of(study.design)
    wanted = design.assignment.games * study.conditions.count()
    slots = list(study.slots.values_list("condition__name", "state"))
    done = sum(state == Slot.DONE for _name, state in slots)
    return {
        "wanted": wanted,
        "done": done,
        "percent": 100 * done // wanted if wanted else 0,
        "playing": sum(state == Slot.PLAYING for _name, state in slots),
        "void": sum(state == Slot.VOID for _name, state in slots),
        "conditions": _conditions(study, slots, design.assignment.games),
        "stages": _stages(study, design),
        "exits": _exits(study),
        "turned_away": [
            {"name": EXITS[kind], "n": study.turned_away[kind]}
            for kind in EXITS
            if kind in study.turned_away
        ],
        "latest": study.participants.aggregate(at=Max("seen_at"))["at"],
        "live": study.state != Study.DRAFT,
    }


def _conditions(study: Study, slots: list[Any], wanted: int) -> list[dict[str, Any]]:
    counts = Counter(slots)
    return [
        {
            "name": condition.name,
            "done": counts[condition.name, Slot.DONE],
            "playing": counts[condition.name, Slot.PLAYING],
            "void": counts[condition.name, Slot.VOID],
            "wanted": wanted,
        }
        for condition in study.conditions.all()
    ]


def _stages(study: Study, design: Design) -> list[dict[str, Any]]:
    """How many people are at each step now, and how many links nobody has used."""
    there = study.participants.filter(exit="", consented_at__isnull=False)
    counts = Counter(there.values_list("step", flat=True))
    unused = study.participants.filter(exit="", consented_at=None).count()
    steps = [{"name": _("links not used yet"), "n": unused}]
    each = design.assignment.games_each
    for step in route(design)[1:]:  # nobody is stored before they agree
        steps.append({"name": step_name(step, each), "n": counts[step.index]})
    return steps


def step_name(step: Step, each: int) -> str:
    """What a step is called; each: how many games one person plays."""
    name = {WAITING: _("The waiting room"), "game": _("The game")}.get(
        step.kind, name_of(step.stage)
    )
    return f"{name} {step.game}" if step.game and each > 1 else name


def _exits(study: Study) -> list[dict[str, Any]]:
    """How many went out by each way that somebody took; those who came to the end always."""
    counts = Counter(study.participants.exclude(exit="").values_list("exit", flat=True))
    return [
        {"name": who, "n": counts[kind]}
        for kind, who in EXITS.items()
        if counts[kind] or kind == "completed"
    ]
