"""Tables of results, for pages, for files (`table_files`) and for the database.

Rows are added as typed values: a text, a count, a statistic, a p value. `Notes.cell` formats them
and collects the reasons of undefined ones. The template `study/researcher/result_table.html`
renders a table on a page.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from django.utils.translation import gettext, gettext_noop

from webapp.statistics.reported_statistics import REASONS, format_decimals

DASH = "–"
CONDITION = "Condition"  # header of the column of conditions, in English
MINUS = " − "  # separates the two conditions of a difference
DESIGN_KEY = "design-in-words"  # key of the table whose second column names conditions and levels
DESIGN_SEPARATORS = " / | against |; |: "  # regular expression of what separates these names
STORED_FIELDS = ("title", "headers", "text_columns", "key", "help", "folded", "figure")


@dataclass(frozen=True)
class Stat:
    """A statistic or an interval."""

    # As of `reported_statistics.defined` or `undefined`; None if it does not apply.
    outcome: Mapping[str, Any] | None
    digits: int = 2
    prefix: str = ""
    is_percent: bool = False


def select_stats(results: Mapping[str, Any], *names: str, digits: int = 2) -> list[Stat]:
    """Return the statistics with these names, rounded to `digits`."""
    return [Stat(results[name], digits) for name in names]


@dataclass(frozen=True)
class PValue:
    """The p of a test. The text `absent` is shown if there was no test."""

    outcome: Mapping[str, Any] | None
    absent: str = DASH


@dataclass(frozen=True)
class Cell:
    """The text of a cell, with the numbers of the notes it refers to."""

    text: str = ""
    notes: tuple[int, ...] = ()
    span: int = 1  # the number of columns the cell takes. Files have empty cells for the others.
    flags: Sequence[str] = ()  # sentences that a page shows separately
    style: str = ""
    address: str = ""  # URL of the list of the games behind the row, or ""


Value = str | int | Stat | PValue | Cell | None
Data = Mapping[str, Any]  # JSON-shaped data, such as stored results


@dataclass(frozen=True)
class TextFormat:
    """How values are formatted. The defaults are those of files."""

    minus: str = "-"
    interval: str = "[{low}, {high}]"
    below_001: str = "<0.001"
    undefined: str = DASH
    absent: str = DASH  # text of a statistic that does not apply
    is_numbered: bool = False  # whether cells refer to notes by number
    translate: Callable[[str], str] = str

    def number(self, value: float, digits: int = 2) -> str:
        return format_decimals(value, digits).replace("-", self.minus)

    def p_value(self, value: float) -> str:
        """Return a p with three digits, or that it is smaller than 0.001."""
        return self.below_001 if value < 0.001 else self.number(value, 3)

    def statistic(self, value: float | Sequence[float] | None, stat: Stat) -> str:
        """Return a number, an interval, or the text for an undefined value."""
        if value is None:
            return self.translate(self.undefined)
        factor = 100 if stat.is_percent else 1
        if isinstance(value, int | float):
            return self.number(factor * value, stat.digits)
        low, high = (self.number(factor * end, stat.digits) for end in value)
        return self.translate(self.interval).format(low=low, high=high)


FILE_FORMAT = TextFormat()
PAGE_FORMAT = TextFormat(
    minus="−",
    interval=gettext_noop("{low} to {high}"),
    below_001="< .001",
    undefined=gettext_noop("undefined"),
    absent="",
    is_numbered=True,
    translate=gettext,
)


@dataclass
class Notes:
    """The sentences below one or several tables, in the order of the cells' references."""

    format: TextFormat = FILE_FORMAT
    sentences: list[str] = field(default_factory=list)

    def add(self, sentence: str) -> int:
        """Add a sentence unless it exists. Returns its number, from 1."""
        if sentence not in self.sentences:
            self.sentences.append(sentence)
        return self.sentences.index(sentence) + 1

    def explain(self, *keys: str) -> tuple[int, ...]:
        """Add the explanations of these keys of REASONS. Returns their numbers."""
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
        value, warnings = stat.outcome["value"], stat.outcome.get("care", ())
        keys = warnings if value is not None else [stat.outcome["why"]]
        sentences = [self.format.translate(REASONS[key]) for key in keys]
        if self.format.is_numbered and sentences:
            sentences = [" ".join(sentences)]  # one number per cell
        notes = tuple(map(self.add, sentences))
        text = stat.prefix + self.format.statistic(value, stat)
        return Cell(text, notes if self.format.is_numbered else ())


@dataclass(frozen=True)
class Column:
    header: str
    style: str = ""  # "" for text, "num" for numbers, "quiet" or "flags" (pages only)
    address: str = ""  # URL of the list of the games behind the column, or ""


@dataclass(frozen=True)
class Row:
    """A row. `style` is its class on a page, or ""."""

    cells: Sequence[Cell]
    style: str = ""

    def texts(self) -> Iterable[str]:
        """Yield a text for each column, "" for columns that a cell spans."""
        for cell in self.cells:
            yield from (cell.text, *[""] * (cell.span - 1))


@dataclass
class ResultTable:
    title: str  # caption of the table, "" if a heading of the page names it
    # Headers of text columns, then of columns of numbers. Another order needs `Column`.
    headers: Sequence[str | Column]
    text_columns: int = 1
    # The sentences below it. The tables of a section of a page share them.
    notes: Notes = field(default_factory=Notes)
    key: str = ""  # the id of the element on the page that names the table
    help: str = ""  # a sentence below the title, in files too: how to read it
    folded: bool = False  # whether a page shows only the title until it is opened
    figure: str = ""  # the key of the figure of the same values, "" if there is none
    games: str = ""  # URL of the list of all games behind it; "" if rows or columns have addresses
    rows: list[Row] = field(default_factory=list)

    @cached_property
    def columns(self) -> Sequence[Column]:
        """The columns, with styles by `text_columns`."""
        styles = [""] * self.text_columns + ["num"] * len(self.headers)
        pairs = zip(self.headers, styles, strict=False)
        return [h if isinstance(h, Column) else Column(h, style) for h, style in pairs]

    def add(self, *values: Value, style: str = "") -> None:
        """Add a row. The first cell is its header."""
        cells: list[Cell] = []
        column = 0
        for value in values:
            cell = self.notes.cell(value)
            cells.append(replace(cell, style=self.columns[column].style))
            column += cell.span
        self.rows.append(Row(cells, style))

    def drop_empty_columns(self, *headers: str) -> None:
        """Remove the columns with these headers that have no value. No cell may have a span."""
        remaining = [
            number
            for number, column in enumerate(self.columns)
            if column.header not in headers
            or any(row.cells[number].text not in ("", DASH) for row in self.rows)
        ]
        self.text_columns = sum(number < self.text_columns for number in remaining)
        self.columns = [self.columns[number] for number in remaining]
        self.rows = [replace(row, cells=[row.cells[n] for n in remaining]) for row in self.rows]

    def link_games(self, addresses: Mapping[str, str], header: str = CONDITION) -> None:
        """Link each condition's name, in a row or at the head of a column, to its games.

        Args:
            addresses: Condition -> URL of the list of its games; "" -> of all games.
        """
        number = self._column_number(header)
        if number is not None:
            self.rows = [_link_row(row, number, addresses) for row in self.rows]
            return
        self.columns = [replace(c, address=addresses.get(c.header, "")) for c in self.columns]
        has_figures = self.figure or self.text_columns < len(self.columns)
        if has_figures and not any(column.address for column in self.columns):
            self.games = addresses[""]

    def rename(self, names: Mapping[str, str], header: str = CONDITION) -> None:
        """Replace conditions' names in the data by those for readers: in cells and notes.

        A role or system that is named like a condition keeps its name.
        """
        number, separators = self._column_number(header), MINUS
        if self.key == DESIGN_KEY:
            number, separators, names = 1, DESIGN_SEPARATORS, {**_level_names(names), **names}
        elif number is None:
            self.columns = [replace(c, header=names.get(c.header, c.header)) for c in self.columns]
        self.rows = [_rename_row(row, number, names, separators) for row in self.rows]
        sentences = self.notes.sentences
        sentences[:] = [_rename_at_start(sentence, names) for sentence in sentences]

    def _column_number(self, header: str) -> int | None:
        """Return the number of the first column with that header, from 0."""
        return next((n for n, column in enumerate(self.columns) if column.header == header), None)

    def note(self, *sentences: str) -> None:
        """Add sentences below the table, each once."""
        for sentence in sentences:
            self.notes.add(sentence)


def _rename_row(row: Row, number: int | None, names: Mapping[str, str], separators: str) -> Row:
    """Return the row with names for readers in cell `number` and in differences."""

    def rename(text: str, index: int) -> str:
        if index != number and MINUS not in text:
            return text
        return "".join(names.get(part, part) for part in re.split(f"({separators})", text))

    cells = [replace(cell, text=rename(cell.text, index)) for index, cell in enumerate(row.cells)]
    return replace(row, cells=cells)


def _level_names(names: Mapping[str, str]) -> dict[str, str]:
    """Return level -> name for readers, from the names of conditions of several factors.

    The condition "a+b" with the name "A, B" gives a -> A and b -> B.
    """
    pairs = ((name.split("+"), label.split(", ")) for name, label in names.items())
    return {
        level: label
        for levels, labels in pairs
        if len(levels) == len(labels)
        for level, label in zip(levels, labels, strict=True)
    }


def _rename_at_start(sentence: str, names: Mapping[str, str]) -> str:
    """Rename the condition that a note begins with, as in "a+b, void: …"."""
    match = re.match(r"[^,:\s]+(?=[,:])", sentence)
    name = match[0] if match else ""
    return names[name] + sentence[len(name) :] if name in names else sentence


def _link_row(row: Row, number: int, addresses: Mapping[str, str]) -> Row:
    cells = list(row.cells)
    if number < len(cells) and (address := addresses.get(cells[number].text)):
        cells[number] = replace(cells[number], address=address)
    return replace(row, cells=cells)


def values_of_test(
    comparison: Mapping[str, Any], digits: int, name: str = "{} = ", no_p: str = DASH
) -> tuple[Value, ...]:
    """Return a comparison's difference, interval, test, p, p (Holm), effect and its interval.

    Args:
        name: Format of the test's name before its value.
        no_p: Text in place of p if there was no test.
    """
    test, difference = comparison["test"], comparison["difference"]
    prefix = name.format(test["statistic"]) if "statistic" in test else ""
    return (
        Stat(difference, digits),
        Stat(difference.get("ci"), digits),
        Stat(test, 2, prefix),
        PValue(test.get("p"), no_p),
        PValue(test.get("p_holm"), no_p),
        Stat(comparison["effect"]),
        Stat(comparison["effect"].get("ci")),
    )


def format_ends(interval: Sequence[float] | None, digits: int) -> str:
    """Return the ends of an interval, such as "1.5 to 2.0", or a dash without one."""
    return " to ".join(f"{end:.{digits}f}" for end in interval or ()) or DASH


def figure_key(section: str, measure: str, item: str) -> str:
    """Return the key (a slug) of the figure with the same estimates as a study's table."""
    return "-".join(filter(None, (section, measure, item.replace(".", "-"))))


def roles_figure_key(section: str, measure: str) -> str:
    """Return the key of the figure with a measure's estimates by role."""
    return f"{section}-{measure}-by-role"


def tables_to_json(tables: Iterable[ResultTable]) -> list[dict[str, Any]]:
    """Return the tables as JSON-shaped data, which `tables_from_json` reads."""
    return [
        {name: getattr(table, name) for name in STORED_FIELDS}
        | {
            "headers": [column.header for column in table.columns],
            "rows": [[list(row.texts()), row.style] for row in table.rows],
            "notes": list(table.notes.sentences),
        }
        for table in tables
    ]


def tables_from_json(stored: Iterable[Mapping[str, Any]]) -> list[ResultTable]:
    """Return the tables that `tables_to_json` stored, also in an older version."""
    tables = []
    for data in stored:
        table = ResultTable(**{name: data[name] for name in STORED_FIELDS if name in data})
        for texts, style in data["rows"]:
            table.add(*texts, style=style)
        table.note(*data["notes"])
        tables.append(table)
    return tables
