"""Records of a study's games by condition, and the papers' tables and boards made of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from webapp.lab.stored_games import load_record
from webapp.measures.game_record import GameRecord
from webapp.study.data.studies.study_source import StudySource
from webapp.study.models import Slot, Study
from webapp.study.results.result_table import ResultTable
from webapp.study.results.study_rows import COMPUTER, PERSON, StudyRows


def paper_results(study: Study) -> tuple[list[ResultTable], dict[str, str]]:
    """Return the papers' tables and figures of an experiment."""
    # Imported here, as in `board_tables`: web processes load this module, and these load SciPy.
    from webapp.study.results.experiment_tables import experiment_paper_tables
    from webapp.study.results.paper_figures import paper_figures

    records = records_by_condition(study)
    baseline = baseline_of(records)
    tables, drawings = experiment_paper_tables(study, records, baseline)
    drawn = {key: draw() for key, draw in drawings.items()}
    return tables, {**paper_figures(records, baseline), **drawn}


def board_tables(source: StudySource, rows: StudyRows) -> list[ResultTable]:
    """Return the boards of players of a study with people, without blind games."""
    from webapp.study.results.board_tables import board_by_role_table, board_table

    records, hidden = revealed_records(source, rows)
    built = (build(records) for build in (board_table, board_by_role_table))
    tables = [table for table in built if table is not None]
    for table in tables if hidden else ():
        table.note(f"Blind games whose players are not revealed yet, left out: {hidden}.")
    return tables


def records_by_condition(study: Study) -> dict[str, list[GameRecord]]:
    """Return condition's name -> the records of its games that count, in the slots' order.

    In a league the systems have the league's names. Conditions without a game have no record.
    """
    records: dict[str, list[GameRecord]] = {row.name: [] for row in study.conditions.all()}
    counted = study.slots.filter(state=Slot.DONE, game__isnull=False)
    for slot in counted.select_related("game", "condition"):
        assert slot.game
        game_record = load_record(slot.game)
        if slot.systems:
            game_record = replace(game_record, systems=dict(enumerate(slot.systems, 1)))
        records[slot.condition.name].append(game_record)
    return records


def revealed_records(
    source: StudySource, rows: StudyRows
) -> tuple[dict[str, list[GameRecord]], int]:
    """Return condition -> records of the games whose players may be revealed.

    The second value is the number of other games. Seats of people who do not count, and those for
    which a computer player stood in, are nobody's.
    """
    records: dict[str, list[GameRecord]] = {name: [] for name in rows.conditions}
    games = {row.code: row for row in rows.games}
    hidden = 0
    for slot, game in ((slot, game) for slot, game in source.played if game.code in games):
        if not source.may_reveal_kinds(slot):
            hidden += 1
            continue
        kinds = {seat.seat: seat.kind for seat in games[game.code].seats}
        one = load_record(game)
        people = frozenset(seat for seat, kind in kinds.items() if kind == PERSON)
        systems = {seat: name for seat, name in one.systems.items() if kinds[seat] == COMPUTER}
        records[slot.condition.name].append(replace(one, people=people, systems=systems))
    return records, hidden


def baseline_of(conditions: Iterable[str]) -> str:
    """Return the condition called "baseline", or else the first one, "" if there is none."""
    names = list(conditions)
    return "baseline" if "baseline" in names else next(iter(names), "")
