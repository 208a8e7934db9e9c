"""The tests that a study's results will contain, and checks of the planned tests."""

from collections.abc import Iterator, Mapping, Sequence

from django.utils.translation import gettext as _

from game.engine import rulesets
from webapp.statistics.comparison_design import ALPHA, FINAL_ALPHA, choose_design
from webapp.study.design.analysis_plan import planned_test_errors
from webapp.study.design.conditions import ConditionPlan
from webapp.study.design.instruments import Instrument, Item
from webapp.study.design.stages import Design
from webapp.study.results import study_rows
from webapp.study.results.study_rows import COMPUTER, HUMAN, PERSON, TOLD_APART, name_test
from webapp.study.sessions.questions import stage_instruments

COMPARED_KINDS = (COMPUTER, PERSON)
# (measure, variant, kind of players) as in `results.leadership`, whose import would load SciPy.
LEADER_TESTS = (
    ("ratio", "person", PERSON), ("dc", "person", PERSON), ("correlation", "program", PERSON),
    ("ratio", "others", COMPUTER), ("dc", "over_others", COMPUTER),
    ("dc", "over_living", COMPUTER),
)  # fmt: skip


def sides_by_test(
    study_design: Design, conditions: Sequence[ConditionPlan]
) -> dict[str, list[str]]:
    """Return key of a test in the results -> the conditions or kinds of players compared."""
    condition_names = [condition.name for condition in conditions]
    games = [rulesets.get(condition.table.ruleset) for condition in conditions]
    items = items_by_key(study_design).items()
    names = [name for key, item in items for name in _test_names(key, item)]
    kinds = {COMPUTER} if study_design.is_experiment else {PERSON, COMPUTER}
    if study_design.is_experiment:
        teams = sorted({role.team for game in games for role in game.roles})
        names += [name_test(study_rows.WON, group=f"{COMPUTER}/team:{team}") for team in teams]
    if any(role.is_hunted for game in games for role in game.roles):
        voters = COMPUTER if study_design.is_experiment else PERSON
        names.append(name_test(study_rows.ACCURATE, group=voters))
    if any(game.badge for game in games):
        names += [name_test(m, variant, kind) for m, variant, kind in LEADER_TESTS if kind in kinds]
    return {
        name: list(COMPARED_KINDS) if name.startswith(TOLD_APART) else condition_names
        for name in names
        if len(condition_names) > 1 or name.startswith(TOLD_APART)
    }


def items_by_key(study_design: Design) -> Mapping[str, Item]:
    """Return `instrument.item` -> the item, of all instruments of the study."""
    instruments: list[Instrument] = [
        instrument for stage in study_design.stages for instrument in stage_instruments(stage, {})
    ]
    return {f"{i.key}.{item.key}": item for i in instruments for item in i.items}


def _test_names(key: str, item: Item) -> Iterator[str]:
    if item.answer in (study_rows.SCALE, "slider"):
        yield name_test(study_rows.MEAN, key)
    if item.answer in (HUMAN, study_rows.ROLE):
        yield name_test(study_rows.RIGHT, key)
    if item.answer == HUMAN:
        yield name_test(study_rows.RIGHT, key, COMPUTER)
        yield name_test(TOLD_APART, key)


def find_errors(study_design: Design, conditions: Sequence[ConditionPlan]) -> Iterator[str]:
    """Yield a sentence for each planned test that the results will not contain."""
    tests = study_design.analysis.to_json().get("tests", ())
    if tests:
        yield from planned_test_errors(tests, sides_by_test(study_design, conditions))


def find_test_notes(study_design: Design, conditions: Sequence[ConditionPlan]) -> Iterator[str]:
    """Yield a sentence if the games are too few to reach the planned level after Holm."""
    games, shared = study_design.assignment.games, study_design.assignment.deals == "shared"
    test_count = max(1, len(study_design.analysis.tests))
    level = FINAL_ALPHA if study_design.analysis.interim else ALPHA
    if len(conditions) < 2:
        return
    # (deal, game, whether in the second of two conditions): shared deals pair their games.
    game_keys = [
        (game if shared else 2 * game + side, 2 * game + side, bool(side))
        for game in range(games)
        for side in (0, 1)
    ]
    min_p = choose_design(game_keys).least_p
    if min_p * test_count >= level:
        yield _(
            "With {games} games per condition, the smallest possible p of a comparison of two is"
            " {p}, but {tests} planned tests need one below {alpha}. Add games, or plan fewer"
            " tests."
        ).format(games=games, p=f"{min_p:.3g}", tests=test_count,
                 alpha=f"{level / test_count:.3g}")  # fmt: skip
