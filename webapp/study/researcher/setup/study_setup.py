"""Pages of a study's setup: the overview, and a page for each part with the plan."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from game.engine import rulesets
from webapp.study.design.stages import Design
from webapp.study.models import Study
from webapp.study.planning import studies, study_plan
from webapp.study.program import app_version
from webapp.study.rating import rating_plan
from webapp.study.researcher import responses
from webapp.study.researcher.access import PageNotFound, own_study
from webapp.study.researcher.setup import study_forms
from webapp.study.researcher.setup.setup_parts import setup_parts, summarize_parts
from webapp.study.researcher.setup.study_forms import ExitsForm, PayForm
from webapp.study.researcher.setup.study_table_form import TableForm

PART_FORMS: Mapping[str, type[study_forms.PartForm]] = {
    "table": TableForm,
    "games": study_forms.GamesForm,
    "experiment": study_forms.ExperimentForm,
    "during": study_forms.DuringForm,
    "analysis": study_forms.AnalysisForm,
    "waiting": study_forms.WaitingForm,
    "exits": ExitsForm,
    "pay": PayForm,
    "ethics": study_forms.EthicsForm,
}


def build_context(study: Study, part: str, **extra_context: Any) -> dict[str, Any]:
    """Return the context of every page of the setup: the study, its parts, the plan."""
    parts = setup_parts(study)
    is_locked = study.state != Study.DRAFT
    return {
        "study": study,
        "tab": "setup",
        "part": part,
        "part_title": dict(parts).get(part),
        "parts": parts,
        "next_part": _next_part(study, part),
        "locked": is_locked,
        "why_locked": studies.lock_reason(study) if is_locked else "",
        **_plan_context(study),
        **extra_context,
    }


def _next_part(study: Study, part: str) -> str:
    """Return the key of the part after this one, "" after the last."""
    keys = [key for key, _title in setup_parts(study)]
    return next(iter(keys[keys.index(part) + 1 :]), "") if part in keys else ""


def _plan_context(study: Study) -> dict[str, Any]:
    """Return the study's plan and the template that shows it."""
    if study.rates_only and (campaign := study.own_campaign):
        plan = {**rating_plan.build_plan(campaign), "unread": False}
        return {"campaign": campaign, "plan": plan, "plan_page": "study/researcher/plan.html"}
    return {"plan": study_plan.build_plan(study), "plan_page": "study/researcher/study_plan.html"}


@own_study("GET", "POST")
def overview(request: HttpRequest, study: Study) -> HttpResponse:
    """Show a summary of all parts, and the name, which can always be changed.

    If participants only rate, redirect to the setup of their campaign.
    """
    if study.rates_only and (campaign := study.own_campaign):
        return redirect("study:setup", campaign.code)
    refused: list[str] = []
    if request.method == "POST":
        refused = save_and_get_errors(request, study, name=request.POST.get("name", ""))
        if not refused:
            return redirect("study:study_setup", study.code)
    context = build_context(
        study,
        "",
        lines=summarize_parts(study),
        refused=refused,
        settings_hash=study.config_hash or studies.config_hash(study),
        version=app_version(),
    )
    return responses.render_form_page(request, "study_setup", context)


@own_study("GET")
def confirm_opening(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the plan of the study, and ask for confirmation to open it."""
    if study.state != Study.DRAFT:
        return redirect("study:study_setup", study.code)
    context = build_context(study, "", lines=summarize_parts(study))
    return render(request, "study/researcher/study_open.html", context)


@own_study("GET", "POST")
def setup_part(request: HttpRequest, study: Study, part: str) -> HttpResponse:
    """Show the form of a part, and save it.

    The button `next` saves and leads to the next part. `game:NAME` changes the study's ruleset.
    """
    if part not in PART_FORMS or part not in dict(setup_parts(study)):
        text = _("The address may be mistyped.")
        raise PageNotFound(_("This page does not exist"), text)
    if request.method == "POST" and request.POST.get("do", "").startswith("game:"):
        return _change_ruleset(request, study, request.POST["do"].removeprefix("game:"))
    form = PART_FORMS[part](study, request.POST if request.method == "POST" else None)
    refused: list[str] = []
    if form.is_valid():
        refused = save_and_get_errors(request, study, **form.build_settings())
        if not refused:
            if request.POST.get("do") == "next":
                return _redirect_to_part(study, _next_part(study, part))
            return _redirect_to_part(study, part)
    context = build_context(study, part, form=form, refused=refused)
    return responses.render_form_page(request, "study_part", context)


def save_and_get_errors(request: HttpRequest, study: Study, **settings: Any) -> list[str]:
    """Change the study, and show "Saved." Return why that is refused, [] if it succeeds."""
    errors = responses.run_or_get_errors(lambda: studies.change(study, **settings))
    if not errors:
        messages.success(request, _("Saved."))
    return errors


def _redirect_to_part(study: Study, part: str) -> HttpResponse:
    """Redirect to the page of a part, or to the overview if there is no such part."""
    pages = {"factors": "study:study_factors", "stages": "study:study_stages"}
    if part in PART_FORMS:
        return redirect("study:study_part", study.code, part)
    return redirect(pages.get(part, "study:study_setup"), study.code)


def _change_ruleset(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """Change the study's ruleset, and reset the settings that depend on it."""
    if name in rulesets.names():  # only a forged post names another one
        old_table, seat_count = study.design["table"], len(rulesets.get(name).deck)
        table = {
            **old_table, "ruleset": name, "settings": {}, "casting": {}, "people_seats": [],
            "people_roles": [], "people": min(old_table["people"], seat_count),
        }  # fmt: skip
        change_parts_or_show_errors(request, study, table=table)
    return _redirect_to_part(study, "table")


def change_parts_or_show_errors(request: HttpRequest, study: Study, **parts: Any) -> bool:
    """Set parts of the design. Return whether it succeeded: if not, the next page shows why."""
    new_design = {**study.design, **parts}
    return responses.run_or_show_errors(request, lambda: studies.change(study, design=new_design))


@own_study("POST")
def setup_plan(request: HttpRequest, study: Study, part: str) -> HttpResponse:
    """Return the plan of the settings typed so far. Nothing is stored."""
    incomplete: list[str] = []
    if part in PART_FORMS:
        form = PART_FORMS[part](study, request.POST)
        if form.is_valid():
            # Not saved: the plan is computed from the typed design.
            study.design = Design.from_json(form.build_settings()["design"]).to_json()
        incomplete = [str(form[name].label) for name in form.errors if name != NON_FIELD_ERRORS]
    context = {"study": study, "incomplete": incomplete, **_plan_context(study)}
    return render(request, context["plan_page"], context)
