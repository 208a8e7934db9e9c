"""Every deal that is still possible, and how likely each is: exact, for any ruleset's deck.

A deal is a row of role numbers, one per seat (one-night: 8!/(2!·2!) = 10,080 rows). Hard facts
strike rows out, clues shift their weights by what each role would say. Deals are made once a deck
and shared, read-only; so are the weights of a clue. Nothing depends on what is cached.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
Logs = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Deals:
    """All deals of a deck. roles: role keys by number; rows: int8, (deals, seats), read-only."""

    roles: tuple[str, ...]
    rows: NDArray[np.int8]

    def holds(self, seat: int, role: str) -> Mask:
        """The deals in which `seat` (1..n) holds `role`; none for a role not in the deck."""
        number = self.roles.index(role) if role in self.roles else -1
        mask: Mask = self.rows[:, seat - 1] == number
        return mask

    def any_holds(self, seats: Iterable[int], role: str) -> Mask:
        """The deals in which one of `seats` holds `role`."""
        mask = np.zeros(len(self.rows), dtype=np.bool_)
        for seat in seats:
            mask |= self.holds(seat, role)
        return mask

    def by_role(self, seat: int, figures: Mapping[str, float], other: float) -> Logs:
        """log `figures[role of seat]` for every deal, `other` for roles not named."""
        table = np.log([figures.get(role, other) for role in self.roles])
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
        """What was heard has these log-likelihoods, deal by deal."""
        self._logs += logs

    def hint(self, mask: Mask, likelihood: float, otherwise: float) -> None:
        """What was heard is `likelihood` likely in the deals of `mask`, else `otherwise`."""
        self._logs += np.where(mask, np.log(likelihood), np.log(otherwise))

    @property
    def possible(self) -> int:
        """How many deals remain."""
        return int(self._left.sum())

    def probabilities(self) -> dict[int, dict[str, float]]:
        """seat -> role -> probability. Where nothing remains possible, the bare deck's shares."""
        rows, logs = self.deals.rows, self._logs
        if self.possible:
            rows, logs = rows[self._left], logs[self._left]
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
        count = len(self.deals.roles)
        return {
            seat + 1: dict(
                zip(
                    self.deals.roles,
                    np.bincount(rows[:, seat], weights, count).tolist(),
                    strict=True,
                )
            )
            for seat in range(rows.shape[1])
        }
