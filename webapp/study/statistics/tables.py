"""The results as tables for a paper: LaTeX (booktabs) and Markdown, from the same cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from webapp.study.statistics.cells import Table, tables
from webapp.study.statistics.outcomes import one_line
from webapp.study.statistics.published import Published


def latex(results: Mapping[str, Any], published: Published | None = None) -> str:
    """The tables as LaTeX; needs the package booktabs."""
    return "\n".join(_latex(table) for table in tables(results, published))


def _latex(table: Table) -> str:
    columns = "l" * table.numeric + "r" * (len(table.head) - table.numeric)
    lines = [r"\begin{table}", r"\centering", rf"\caption{{{escape_latex(table.title)}}}"]
    lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _latex_row(table.head), r"\midrule"]
    lines += [_latex_row(row) for row in table.rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par\footnotesize {escape_latex(note)}" for note in table.notes]
    return "\n".join([*lines, r"\end{table}", ""])


def _latex_row(cells: Sequence[str]) -> str:
    # Braced: a row that begins with "[" would otherwise be read as \\'s own argument.
    escaped = [escape_latex(cell) for cell in cells]
    return " & ".join([f"{{{escaped[0]}}}", *escaped[1:]]) + r" \\"


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


def escape_latex(text: str) -> str:
    """The text with LaTeX's special characters made harmless, on one line."""
    return "".join(LATEX.get(character, character) for character in one_line(text))


def markdown(results: Mapping[str, Any], published: Published | None = None) -> str:
    """The tables as Markdown (GitHub's)."""
    return "\n".join(_markdown(table) for table in tables(results, published))


def _markdown(table: Table) -> str:
    rule = ["---"] * table.numeric + ["---:"] * (len(table.head) - table.numeric)
    rows = [table.head, rule, *table.rows]
    lines = [_markdown_row(row) if row is not rule else f"|{'|'.join(rule)}|" for row in rows]
    notes = [f"- {escape_markdown(note)}" for note in table.notes]
    return "\n".join([f"### {table.title}", "", *lines, "", *notes, ""])


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(escape_markdown(cell) for cell in cells)} |"


MARKDOWN = frozenset("\\`*_{}[]<>#|&~$")


def escape_markdown(text: str) -> str:
    """The text with Markdown's special characters escaped, on one line."""
    return "".join(f"\\{one}" if one in MARKDOWN else one for one in one_line(text))
