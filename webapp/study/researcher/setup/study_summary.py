"""The parts of a study's setup, and a short summary of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from agents import backends
from game.engine import rulesets
from webapp.play.turns import model_choices
from webapp.study.design.exits import BONUS_LABELS, EXITS
from webapp.study.design.stages import Design
from webapp.study.models import Study
from webapp.study.researcher.setup.table_variables import factor_labels

# The parts of the setup in order: (key, title).
PARTS = (
    ("table", gettext_lazy("The table")),
    ("factors", gettext_lazy("Factors")),
    ("games", gettext_lazy("Games")),
    ("stages", gettext_lazy("Participants’ stages")),
    ("during", gettext_lazy("Questions during the game")),
    ("analysis", gettext_lazy("Planned tests")),
    ("waiting", gettext_lazy("Waiting and leaving")),
    ("exits", gettext_lazy("Exits and pay")),
    ("pay", gettext_lazy("Bonuses and platform")),
    ("ethics", gettext_lazy("Ethics")),
)
EXPERIMENT_PARTS = (
    *PARTS[:2],
    ("experiment", gettext_lazy("Games and budget")),
    ("analysis", gettext_lazy("Planned tests")),
)
RATING_PART = ("rating", gettext_lazy("Units and raters"))
RATER_PARTS = ("stages", "exits", "pay", "ethics")  # Keys of the parts of a study that only rates.


def setup_parts(study: Study) -> Sequence[tuple[str, Any]]:
    """Return the parts of the study's setup: (key, title)."""
    if study.is_experiment:
        return EXPERIMENT_PARTS
    if not study.rates_only:
        return PARTS
    return (RATING_PART, *(part for part in PARTS if part[0] in RATER_PARTS))


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
    parts = EXPERIMENT_PARTS if design.is_experiment else PARTS
    return [(key, title, summaries[key](design)) for key, title in parts]


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
