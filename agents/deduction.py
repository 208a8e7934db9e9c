"""Every deal that is still possible, and how likely each is: exact, for any ruleset's deck.

A deal is a row of role numbers, one per seat (one-night: 8!/(2!·2!) = 10,080 rows). Hard facts
strike rows out, clues shift their weights by what each role would say. Deals are made once a deck
and shared, read-only; so are the weights of a clue. Nothing depends on what is cached.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from game.engine.roles import Look

Mask = NDArray[np.bool_]
Logs = NDArray[np.float64]


GROUP = 4  # seats counted together: 6 roles make 1,296 numbers


@dataclass(frozen=True, eq=False)
class Deals:
    """All deals of a deck.

    roles: role keys by number; rows: int8, (deals, seats), read-only.
    """

    roles: tuple[str, ...]
    rows: NDArray[np.int8]

    @cached_property
    def groups(self) -> tuple[tuple[tuple[int, ...], NDArray[np.intp]], ...]:
        """A few seats at a time (columns of `rows`), and for every deal the number that their
        roles make together: so weights are counted once a group instead of once a seat.
        """
        column_groups = []
        for first in range(0, self.rows.shape[1], GROUP):
            columns = tuple(range(first, min(first + GROUP, self.rows.shape[1])))
            codes = np.zeros(len(self.rows), dtype=np.intp)
            for column in columns:
                codes *= len(self.roles)
                codes += self.rows[:, column]
            codes.setflags(write=False)
            column_groups.append((columns, codes))
        return tuple(column_groups)

    def shares(self, weights: Logs) -> NDArray[np.float64]:
        """(seats, roles): the sum of the weights of the deals in which the seat holds the role."""
        count = len(self.roles)
        table = np.zeros((self.rows.shape[1], count))
        for columns, codes in self.groups:
            joint = np.bincount(codes, weights, count ** len(columns))
            joint = joint.reshape((count,) * len(columns))
            for axis, column in enumerate(columns):
                other_axes = tuple(a for a in range(len(columns)) if a != axis)
                table[column] = joint.sum(axis=other_axes)
        return table

    def holds(self, seat: int, role: str) -> Mask:
        """Return the deals in which `seat` (1..n) holds `role`.

        Returns None for a role not in the deck.
        """
        number = self.roles.index(role) if role in self.roles else -1
        mask: Mask = self.rows[:, seat - 1] == number
        return mask

    def any_holds(self, seats: Iterable[int], *roles: str) -> Mask:
        """Return the deals in which one of `seats` holds one of `roles`."""
        mask = np.zeros(len(self.rows), dtype=np.bool_)
        for seat, role in product(seats, roles):
            mask |= self.holds(seat, role)
        return mask

    def count(self, seats: Iterable[int], *roles: str) -> NDArray[np.int64]:
        """Return how many of `seats` hold one of `roles`, deal by deal."""
        counted = np.zeros(len(self.rows), dtype=np.int64)
        for seat in seats:
            counted += self.any_holds([seat], *roles)
        return counted

    def answers(self, targets: Sequence[int], look: Look) -> NDArray[np.int8]:
        """Return which of the look's answers (its number) every deal gives for `targets`."""
        answer_numbers = np.full(len(self.rows), -1, dtype=np.int8)
        for number, (_value, keys) in enumerate(look.answers):
            among = self.any_holds(targets, *keys) if keys else True
            answer_numbers[(answer_numbers < 0) & among] = number
        return answer_numbers

    def tells(self, targets: Sequence[int], look: Look, value: str) -> Mask:
        """Return the deals in which a look at `targets` gives the answer `value`.

        Returns None where the look has no such answer.
        """
        values = [v for v, _keys in look.answers]
        number = values.index(value) if value in values else len(values)
        mask: Mask = self.answers(targets, look) == number
        return mask

    def by_role(self, seat: int, figures: Mapping[str, float], default: float) -> Logs:
        """Log `figures[role of seat]` for every deal, `default` for roles not named."""
        table = np.log([figures.get(role, default) for role in self.roles])
        logs: Logs = table[self.rows[:, seat - 1]]
        return logs


@lru_cache(maxsize=8)
def deals(deck: tuple[str, ...]) -> Deals:
    """The deals of `deck`, seat by seat: each row continues by every role it still has left."""
    roles = tuple(sorted(set(deck)))
    rows = np.zeros((1, 0), dtype=np.int8)
    for _seat in deck:
        grown = []
        for number, role in enumerate(roles):
            open_rows = rows[(rows == number).sum(axis=1) < deck.count(role)]
            column = np.full((len(open_rows), 1), number, dtype=np.int8)
            grown.append(np.hstack([open_rows, column]))
        rows = np.vstack(grown)
    rows = np.asfortranarray(rows)  # columns are what is read
    rows.setflags(write=False)
    return Deals(roles, rows)


class Belief:
    """Weights over the deals of a deck: uniform at first, then facts, clues, probabilities."""

    def __init__(self, deck: Sequence[str]) -> None:
        self.deals = deals(tuple(deck))
        self._logs = np.zeros(len(self.deals.rows), dtype=np.float64)
        self._left = np.ones(len(self.deals.rows), dtype=np.bool_)

    def fact(self, mask: Mask) -> None:
        """Only the deals in `mask` remain."""
        self._left &= mask

    def clue(self, logs: Logs) -> None:
        """Add a clue with these log-likelihoods, deal by deal."""
        self._logs += logs

    def hint(self, mask: Mask, likelihood: float, otherwise: float) -> None:
        """Add a hint: `likelihood` in the deals of `mask`, else `otherwise`."""
        self._logs += np.where(mask, np.log(likelihood), np.log(otherwise))

    @property
    def possible(self) -> int:
        """How many deals remain."""
        return int(self._left.sum())

    def probabilities(self) -> dict[int, dict[str, float]]:
        """Seat -> role -> probability. Where nothing remains possible, the bare deck's shares."""
        left = self._left if self.possible else np.ones_like(self._left)
        weights = np.where(left, self._logs, -np.inf)
        weights -= weights.max()
        np.exp(weights, out=weights)
        table = self.deals.shares(weights) / weights.sum()
        roles = self.deals.roles
        return {s: dict(zip(roles, row, strict=True)) for s, row in enumerate(table.tolist(), 1)}
