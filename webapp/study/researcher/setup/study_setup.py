"""Pages of a study's setup: overview, a page for each part with the plan, and the preview."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents import backends
from game.engine import rulesets
from webapp.play.turns import model_choices
from webapp.storable_text import read_number
from webapp.study.design.exits import BONUS_LABELS, EXITS
from webapp.study.design.stages import Design
from webapp.study.models import Study
from webapp.study.planning import studies, study_plan
from webapp.study.preview import mount
from webapp.study.preview.positions import Position
from webapp.study.program import app_version
from webapp.study.rating import rating_plan
from webapp.study.researcher import responses
from webapp.study.researcher.access import PageNotFound, own_study, own_study_of_people
from webapp.study.researcher.labels import LABELS
from webapp.study.researcher.setup import study_forms
from webapp.study.researcher.setup.study_forms import ExitsForm, PayForm
from webapp.study.researcher.setup.study_table_form import TableForm
from webapp.study.researcher.setup.table_variables import factor_labels

FORMS: Mapping[str, type[study_forms.PartForm]] = {
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
# Keys of the parts of the setup in order, for a study, an experiment, and a study that only rates.
STUDY_PARTS = (
    "table", "factors", "games", "stages", "during", "analysis", "waiting", "exits", "pay",
    "ethics",
)  # fmt: skip
EXPERIMENT_PARTS = ("table", "factors", "experiment", "analysis")
RATING_PARTS = ("rating", "stages", "exits", "pay", "ethics")


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
        refused = save_settings(request, study, name=request.POST.get("name", ""))
        if not refused:
            return redirect("study:study_setup", study.code)
    context = build_context(
        study,
        "",
        lines=summarize_parts(Design.from_json(study.design)),
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
    parts = dict(setup_parts(study))
    lines = [line for line in summarize_parts(Design.from_json(study.design)) if line[0] in parts]
    context = build_context(study, "", lines=lines)
    return render(request, "study/researcher/study_open.html", context)


@own_study("GET", "POST")
def setup_part(request: HttpRequest, study: Study, part: str) -> HttpResponse:
    if part not in FORMS or part not in dict(setup_parts(study)):
        text = _("The address may be mistyped.")
        raise PageNotFound(_("This page does not exist"), text)
    if request.method == "POST" and request.POST.get("do", "").startswith("game:"):
        return _change_ruleset(request, study, request.POST["do"].removeprefix("game:"))
    form = FORMS[part](study, request.POST if request.method == "POST" else None)
    refused: list[str] = []
    if form.is_valid():
        refused = save_settings(request, study, **form.build_settings())
        if not refused:
            goes_on = request.POST.get("do") == "next"
            return _redirect_to_part(study, _next_part(study, part) if goes_on else part)
    context = build_context(study, part, form=form, refused=refused)
    return responses.render_form_page(request, "study_part", context)


def save_settings(request: HttpRequest, study: Study, **settings: Any) -> list[str]:
    """Change the study by `studies.change`. Return why that is refused, [] if it succeeds."""
    errors = responses.run_or_get_errors(lambda: studies.change(study, **settings))
    if not errors:
        messages.success(request, _("Saved."))
    return errors


def _redirect_to_part(study: Study, part: str) -> HttpResponse:
    """Redirect to the page of a part, or to the overview if there is no such part."""
    pages = {"factors": "study:study_factors", "stages": "study:study_stages"}
    if part in FORMS:
        return redirect("study:study_part", study.code, part)
    return redirect(pages.get(part, "study:study_setup"), study.code)


def _change_ruleset(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """Change the study's ruleset, and reset the settings that depend on it."""
    if name in rulesets.names():
        old_table, seat_count = study.design["table"], len(rulesets.get(name).deck)
        table = {
            **old_table, "ruleset": name, "settings": {}, "casting": {}, "people_seats": [],
            "people_roles": [], "people": min(old_table["people"], seat_count),
        }  # fmt: skip
        change_parts(request, study, table=table)
    return _redirect_to_part(study, "table")


def change_parts(request: HttpRequest, study: Study, **parts: Any) -> bool:
    """Set parts of the design. Return False if they are refused: the next page shows why."""
    new_design = {**study.design, **parts}
    return responses.run_or_show_errors(request, lambda: studies.change(study, design=new_design))


@own_study("POST")
def setup_plan(request: HttpRequest, study: Study, part: str) -> HttpResponse:
    """Return the plan of the settings typed so far. Nothing is stored."""
    incomplete: list[str] = []
    if part in FORMS:
        form = FORMS[part](study, request.POST)
        if form.is_valid():
            study.design = Design.from_json(form.build_settings()["design"]).to_json()
        incomplete = [str(form[name].label) for name in form.errors if name != "__all__"]
    context = {"study": study, "incomplete": incomplete, **_plan_context(study)}
    return render(request, context["plan_page"], context)


@own_study_of_people("GET")
def start_preview(request: HttpRequest, study: Study) -> HttpResponse:
    """Redirect to the page of the preview that the query asks for, by default the first one."""
    return redirect(mount.build_address(study, _requested_position(request, study)))


@own_study_of_people("GET", "POST")
def preview_page(request: HttpRequest, study: Study, token: str, path: str) -> HttpResponse:
    """Show a page of the preview, or respond to a post on it. Nothing is stored."""
    return mount.respond(request, study, token, path)


@own_study_of_people("GET")
def show_preview_on_phone(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the preview in a frame as wide as a phone."""
    address = mount.build_address(study, _requested_position(request, study))
    context = {"study": study, "address": address}
    return render(request, "study/researcher/preview_phone.html", context)


def _requested_position(request: HttpRequest, study: Study) -> Position:
    """Return the position that `from`, `to` and `condition` of the query name."""
    position = Position.from_token(study, request.GET.get("from", ""))
    condition = read_number(request.GET.get("condition", ""), position.condition)
    return mount.position_at_stop(study, position, request.GET.get("to", ""), condition)


def setup_parts(study: Study) -> Sequence[tuple[str, Any]]:
    """Return the parts of the study's setup: (key, title)."""
    study_parts = RATING_PARTS if study.rates_only else STUDY_PARTS
    keys = EXPERIMENT_PARTS if study.is_experiment else study_parts
    return [(key, LABELS["setup_parts"][key]) for key in keys]


def summarize_parts(design: Design) -> list[tuple[str, Any, str]]:
    """Return (key, title, settings in a line) of the design's parts, in order."""
    summaries: dict[str, Any] = {
        "table": _summarize_table,
        "factors": _summarize_factors,
        "games": _summarize_games,
        "experiment": _summarize_experiment,
        "stages": lambda design: " → ".join(stage.label for stage in design.stages),
        "during": _summarize_during,
        "analysis": _summarize_analysis,
        "waiting": _summarize_waiting,
        "exits": _summarize_exits,
        "pay": _summarize_pay,
        "ethics": _summarize_ethics,
    }
    keys = EXPERIMENT_PARTS if design.is_experiment else STUDY_PARTS
    return [(key, LABELS["setup_parts"][key], summaries[key](design)) for key in keys]


def _summarize_table(design: Design) -> str:
    table = design.table
    is_known = table.ruleset in rulesets.names()
    seats = len(rulesets.get(table.ruleset).deck) if is_known else 0
    title = _(rulesets.get(table.ruleset).title) if is_known else table.ruleset
    players = _("the built-in players") if table.backend == backends.HOUSE else table.backend
    people = ngettext(
        "{n} participant among {seats}", "{n} participants among {seats}", table.people
    ).format(n=table.people, seats=seats)
    if design.is_experiment:
        people = _("{seats} computer players").format(seats=seats)
    method_name = str(model_choices.METHOD_LABELS.get(table.method, table.method)).split(":")[0]
    texts = [title, people, players, _("method: {what}").format(what=method_name)]
    if table.blind and table.people:
        texts.append(_("players cannot see who is human"))
    return " · ".join(texts)


def _summarize_factors(design: Design) -> str:
    if not design.factors:
        return _("none: all games are of one kind")
    factor_texts = (factor_labels(factor, design.table) for factor in design.factors)
    return " × ".join(f"{label} ({' / '.join(levels)})" for label, levels in factor_texts)


def _summarize_games(design: Design) -> str:
    assignment = design.assignment
    games = ngettext("{n} game per condition", "{n} games per condition", assignment.games)
    each = ngettext("{n} per participant", "{n} per participant", assignment.games_each)
    return " · ".join([games.format(n=assignment.games), each.format(n=assignment.games_each)])


def _summarize_experiment(design: Design) -> str:
    games, rules = design.assignment.games, design.experiment
    texts = [
        ngettext("{n} game per condition", "{n} games per condition", games).format(n=games),
        ngettext("{n} in parallel", "{n} in parallel", rules.at_once).format(n=rules.at_once),
    ]
    if rules.league:
        text = ngettext("a league of {n} system", "a league of {n} systems", len(rules.league))
        texts.append(text.format(n=len(rules.league)))
    budget = rules.budget
    if not (budget.requests or budget.tokens or budget.money):
        texts.append(_("no limit of requests, tokens or money"))
    return " · ".join(texts)


def _summarize_during(design: Design) -> str:
    settings = type(design.during).model_fields
    labels = [str(settings[name].title) for name, is_on in design.during if is_on]
    return " · ".join(labels) or _("none")


def _summarize_analysis(design: Design) -> str:
    tests = ", ".join(test.item for test in design.analysis.tests)
    interim = _("one interim analysis") if design.analysis.interim else ""
    return " · ".join(filter(None, [tests or _("none: all tests are exploratory"), interim]))


def _summarize_waiting(design: Design) -> str:
    minutes = max(1, round(design.waiting.most / 60))
    policy = {
        "wait": _("time limits answer for absent participants"),
        "stand_in": _("a computer player replaces an absent participant"),
        "end": _("a game ends when a participant leaves"),
    }[design.dropout.policy]
    waits = ngettext("maximum wait {n} minute", "maximum wait {n} minutes", minutes)
    return " · ".join([waits.format(n=minutes), policy])


def _summarize_exits(design: Design) -> str:
    code_count = sum(exit_data.code_kind != "none" for exit_data in design.exits.values())
    codes_text = ngettext("{n} exit with a code", "{n} exits with a code", code_count)
    pay_texts = [
        _("{pay} for {who}").format(pay=design.format_money(exit_data.pay), who=EXITS[kind])
        for kind, exit_data in design.exits.items()
        if exit_data.pay
    ]
    codes = codes_text.format(n=code_count) if code_count else _("no codes")
    return " · ".join([codes, *(pay_texts[:2] or [_("no pay")])])


def _summarize_pay(design: Design) -> str:
    texts = [
        _("{pay} for {what}").format(
            pay=design.format_money(bonus.amount), what=BONUS_LABELS[bonus.rule]
        )
        for bonus in design.bonuses
    ]
    if minutes := design.platform.most_minutes:
        minutes_text = ngettext("maximum {n} minute", "maximum {n} minutes", minutes)
        texts.append(minutes_text.format(n=minutes))
    return " · ".join(texts) or _("no bonuses")


def _summarize_ethics(design: Design) -> str:
    ethics = design.ethics
    texts = [ethics.controller, ethics.contact]
    if ethics.retention_days:
        retention_text = ngettext("kept for {n} day", "kept for {n} days", ethics.retention_days)
        texts.append(retention_text.format(n=ethics.retention_days))
    return " · ".join(filter(None, texts)) or _("no settings yet")
