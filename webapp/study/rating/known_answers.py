"""Units of known answer: practice with feedback before the ratings, and gold items among them.

Such a unit is withdrawn from the ratings and assigned to every rater, outside the quotas.
`Unit.known` is {"ranges": {"<place>/<dimension>": [min, max]}, "why": text}. The place is that of
the text in its unit: 1, in pairs 1 and 2. A dimension without a range accepts every value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PRACTICE, GOLD = "practice", "gold"


def range_of(
    known_unit: Mapping[str, Any], stimulus_place: int, dimension: str
) -> tuple[int, int] | None:
    """Return (min, max) of the correct values, None if every value is correct."""
    limits = known_unit.get("ranges", {}).get(f"{stimulus_place}/{dimension}")
    return (limits[0], limits[1]) if limits else None


def are_expected(
    known_unit: Mapping[str, Any], stimulus_place: int, values: Mapping[str, int]
) -> bool:
    """Return whether all values of the text at that place are correct."""
    for dimension, value in values.items():
        limits = range_of(known_unit, stimulus_place, dimension)
        if limits and not limits[0] <= value <= limits[1]:
            return False
    return True
