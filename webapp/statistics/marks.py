"""The input of the statistics: one row per rating of one dimension, or per missing rating.

The answered marks of a dimension become arrays, so that sums over thousands of ratings are quick.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

STATUSES = ("answered", "skipped", "not_reached", "timed_out")
MISSING = STATUSES[1:]

Numbers = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Mark:
    """One rating of one dimension, or a missing one.

    `unit` is the rated thing: an utterance, a player over a game, a game, one side of a pair.
    Raters of the same unit overlap. The two sides of a pair have different `unit`s and one
    `moment`. Games with the same `deal` have the same roles on all seats; "" is a deal of the
    game's own. `seat`, `role`, `team` and `out` are of the player whose statement or play was
    rated, `winner` is the game's; None and "" if there is none. `active_ms` is the time spent on
    the whole assignment, the same on each of its marks.

    Raises ValueError if status and value contradict each other or the value is off its scale.
    """

    assignment: str
    unit: str
    moment: str
    game: str
    condition: str
    rater: str
    dimension: str
    low: int
    high: int
    value: int | None  # None unless status == "answered"
    status: str  # answered | skipped | not_reached | timed_out
    is_repeat: bool
    is_attention: bool
    passed: bool | None
    presentation_index: int
    active_ms: int | None
    excluded: bool
    deal: str = ""
    seat: int | None = None
    role: str = ""
    team: str = ""
    winner: str = ""
    out: str = ""

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"{self.assignment}: no such status: {self.status}")
        if (self.value is not None) != (self.status == "answered"):
            raise ValueError(f"{self.assignment}: {self.status} with the value {self.value}")
        if self.value is not None and not self.low <= self.value <= self.high:
            raise ValueError(f"{self.assignment}: {self.value} is not in {self.low}…{self.high}")


def in_order(marks: Iterable[Mark]) -> list[Mark]:
    """Sort the marks by their own values, so that the input order never matters."""
    return sorted(marks, key=_sort_key)


def _sort_key(mark: Mark) -> tuple[Any, ...]:
    where = (mark.game, mark.moment, mark.unit, mark.rater, mark.dimension)
    when = (mark.presentation_index, mark.assignment, mark.condition, mark.status)
    rest = (mark.low, mark.high, mark.is_repeat, mark.is_attention, mark.excluded)
    # None sorts before every number and every truth value.
    maybe = (_maybe(mark.value), _maybe(mark.passed), _maybe(mark.active_ms))
    return (*where, *when, *rest, *maybe)


def _maybe(value: int | None) -> int:
    return -(2**62) if value is None else int(value)


def first_shown(marks: Iterable[Mark]) -> list[Mark]:
    """Return the marks of units rated for the first time: no repeat, check or excluded mark.

    Means, agreement, comparisons and missingness use these.
    """
    return [mark for mark in marks if not (mark.is_repeat or mark.is_attention or mark.excluded)]


def once(marks: Sequence[Mark]) -> list[Mark]:
    """Return the answered `marks`, one for each unit, rater and dimension: the earliest shown.

    `marks` must be in order (`in_order`), so that the result does not depend on the input order.
    """
    first_marks: dict[tuple[str, str, str, str], Mark] = {}
    for mark in sorted(marks, key=lambda mark: mark.presentation_index):
        if mark.value is not None:
            first_marks.setdefault((mark.game, mark.unit, mark.rater, mark.dimension), mark)
    return list(first_marks.values())


@dataclass(frozen=True)
class Columns:
    """n ratings as arrays.

    It has their values, and for each its condition, deal, game, moment, unit and rater as codes
    0…k-1 into the sorted names. Units and moments of different games are distinct. Deals have the
    order of their first games, so if no two games share a deal, deal codes equal game codes.
    """

    values: Numbers
    condition: Codes
    deal: Codes
    game: Codes
    moment: Codes
    unit: Codes
    rater: Codes
    conditions: Sequence[str]

    def of(self, chosen: NDArray[np.bool_]) -> Columns:
        """Return only the chosen ratings.

        Codes are made dense again, except those of conditions.
        """
        return Columns(
            self.values[chosen],
            self.condition[chosen],
            dense(self.deal[chosen]),
            dense(self.game[chosen]),
            dense(self.moment[chosen]),
            dense(self.unit[chosen]),
            dense(self.rater[chosen]),
            self.conditions,
        )


def columns(marks: Sequence[Mark], conditions: Sequence[str]) -> Columns:
    """Return arrays of answered marks of one dimension. `conditions`: all names, sorted."""
    number = {name: code for code, name in enumerate(conditions)}
    first: dict[str, str] = {}  # deal -> its first game
    for mark in marks:
        deal = mark.deal or mark.game
        first[deal] = min(mark.game, first.get(deal, mark.game))
    return Columns(
        np.array([mark.value for mark in marks], dtype=np.float64),
        np.array([number[mark.condition] for mark in marks], dtype=np.intp),
        _codes(first[mark.deal or mark.game] for mark in marks),
        _codes(mark.game for mark in marks),
        _codes((mark.game, mark.moment) for mark in marks),
        _codes((mark.game, mark.unit) for mark in marks),
        _codes(mark.rater for mark in marks),
        conditions,
    )


def _codes(names: Iterable[Hashable]) -> Codes:
    listed = list(names)
    number = {name: code for code, name in enumerate(sorted(set(listed)))}  # type: ignore[type-var]
    return np.array([number[name] for name in listed], dtype=np.intp)


def dense(codes: Codes) -> Codes:
    """Return the same groups, numbered 0…k-1 in the same order."""
    return np.unique(codes, return_inverse=True)[1].astype(np.intp)


def how_many(codes: Codes) -> int:
    """Return the number of groups in dense codes."""
    return int(codes.max()) + 1 if len(codes) else 0


def means(values: Numbers, groups: Codes) -> Numbers:
    """Return the mean of each group 0…k-1. Every group must have a value."""
    return np.bincount(groups, weights=values) / np.bincount(groups)
