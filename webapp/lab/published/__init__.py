"""The papers' published figures, shown beside ours. No test compares our results with them."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "figures.toml"  # tests/lab/test_published.py checks it
NOT_GIVEN = "-"  # Marks a cell in the file that the paper leaves empty.


@dataclass(frozen=True)
class PublishedCell:
    paper: str
    table: str
    pages: tuple[int, ...]  # the first and the last page that the table can be on, () if unknown
    row: str
    column: str
    value: float
    metric: str  # a key of the file's table of metrics
    variant: str  # one of that metric's variants
    n: int | None  # the number of cases (`unit`) behind the value, None if the paper gives none
    unit: str
    copied: bool = False  # whether the value is repeated from another table
    doubt: str = ""  # why the printed value cannot be right, "" if there is no doubt
    read_as: float | None = None  # what a doubtful value probably means, None if unknown
    printed: str = ""  # the value with the paper's decimals
    n_is: str = ""  # "about" as in the paper, "planned" if the paper gives only the plan, else ""

    @property
    def name(self) -> str:
        return f"{self.paper} {self.table}, {self.row}, {self.column}"

    @property
    def probable_value(self) -> float:
        """The value, or the probable meaning of a doubtful one."""
        return self.value if self.read_as is None else self.read_as


def _parse_cells(table: Mapping[str, Any]) -> Iterator[PublishedCell]:
    doubts = {(d["row"], d["column"]): d for d in table.get("doubts", ())}
    for row in table["rows"]:
        for index, (column, value) in enumerate(zip(table["columns"], row["values"], strict=True)):
            if value == NOT_GIVEN:
                continue
            doubt = doubts.get((row["row"], column), {})
            yield PublishedCell(
                paper=table["paper"],
                table=table["table"],
                pages=tuple(table.get("pages", ())),
                row=row["row"],
                column=column,
                value=value,
                metric=_value_at(row["metric"], index),
                variant=_value_at(row["variant"], index),
                n=_value_at(row.get("n"), index),
                unit=row["unit"],
                copied=row.get("copied", False),
                doubt=doubt.get("note", ""),
                read_as=doubt.get("read_as"),
                printed=str(value) if "decimals" not in table else f"{value:.{table['decimals']}f}",
                n_is=row.get("n_is", ""),
            )


def _value_at(value: Any, index: int) -> Any:
    """Return the value of column `index`, from a list of values or one value for all columns."""
    return value[index] if isinstance(value, list) else value


_DATA = tomllib.loads(FILE.read_text())
PAPER_TITLES = {paper: facts["title"] for paper, facts in _DATA["papers"].items()}
PUBLISHED = tuple(cell for table in _DATA["tables"] for cell in _parse_cells(table))


def find_cells(paper: str, table: str, metric: str = "") -> list[PublishedCell]:
    """Return the cells of a paper's table, of one metric or of all."""
    cells = (cell for cell in PUBLISHED if (cell.paper, cell.table) == (paper, table))
    return [cell for cell in cells if cell.metric == (metric or cell.metric)]


def published_values(metric: str, variant: str = "") -> dict[str, dict[str, dict[str, float]]]:
    """Return table -> row -> column -> published value of a metric, in one variant or in all.

    Copies are left out. A doubtful value is replaced by its probable meaning.
    """
    tables: dict[str, dict[str, dict[str, float]]] = {}
    for cell in PUBLISHED:
        if cell.metric == metric and cell.variant == (variant or cell.variant) and not cell.copied:
            table = tables.setdefault(f"{cell.paper} {cell.table}", {})
            table.setdefault(cell.row, {})[cell.column] = cell.probable_value
    return tables
