"""In which order a rater meets the units: repeats late and apart, checks spread over the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from game.engine.draws import Draws


@dataclass(frozen=True)
class Place:
    """One page of a rater's way."""

    unit: int
    is_repeat: bool = False
    is_check: bool = False


def arranged(
    units: Sequence[int], repeats: int, checks: Sequence[int], draws: Draws, purpose: str
) -> list[Place]:
    """The pages in order: `units` in a drawn order, `repeats` of the earlier half of them in the
    later half with something in between, `checks` at even distances, never first.

    Fewer repeats where there are too few units for them to lie apart.
    """
    mixed = draws.shuffled(f"{purpose}/order", units)
    way = _with_repeats(mixed, min(repeats, len(mixed) // 2), draws, purpose)
    return _with_checks(way, draws.shuffled(f"{purpose}/checks", checks)) if way else []


def _with_repeats(units: Sequence[int], count: int, draws: Draws, purpose: str) -> list[Place]:
    again = draws.sample(f"{purpose}/repeats", units[: len(units) // 2], count)
    step = max(1, len(units) // 3 // max(1, count))
    after = {len(units) - 1 - (count - 1 - k) * step: unit for k, unit in enumerate(again)}
    way: list[Place] = []
    for position, unit in enumerate(units):
        way.append(Place(unit))
        if position in after:
            way.append(Place(after[position], is_repeat=True))
    return way


def _with_checks(way: list[Place], checks: Sequence[int]) -> list[Place]:
    result = list(way)
    for number, unit in reversed(list(enumerate(checks, 1))):
        at = max(1, round(number * len(way) / (len(checks) + 1)))
        result.insert(at, Place(unit, is_check=True))
    return result
