"""The papers' published figures, shown beside ours. No test compares our results with them."""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "figures.toml"
NOT_GIVEN = "-"  # Marks a cell in the file that the paper leaves empty.


class BadFigures(ValueError):
    """The data file is invalid. The message names the cell and the error."""


@dataclass(frozen=True)
class PublishedCell:
    """One cell of one published table.

    Attributes:
        pages: the first and the last page that the table can be on, () if unknown.
        metric, variant: as the file's table of metrics names them.
        n: the number of cases (`unit`) behind the value, None if the paper gives none.
        copied: whether the value is repeated from another table.
        doubt: why the printed value cannot be right, "" if there is no doubt.
        read_as: what a doubtful value probably means, None if unknown.
        printed: the value with the paper's decimals.
        n_is: "about" as in the paper, "planned" if the paper gives only the plan, else "".
    """

    paper: str
    table: str
    pages: tuple[int, ...]
    row: str
    column: str
    value: float
    metric: str
    variant: str
    n: int | None
    unit: str
    copied: bool = False
    doubt: str = ""
    read_as: float | None = None
    printed: str = ""
    n_is: str = ""

    @property
    def name(self) -> str:
        return f"{self.paper} {self.table}, {self.row}, {self.column}"

    @property
    def probable_value(self) -> float:
        """The value, or the probable meaning of a doubtful one."""
        return self.value if self.read_as is None else self.read_as


def parse_figures(data: Mapping[str, Any]) -> tuple[PublishedCell, ...]:
    """Return the cells of a data file's contents.

    Raises:
        BadFigures: a cell occurs twice, or is malformed.
    """
    cells = [cell for table in data["tables"] for cell in _parse_cells(table)]
    names = Counter(cell.name for cell in cells)
    if duplicates := sorted(name for name, count in names.items() if count > 1):
        raise BadFigures(f"given twice: {', '.join(duplicates)}")
    for cell in cells:
        _check_cell(cell, data["papers"], data["metrics"])
    return tuple(cells)


def _parse_cells(table: Mapping[str, Any]) -> Iterator[PublishedCell]:
    title, columns = f"{table['paper']} {table['table']}", table["columns"]
    doubts = {(d["row"], d["column"]): d for d in table.get("doubts", ())}
    for row in table["rows"]:
        if len(row["values"]) != len(columns):
            raise BadFigures(f"{title}, {row['row']}: not one value a column")
        for index, (column, value) in enumerate(zip(columns, row["values"], strict=True)):
            if value == NOT_GIVEN:
                continue
            doubt = doubts.pop((row["row"], column), {})
            yield PublishedCell(
                table["paper"],
                table["table"],
                tuple(table.get("pages", ())),
                row["row"],
                column,
                value,
                _value_at(row["metric"], index),
                _value_at(row["variant"], index),
                _value_at(row.get("n"), index),
                row["unit"],
                row.get("copied", False),
                doubt.get("note", ""),
                doubt.get("read_as"),
                str(value) if "decimals" not in table else f"{value:.{table['decimals']}f}",
                row.get("n_is", ""),
            )
    if doubts:
        raise BadFigures(f"{title}: doubts about figures that it has not: {sorted(doubts)}")


def _value_at(value: Any, index: int) -> Any:
    """Return the value of column `index`, from a list of values or one value for all columns."""
    return value[index] if isinstance(value, list) else value


def _check_cell(cell: PublishedCell, papers: Mapping[str, Any], metrics: Mapping[str, Any]) -> None:
    def refuse(error: str) -> None:
        raise BadFigures(f"{cell.name}: {error}")

    if cell.paper not in papers:
        refuse("no such paper")
    if cell.metric not in metrics:
        refuse(f"no metric {cell.metric!r}; known: {', '.join(metrics)}")
    variants, (lowest, highest) = metrics[cell.metric]["variants"], metrics[cell.metric]["range"]
    if cell.variant not in variants:
        refuse(f"no variant {cell.variant!r}; known: {', '.join(variants)}")
    if isinstance(cell.value, bool) or not isinstance(cell.value, int | float):
        refuse(f"no number: {cell.value!r}")
    if not math.isfinite(cell.probable_value) or not lowest <= cell.probable_value <= highest:
        refuse(f"not from {lowest} to {highest}: {cell.probable_value}")
    if cell.pages and (len(cell.pages) != 2 or not 0 < cell.pages[0] <= cell.pages[1]):
        refuse("pages are a first and a last one")
    if cell.n is not None and cell.n < 1:
        refuse(f"no number of {cell.unit}: {cell.n}")


PUBLISHED = parse_figures(tomllib.loads(FILE.read_text()))


def published_values(
    published: Sequence[PublishedCell], metric: str, variant: str = ""
) -> dict[str, dict[str, dict[str, float]]]:
    """Return table -> row -> column -> published value of a metric.

    Copies are left out. A doubtful value is replaced by its probable meaning.

    Args:
        variant: "" for all variants.
    """
    tables: dict[str, dict[str, dict[str, float]]] = {}
    for cell in published:
        if cell.metric == metric and cell.variant == (variant or cell.variant) and not cell.copied:
            table = tables.setdefault(f"{cell.paper} {cell.table}", {})
            table.setdefault(cell.row, {})[cell.column] = cell.probable_value
    return tables
