"""Chooses how to compare two conditions, from where their ratings are, never from their values.

What is independent is the deal: games of one deal (same ruleset, same seed, same roles) share who
was what, and ratings of one game share its players and its story. Where every game has a deal of
its own, deal and game are the same. Of these designs the one with the smallest attainable p is
taken, the first of equals, so two shared deals do not override forty games of other deals:

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
# Two-sided p of O'Brien and Fleming's bounds of two looks at an overall .05, z = 2.796 and 1.977
# (Jennison and Turnbull 2000, Group Sequential Methods, Table 2.3).
INTERIM_ALPHA, FINAL_ALPHA = 0.0052, 0.0480
MIN_PAIRED_DEALS = 2  # deals for a pairing
LEAST_RATERS = 3  # of a condition; with two, a true null is rejected in up to 7 %

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


def design(cell_keys: Iterable[Place]) -> Design:
    """Return the design of a comparison. `cell_keys`: where the two conditions have ratings."""
    sides_by_deal: dict[int, dict[int, set[bool]]] = {}
    for deal, game, second in cell_keys:
        sides_by_deal.setdefault(deal, {}).setdefault(game, set()).add(second)
    deals = sorted(sides_by_deal)
    inside = [d for d in deals if any(len(sides) == 2 for sides in sides_by_deal[d].values())]
    both = [d for d in deals if len(set().union(*sides_by_deal[d].values())) == 2]
    alone = {side: _alone(sides_by_deal, deals, side) for side in (False, True)}
    candidates = [_within(sides_by_deal, inside)] if inside else []
    if both and inside != both:
        used = sum(len(sides_by_deal[d]) for d in both)
        left_out = _games(sides_by_deal) - used
        candidates.append(Design(PAIRED, DEAL, pairs=tuple(both), left_out=left_out))
    if all(alone.values()):
        candidates.append(_unpaired(sides_by_deal, alone))
    pairs_enough = [
        one for one in candidates if one.kind == UNPAIRED or len(one.pairs) >= MIN_PAIRED_DEALS
    ]
    return min(pairs_enough or candidates, key=lambda one: one.least_p, default=Design("", GAME))


def _unpaired(sides_by_deal: Held, alone: Mapping[bool, list[int]]) -> Design:
    """Deals that hold one condition against those that hold the other."""
    deals_used = [*alone[False], *alone[True]]
    used = sum(len(sides_by_deal[d]) for d in deals_used)
    by = DEAL if used > len(deals_used) else GAME
    first, second = tuple(alone[False]), tuple(alone[True])
    left_out = _games(sides_by_deal) - used
    return Design(UNPAIRED, by, first=first, second=second, left_out=left_out)


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
