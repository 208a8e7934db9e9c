"""Cells of the papers' tables: measured values and published figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from webapp.lab.published import PUBLISHED, Published
from webapp.measures.figure import Figure
from webapp.measures.game_record import GameRecord
from webapp.study.results.result_table import DASH, Cell, ResultTable

Games = Sequence[GameRecord]
Conditions = Mapping[str, Games]

OTHER_MODEL = (
    "Published figures are of the paper's model and setting. They stand beside a condition or"
    " system of the same name, and are no test."
)


def value_cell(table: ResultTable, figure: Figure, digits: int = 2, mark: str = "") -> Cell:
    """Return the value. The reason for an undefined one becomes a note."""
    if figure.value is None:
        table.note(f"{figure.metric.replace('_', ' ')}: {figure.why}.")
        return Cell(DASH)
    return Cell(f"{figure.value:.{digits}f}{mark and f' {mark}'}")


def printed_figure(
    paper: str, table: str, metric: str, row: str = "", column: str = "", variant: str = ""
) -> str:
    """Return a published figure as text, "" if there is none. A doubted one has a "?"."""

    def fits(one: Published) -> bool:
        return (
            (one.paper, one.table, one.metric) == (paper, table, metric)
            and (not row or one.row.casefold() == row.casefold())
            and (not column or one.column.casefold() == column.casefold())
            and (not variant or one.variant == variant)
        )

    figure_printed = next((one for one in PUBLISHED if fits(one)), None)
    if figure_printed is None or figure_printed.value is None:
        return ""
    return f"{figure_printed.value:g}{'?' if figure_printed.doubt else ''}"
