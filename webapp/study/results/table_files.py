"""Renders result tables as LaTeX, Markdown and CSV for files, and their rows as HTML for pages.

Python renders the rows of a page, because a report has thousands of cells and the template language
takes a third of a millisecond for each.
"""

from collections.abc import Iterable, Iterator

from django.template import Library
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from webapp.statistics.reported_statistics import one_line
from webapp.study.csv_cells import csv_table
from webapp.study.results.result_table import Cell, ResultTable, Row

CELL_COLUMNS = ("table", "row", "row_name", "column", "value")
LATEX_ESCAPES = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "–": "--", "−": "$-$",
}  # fmt: skip
MARKDOWN_SPECIALS = frozenset("\\`*_{}[]<>#|&~$")
register = Library()


def escape_latex(text: str) -> str:
    """Return the text with LaTeX's special characters escaped, on one line."""
    return "".join(LATEX_ESCAPES.get(character, character) for character in one_line(text))


def escape_markdown(text: str) -> str:
    """Return the text with Markdown's special characters escaped, on one line."""
    return "".join(f"\\{c}" if c in MARKDOWN_SPECIALS else c for c in one_line(text))


def render_latex(tables: Iterable[ResultTable]) -> str:
    """Return the tables as LaTeX, which needs the package booktabs."""
    return "\n".join(map(_render_latex_table, tables))


def _render_latex_table(table: ResultTable) -> str:
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
    first, *other_cells = map(escape_latex, texts)
    return " & ".join([f"{{{first}}}", *other_cells]) + r" \\"


def render_markdown(tables: Iterable[ResultTable]) -> str:
    """Return the tables as GitHub-flavoured Markdown."""
    return "\n".join(map(_render_markdown_table, tables))


def _render_markdown_table(table: ResultTable) -> str:
    rule = "|".join("---:" if column.style == "num" else "---" for column in table.columns)
    lines = [_markdown_row(column.header for column in table.columns), f"|{rule}|"]
    lines += [_markdown_row(row.texts()) for row in table.rows]
    notes = [f"- {escape_markdown(note)}" for note in table.notes.sentences]
    help_lines = [escape_markdown(table.help), ""] if table.help else []
    return "\n".join(
        [f"### {escape_markdown(table.title)}", "", *help_lines, *lines, "", *notes, ""]
    )


def _markdown_row(texts: Iterable[str]) -> str:
    return f"| {' | '.join(map(escape_markdown, texts))} |"


def render_cells_csv(tables: Iterable[ResultTable]) -> bytes:
    """Return one CSV with a row of CELL_COLUMNS for each cell outside the text columns.

    `row` is the number of the cell's row, from 1. `row_name` has the row's text columns, joined by
    " | ".
    """
    rows: list[tuple[str, int, str, str, str]] = []
    for table in tables:
        name_columns = table.text_columns if table.text_columns < len(table.columns) else 1
        for number, row in enumerate(table.rows, 1):
            texts = list(row.texts())
            names = (table.key, number, " | ".join(texts[:name_columns]))
            cells = list(zip(table.columns, texts, strict=False))[name_columns:]
            rows += [(*names, column.header, text) for column, text in cells]
    return csv_table(CELL_COLUMNS, rows)


@register.simple_tag
def table_rows(table: ResultTable) -> SafeString:
    """Return the rows as HTML. The first cell of each is its header."""
    return mark_safe("\n".join(map(_render_row, table.rows)))  # _render_content escapes every text


def _render_row(row: Row) -> str:
    class_attribute = f' class="{escape(row.style)}"' if row.style else ""
    return f"<tr{class_attribute}>{''.join(_render_cells(row))}</tr>"


def _render_cells(row: Row) -> Iterator[str]:
    for number, cell in enumerate(row.cells):
        span = f' colspan="{cell.span}"' if cell.span > 1 else ""
        if number == 0:
            yield f'<th scope="row" dir="auto"{span}>{_render_content(cell)}</th>'
            continue
        style = f' class="{escape(cell.style)}"' if cell.style else ""
        direction = "" if cell.style == "num" else ' dir="auto"'
        yield f"<td{style}{direction}{span}>{_render_content(cell)}</td>"


def _render_content(cell: Cell) -> str:
    text: str = escape(cell.text)
    if cell.address:
        text = f'<a href="{escape(cell.address)}">{text}</a>'
    notes = "".join(f"&#8239;<sup>{note}</sup>" for note in cell.notes)
    flags = "".join(f'<span class="tag is-flag">{escape(flag)}</span>' for flag in cell.flags)
    return f"{text}{notes}{flags}"
