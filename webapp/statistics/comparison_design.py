"""The choice of a design to compare two conditions, by where their ratings are, not their values.

The independent unit is the deal (docs/statistics.md). Designs:

1. `paired` by game: at least two deals have a game with both conditions. Games of one deal are
   averaged first.
2. `paired` by deal: at least two deals have both conditions, in different games.
3. `unpaired`: every deal with only one of the conditions is one observation.

Pure Python: the plan of a campaign uses it too, in a web process.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb

PAIRED, UNPAIRED = "paired", "unpaired"
GAME, DEAL = "game", "deal"
ALPHA = 0.05
# Two-sided p of O'Brien and Fleming's bounds of two looks at an overall .05, z = 2.796 and 1.977
# (Jennison and Turnbull 2000, Group Sequential Methods, Table 2.3).
INTERIM_ALPHA, FINAL_ALPHA = 0.0052, 0.0480
MIN_PAIRED_DEALS = 2  # a pairing of fewer deals is used only if no other design is possible
MIN_RATERS_PER_CONDITION = 3  # with two raters, a true null hypothesis is rejected in up to 7 %

RatedSide = tuple[int, int, bool]  # (deal, game, whether under the second condition)


@dataclass(frozen=True)
class ComparisonDesign:
    kind: str  # PAIRED, UNPAIRED, or "" if there is nothing to compare
    by: str  # the unit of one observation, GAME or DEAL
    is_within_games: bool = False
    pairs: tuple[int, ...] = ()  # the deals with both conditions, in order
    # The deals with only the first or second condition, in order.
    first: tuple[int, ...] = ()
    second: tuple[int, ...] = ()
    left_out: int = 0  # number of games that are not part of the comparison

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


def choose_design(rated_sides: Iterable[RatedSide]) -> ComparisonDesign:
    """Return the design of a comparison, from the sides that have ratings."""
    sides_by_deal: dict[int, dict[int, set[bool]]] = {}  # deal -> game -> False, True or both
    for deal, game, is_second in rated_sides:
        sides_by_deal.setdefault(deal, {}).setdefault(game, set()).add(is_second)
    deals = sorted(sides_by_deal)
    sides = {deal: set().union(*sides_by_deal[deal].values()) for deal in deals}
    inside = [d for d in deals if any(len(own) == 2 for own in sides_by_deal[d].values())]
    both = [d for d in deals if len(sides[d]) == 2]
    alone = {side: [d for d in deals if sides[d] == {side}] for side in (False, True)}
    total, candidates = sum(map(len, sides_by_deal.values())), []
    if inside:
        used = sum(len(own) == 2 for d in inside for own in sides_by_deal[d].values())
        by, left_out = DEAL if used > len(inside) else GAME, total - used
        candidates.append(ComparisonDesign(PAIRED, by, True, tuple(inside), left_out=left_out))
    if both and inside != both:
        left_out = total - sum(len(sides_by_deal[d]) for d in both)
        candidates.append(ComparisonDesign(PAIRED, DEAL, False, tuple(both), left_out=left_out))
    if all(alone.values()):
        first, second = tuple(alone[False]), tuple(alone[True])
        used = sum(len(sides_by_deal[d]) for d in (*first, *second))
        by, left_out = DEAL if used > len(first) + len(second) else GAME, total - used
        candidates.append(ComparisonDesign(UNPAIRED, by, False, (), first, second, left_out))
    usable = [d for d in candidates if d.kind == UNPAIRED or len(d.pairs) >= MIN_PAIRED_DEALS]
    return min(usable or candidates, key=lambda d: d.least_p, default=ComparisonDesign("", GAME))
