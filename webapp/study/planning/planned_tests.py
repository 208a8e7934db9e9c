"""The tests that a study's results will have, and checks of those that are planned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from django.utils.translation import gettext as _

from game.engine import rulesets
from webapp.statistics.comparison_design import ALPHA, FINAL_ALPHA, choose_design
from webapp.study.design.analysis_plan import planned_test_errors
from webapp.study.design.conditions import ConditionPlan
from webapp.study.design.instruments import Instrument, Item
from webapp.study.design.stages import Design
from webapp.study.results.study_rows import (
    ACCURATE,
    COMPUTER,
    HUMAN,
    MEAN,
    PERSON,
    RIGHT,
    ROLE,
    SCALE,
    TOLD_APART,
    WON,
    name_test,
)
from webapp.study.sessions.questions import stage_instruments

KINDS = (COMPUTER, PERSON)
# (measure, variant, whose) of `results.leadership`, which loads SciPy.
OF_LEADERS = (
    ("ratio", "person", PERSON), ("dc", "person", PERSON), ("correlation", "program", PERSON),
    ("ratio", "others", COMPUTER), ("dc", "over_others", COMPUTER),
    ("dc", "over_living", COMPUTER),
)  # fmt: skip


def sides_by_test(study_design: Design, cells: Sequence[ConditionPlan]) -> dict[str, list[str]]:
    """Return the key of each test of the results -> the conditions or kinds that it compares."""
    conditions = [cell.name for cell in cells]
    games = [rulesets.get(cell.table.ruleset) for cell in cells]
    names = [name for key, item in items_asked(study_design).items() for name in _names(key, item)]
    compared = {COMPUTER} if study_design.is_experiment else {PERSON, COMPUTER}
    if study_design.is_experiment:
        teams = sorted({role.team for game in games for role in game.roles})
        names += [name_test(WON, group=f"{COMPUTER}/team:{team}") for team in teams]
    if any(role.hunted for game in games for role in game.roles):
        names.append(name_test(ACCURATE, group=COMPUTER if study_design.is_experiment else PERSON))
    if any(game.badge for game in games):
        names += [name_test(*parts) for parts in OF_LEADERS if parts[2] in compared]
    return {
        name: list(KINDS) if name.startswith(TOLD_APART) else conditions
        for name in names
        if len(conditions) > 1 or name.startswith(TOLD_APART)
    }


def items_asked(study_design: Design) -> Mapping[str, Item]:
    """Return `instrument.item` -> the item, of all questionnaires of the study."""
    instruments: list[Instrument] = [
        one for stage in study_design.stages for one in stage_instruments(stage, {})
    ]
    return {f"{one.key}.{item.key}": item for one in instruments for item in one.items}


def _names(key: str, item: Item) -> Iterator[str]:
    if item.answer in (SCALE, "slider"):
        yield name_test(MEAN, key)
    if item.answer in (HUMAN, ROLE):
        yield name_test(RIGHT, key)
    if item.answer == HUMAN:
        yield name_test(RIGHT, key, COMPUTER)
        yield name_test(TOLD_APART, key)


def problems(study_design: Design, cells: Sequence[ConditionPlan]) -> Iterator[str]:
    """Yield a sentence for each planned test that the results will not have."""
    tests = study_design.analysis.data().get("tests", ())
    if tests:
        yield from planned_test_errors(tests, sides_by_test(study_design, cells))


def notes(study_design: Design, cells: Sequence[ConditionPlan]) -> Iterator[str]:
    """Yield a sentence where so few games cannot reach the level of the planned tests (Holm)."""
    games, shared = study_design.assignment.games, study_design.assignment.deals == "shared"
    planned = len(study_design.analysis.tests)
    level = FINAL_ALPHA if study_design.analysis.interim else ALPHA
    pairs = len(list(combinations(cells, 2)))
    if not pairs:
        return
    cell_keys = [
        (game if shared else 2 * game + side, 2 * game + side, bool(side))
        for game in range(games)
        for side in (0, 1)
    ]
    least = choose_design(cell_keys).least_p
    if least * max(1, planned) >= level:
        yield _(
            "With {games} games of each condition the smallest possible p of a comparison of two"
            " is {p}, and {tests} planned tests need one below {alpha}: have more games, or plan"
            " fewer tests."
        ).format(games=games, p=f"{least:.3g}", tests=max(1, planned),
                 alpha=f"{level / max(1, planned):.3g}")  # fmt: skip
