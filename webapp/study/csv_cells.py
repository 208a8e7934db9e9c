"""Formats values as CSV cells that no spreadsheet reads as a formula, and restores the texts.

Some spreadsheets also split cells at semicolons, tabs or line ends. So a text may look like a
formula at its beginning and after each of these separators. At these positions `format_cell`
inserts an apostrophe before

- = + - @ and their full-width forms, also after spaces and quotation marks;
- an apostrophe, so that the text can be restored exactly;
- a tab or line end at the beginning of the text.

`restore_text` removes one apostrophe at the beginning and after each separator. Numbers are not
text: -0.5 stays -0.5.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from math import isfinite
from typing import Any

_START = r"(?:\A|(?<=[;\t\r\n]))"
_RISKY = re.compile(rf"""{_START}(?='|[ "]*[=+\-@＝＋－＠])|\A(?=[\t\r\n])""")
# A replacement by the first group restores a text, in Python and in R.
GUARD_PATTERN = r"(^|[;\t\r\n])'"


def format_cell(value: Any) -> str:
    """Return a value as the text of a cell. None and "" are empty, 0 is "0"."""
    if value is None:
        return ""
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, datetime):  # as 2026-03-01T09:30:00.000Z
        naive = value.astimezone(UTC).replace(tzinfo=None)
        return naive.isoformat(timespec="milliseconds") + "Z"
    if isinstance(value, int) or (isinstance(value, float | Decimal) and isfinite(value)):
        return str(value)
    return _RISKY.sub("'", str(value))


def restore_text(text: str) -> str:
    """Return the original text of a cell that `format_cell` wrote."""
    return re.sub(GUARD_PATTERN, r"\1", text)


def json_cell(data: Any) -> str:
    """Return data as the JSON text of a cell, "" for empty data."""
    if data in (None, {}, []):
        return ""
    return json.dumps(data, ensure_ascii=False, sort_keys=True)


def format_cells(values: Iterable[Any]) -> tuple[str, ...]:
    """Return the values as the texts of cells."""
    return tuple(map(format_cell, values))


def csv_table(columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> bytes:
    """Return a CSV file (RFC 4180, UTF-8) with a line of column names."""
    return csv_of_cells(columns, map(format_cells, rows))


def csv_of_cells(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """Return a CSV file of rows that `format_cells` has formatted."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(format_cells(columns))
    for row in rows:
        assert len(row) == len(columns), columns
        writer.writerow(row)
    return out.getvalue().encode()
