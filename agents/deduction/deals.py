"""All possible deals and their exact probabilities, for any ruleset's deck.

Facts remove deals. Clues shift the weights of deals by how likely each role makes the clue. This
module enumerates: a deal is a row of role numbers, one per seat (one-night: 8!/(2!·2!) = 10,080
rows). `agents.deduction.factored_deals` sums over large decks without a row per deal. Both
implement `Deals` and `Belief`, so that facts and clues work with either. Deals and the weights of a
clue are built once per deck, shared and read-only.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from game.engine.declarations import Look

# A truth value, or a log-likelihood, for every deal. For factored deals it is a
# `factored_deals.Factor`, which supports the operators, `np.where` and numpy's other elementwise
# functions; the type checker treats it as the array that it represents.
Mask = NDArray[np.bool_]
Logs = NDArray[np.float64]

SEATS_PER_GROUP = 4  # seats whose weights are summed together: with 6 roles 6^4 = 1,296 sums


@dataclass(frozen=True, eq=False)
class Deals(ABC):
    """All deals of a deck."""

    roles: tuple[str, ...]  # role keys by number
    rows: NDArray[np.int8]  # role numbers, read-only, shape (assignments, seats)

    @abstractmethod
    def uniform(self) -> "Belief":
        """Return a belief in which every deal is as likely as any other."""

    @abstractmethod
    def holds(self, seat: int, *roles: str) -> Mask:
        """Return the deals in which `seat` (1 to n) holds one of `roles`.

        There are none for roles that are not in the deck.
        """

    @abstractmethod
    def by_role(self, seat: int, figures: Mapping[str, float], default: float) -> Logs:
        """Return the log of `figures[role of seat]` per deal, of `default` for missing roles."""

    def any_holds(self, seats: Iterable[int], *roles: str) -> Mask:
        """Return the deals in which one of `seats` holds one of `roles`."""
        mask = self.holds(1)
        for seat in seats:
            mask = mask | self.holds(seat, *roles)
        return mask

    def count(self, seats: Iterable[int], *roles: str) -> NDArray[np.int64]:
        """Return how many of `seats` hold one of `roles`, per deal."""
        counts: NDArray[np.int64] = self.holds(1) + np.int64(0)
        for seat in seats:
            counts = counts + self.holds(seat, *roles)
        return counts

    def gives_answer(self, targets: Sequence[int], look: Look, value: str) -> Mask:
        """Return the deals in which a look at `targets` gives the answer `value`.

        There are none if the look has no such answer.
        """
        no_deals = earlier = self.holds(1)  # `earlier`: the deals with an earlier answer
        for answer, keys in look.answers:
            fitting = self.any_holds(targets, *keys) if keys else ~no_deals
            if answer == value:
                return fitting & ~earlier
            earlier = earlier | fitting
        return no_deals


class Belief(ABC):
    """Weights over the deals of a deck."""

    deals: Deals

    @abstractmethod
    def keep_only(self, mask: Mask) -> None:
        """Keep only the deals in `mask`."""

    @abstractmethod
    def add_clue(self, logs: Logs) -> None:
        """Add a clue's log-likelihood per deal."""

    def add_binary_clue(self, mask: Mask, likelihood: float, otherwise: float) -> None:
        """Add a clue with `likelihood` in the deals of `mask` and `otherwise` in the others."""
        logs: Logs = np.where(mask, float(np.log(likelihood)), float(np.log(otherwise)))
        self.add_clue(logs)

    @property
    @abstractmethod
    def remaining_count(self) -> int:
        """The number of deals that remain."""

    @abstractmethod
    def shares(self) -> NDArray[np.float64]:
        """Return (seats, roles): the probability of the role in the seat.

        If no deal remains possible, all deals of the deck count.
        """

    def probabilities(self) -> dict[int, dict[str, float]]:
        """Return seat -> role -> probability (`shares`)."""
        roles, table = self.deals.roles, self.shares().tolist()
        return {s: dict(zip(roles, row, strict=True)) for s, row in enumerate(table, 1)}


class EnumeratedDeals(Deals):
    """All deals, each of them a row."""

    def uniform(self) -> "EnumeratedBelief":
        return EnumeratedBelief(self)

    @cached_property
    def groups(self) -> tuple[tuple[tuple[int, ...], NDArray[np.intp]], ...]:
        """Groups of a few seats (columns of `rows`), with a joint role number for every deal.

        Weights are summed once per group instead of once per seat.
        """
        column_groups = []
        for first in range(0, self.rows.shape[1], SEATS_PER_GROUP):
            columns = tuple(range(first, min(first + SEATS_PER_GROUP, self.rows.shape[1])))
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

    def holds(self, seat: int, *roles: str) -> Mask:
        mask = np.zeros(len(self.rows), dtype=np.bool_)
        for role in roles:
            if role in self.roles:
                mask |= self.rows[:, seat - 1] == self.roles.index(role)
        return mask

    def by_role(self, seat: int, figures: Mapping[str, float], default: float) -> Logs:
        table = np.log([figures.get(role, default) for role in self.roles])
        logs: Logs = table[self.rows[:, seat - 1]]
        return logs


class EnumeratedBelief(Belief):
    """A weight for each row."""

    def __init__(self, deals: EnumeratedDeals) -> None:
        self.deals: EnumeratedDeals = deals
        self._logs = np.zeros(len(deals.rows), dtype=np.float64)
        self._is_possible = np.ones(len(deals.rows), dtype=np.bool_)

    def keep_only(self, mask: Mask) -> None:
        self._is_possible &= mask

    def add_clue(self, logs: Logs) -> None:
        self._logs += logs

    @property
    def remaining_count(self) -> int:
        return int(self._is_possible.sum())

    def shares(self) -> NDArray[np.float64]:
        is_possible = self._is_possible if self.remaining_count else np.ones_like(self._is_possible)
        weights = np.where(is_possible, self._logs, -np.inf)
        weights -= weights.max()
        np.exp(weights, out=weights)
        table: NDArray[np.float64] = self.deals.shares(weights) / weights.sum()
        return table


def count_deals(deck: Sequence[str]) -> int:
    """Return the number of ways to distribute the roles of `deck` to the seats."""
    return factorial(len(deck)) // prod(factorial(deck.count(role)) for role in set(deck))


def build_rows(counts: Sequence[int]) -> NDArray[np.int8]:
    """Return all rows in which each number n occurs `counts[n]` times."""
    rows = np.zeros((1, 0), dtype=np.int8)
    for _seat in range(sum(counts)):
        longer_rows = []
        for number, count in enumerate(counts):
            open_rows = rows[(rows == number).sum(axis=1) < count]
            column = np.full((len(open_rows), 1), number, dtype=np.int8)
            longer_rows.append(np.hstack([open_rows, column]))
        rows = np.vstack(longer_rows)
    rows = np.asfortranarray(rows)  # columns are read most often
    rows.setflags(write=False)
    return rows


@lru_cache(maxsize=8)
def enumerate_deals(deck: tuple[str, ...]) -> EnumeratedDeals:
    """Return the enumerated deals of `deck`."""
    roles = tuple(sorted(set(deck)))
    return EnumeratedDeals(roles, build_rows([deck.count(role) for role in roles]))
