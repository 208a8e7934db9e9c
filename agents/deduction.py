"""All possible deals and their exact probabilities, for any ruleset's deck.

A deal is a row of role numbers, one per seat (one-night: 8!/(2!·2!) = 10,080 rows). Hard facts
remove rows. Clues shift the weights by how likely each role makes them. Deals are built once per
deck and shared, read-only, and so are the weights of a clue. No result depends on the cache.
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

    Attributes:
        roles: role keys by number.
        rows: int8 array of shape (deals, seats), read-only.
    """

    roles: tuple[str, ...]
    rows: NDArray[np.int8]

    @cached_property
    def groups(self) -> tuple[tuple[tuple[int, ...], NDArray[np.intp]], ...]:
        """Groups of a few seats (columns of `rows`), with a joint role number for every deal.

        Weights are summed once per group instead of once per seat.
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
        """Return (seats, roles): the sum of the weights of deals with the role in the seat."""
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
        """Return the deals in which `seat` (1..n) holds `role`, none for a role not in the deck."""
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
        """Return how many of `seats` hold one of `roles`, per deal."""
        counted = np.zeros(len(self.rows), dtype=np.int64)
        for seat in seats:
            counted += self.any_holds([seat], *roles)
        return counted

    def answers(self, targets: Sequence[int], look: Look) -> NDArray[np.int8]:
        """Return the number of the look's answer for `targets`, per deal."""
        answer_numbers = np.full(len(self.rows), -1, dtype=np.int8)
        for number, (_value, keys) in enumerate(look.answers):
            among = self.any_holds(targets, *keys) if keys else True
            answer_numbers[(answer_numbers < 0) & among] = number
        return answer_numbers

    def gives_answer(self, targets: Sequence[int], look: Look, value: str) -> Mask:
        """Return the deals in which a look at `targets` gives the answer `value`.

        Returns none if the look has no such answer.
        """
        values = [v for v, _keys in look.answers]
        number = values.index(value) if value in values else len(values)
        mask: Mask = self.answers(targets, look) == number
        return mask

    def by_role(self, seat: int, figures: Mapping[str, float], default: float) -> Logs:
        """Return log `figures[role of seat]` per deal, with `default` for roles not named."""
        table = np.log([figures.get(role, default) for role in self.roles])
        logs: Logs = table[self.rows[:, seat - 1]]
        return logs


@lru_cache(maxsize=8)
def deals(deck: tuple[str, ...]) -> Deals:
    """Return the deals of `deck`, built seat by seat from the roles that remain."""
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
    """Weights over the deals of a deck, uniform before any facts and clues."""

    def __init__(self, deck: Sequence[str]) -> None:
        self.deals = deals(tuple(deck))
        self._logs = np.zeros(len(self.deals.rows), dtype=np.float64)
        self._left = np.ones(len(self.deals.rows), dtype=np.bool_)

    def fact(self, mask: Mask) -> None:
        """Keep only the deals in `mask`."""
        self._left &= mask

    def clue(self, logs: Logs) -> None:
        """Add a clue's log-likelihood per deal."""
        self._logs += logs

    def hint(self, mask: Mask, likelihood: float, otherwise: float) -> None:
        """Add a clue with `likelihood` in the deals of `mask` and `otherwise` in the others."""
        self._logs += np.where(mask, np.log(likelihood), np.log(otherwise))

    @property
    def possible(self) -> int:
        """The number of deals that remain."""
        return int(self._left.sum())

    def probabilities(self) -> dict[int, dict[str, float]]:
        """Return seat -> role -> probability.

        If no deal remains possible, all deals of the deck count.
        """
        left = self._left if self.possible else np.ones_like(self._left)
        weights = np.where(left, self._logs, -np.inf)
        weights -= weights.max()
        np.exp(weights, out=weights)
        table = self.deals.shares(weights) / weights.sum()
        roles = self.deals.roles
        return {s: dict(zip(roles, row, strict=True)) for s, row in enumerate(table.tolist(), 1)}
