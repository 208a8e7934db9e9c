"""Values as cells of a CSV file that no spreadsheet takes for a formula, and back.

Some spreadsheets part cells at semicolons, tabs or line ends too. So a text may look like a formula
where it begins, and behind each of these separators. There an apostrophe is put in front of

- = + - @ and their full-width forms, also behind spaces and quotation marks;
- an apostrophe, so that the way back is certain;
- a tab or line end with which the text begins.

Whoever reads takes one apostrophe away at the beginning and behind each separator (`unguarded`).
Numbers are no text: -0.5 stays -0.5.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from math import isfinite
from typing import Any

_START = r"(?:\A|(?<=[;\t\r\n]))"
_RISKY = re.compile(rf"""{_START}(?='|[ "]*[=+\-@＝＋－＠])|\A(?=[\t\r\n])""")
READ_BACK = r"(^|[;\t\r\n])'"  # becomes its first group; the same in Python and R


def cell(value: Any) -> str:
    """Return a value as it is written.

    None is empty and so is "", 0 is 0.
    """
    if value is None:
        return ""
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, datetime):
        return stamp(value)
    if isinstance(value, int) or (isinstance(value, float | Decimal) and isfinite(value)):
        return str(value)
    return _RISKY.sub("'", str(value))


def unguarded(text: str) -> str:
    """Return the text that `cell` wrote."""
    return re.sub(READ_BACK, r"\1", text)


def stamp(at: datetime) -> str:
    """ISO-8601 in UTC, to the millisecond: 2026-03-01T09:30:00.000Z."""
    naive = at.astimezone(UTC).replace(tzinfo=None)
    return naive.isoformat(timespec="milliseconds") + "Z"


def cells(values: Iterable[Any]) -> tuple[str, ...]:
    return tuple(map(cell, values))


def table(columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> bytes:
    """Return a CSV file (RFC 4180, UTF-8) with a line of headings."""
    return written(columns, map(cells, rows))


def written(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """Return the same of rows that are cells already."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(cells(columns))
    writer.writerows(rows)
    return out.getvalue().encode()
