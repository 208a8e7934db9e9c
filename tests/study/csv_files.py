"""Rows of the CSV files that studies export."""

from __future__ import annotations

import csv
import io

from webapp.study.csv_cells import restore_text
from webapp.study.data import campaign_export as data
from webapp.study.models import Campaign


def read_csv(content: bytes) -> list[dict[str, str]]:
    """Return the rows of a CSV file with unguarded texts."""
    rows = csv.DictReader(io.StringIO(content.decode(), newline=""))
    return [{k: restore_text(v) for k, v in row.items()} for row in rows]


def ratings_long(campaign: Campaign) -> list[dict[str, str]]:
    return read_csv(data.build_file(campaign, "ratings_long.csv"))
