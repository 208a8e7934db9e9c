"""The papers' tables of one experiment: its games, text distances, words, and judges' scores."""

from __future__ import annotations

from webapp.study.models import Study
from webapp.study.results.figures import Drawing
from webapp.study.results.judge_tables import judge_tables
from webapp.study.results.paper_tables import paper_tables
from webapp.study.results.published_cells import Conditions
from webapp.study.results.result_table import ResultTable
from webapp.study.results.text_distances import distance_table, text_distances
from webapp.study.results.word_clouds import clouds


def tables_of_papers(
    study: Study, records: Conditions, baseline: str
) -> tuple[list[ResultTable], dict[str, Drawing]]:
    """Return every table that is defined for the experiment, and the figures beside them by key.

    Args:
        records: The games that count, by condition (`game_records.records_by_condition`).
        baseline: The condition that others are marked against.
    """
    distances = text_distances(records)
    words, of_words = clouds(records)
    judged, of_judges = judge_tables(study, baseline)
    first = [distance_table(distances)] if distances else []
    tables = [*first, *words, *paper_tables(records, baseline), *judged]
    return tables, {**of_words, **of_judges}
