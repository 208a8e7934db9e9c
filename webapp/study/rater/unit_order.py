"""The order of a rater's units: repeats late and separated, checks spread over the pages."""

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
    """Return the pages in order.

    `units` are in a drawn order. `repeats` of the first half are in the second half, with other
    units in between. `checks` are at even distances, never first. There are fewer repeats if there
    are too few units between them.
    """
    mixed = rng.shuffled(f"{purpose}/order", units)
    ordered = _with_repeats(mixed, min(repeats, len(mixed) // 2), rng, purpose)
    return _with_checks(ordered, rng.shuffled(f"{purpose}/checks", checks)) if ordered else []


def _with_repeats(
    units: Sequence[int], count: int, rng: SeededRandom, purpose: str
) -> list[PlannedUnit]:
    again = rng.sample(f"{purpose}/repeats", units[: len(units) // 2], count)
    step = max(1, len(units) // 3 // max(1, count))
    after = {len(units) - 1 - (count - 1 - k) * step: unit for k, unit in enumerate(again)}
    ordered: list[PlannedUnit] = []
    for position, unit in enumerate(units):
        ordered.append(PlannedUnit(unit))
        if position in after:
            ordered.append(PlannedUnit(after[position], is_repeat=True))
    return ordered


def _with_checks(ordered: list[PlannedUnit], checks: Sequence[int]) -> list[PlannedUnit]:
    result = list(ordered)
    for number, unit in reversed(list(enumerate(checks, 1))):
        at = max(1, round(number * len(ordered) / (len(checks) + 1)))
        result.insert(at, PlannedUnit(unit, is_check=True))
    return result
