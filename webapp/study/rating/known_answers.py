"""Units with a known answer: practice units with feedback before the ratings, and gold items.

Such a unit is withdrawn from the ratings and assigned to every rater, outside the quotas.
`Unit.known_answers` (`answer_key`) is {"ranges": {"<place>/<dimension>": [min, max]}, "why": text}.
The place is `Stimulus.place`. A dimension without a range accepts every value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PRACTICE, GOLD = "practice", "gold"  # of `Unit.use`


def correct_range(
    answer_key: Mapping[str, Any], stimulus_place: int, dimension: str
) -> tuple[int, int] | None:
    """Return (min, max) of the correct values, None if every value is correct."""
    limits = answer_key.get("ranges", {}).get(f"{stimulus_place}/{dimension}")
    return (limits[0], limits[1]) if limits else None


def are_correct(
    answer_key: Mapping[str, Any], stimulus_place: int, values: Mapping[str, int]
) -> bool:
    """Return whether all values (by dimension) of the stimulus at that place are correct."""
    ranges = ((correct_range(answer_key, stimulus_place, d), value) for d, value in values.items())
    return all(limits is None or limits[0] <= value <= limits[1] for limits, value in ranges)
