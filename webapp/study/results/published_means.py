"""The papers' evaluations: means of ratings by the same instruments as ours, and other tables.

Only means are published: no spread, no interval, no count of ratings. They are shown, never
compared by a test. `is_comparable` decides which may share a column with ours. The others have
their own table, with their scale and their judge.
"""

from collections.abc import Collection, Mapping
from typing import Any, TypedDict

from webapp.lab.published import PAPER_TITLES, find_cells
from webapp.study.toml_files import read_tables


class PublishedMeans(TypedDict):
    """A paper's table of means, with the facts about it."""

    paper: str  # name of the paper, and its title in parentheses
    table: str  # table in the paper, such as "Table 7"
    judged_by: str  # "people" | "language model" | "not stated"
    scale: tuple[int, int]
    ranks: bool  # mean ranks: raters ordered all players of a game, `scale[1]` is the first
    digits: int  # decimals in the paper
    raters: int | None  # None: not stated
    note: str
    systems: dict[str, str]  # key -> label
    means: dict[str, dict[str, float]]  # key of a dimension -> key of a system -> mean


def paper_name(published: PublishedMeans) -> str:
    """Return the paper's name without its title, such as "Guarded"."""
    return published["paper"].partition(" (")[0]


def table_key(published: PublishedMeans) -> str:
    """Return the key of our table of the same means, such as "table-guarded-7"."""
    return f"table-{paper_name(published)}-{published['table'].removeprefix('Table ')}".lower()


def _build_means(facts: Mapping[str, Any]) -> PublishedMeans:
    """Return the means of a table of `published_means.toml`, whose comment explains `facts`."""
    key, table = facts["paper"], facts["table"]
    cells = find_cells(key, table)
    # Either the items or the systems are the rows of the paper's table.
    values = {names: c.value for c in cells for names in ((c.row, c.column), (c.column, c.row))}
    systems: dict[str, str] = facts.get("systems") or {cell.row: cell.row for cell in cells}
    return {
        "paper": f"{key.capitalize()} ({PAPER_TITLES[key]})",
        "table": table,
        "judged_by": facts["judged_by"],
        "scale": tuple(facts["scale"]),
        "ranks": facts["ranks"],
        "digits": facts["digits"],
        "raters": facts.get("raters"),
        "note": facts["note"],
        "systems": systems | facts.get("labels", {}),
        "means": {
            item: {system: values[item_name, name] for system, name in systems.items()}
            for item, item_name in facts["items"].items()
        },
    }


_TABLES = read_tables(__file__, "published_means.toml")
MEANS_BY_INSTRUMENT = {instrument: _build_means(facts) for instrument, facts in _TABLES.items()}


def is_comparable(published: PublishedMeans, dimension: Mapping[str, Any]) -> bool:
    """Return whether the published means of a dimension may share a column with ours.

    The means may if both have the same scale, both or neither are ranks, and no language model
    judged.
    """
    scale = [int(dimension["min"]), int(dimension["max"])]
    has_same_scale = scale == list(published["scale"])  # a list if it was stored as JSON
    has_same_ranks = bool(dimension.get("rank")) == published.get("ranks")
    return has_same_scale and has_same_ranks and published["judged_by"] != "language model"


def select_items(published: PublishedMeans, keys: Collection[str]) -> PublishedMeans | None:
    """Return the published means of these dimensions only, None if there are none."""
    means = {key: row for key, row in published["means"].items() if key in keys}
    return {**published, "means": means} if means else None


def format_published_means(published: PublishedMeans, key: str) -> list[tuple[str, str]]:
    """Return (system, mean) of a dimension, as the paper prints them."""
    systems, digits = published["systems"], published["digits"]
    means = published["means"].get(key, {})
    return [(systems[system], f"{mean:.{digits}f}") for system, mean in means.items()]


# The papers' other evaluations: (paper, table, description). Impressions says "subjective
# evaluation" and does not state whether by people or by a model.
EVALUATIONS = (
    ("guarded", "Table 7", "ratings of utterances from 1 to 5 by ten people, blind"),
    ("impressions", "Table 3", "subjective evaluation, by whom is not stated: mean ranks of "
     "players at five seats, 5 the best"),
    ("impressions", "Table 4", "subjective evaluation, by whom is not stated: mean ranks of "
     "players at thirteen seats, 13 the best"),
)  # fmt: skip


def published_evaluations() -> list[dict[str, Any]]:
    """Return the tables of EVALUATIONS, with cells as printed."""
    tables = []
    for paper, table, description in EVALUATIONS:
        rows: dict[str, dict[str, str]] = {}
        for cell in find_cells(paper, table):
            rows.setdefault(cell.row, {})[cell.column] = cell.printed
        columns = list(dict.fromkeys(column for row in rows.values() for column in row))
        cells = [{"row": name, "cells": [*map(row.get, columns)]} for name, row in rows.items()]
        tables.append({"paper": paper.capitalize(), "table": table, "what": description,
                       "columns": columns, "rows": cells})  # fmt: skip
    return tables
