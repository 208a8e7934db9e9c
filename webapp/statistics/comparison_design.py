"""The choice of a design to compare two conditions, by where their ratings are, not their values.

The independent unit is the deal: games of one deal (same ruleset, same seed, same roles) have the
same roles at the same seats, and ratings of one game share its players and its story. If every game
has its own deal, deal and game are the same. There are three designs:

1. `paired` by game: at least two deals have a game with both conditions (speakers of one game under
   different conditions, or two answers to one moment). Games of one deal are averaged first.
2. `paired` by deal: at least two deals have both conditions, in different games.
3. `unpaired`: every deal with only one of the conditions is one observation.

The design with the smallest attainable p is chosen, the first of equals, so that two shared deals
do not override forty games of other deals.

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
MIN_RATERS_PER_CONDITION = 3  # With two, a true null is rejected in up to 7 %.

Place = tuple[int, int, bool]  # (deal, game, whether under the second condition)
SidesByDeal = Mapping[int, Mapping[int, set[bool]]]  # deal -> game -> False, True or both


@dataclass(frozen=True)
class ComparisonDesign:
    """The design of a comparison.

    Attributes:
        kind: PAIRED, UNPAIRED, or "" if there is nothing to compare.
        by: The unit of one observation, GAME or DEAL.
        pairs: The deals with both conditions, in order.
        first, second: The deals with only the first or second condition, in order.
        left_out: Number of games that are not part of the comparison.
    """

    kind: str
    by: str
    is_within_games: bool = False
    pairs: tuple[int, ...] = ()
    first: tuple[int, ...] = ()
    second: tuple[int, ...] = ()
    left_out: int = 0

    @property
    def deals(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The deals that are compared, under the first and under the second condition."""
        return (self.pairs, self.pairs) if self.kind == PAIRED else (self.first, self.second)

    @property
    def least_p(self) -> float:
        """The smallest two-sided p that any ratings could give, without ties."""
        if self.kind == PAIRED:
            return float(min(1.0, 2 * 0.5 ** len(self.pairs)))
        if self.kind == UNPAIRED:
            return float(min(1.0, 2 / comb(len(self.first) + len(self.second), len(self.first))))
        return 1.0


def choose_design(places: Iterable[Place]) -> ComparisonDesign:
    """Return the design of a comparison, from the places where the conditions have ratings."""
    sides_by_deal: dict[int, dict[int, set[bool]]] = {}
    for deal, game, is_second in places:
        sides_by_deal.setdefault(deal, {}).setdefault(game, set()).add(is_second)
    deals = sorted(sides_by_deal)
    sides = {deal: set().union(*sides_by_deal[deal].values()) for deal in deals}
    inside = [d for d in deals if any(len(own) == 2 for own in sides_by_deal[d].values())]
    both = [d for d in deals if len(sides[d]) == 2]
    alone = {side: [d for d in deals if sides[d] == {side}] for side in (False, True)}
    candidates = [_paired_design_within_games(sides_by_deal, inside)] if inside else []
    if both and inside != both:
        used = sum(len(sides_by_deal[d]) for d in both)
        left_out = _count_games(sides_by_deal) - used
        candidates.append(ComparisonDesign(PAIRED, DEAL, pairs=tuple(both), left_out=left_out))
    if all(alone.values()):
        candidates.append(_unpaired_design(sides_by_deal, alone))
    usable = [d for d in candidates if d.kind == UNPAIRED or len(d.pairs) >= MIN_PAIRED_DEALS]
    return min(usable or candidates, key=lambda d: d.least_p, default=ComparisonDesign("", GAME))


def _unpaired_design(
    sides_by_deal: SidesByDeal, alone: Mapping[bool, list[int]]
) -> ComparisonDesign:
    """Return the design that compares deals with one condition and deals with the other."""
    deals_used = [*alone[False], *alone[True]]
    used = sum(len(sides_by_deal[d]) for d in deals_used)
    by = DEAL if used > len(deals_used) else GAME
    first, second = tuple(alone[False]), tuple(alone[True])
    left_out = _count_games(sides_by_deal) - used
    return ComparisonDesign(UNPAIRED, by, first=first, second=second, left_out=left_out)


def _paired_design_within_games(sides_by_deal: SidesByDeal, deals: list[int]) -> ComparisonDesign:
    """Return the design of pairs within the games of these deals that have both conditions."""
    used = sum(len(sides) == 2 for d in deals for sides in sides_by_deal[d].values())
    by = DEAL if used > len(deals) else GAME
    return ComparisonDesign(
        PAIRED, by, True, pairs=tuple(deals), left_out=_count_games(sides_by_deal) - used
    )


def _count_games(sides_by_deal: SidesByDeal) -> int:
    return sum(map(len, sides_by_deal.values()))
