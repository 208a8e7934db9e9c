"""Tables of results as LaTeX, Markdown and CSV, and as data that a database keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from webapp.statistics.reported_statistics import one_line
from webapp.study.csv_cells import csv_table
from webapp.study.results.result_table import ResultTable

LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "–": "--",
    "−": "$-$",
}
MARKDOWN = frozenset("\\`*_{}[]<>#|&~$")


def escape_latex(text: str) -> str:
    """Return the text with LaTeX's special characters escaped, on one line."""
    return "".join(LATEX.get(character, character) for character in one_line(text))


def escape_markdown(text: str) -> str:
    """Return the text with Markdown's special characters escaped, on one line."""
    return "".join(f"\\{one}" if one in MARKDOWN else one for one in one_line(text))


def latex(tables: Iterable[ResultTable]) -> str:
    """Return the tables as LaTeX. It needs the package booktabs."""
    return "\n".join(map(_latex, tables))


def _latex(table: ResultTable) -> str:
    alignment = "".join("r" if column.style == "num" else "l" for column in table.columns)
    lines = [r"\begin{table}", r"\centering", rf"\caption{{{escape_latex(table.title)}}}"]
    lines += [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule"]
    lines += [_latex_row(column.header for column in table.columns), r"\midrule"]
    lines += [_latex_row(row.texts()) for row in table.rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    sentences = [*filter(None, [table.help]), *table.notes.sentences]
    lines += [rf"\par\footnotesize {escape_latex(sentence)}" for sentence in sentences]
    return "\n".join([*lines, r"\end{table}", ""])


def _latex_row(texts: Iterable[str]) -> str:
    # Braced, because a leading "[" would be read as the argument of \\.
    first, *rest_texts = map(escape_latex, texts)
    return " & ".join([f"{{{first}}}", *rest_texts]) + r" \\"


def markdown(tables: Iterable[ResultTable]) -> str:
    """Return the tables as Markdown (GitHub's)."""
    return "\n".join(map(_markdown, tables))


def _markdown(table: ResultTable) -> str:
    rule = "|".join("---:" if column.style == "num" else "---" for column in table.columns)
    lines = [_markdown_row(column.header for column in table.columns), f"|{rule}|"]
    lines += [_markdown_row(row.texts()) for row in table.rows]
    notes = [f"- {escape_markdown(note)}" for note in table.notes.sentences]
    help_lines = [escape_markdown(table.help), ""] if table.help else []
    return "\n".join([f"### {table.title}", "", *help_lines, *lines, "", *notes, ""])


def _markdown_row(texts: Iterable[str]) -> str:
    return f"| {' | '.join(map(escape_markdown, texts))} |"


TABLE_CELLS = ("table", "row", "row_name", "column", "value")


def table_cells(tables: Iterable[ResultTable]) -> bytes:
    """Return all cells of the tables as one CSV, a cell a row.

    row: its number, from 1. row_name: its text columns, joined by " | ".
    """
    return csv_table(TABLE_CELLS, (cell for table in tables for cell in _cells_of(table)))


def _cells_of(table: ResultTable) -> Iterator[tuple[str, int, str, str, str]]:
    name_columns = table.text_columns if table.text_columns < len(table.columns) else 1
    for number, row in enumerate(table.rows, 1):
        texts = list(row.texts())
        name = " | ".join(texts[:name_columns])
        pairs = list(zip(table.columns, texts, strict=False))[name_columns:]
        for column, text in pairs:
            yield (table.key, number, name, column.header, text)


def as_data(tables: Iterable[ResultTable]) -> list[dict[str, Any]]:
    """Return the tables as JSON-shaped data, which `from_data` reads."""
    return [
        {
            "title": table.title,
            "headers": [column.header for column in table.columns],
            "text_columns": table.text_columns,
            "key": table.key,
            "help": table.help,
            "folded": table.folded,
            "figure": table.figure,
            "rows": [[list(row.texts()), row.style] for row in table.rows],
            "notes": list(table.notes.sentences),
        }
        for table in tables
    ]


def from_data(stored: Iterable[Mapping[str, Any]]) -> list[ResultTable]:
    """Return the tables that `as_data` described."""
    tables = []
    for data in stored:
        names = ("title", "headers", "text_columns", "key", "help", "folded", "figure")
        fields = {name: data[name] for name in names if name in data}
        table = ResultTable(**fields)
        for texts, style in data["rows"]:
            table.add(*texts, style=style)
        table.note(*data["notes"])
        tables.append(table)
    return tables
