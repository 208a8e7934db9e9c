"""The papers' means of ratings by the same instruments, to show beside ours.

Only means are published: no spread, no interval, no count of ratings. They are shown, never
compared by a test. `is_comparable` decides which may share a column with ours. The others have
their own table, with their scale and their judge.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypedDict

from webapp.lab.published import PUBLISHED


class PublishedMeans(TypedDict):
    """A paper's table of means, with the facts about it."""

    paper: str  # its name, and its title in parentheses
    table: str  # such as "Table 7"
    judged_by: str  # "people" | "language model" | "not stated"
    scale: tuple[int, int]
    ranks: bool  # mean ranks: raters ordered all players of a game, `scale[1]` is the first
    digits: int  # decimals in the paper
    raters: int | None  # None: not stated
    note: str
    systems: dict[str, str]  # key -> label
    means: dict[str, dict[str, float]]  # key of a dimension -> key of a system -> mean


IMPRESSIONS = (
    "Impressions (Influence of Utterance Impressions on Decision-Making in LLM-to-LLM Discussions)"
)
GUARDED_ITEMS = ("individuality", "naturalness", "interest", "deceiving", "closing")
# Of the columns A to F of the contests' tables. Five seats have only A to E.
CONTEST_ITEMS = ("expression", "context", "coherency", "action", "diversity", "teamplay")
EXPERIENCE_ITEMS = ("engagement", "wonder", "attraction")
EXPERIENCE_METHODS = ("Baseline", "B5P", "Favor", "Strategy", "Full")


def paper_name(published: PublishedMeans) -> str:
    """Return the paper's name without its title, such as "Guarded"."""
    return published["paper"].partition(" (")[0]


def table_key(published: PublishedMeans) -> str:
    """Return the key of our table of the same means, such as "table-guarded-7"."""
    return f"table-{paper_name(published)}-{published['table'].removeprefix('Table ')}".lower()


def _read_means(
    paper: str, table: str, items: Mapping[str, str], systems: Mapping[str, str]
) -> dict[str, dict[str, float]]:
    """Return item -> system -> published mean. Either of them may have the table's rows.

    Args:
        items, systems: Name in the paper's table -> our key.
    """
    values: dict[tuple[str, str], float] = {}
    for cell in PUBLISHED:
        if (cell.paper, cell.table) == (paper, table):
            values[cell.row, cell.column] = values[cell.column, cell.row] = cell.value
    return {
        item: {system: values[item_name, name] for name, system in systems.items()}
        for item_name, item in items.items()
    }


def _contest_ranks(table: str, seats: int, note: str) -> PublishedMeans:
    teams = {cell.row: cell.row for cell in PUBLISHED if cell.variant == f"{seats} seats"}
    items = dict(zip("ABCDEF" if seats > 5 else "ABCDE", CONTEST_ITEMS, strict=False))
    return {
        "paper": IMPRESSIONS,
        "table": table,
        "judged_by": "not stated",
        "scale": (1, seats),
        "ranks": True,
        "digits": 3,
        "raters": None,
        "note": note,
        "systems": teams,
        "means": _read_means("impressions", table, items, teams),
    }


MEANS_BY_INSTRUMENT: dict[str, PublishedMeans] = {
    "guarded": {
        "paper": "Guarded (An Implementation of Werewolf Agent That does not Truly Trust LLMs)",
        "table": "Table 7",
        "judged_by": "people",
        "scale": (1, 5),
        "ranks": False,
        "digits": 2,
        "raters": 10,
        "note": "Five cases for individuality, naturalness and interest, two for deceiving, three "
        "for closing.",
        "systems": {"vanilla": "Vanilla LLM", "theirs": "Their agent"},
        "means": _read_means(
            "guarded",
            "Table 7",
            {item.capitalize(): item for item in GUARDED_ITEMS},
            {"Vanilla LLM": "vanilla", "Our Agent": "theirs"},
        ),
    },
    "contest-5": _contest_ranks(
        "Table 3",
        5,
        "Mean ranks at five seats, 5 best, items A to E. Eight teams met in games of five, "
        "where the mean of all ranks is 3.",
    ),
    "contest-13": _contest_ranks(
        "Table 4",
        13,
        "Mean ranks at thirteen seats, 13 best, items A to F. The published columns add "
        "up to 89.0–91.0, whole rankings to 91.",
    ),
    "engagement": {
        "paper": "Humanized (Humanized Agents: Personalized, Emotional, and Deceptive LLM Werewolf"
        " Players)",
        "table": "Table 8",
        "judged_by": "language model",
        "scale": (1, 10),
        "ranks": False,
        "digits": 2,
        "raters": None,
        "note": "A language model's scores from 1 to 10: five for each of 100 games, averaged.",
        "systems": {method.lower(): method for method in EXPERIENCE_METHODS},
        "means": _read_means(
            "humanized",
            "Table 8",
            {item.capitalize(): item for item in EXPERIENCE_ITEMS},
            {method: method.lower() for method in EXPERIENCE_METHODS},
        ),
    },
}


def is_comparable(published: PublishedMeans, dimension: Mapping[str, Any]) -> bool:
    """Return whether the published means of a dimension may share a column with ours.

    They may if both have the same scale, both or neither are ranks, and no language model judged.
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
