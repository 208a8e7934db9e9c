"""The papers' tables of one experiment: its games, text distances, words, and judges' scores."""

from __future__ import annotations

from webapp.study.models import Study
from webapp.study.results.judge_tables import judge_tables
from webapp.study.results.paper_tables import Conditions, paper_tables
from webapp.study.results.result_table import ResultTable
from webapp.study.results.text_distances import distance_table, text_distances
from webapp.study.results.word_clouds import word_table


def experiment_tables(study: Study, records: Conditions, baseline: str) -> list[ResultTable]:
    """Return every table that is defined for the experiment.

    Args:
        records: The games that count, by condition (`game_records.records_by_condition`).
        baseline: The condition that others are marked against.
    """
    distances = text_distances(records)
    first = (distance_table(distances) if distances else None, word_table(records))
    return [*filter(None, first), *paper_tables(records, baseline), *judge_tables(study)]
