"""Cells of the papers' tables: our values, and published figures to print beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from webapp.lab.published import PUBLISHED, PublishedCell
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
    """Return a cell with the value and the mark.

    An undefined value is a dash, and its reason is added to the table's notes.
    """
    if figure.value is None:
        table.note(f"{figure.metric.replace('_', ' ')}: {figure.why}.")
        return Cell(DASH)
    return Cell(f"{figure.value:.{digits}f}{mark and f' {mark}'}")


def printed_figure(
    paper: str, table: str, metric: str, row: str = "", column: str = "", variant: str = ""
) -> str:
    """Return the first matching published figure as text, or "" if there is none.

    A "?" marks a figure in doubt. An empty row, column or variant matches any.
    """

    def is_match(cell: PublishedCell) -> bool:
        return (
            (cell.paper, cell.table, cell.metric) == (paper, table, metric)
            and (not row or cell.row.casefold() == row.casefold())
            and (not column or cell.column.casefold() == column.casefold())
            and (not variant or cell.variant == variant)
        )

    match = next((cell for cell in PUBLISHED if is_match(cell)), None)
    if match is None or match.value is None:
        return ""
    return f"{match.value:g}{'?' if match.doubt else ''}"
