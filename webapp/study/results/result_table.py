"""Tables of results, for pages and for files (`table_files`).

Rows are added as typed values: a text, a count, a statistic, a p value. Only `Notes.cell` formats
them. The template `study/researcher/result_table.html` renders the table on a page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from webapp.statistics.reported_statistics import REASONS, fixed

DASH = "–"
CONDITION = "Condition"  # header of the column of conditions, in English
MINUS = " − "  # between the two conditions of a difference
DESIGN = "design-in-words"  # key of the table whose second column names conditions and levels
BETWEEN_NAMES = " / | against |; |: "  # a pattern, in that column


@dataclass(frozen=True)
class Stat:
    """A statistic or an interval. outcome: None if it does not apply."""

    outcome: Mapping[str, Any] | None
    digits: int = 2
    prefix: str = ""
    percent: bool = False


def stats(results: Mapping[str, Any], *names: str, digits: int = 2) -> list[Stat]:
    """Return the statistics with these names."""
    return [Stat(results[name], digits) for name in names]


@dataclass(frozen=True)
class PValue:
    """The p of a test. `absent` is shown if there was no test."""

    outcome: Mapping[str, Any] | None
    absent: str = DASH


@dataclass(frozen=True)
class Cell:
    """The text of a cell, with the numbers of the notes it refers to.

    Attributes:
        span: How many columns the cell takes. Files have empty cells in place of the others.
        flags: Sentences that a page sets apart from each other.
        style: The style of the column on a page.
        address: Where the games behind the row are listed, "" for nowhere.
    """

    text: str = ""
    notes: tuple[int, ...] = ()
    span: int = 1
    flags: Sequence[str] = ()
    style: str = ""
    address: str = ""


Value = str | int | Stat | PValue | Cell | None


@dataclass(frozen=True)
class TextFormat:
    """How values are formatted. The defaults are those of files.

    Attributes:
        absent: Text of a statistic that does not apply.
        numbered: Whether cells refer to notes by number.
    """

    minus: str = "-"
    interval: str = "[{low}, {high}]"
    below_001: str = "<0.001"
    undefined: str = DASH
    absent: str = DASH
    numbered: bool = False
    translate: Callable[[str], str] = str

    def number(self, value: float, digits: int = 2) -> str:
        return fixed(value, digits).replace("-", self.minus)

    def p_value(self, value: float) -> str:
        return self.below_001 if value < 0.001 else self.number(value, 3)

    def statistic(self, value: float | Sequence[float] | None, stat: Stat) -> str:
        if value is None:
            return self.translate(self.undefined)
        factor = 100 if stat.percent else 1
        if isinstance(value, int | float):
            return self.number(factor * value, stat.digits)
        low, high = (self.number(factor * end, stat.digits) for end in value)
        return self.translate(self.interval).format(low=low, high=high)


FILE = TextFormat()


@dataclass
class Notes:
    """The sentences below one or several tables, in the order of the cells' references."""

    format: TextFormat = FILE
    sentences: list[str] = field(default_factory=list)

    def add(self, sentence: str) -> int:
        """Add a sentence unless it exists. Return its number, from 1."""
        if sentence not in self.sentences:
            self.sentences.append(sentence)
        return self.sentences.index(sentence) + 1

    def explain(self, *keys: str) -> tuple[int, ...]:
        """Add the reasons with these keys. Return their numbers."""
        return tuple(self.add(self.format.translate(REASONS[key])) for key in keys)

    def cell(self, value: Value) -> Cell:
        """Return the value as text.

        A value that is undefined or has a warning gets a reference to the note with the reason.
        """
        if isinstance(value, Cell):
            return value
        if isinstance(value, Stat):
            return self._statistic(value)
        if isinstance(value, PValue):
            p = value.outcome
            return Cell(self.format.p_value(p["value"]) if p else value.absent)
        return Cell("" if value is None else str(value))

    def _statistic(self, stat: Stat) -> Cell:
        if stat.outcome is None:
            return Cell(self.format.absent)
        value, care = stat.outcome["value"], stat.outcome.get("care", ())
        keys = care if value is not None else [stat.outcome["why"]]
        sentences = [self.format.translate(REASONS[key]) for key in keys]
        if self.format.numbered and sentences:
            sentences = [" ".join(sentences)]  # one number per cell
        notes = tuple(map(self.add, sentences))
        text = stat.prefix + self.format.statistic(value, stat)
        return Cell(text, notes if self.format.numbered else ())


@dataclass(frozen=True)
class Column:
    """A column. style: "" for text, "num" for numbers, "quiet" or "flags" (pages only).

    address: as that of a cell.
    """

    header: str
    style: str = ""
    address: str = ""


@dataclass(frozen=True)
class Row:
    """A row. style: "" or the class of the row on a page."""

    cells: Sequence[Cell]
    style: str = ""

    def texts(self) -> Iterable[str]:
        for cell in self.cells:
            yield from (cell.text, *[""] * (cell.span - 1))


@dataclass
class ResultTable:
    """A table of results.

    Attributes:
        title: Its caption. Empty if a heading of the page names the table.
        headers: Text columns, then columns of numbers; `Column`s for another order.
        text_columns: Number of text columns.
        notes: The sentences below it. The tables of a section of a page share them.
        key: The id of the element on the page that names the table.
        help: A sentence below the title, in files too: how to read it.
        folded: Whether a page shows only the title until it is opened.
        figure: The key of the figure of the same values, "" if there is none.
        games: Where all games behind it are listed, "" if its rows or columns say so.
    """

    title: str
    headers: Sequence[str | Column]
    text_columns: int = 1
    notes: Notes = field(default_factory=Notes)
    key: str = ""
    help: str = ""
    folded: bool = False
    figure: str = ""
    games: str = ""
    rows: list[Row] = field(default_factory=list)

    @cached_property
    def columns(self) -> Sequence[Column]:
        styles = [""] * self.text_columns + ["num"] * len(self.headers)
        pairs = zip(self.headers, styles, strict=False)
        return [one if isinstance(one, Column) else Column(one, style) for one, style in pairs]

    def add(self, *values: Value, style: str = "") -> None:
        """Add a row. The first cell is its header."""
        cells: list[Cell] = []
        column = 0
        for value in values:
            cell = self.notes.cell(value)
            cells.append(replace(cell, style=self.columns[column].style))
            column += cell.span
        self.rows.append(Row(cells, style))

    def leave_out_empty(self, *headings: str) -> None:
        """Leave out those of the columns that have no value in any row. No cell may have a span."""
        numbers_left = [
            number
            for number, column in enumerate(self.columns)
            if column.header not in headings
            or any(row.cells[number].text not in ("", DASH) for row in self.rows)
        ]
        self.text_columns = sum(number < self.text_columns for number in numbers_left)
        self.columns = [self.columns[number] for number in numbers_left]
        self.rows = [replace(row, cells=[row.cells[n] for n in numbers_left]) for row in self.rows]

    def link_games(self, addresses: Mapping[str, str], heading: str = CONDITION) -> None:
        """Link each condition's name, in a row or at the head of a column, to its games.

        Args:
            addresses: Condition -> where its games are listed; "" -> where all games are.
            heading: The header of the column of conditions.
        """
        number = self._column_of(heading)
        if number is not None:
            self.rows = [_linked(row, number, addresses) for row in self.rows]
            return
        self.columns = [replace(c, address=addresses.get(c.header, "")) for c in self.columns]
        has_figures = self.figure or self.text_columns < len(self.columns)
        if has_figures and not any(column.address for column in self.columns):
            self.games = addresses[""]

    def rename(self, names: Mapping[str, str], heading: str = CONDITION) -> None:
        """Give conditions their names for readers: in rows or at heads of columns, and in notes.

        A role or system of the same name keeps its own.

        Args:
            names: Name in the data -> name for readers.
            heading: As of `link_games`.
        """
        number, between = self._column_of(heading), MINUS
        if self.key == DESIGN:
            number, between, names = 1, BETWEEN_NAMES, {**_level_names(names), **names}
        elif number is None:
            self.columns = [replace(c, header=names.get(c.header, c.header)) for c in self.columns]
        self.rows = [_renamed(row, number, names, between) for row in self.rows]
        sentences = self.notes.sentences
        sentences[:] = [_renamed_at_start(sentence, names) for sentence in sentences]

    def _column_of(self, heading: str) -> int | None:
        """Return the number of the first column with that header."""
        return next((n for n, one in enumerate(self.columns) if one.header == heading), None)

    def note(self, *sentences: str) -> None:
        for sentence in sentences:
            self.notes.add(sentence)


def _renamed(row: Row, number: int | None, names: Mapping[str, str], between: str) -> Row:
    """Return the row with names for readers in cell `number` and in differences."""

    def renamed(text: str, at: int) -> str:
        if at != number and MINUS not in text:
            return text
        return "".join(names.get(part, part) for part in re.split(f"({between})", text))

    cells = [replace(cell, text=renamed(cell.text, at)) for at, cell in enumerate(row.cells)]
    return replace(row, cells=cells)


def _level_names(names: Mapping[str, str]) -> dict[str, str]:
    """Return level -> name for readers, by the names of conditions of several factors."""
    pairs = ((name.split("+"), label.split(", ")) for name, label in names.items())
    return {
        n: label for ns, of in pairs if len(ns) == len(of) for n, label in zip(ns, of, strict=True)
    }


def _renamed_at_start(sentence: str, names: Mapping[str, str]) -> str:
    """Return a note that begins with a condition, such as "a+b, void: …"."""
    mark = re.match(r"[^,:\s]+(?=[,:])", sentence)
    name = mark[0] if mark else ""
    return names[name] + sentence[len(name) :] if name in names else sentence


def _linked(row: Row, number: int, addresses: Mapping[str, str]) -> Row:
    cells = list(row.cells)
    if number < len(cells) and (address := addresses.get(cells[number].text)):
        cells[number] = replace(cells[number], address=address)
    return replace(row, cells=cells)


def values_of_test(
    one: Mapping[str, Any], digits: int, name: str = "{} = ", no_p: str = DASH
) -> tuple[Value, ...]:
    """Difference, its interval, test, p, p (Holm), effect and its interval, of a comparison.

    Args:
        name: Format of the test's name before its value.
        no_p: Text in place of p if there was no test.
    """
    test, difference = one["test"], one["difference"]
    prefix = name.format(test["statistic"]) if "statistic" in test else ""
    return (
        Stat(difference, digits),
        Stat(difference.get("ci"), digits),
        Stat(test, 2, prefix),
        PValue(test.get("p"), no_p),
        PValue(test.get("p_holm"), no_p),
        Stat(one["effect"]),
        Stat(one["effect"].get("ci")),
    )


def figure_key(section: str, measure: str, item: str) -> str:
    """Return the key (a slug) of the figure with the same estimates as a study's table."""
    return "-".join(filter(None, (section, measure, item.replace(".", "-"))))


def roles_figure_key(section: str, measure: str) -> str:
    """Return the key of the figure with a measure's estimates by role."""
    return f"{section}-{measure}-by-role"
