"""The papers' published figures, for display beside ours. No test compares with them."""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "figures.toml"
NOT_GIVEN = "-"  # a cell that the paper leaves empty
# metric -> (variants, lowest value, highest value). The variants are those of `webapp.measures` if
# the metric is implemented there.
METRICS: dict[str, tuple[tuple[str, ...], float, float]] = {
    "ratio": (("others", "person"), 0.1, 10),
    "ratio_by_role": (("others",), 0.1, 10),
    "dc": (("over_others", "over_living", "person"), 0, 1),
    "dc_star": (("over_others", "over_living"), 0, 1),
    "correlation": (("pooled_mean", "pooled_single", "program"), -1, 1),
    "completion": (("share of games",), 0, 1),
    "win": (("among completed",), 0, 1),
    "completion_win": (("product",), 0, 1),
    "accuracy": (("yes-no",), 0, 1),
    "f1": (("class-weighted",), 0, 1),
    "rating": (("people, 1 to 5",), 1, 5),
    "text_distance": (("text-embedding-3-small",), 0, 2),
    "text_distance_sd": (("text-embedding-3-small",), 0, 2),
    "judgement_variation": (("divided by R*",), 0, 1000),
    "vote_share": (("of all polls asked",), 0, 100),
    "vote_share_for_team": (("called win rate",), 0, 100),
    "judge_score": (("language model, 1 to 10",), 1, 10),
    "memorability": (("language model",), 0, 1000),
    "variation": (("language model",), 0, 1000),
    "plan_votes": (("of neutral votes",), 0, 100),
    "mean_rank": (("5 seats", "13 seats"), 1, 13),
    "win_rate": (("by role, of a team",), 0, 100),
    "inducement": (("successes",), 0, 1000),
    "contradictions": (("all of these",), 0, 100),
}


class BadFigures(ValueError):
    """The data file is invalid. The message names the cell and the error."""


@dataclass(frozen=True)
class PublishedCell:
    """One cell of one published table.

    Attributes:
        pages: The first and the last page that the table can be on, () if unknown.
        variant: The variant of the metric.
        n: None if the paper gives none.
        copied: Whether it is repeated from another table.
        doubt: Why the printed value cannot be right, "" if there is no doubt.
        read_as: What a doubtful value probably means, None if unknown.
        printed: The value with the paper's decimals.
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
    """Return all figures of a data file's contents.

    Raises:
        BadFigures: A figure occurs twice, or is malformed.
    """
    cells = [cell for table in data["tables"] for cell in _parse_cells(table)]
    names = Counter(cell.name for cell in cells)
    if duplicates := sorted(name for name, count in names.items() if count > 1):
        raise BadFigures(f"given twice: {', '.join(duplicates)}")
    for cell in cells:
        _check_cell(cell, data["papers"])
    return tuple(cells)


def _parse_cells(table: Mapping[str, Any]) -> Iterator[PublishedCell]:
    where, columns = f"{table['paper']} {table['table']}", table["columns"]
    doubts = {(d["row"], d["column"]): d for d in table.get("doubts", ())}
    for row in table["rows"]:
        if len(row["values"]) != len(columns):
            raise BadFigures(f"{where}, {row['row']}: not one value a column")
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
        raise BadFigures(f"{where}: doubts about figures that it has not: {sorted(doubts)}")


def _value_at(value: Any, index: int) -> Any:
    """Return the value of column `index`, from a list of values or one value for all columns."""
    return value[index] if isinstance(value, list) else value


def _check_cell(cell: PublishedCell, papers: Mapping[str, Any]) -> None:

    def refuse(error: str) -> None:
        raise BadFigures(f"{cell.name}: {error}")

    if cell.paper not in papers:
        refuse("no such paper")
    if cell.metric not in METRICS:
        refuse(f"no metric {cell.metric!r}; known: {', '.join(METRICS)}")
    variants, lowest, highest = METRICS[cell.metric]
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
    """Return table -> row -> column -> published value of the metric.

    Values have the given variant; without one, any variant. A doubtful value is replaced by its
    probable meaning. Copies are left out.
    """
    tables: dict[str, dict[str, dict[str, float]]] = {}
    for cell in published:
        if cell.metric == metric and cell.variant == (variant or cell.variant) and not cell.copied:
            table = tables.setdefault(f"{cell.paper} {cell.table}", {})
            table.setdefault(cell.row, {})[cell.column] = cell.probable_value
    return tables
