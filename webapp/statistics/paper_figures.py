"""The papers' results for the same instruments, to show beside ours.

Only means are published: no spread, no interval, no count of ratings. They are shown, never
compared by a test. `is_comparable` decides which may share a column with ours. The others have
their own table, with their scale and their judge.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypedDict


class Published(TypedDict):
    """A paper's table of means, with the facts about it."""

    paper: str
    table: str
    judged_by: str  # "people" | "language model" | "not stated"
    scale: tuple[int, int]
    ranks: bool  # mean ranks: raters ordered all players of a game, `scale[1]` is the first
    digits: int  # decimals in the paper
    raters: int | None  # None: not stated
    note: str
    systems: dict[str, str]  # key -> label
    means: dict[str, dict[str, float]]  # key of a dimension -> key of a system -> mean


GUARDED = "Guarded (An Implementation of Werewolf Agent That does not Truly Trust LLMs)"
IMPRESSIONS = (
    "Impressions (Influence of Utterance Impressions on Decision-Making in LLM-to-LLM Discussions)"
)
HUMANIZED = (
    "Humanized (Humanized Agents: Personalized, Emotional, and Deceptive LLM Werewolf Players)"
)

# The columns of the following tables: the items A to F, of which five seats have A to E.
CONTEST_ITEMS = ("expression", "context", "coherency", "action", "diversity", "teamplay")

CONTEST_5_MEANS = {
    "CamelliaDragons": (3.125, 3.083, 2.875, 3.042, 3.125),
    "CanisLupus": (3.000, 2.875, 2.958, 2.417, 2.375),
    "Character-Lab": (3.667, 3.625, 3.375, 3.250, 3.083),
    "GPTaku": (2.536, 2.893, 3.071, 2.571, 3.179),
    "kanolab-nw": (3.125, 2.750, 2.875, 2.500, 2.667),
    "mille": (4.143, 4.250, 4.250, 4.357, 4.321),
    "sunamelli": (2.167, 2.083, 2.000, 2.250, 2.542),
    "yharada": (2.125, 2.250, 2.375, 3.333, 2.583),
}

CONTEST_13_MEANS = {
    "CamelliaDragons": (10.825, 12.875, 11.825, 12.725, 12.800, 12.750),
    "mille-A": (10.450, 10.725, 10.350, 10.050, 10.825, 10.400),
    "mille-B": (10.075, 10.850, 10.075, 10.425, 10.650, 10.950),
    "Character-Lab-A": (7.475, 7.825, 7.450, 8.350, 7.200, 7.900),
    "Character-Lab-B": (6.750, 6.800, 6.725, 7.300, 7.175, 7.000),
    "kanolab-nw-A": (6.175, 5.900, 6.300, 6.150, 4.825, 5.200),
    "kanolab-nw-B": (6.575, 6.900, 6.875, 6.925, 4.900, 7.175),
    "kanolab-nw-C": (7.275, 6.425, 7.000, 6.325, 4.675, 5.425),
    "CanisLupus-A": (6.075, 5.000, 4.875, 4.275, 5.175, 4.550),
    "CanisLupus-B": (5.525, 5.400, 5.675, 5.150, 6.425, 5.200),
    "sunamelli-a": (4.000, 4.375, 4.675, 4.675, 4.900, 5.000),
    "sunamelli-b": (3.950, 3.900, 4.175, 4.000, 5.500, 4.800),
    "sunamelli-c": (3.850, 3.900, 4.375, 4.650, 5.825, 4.600),
}

EXPERIENCE_ITEMS = ("engagement", "wonder", "attraction")
EXPERIENCE_MEANS = {
    "baseline": (8.38, 6.57, 9.11),
    "b5p": (8.83, 7.50, 9.14),
    "favor": (7.41, 5.78, 9.10),
    "strategy": (8.69, 8.05, 9.16),
    "full": (8.73, 7.72, 9.07),
}


def _by_item(
    table: Mapping[str, tuple[float, ...]], items: Sequence[str] = CONTEST_ITEMS
) -> dict[str, dict[str, float]]:
    """Return a table (system -> means of `items`) as item -> system -> mean."""
    width = len(next(iter(table.values())))
    return {
        item: {system: row[index] for system, row in table.items()}
        for index, item in enumerate(items[:width])
    }


PUBLISHED: dict[str, Published] = {
    "guarded": {
        "paper": GUARDED,
        "table": "Table 7",
        "judged_by": "people",
        "scale": (1, 5),
        "ranks": False,
        "digits": 2,
        "raters": 10,
        "note": "Five cases for individuality, naturalness and interest, two for deceiving, three "
        "for closing.",
        "systems": {"vanilla": "Vanilla LLM", "theirs": "Their agent"},
        "means": {
            "individuality": {"vanilla": 2.52, "theirs": 4.54},
            "naturalness": {"vanilla": 4.28, "theirs": 3.60},
            "interest": {"vanilla": 2.46, "theirs": 3.72},
            "deceiving": {"vanilla": 1.95, "theirs": 4.00},
            "closing": {"vanilla": 2.90, "theirs": 3.90},
        },
    },
    "contest-5": {
        "paper": IMPRESSIONS,
        "table": "Table 3",
        "judged_by": "not stated",
        "scale": (1, 5),
        "ranks": True,
        "digits": 3,
        "raters": None,
        "note": "Mean ranks at five seats, 5 best, items A to E. Eight teams met in games of five, "
        "where the mean of all ranks is 3.",
        "systems": {team: team for team in CONTEST_5_MEANS},
        "means": _by_item(CONTEST_5_MEANS),
    },
    "contest-13": {
        "paper": IMPRESSIONS,
        "table": "Table 4",
        "judged_by": "not stated",
        "scale": (1, 13),
        "ranks": True,
        "digits": 3,
        "raters": None,
        "note": "Mean ranks at thirteen seats, 13 best, items A to F. The published columns add "
        "up to 89.0–91.0, whole rankings to 91.",
        "systems": {team: team for team in CONTEST_13_MEANS},
        "means": _by_item(CONTEST_13_MEANS),
    },
    "experience": {
        "paper": HUMANIZED,
        "table": "Table 8",
        "judged_by": "language model",
        "scale": (1, 10),
        "ranks": False,
        "digits": 2,
        "raters": None,
        "note": "A language model's scores from 1 to 10: five for each of 100 games, averaged.",
        "systems": {
            "baseline": "Baseline",
            "b5p": "B5P",
            "favor": "Favor",
            "strategy": "Strategy",
            "full": "Full",
        },
        "means": _by_item(EXPERIENCE_MEANS, EXPERIENCE_ITEMS),
    },
}


def is_comparable(published: Published, dimension: Mapping[str, Any]) -> bool:
    """Return whether the published means of a dimension may share a column with ours.

    They may if both have the same scale, both or neither are ranks, and no language model judged.
    """
    scale = [int(dimension["min"]), int(dimension["max"])]
    has_same_scale = scale == list(published["scale"])  # a list if it was stored as JSON
    has_same_ranks = bool(dimension.get("rank")) == published.get("ranks")
    return has_same_scale and has_same_ranks and published["judged_by"] != "language model"


def select_items(published: Published, keys: Collection[str]) -> Published | None:
    """Return the published figures of these dimensions only, None if there are none."""
    means = {key: row for key, row in published["means"].items() if key in keys}
    return {**published, "means": means} if means else None


def format_published_means(published: Published, key: str) -> list[tuple[str, str]]:
    """Return (system, mean) of a dimension, as the paper prints them."""
    systems, digits = published["systems"], published["digits"]
    means = published["means"].get(key, {})
    return [(systems[system], f"{mean:.{digits}f}") for system, mean in means.items()]
