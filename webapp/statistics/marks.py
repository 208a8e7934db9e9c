"""The input of the statistics: one `Mark` per rating of one dimension, or per missing rating.

The answered marks of a dimension become arrays (`Columns`), so that sums over thousands of ratings
are quick.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webapp.statistics.reported_statistics import Outcome, defined_share

STATUSES = ("answered", "skipped", "not_reached", "timed_out")
MISSING = STATUSES[1:]

Numbers = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Mark:
    """One rating of one dimension, or a missing one.

    Attributes:
        unit: The rated thing: an utterance, a player over a game, a game, one side of a pair.
        moment: What the unit answers: the two sides of a pair have the same moment.
        value: None unless the status is "answered".
        active_ms: Time spent on the whole assignment, the same on each of its marks.
        deal: Games with the same deal have the same roles on all seats; "" is the game's own deal.

    Raises:
        ValueError: Status and value contradict each other, or the value is off its scale.
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
    value: int | None
    status: str
    is_repeat: bool
    is_attention: bool
    passed: bool | None
    presentation_index: int
    active_ms: int | None
    excluded: bool
    deal: str = ""

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"{self.assignment}: no such status: {self.status}")
        if (self.value is not None) != (self.status == "answered"):
            raise ValueError(f"{self.assignment}: {self.status} with the value {self.value}")
        if self.value is not None and not self.low <= self.value <= self.high:
            raise ValueError(f"{self.assignment}: {self.value} is not in {self.low}…{self.high}")


def sort_marks(marks: Iterable[Mark]) -> list[Mark]:
    """Sort the marks by their own values, so that the input order never matters."""
    return sorted(marks, key=_sort_key)


def _sort_key(mark: Mark) -> tuple[Any, ...]:
    position = (mark.game, mark.moment, mark.unit, mark.rater, mark.dimension)
    time = (mark.presentation_index, mark.assignment, mark.condition, mark.status)
    facts = (mark.low, mark.high, mark.is_repeat, mark.is_attention, mark.excluded)
    optional = (mark.value, mark.passed, mark.active_ms)  # None is sorted first
    return (*position, *time, *facts, *((fact is not None, fact or 0) for fact in optional))


def select_counted(marks: Iterable[Mark]) -> list[Mark]:
    """Return the marks that are no repeat, no attention check and not excluded."""
    return [mark for mark in marks if not (mark.is_repeat or mark.is_attention or mark.excluded)]


def deduplicate(marks: Sequence[Mark]) -> list[Mark]:
    """Return one answered mark for each unit, rater and dimension: the earliest shown.

    The marks must be sorted by `sort_marks`, or the result would depend on the input order.
    """
    first_marks: dict[tuple[str, str, str, str], Mark] = {}
    for mark in sorted(marks, key=lambda mark: mark.presentation_index):
        if mark.value is not None:
            first_marks.setdefault((mark.game, mark.unit, mark.rater, mark.dimension), mark)
    return list(first_marks.values())


@dataclass(frozen=True)
class Columns:
    """n ratings as arrays: values, and codes of condition, deal, game, moment, unit and rater.

    Codes are 0…k-1, in the order of the sorted names. Units and moments of different games are
    distinct. Deals have the order of their first games: if no two games share a deal, deal codes
    equal game codes.
    """

    values: Numbers
    condition: Codes
    deal: Codes
    game: Codes
    moment: Codes
    unit: Codes
    rater: Codes
    conditions: Sequence[str]

    def select(self, chosen: NDArray[np.bool_]) -> "Columns":
        """Return only the chosen ratings, with dense codes except those of conditions."""
        codes = (self.deal, self.game, self.moment, self.unit, self.rater)
        deal, game, moment, unit, rater = (renumber(own[chosen]) for own in codes)
        values, condition = self.values[chosen], self.condition[chosen]
        return Columns(values, condition, deal, game, moment, unit, rater, self.conditions)


def build_columns(marks: Sequence[Mark], conditions: Sequence[str]) -> Columns:
    """Return the arrays of answered marks of one dimension. `conditions` are sorted."""
    code_by_condition = {name: code for code, name in enumerate(conditions)}
    first_games: dict[str, str] = {}  # deal -> its first game
    for mark in marks:
        deal = mark.deal or mark.game
        first_games[deal] = min(mark.game, first_games.get(deal, mark.game))
    return Columns(
        np.array([mark.value for mark in marks], dtype=np.float64),
        np.array([code_by_condition[mark.condition] for mark in marks], dtype=np.intp),
        _codes(first_games[mark.deal or mark.game] for mark in marks),
        _codes(mark.game for mark in marks),
        _codes((mark.game, mark.moment) for mark in marks),
        _codes((mark.game, mark.unit) for mark in marks),
        _codes(mark.rater for mark in marks),
        conditions,
    )


def _codes(names: Iterable[Hashable]) -> Codes:
    """Return the position of each name among all sorted names."""
    listed = list(names)
    codes = {name: code for code, name in enumerate(sorted(set(listed)))}  # type: ignore[type-var]
    return np.array([codes[name] for name in listed], dtype=np.intp)


def renumber(codes: Codes) -> Codes:
    """Return codes of the same groups, numbered 0…k-1 in the same order."""
    return np.unique(codes, return_inverse=True)[1].astype(np.intp)


def count_groups(codes: Codes) -> int:
    """Return the number of groups in dense codes."""
    return int(codes.max()) + 1 if len(codes) else 0


def count_missing(marks: Sequence[Mark]) -> Outcome:
    """Return the number of `marks` with each status, and the share without a value."""
    counts_by_status = Counter(mark.status for mark in marks)
    without = sum(counts_by_status[status] for status in MISSING)
    return {
        **{status: counts_by_status[status] for status in STATUSES},
        "share_missing": defined_share(without, len(marks), "nothing_due"),
    }
