"""Cells of the papers' tables: our values, and published figures to print beside them."""

from collections.abc import Mapping, Sequence

from webapp.lab.published import find_cells
from webapp.measures import outcomes
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
        table.note(f"{figure.metric.replace('_', ' ')}: {figure.reason}.")
        return Cell(DASH)
    return Cell(f"{figure.value:.{digits}f}{mark and f' {mark}'}")


def add_published_row(table: ResultTable, label: str, printed: Sequence[str]) -> None:
    """Add a row of published figures below ours, unless all are missing ("")."""
    if any(printed):
        table.add(f"{label}, published", *(text or DASH for text in printed), style="quiet")


def printed_figure(
    paper: str, table: str, metric: str, row: str = "", column: str = "", variant: str = ""
) -> str:
    """Return the first matching published figure as text, or "" if there is none.

    A "?" marks a figure in doubt. An empty row, column or variant matches any.
    """
    for cell in find_cells(paper, table, metric):
        if (
            row.casefold() in ("", cell.row.casefold())
            and column.casefold() in ("", cell.column.casefold())
            and variant in ("", cell.variant)
        ):
            return f"{cell.value:g}{'?' if cell.doubt else ''}"
    return ""


def printed_win(system: str, role: str) -> str:
    """Return the published percentage of games that the system won in the role, or ""."""
    return printed_figure("impressions", "Table 5", outcomes.SYSTEM_WIN, system, role) or (
        printed_figure("impressions", "Table 6", outcomes.SYSTEM_WIN, system, role)
    )
