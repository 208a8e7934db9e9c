"""Records of a study's games by condition, and the papers' tables and boards made from them."""

from collections.abc import Iterable
from dataclasses import replace

from webapp.lab.stored_games import load_record
from webapp.measures.game_record import GameRecord
from webapp.study.data.studies.study_source import StudySource
from webapp.study.models import Slot, Study
from webapp.study.results.result_table import ResultTable
from webapp.study.results.study_rows import COMPUTER, PERSON, StudyRows


def paper_results(study: Study) -> tuple[list[ResultTable], dict[str, str]]:
    """Return the papers' tables of an experiment, and figure's key -> SVG."""
    # Imported here, as in `board_tables`: web processes load this module, and these load SciPy.
    from webapp.study.results.experiment_tables import experiment_paper_tables
    from webapp.study.results.paper_figures import paper_figures

    records = records_by_condition(study)
    baseline = find_baseline(records)
    tables, drawings = experiment_paper_tables(study, records, baseline)
    svgs = {key: draw() for key, draw in drawings.items()}
    return tables, paper_figures(records, baseline) | svgs


def board_tables(source: StudySource, rows: StudyRows) -> list[ResultTable]:
    """Return the boards of players of a study with people, without games that are still blind."""
    from webapp.study.results.board_tables import board_table

    records, hidden_count = _revealed_records(source, rows)
    boards = (board_table(records, by_role=by_role) for by_role in (False, True))
    tables = [table for table in boards if table is not None]
    for table in tables if hidden_count else ():
        table.note(f"Blind games whose players are not revealed yet, left out: {hidden_count}.")
    return tables


def records_by_condition(study: Study) -> dict[str, list[GameRecord]]:
    """Return condition -> the records of its games that count, in the slots' order.

    In a league the systems have the league's names.
    """
    records: dict[str, list[GameRecord]] = {row.name: [] for row in study.conditions.all()}
    slots = study.slots.filter(state=Slot.DONE, game__isnull=False)
    for slot in slots.select_related("game", "condition"):
        assert slot.game
        record = load_record(slot.game)
        if slot.systems:
            record = replace(record, systems=dict(enumerate(slot.systems, 1)))
        records[slot.condition.name].append(record)
    return records


def _revealed_records(
    source: StudySource, rows: StudyRows
) -> tuple[dict[str, list[GameRecord]], int]:
    """Return the records of games whose players may be revealed, and the number of other games.

    The records are in a dict by condition. Seats of people who do not count, and seats with a
    stand-in, belong neither to a person nor to a system.
    """
    records: dict[str, list[GameRecord]] = {name: [] for name in rows.conditions}
    game_rows = {row.code: row for row in rows.games}
    hidden_count = 0
    for slot, game in source.ended_games:
        if game.code not in game_rows:
            continue
        if not source.may_reveal_kinds(slot):
            hidden_count += 1
            continue
        kinds = {seat.seat: seat.kind for seat in game_rows[game.code].seats}
        record = load_record(game)
        people = frozenset(seat for seat, kind in kinds.items() if kind == PERSON)
        systems = {seat: name for seat, name in record.systems.items() if kinds[seat] == COMPUTER}
        records[slot.condition.name].append(replace(record, people=people, systems=systems))
    return records, hidden_count


def find_baseline(conditions: Iterable[str]) -> str:
    """Return the condition called "baseline", or else the first one, "" if there is none."""
    names = list(conditions)
    return "baseline" if "baseline" in names else next(iter(names), "")
