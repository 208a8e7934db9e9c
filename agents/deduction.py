"""Every deal that is still possible, and how likely each is: exact, for any ruleset's deck.

A deal is a row of role numbers, one per seat (one-night: 8!/(2!·2!) = 10,080 rows). Hard facts
strike rows out, talk shifts their weights by what each role would say. Deals are made once a deck
and shared, read-only; weights belong to a Belief and are never kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Deals:
    """All deals of a deck. roles: role keys by number; rows: int8, (deals, seats)."""

    roles: tuple[str, ...]
    rows: NDArray[np.int8]

    def number(self, role: str) -> int:
        """The number of `role`, -1 for a role that is not in the deck."""
        return self.roles.index(role) if role in self.roles else -1


@lru_cache(maxsize=8)
def deals(deck: tuple[str, ...]) -> Deals:
    """The deals of `deck`, seat by seat: each row continues by every role it still has left."""
    roles = tuple(sorted(set(deck)))
    counts = [deck.count(role) for role in roles]
    rows = np.zeros((1, 0), dtype=np.int8)
    for _seat in deck:
        grown = []
        for number, count in enumerate(counts):
            open_rows = rows[(rows == number).sum(axis=1) < count]
            column = np.full((len(open_rows), 1), number, dtype=np.int8)
            grown.append(np.hstack([open_rows, column]))
        rows = np.vstack(grown)
    rows.setflags(write=False)
    return Deals(roles, rows)


class Belief:
    """Weights over the deals: begins uniform, takes facts and hints, gives probabilities."""

    def __init__(self, deck: Sequence[str]) -> None:
        self.deals = deals(tuple(deck))
        self._logs = np.zeros(len(self.deals.rows), dtype=np.float64)

    def holds(self, seat: int, role: str) -> NDArray[np.bool_]:
        """The deals in which `seat` (1..n) holds `role`, as a mask."""
        mask: NDArray[np.bool_] = self.deals.rows[:, seat - 1] == self.deals.number(role)
        return mask

    def any_holds(self, seats: Iterable[int], role: str) -> NDArray[np.bool_]:
        """The deals in which one of `seats` holds `role`."""
        columns = [seat - 1 for seat in seats]
        mask: NDArray[np.bool_] = (self.deals.rows[:, columns] == self.deals.number(role)).any(
            axis=1
        )
        return mask

    def fact(self, mask: NDArray[np.bool_]) -> None:
        """Only the deals in `mask` remain."""
        self._logs[~mask] = -np.inf

    def hint(self, mask: NDArray[np.bool_], likelihood: float, otherwise: float) -> None:
        """What was heard is `likelihood` likely in the deals of `mask`, else `otherwise`."""
        self._logs += np.where(mask, np.log(likelihood), np.log(otherwise))

    def hint_by_role(self, seat: int, likelihood: Mapping[str, float], other: float) -> None:
        """What `seat` said is as likely as `likelihood` says for its role (`other`: the rest)."""
        table = np.log([likelihood.get(role, other) for role in self.deals.roles])
        self._logs += table[self.deals.rows[:, seat - 1]]

    @property
    def possible(self) -> int:
        """How many deals remain."""
        return int(np.isfinite(self._logs).sum())

    def probabilities(self) -> dict[int, dict[str, float]]:
        """seat -> role -> probability. Where nothing remains possible, the bare deck's shares."""
        logs = self._logs if self.possible else np.zeros_like(self._logs)
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
        return {
            seat + 1: {
                role: float(weights[self.deals.rows[:, seat] == number].sum())
                for number, role in enumerate(self.deals.roles)
            }
            for seat in range(self.deals.rows.shape[1])
        }
