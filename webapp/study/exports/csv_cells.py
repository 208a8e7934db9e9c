"""Values as cells of a CSV file that no spreadsheet takes for a formula, and back.

A text that begins like a formula (= + - @, tab, line ends, their full-width forms) or with an
apostrophe gets an apostrophe in front: whoever reads strips one leading apostrophe, always. Numbers
are no text: -0.5 stays -0.5.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from math import isfinite
from typing import Any

RISKY = tuple("=+-@\t\r\n'＝＋－＠")


def cell(value: Any) -> str:
    """A value as it is written; None is empty and so is "", 0 is 0."""
    if value is None:
        return ""
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, datetime):
        return stamp(value)
    if isinstance(value, int) or (isinstance(value, float | Decimal) and isfinite(value)):
        return str(value)
    text = str(value)
    return "'" + text if text.startswith(RISKY) else text


def unguarded(text: str) -> str:
    """The text that `cell` wrote."""
    return text[1:] if text.startswith("'") else text


def stamp(at: datetime) -> str:
    """ISO-8601 in UTC, to the millisecond: 2026-03-01T09:30:00.000Z."""
    plain = at.astimezone(UTC).replace(tzinfo=None)
    return plain.isoformat(timespec="milliseconds") + "Z"


def cells(values: Iterable[Any]) -> tuple[str, ...]:
    return tuple(map(cell, values))


def table(columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> bytes:
    """A CSV file (RFC 4180, UTF-8) with a line of headings."""
    return written(columns, map(cells, rows))


def written(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """The same of rows that are cells already."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue().encode()
