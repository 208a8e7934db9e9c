"""Marks for the tests and the benchmark of the statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from webapp.statistics.marks import Mark
from webapp.statistics.rating_results import compute_statistics

PLAIN: dict[str, Any] = {
    "dimension": "interest",
    "condition": "a",
    "low": 1,
    "high": 5,
    "status": "answered",
    "is_repeat": False,
    "is_attention": False,
    "passed": None,
    "presentation_index": 1,
    "active_ms": 9000,
    "excluded": False,
}


def mark(value: int | None = 3, **changes: Any) -> Mark:
    """Return an answered mark, or a skipped one if `value` is None, with changed `fields`."""
    fields = {"game": "g1", "unit": "u1", "rater": "r1", **PLAIN, "value": value, **changes}
    if value is None and "status" not in changes:
        fields["status"] = "skipped"
    fields.setdefault("moment", f"m-{fields['unit']}")
    fields.setdefault("assignment", f"{fields['rater']}-{fields['moment']}-{fields['is_repeat']}")
    return Mark(**fields)


def dimension(key: str = "interest", **changes: Any) -> dict[str, Any]:
    poles = {"low_pole": "dull", "high_pole": "gripping"}
    return {"key": key, "label": key.title(), **poles, "min": 1, "max": 5, "rank": False, **changes}


def campaign_marks(raters: int, units: int, dimensions: list[str], games: int = 20) -> list[Mark]:
    """Return raters x units x dimensions marks of two paired conditions with lenient raters."""
    rng = np.random.default_rng(7)
    quality, leniency = rng.normal(0, 0.7, units), rng.normal(0, 0.5, raters)
    marks = []
    for rater in range(raters):
        for position, unit in enumerate(rng.permutation(units).tolist()):
            for key in dimensions:
                intended = 3 + quality[unit] + leniency[rater] + 0.4 * (unit % 2) + rng.normal()
                marks.append(
                    mark(
                        int(np.clip(round(intended), 1, 5)),
                        rater=f"rater {rater:03}",
                        unit=f"unit {unit:03}",
                        moment=f"moment {unit // 2:03}",
                        game=f"game {unit // 2 % games:02}",
                        condition=("baseline", "full")[unit % 2],
                        dimension=key,
                        presentation_index=position + 1,
                        active_ms=int(rng.integers(2000, 20000)),
                    )
                )
    return marks


def dimension_result(marks: Sequence[Mark], **changes: Any) -> dict[str, Any]:
    """Return the results of the only dimension."""
    return compute_statistics(marks, [dimension(**changes)])["dimensions"][0]


def marks_of(rows: Sequence[Sequence[int | None]], **changes: Any) -> list[Mark]:
    """Return raters x units as marks, each unit in its own game."""
    return [
        mark(value, rater=f"r{rater}", unit=f"u{unit:02}", game=f"g{unit:02}", **changes)
        for rater, row in enumerate(rows)
        for unit, value in enumerate(row)
    ]
