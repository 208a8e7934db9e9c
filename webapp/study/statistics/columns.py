"""The kept marks of one dimension as arrays, so that sums over thousands of ratings are quick."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from webapp.study.statistics.marks import Mark

Numbers = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Columns:
    """n ratings: their values, and for each its condition, deal, game, moment, unit and rater as
    codes 0…k-1 into the sorted names. Units and moments are told apart by their game as well.
    Deals have the order of their first games, so where no two games share one the two are alike."""

    values: Numbers
    condition: Codes
    deal: Codes
    game: Codes
    moment: Codes
    unit: Codes
    rater: Codes
    conditions: Sequence[str]

    def of(self, chosen: NDArray[np.bool_]) -> Columns:
        """Only the chosen ratings; codes are made dense again, conditions keep theirs."""
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
    """Arrays of answered marks of one dimension. `conditions`: all names, sorted."""
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
    """The same groups, numbered 0…k-1 in the same order."""
    return np.unique(codes, return_inverse=True)[1].astype(np.intp)


def how_many(codes: Codes) -> int:
    """The number of groups in dense codes."""
    return int(codes.max()) + 1 if len(codes) else 0


def means(values: Numbers, groups: Codes) -> Numbers:
    """The mean of each group 0…k-1; every group has a value."""
    return np.bincount(groups, weights=values) / np.bincount(groups)
