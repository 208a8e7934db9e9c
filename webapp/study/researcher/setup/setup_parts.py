"""The parts of a study's setup: their order, titles, and summaries in a line."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents import backends
from game.engine import rulesets
from webapp.play.turns import model_choices
from webapp.study.design.exits import BONUS_LABELS, EXITS
from webapp.study.design.stages import Design
from webapp.study.models import Study
from webapp.study.researcher.labels import LABELS
from webapp.study.researcher.setup.table_variables import factor_labels

# Keys of the parts of the setup in order, for a study, an experiment, and a study that only rates.
STUDY_PARTS = (
    "table", "factors", "games", "stages", "during", "analysis", "waiting", "exits", "pay",
    "ethics",
)  # fmt: skip
EXPERIMENT_PARTS = ("table", "factors", "experiment", "analysis")
RATING_PARTS = ("rating", "stages", "exits", "pay", "ethics")


def setup_parts(study: Study) -> Sequence[tuple[str, Any]]:
    """Return the parts of the study's setup: (key, title)."""
    study_parts = RATING_PARTS if study.rates_only else STUDY_PARTS
    keys = EXPERIMENT_PARTS if study.is_experiment else study_parts
    return [(key, LABELS["setup_parts"][key]) for key in keys]


def summarize_parts(study: Study) -> list[tuple[str, Any, str]]:
    """Return (key, title, settings in a line) of the study's parts that have a summary."""
    design = Design.from_json(study.design)
    parts = setup_parts(study)
    return [(key, title, SUMMARIES[key](design)) for key, title in parts if key in SUMMARIES]


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
    number = design.assignment.games_each
    each = ngettext("{n} per participant", "{n} per participant", number).format(n=number)
    return f"{_games_text(design)} · {each}"


def _games_text(design: Design) -> str:
    number = design.assignment.games
    text = ngettext("{n} game per condition", "{n} games per condition", number)
    return text.format(n=number)


def _summarize_experiment(design: Design) -> str:
    rules = design.experiment
    texts = [
        _games_text(design),
        ngettext("{n} in parallel", "{n} in parallel", rules.at_once).format(n=rules.at_once),
    ]
    if rules.league:
        text = ngettext("a league of {n} system", "a league of {n} systems", len(rules.league))
        texts.append(text.format(n=len(rules.league)))
    if not any(limit for _name, limit in rules.budget):
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
    policy = str(LABELS["dropout_summaries"][design.dropout.policy])
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


SUMMARIES: Mapping[str, Callable[[Design], str]] = {
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
