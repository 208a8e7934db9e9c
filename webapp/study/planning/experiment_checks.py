"""Checks of experiments: designs whose games have computer players only."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents import backends, model_catalog
from webapp.study.design.conditions import ConditionPlan
from webapp.study.design.stages import Design
from webapp.study.planning import table_checks
from webapp.study.planning.expected_costs import system_tables


def find_errors(design: Design, conditions: Sequence[ConditionPlan]) -> list[str]:
    """Return a sentence for each error that prevents opening the experiment."""
    return [
        *_rule_errors(design, conditions),
        *_league_errors(design, conditions),
        *_price_errors(design, conditions),
    ]


def _rule_errors(design: Design, conditions: Sequence[ConditionPlan]) -> Iterator[str]:
    if design.stages:
        yield _("An experiment has no participants. Remove its stages, or add participants.")
    for condition in conditions:
        if condition.table.people:
            text = _("{name} has participants. The conditions of an experiment have none.")
            yield text.format(name=condition.name)
    repeats, games = design.experiment.repeats, design.assignment.games
    if games % repeats:
        yield _(
            "Each deal is played {repeats} times per condition, and {games} games is not a"
            " multiple of that. Choose {near}."
        ).format(repeats=repeats, games=games, near=_nearest_multiple(games, repeats))


def _nearest_multiple(games: int, factor: int) -> int:
    return max(factor, round(games / factor) * factor)


def _league_errors(design: Design, conditions: Sequence[ConditionPlan]) -> Iterator[str]:
    league, games = design.experiment.league, design.assignment.games
    if not league:
        return
    name_counts = Counter(system.name for system in league)
    if len(league) == 1:
        yield _("Enter at least two systems for a league.")
    for name in (name for name, n in name_counts.items() if n > 1):
        yield _("Two systems are called “{name}”. Give each a different name.").format(name=name)
    if design.experiment.repeats > 1:
        yield _("A league plays each deal once. Remove “repeats”.")
    if games % len(league):
        yield _(
            "In a league, each system gets each role equally often, so {k} systems need a"
            " multiple of {k} games. Choose {near}."
        ).format(k=len(league), near=_nearest_multiple(games, len(league)))
    for condition in conditions:
        for name, table in system_tables(design, condition.table, 1).items():
            for sentence in table_checks.find_errors([replace(condition, table=table)]):
                yield _("{system}: {what}").format(system=name, what=sentence)


def _price_errors(design: Design, conditions: Sequence[ConditionPlan]) -> Iterator[str]:
    """Yield a sentence for each model without a price if the budget is in money."""
    if not design.experiment.budget.money:
        return
    try:
        models = model_catalog.chat_models()
    except model_catalog.InvalidCatalog as error:
        yield str(error)
        return
    for name in sorted(experiment_backends(design, conditions) - {backends.HOUSE}):
        if name not in models or models[name].cost(1, 1) is None:
            text = _(
                "The budget is in money, but “{name}” has no price. Set its price (price_in,"
                " price_out), or limit requests or tokens instead."
            )
            yield text.format(name=name)


def experiment_backends(design: Design, conditions: Sequence[ConditionPlan]) -> set[str]:
    """Return the backends of all seats in all conditions."""
    systems = [str(system.seat.get("backend") or "") for system in design.experiment.league]
    names = {name for condition in conditions for name in condition.table.backend_names}
    return names | set(systems) - {""}


def league_note(design: Design) -> str:
    """Return a sentence on how often each system has each role, "" without a league."""
    if not (system_count := len(design.experiment.league)):
        return ""
    rounds = design.assignment.games // system_count
    return ngettext(
        "Each of the {k} systems gets each role {n} time.",
        "Each of the {k} systems gets each role {n} times.",
        rounds,
    ).format(k=system_count, n=rounds)
