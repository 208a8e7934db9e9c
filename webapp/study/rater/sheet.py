"""What one page asks: the words, and for every question one scale, or two side by side.

Fields are called slot/dimension, the slot by where the words stand ("a" left or alone, "b" right)
and never by where they come from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from webapp.study import units
from webapp.study.instruments import Dimension
from webapp.study.models import Assignment
from webapp.study.shown import SLOTS, Entry, Shown, Side


@dataclass(frozen=True)
class Field:
    """One scale: where its value belongs."""

    name: str
    slot: str
    stimulus: int
    dimension: Dimension


def fields(assignment: Assignment) -> dict[str, Field]:
    """Everything the assignment asks for, by name, in the order of the page."""
    unit = assignment.unit
    stimuli = sorted(unit.stimuli.all(), key=lambda s: s.place, reverse=assignment.swapped)
    slots = list(zip(SLOTS, stimuli, strict=False))
    return {
        f"{slot}/{dimension.key}": Field(f"{slot}/{dimension.key}", slot, s.pk, dimension)
        for dimension in units.dimensions(unit)
        for slot, s in slots
    }


def stated(assignment: Assignment, asked: Mapping[str, Field]) -> dict[str, int]:
    """The values last stated, by field."""
    names = {(f.stimulus, f.dimension.key): name for name, f in asked.items()}
    rows = assignment.ratings.values_list("stimulus", "dimension", "value")
    values = {names.get((stimulus, key), ""): value for stimulus, key, value in rows}
    return {name: values[name] for name in asked if name in values}


@dataclass(frozen=True)
class Scale:
    """A row of buttons."""

    field: Field
    value: int | None
    side: str  # what it rates, in words; "" where there is only one

    @property
    def id(self) -> str:
        return f"{self.field.slot}-{self.field.dimension.key}"

    @property
    def wide(self) -> bool:
        return len(self.field.dimension.values) > 7


@dataclass(frozen=True)
class Question:
    dimension: Dimension
    scales: tuple[Scale, ...]


class Sheet:
    """An assignment as a page shows it."""

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self.asked = fields(assignment)
        self.values = stated(assignment, self.asked)

    @cached_property
    def shown(self) -> Shown:
        return units.shown(self.assignment.unit, swapped=self.assignment.swapped)

    @property
    def context(self) -> tuple[Entry, ...]:
        return self.shown.context

    @property
    def sides(self) -> tuple[Side, ...]:
        return self.shown.sides

    @property
    def pair(self) -> bool:
        return len(self.shown.sides) > 1

    @property
    def whole(self) -> bool:
        """Whether a player or a game is rated, not words that stand by themselves."""
        return not any(side.text for side in self.shown.sides)

    @property
    def questions(self) -> list[Question]:
        found: dict[str, list[Scale]] = {}
        for name, field in self.asked.items():
            side = field.slot.upper() if self.pair else ""
            scale = Scale(field, self.values.get(name), side)
            found.setdefault(field.dimension.key, []).append(scale)
        return [Question(scales[0].field.dimension, tuple(scales)) for scales in found.values()]

    @property
    def keys(self) -> tuple[int, int]:
        """The first and the last digit that rates; values above have no key."""
        values = [v for field in self.asked.values() for v in field.dimension.values if v <= 9]
        return min(values, default=1), max(values, default=5)

    @property
    def missing(self) -> list[str]:
        """What has no value yet, in words."""
        return missing(self.asked, self.values)


def missing(asked: Mapping[str, Field], values: Mapping[str, int]) -> list[str]:
    """The questions without a value, in words."""
    pair = len({f.slot for f in asked.values()}) > 1
    return [
        f"{f.dimension.label} ({f.slot.upper()})" if pair else f.dimension.label
        for name, f in asked.items()
        if name not in values
    ]
