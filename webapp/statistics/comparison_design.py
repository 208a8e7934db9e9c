"""Chooses how to compare two conditions, from where their ratings are, never from their values.

The independent unit is the deal: games of one deal (same ruleset, same seed, same roles) share the
roles of all seats, and ratings of one game share its players and its story. If every game has its
own deal, deal and game are the same. Designs, the first that applies:

1. `paired` by game: at least two deals have a game that holds both conditions (speakers of one game
   under different conditions, or two answers to one moment). Games of one deal are averaged first.
2. `paired` by deal: at least two deals hold both conditions, in different games. 3. `unpaired`:
every deal that holds only one of the conditions is one observation.

Pure Python: the plan of a campaign uses it too, in a web process.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import comb

PAIRED, UNPAIRED = "paired", "unpaired"
GAME, DEAL = "game", "deal"
ALPHA = 0.05
LEAST = 2  # deals for a pairing

Place = tuple[int, int, bool]  # deal, game (as numbers), whether under the second condition
Held = Mapping[int, Mapping[int, set[bool]]]  # deal -> game -> the conditions it holds


@dataclass(frozen=True)
class Design:
    """The design of a comparison.

    kind: PAIRED, UNPAIRED, or "" if there is nothing to compare. by: the unit of one observation.
    within: whether pairs lie inside games. pairs, first, second: deals, in order; the last two are
    those with one condition only. left_out: how many games are not part of the comparison.
    """

    kind: str
    by: str
    within: bool = False
    pairs: tuple[int, ...] = ()
    first: tuple[int, ...] = ()
    second: tuple[int, ...] = ()
    left_out: int = 0

    @property
    def least_p(self) -> float:
        """Return the smallest two-sided p that any ratings could give, without ties."""
        if self.kind == PAIRED:
            return float(min(1.0, 2 * 0.5 ** len(self.pairs)))
        if self.kind == UNPAIRED:
            return float(min(1.0, 2 / comb(len(self.first) + len(self.second), len(self.first))))
        return 1.0

    @property
    def can_reach(self) -> bool:
        """Return whether any ratings could give p < .05."""
        return self.least_p < ALPHA


def design(cell_keys: Iterable[Place]) -> Design:
    """Return the design of a comparison. `cell_keys`: where the two conditions have ratings."""
    sides_by_deal: dict[int, dict[int, set[bool]]] = {}
    for deal, game, second in cell_keys:
        sides_by_deal.setdefault(deal, {}).setdefault(game, set()).add(second)
    deals = sorted(sides_by_deal)
    inside = [d for d in deals if any(len(sides) == 2 for sides in sides_by_deal[d].values())]
    both = [d for d in deals if len(set().union(*sides_by_deal[d].values())) == 2]
    if len(inside) >= LEAST:
        return _within(sides_by_deal, inside)
    alone = {side: _alone(sides_by_deal, deals, side) for side in (False, True)}
    if len(both) >= LEAST or (both and not all(alone.values())):
        if inside == both:
            return _within(sides_by_deal, inside)
        used = sum(len(sides_by_deal[d]) for d in both)
        return Design(PAIRED, DEAL, pairs=tuple(both), left_out=_games(sides_by_deal) - used)
    if not all(alone.values()):
        return Design("", GAME)
    deals_used = [*alone[False], *alone[True]]
    used = sum(len(sides_by_deal[d]) for d in deals_used)
    by = DEAL if used > len(deals_used) else GAME
    apart = _games(sides_by_deal) - used
    return Design(
        UNPAIRED, by, first=tuple(alone[False]), second=tuple(alone[True]), left_out=apart
    )


def _within(sides_by_deal: Held, deals: list[int]) -> Design:
    """Return a design of pairs inside the games of these deals that hold both conditions."""
    used = sum(len(sides) == 2 for d in deals for sides in sides_by_deal[d].values())
    by = DEAL if used > len(deals) else GAME
    return Design(PAIRED, by, True, pairs=tuple(deals), left_out=_games(sides_by_deal) - used)


def _alone(sides_by_deal: Held, deals: list[int], side: bool) -> list[int]:
    """Return the deals that hold this side and not the other."""
    return [d for d in deals if set().union(*sides_by_deal[d].values()) == {side}]


def _games(sides_by_deal: Held) -> int:
    return sum(map(len, sides_by_deal.values()))
