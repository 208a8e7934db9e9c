"""The template tag for the rows of a `ResultTable`.

Python renders the rows, because a report has thousands of cells and the template language takes a
third of a millisecond for each.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.template import Library
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from webapp.study.results.result_table import Cell, ResultTable, Row

register = Library()


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
