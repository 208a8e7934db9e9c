"""Order of a rater's units: repeats late and separated, checks spread over the pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from game.engine.seeded_random import SeededRandom


@dataclass(frozen=True)
class PlannedUnit:
    """One page of a rater."""

    unit: int
    is_repeat: bool = False
    is_check: bool = False


def arrange_units(
    units: Sequence[int], repeats: int, checks: Sequence[int], rng: SeededRandom, purpose: str
) -> list[PlannedUnit]:
    """Return a rater's pages in order.

    The units are shuffled. Repeats of units of the first half are in the second half, with other
    units in between. Checks are at even distances and never first.

    Args:
        repeats: The number of repeats, at most half of the number of units.
    """
    shuffled = rng.shuffled(f"{purpose}/order", units)
    ordered = _with_repeats(shuffled, min(repeats, len(shuffled) // 2), rng, purpose)
    return _with_checks(ordered, rng.shuffled(f"{purpose}/checks", checks)) if ordered else []


def _with_repeats(
    units: Sequence[int], count: int, rng: SeededRandom, purpose: str
) -> list[PlannedUnit]:
    repeated_units = rng.sample(f"{purpose}/repeats", units[: len(units) // 2], count)
    step = max(1, len(units) // 3 // max(1, count))
    repeats_by_position = {
        len(units) - 1 - (count - 1 - k) * step: unit for k, unit in enumerate(repeated_units)
    }
    ordered: list[PlannedUnit] = []
    for position, unit in enumerate(units):
        ordered.append(PlannedUnit(unit))
        if position in repeats_by_position:
            ordered.append(PlannedUnit(repeats_by_position[position], is_repeat=True))
    return ordered


def _with_checks(ordered: list[PlannedUnit], checks: Sequence[int]) -> list[PlannedUnit]:
    result = list(ordered)
    for number, unit in reversed(list(enumerate(checks, 1))):
        position = max(1, round(number * len(ordered) / (len(checks) + 1)))
        result.insert(position, PlannedUnit(unit, is_check=True))
    return result
