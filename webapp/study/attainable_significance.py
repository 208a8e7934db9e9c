"""Whether a campaign's design can reach p < .05 at all; shown before it opens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from django.utils.translation import gettext as _

from webapp.study.deals import deal_of
from webapp.study.models import Campaign
from webapp.study.statistics.design import UNPAIRED, Design, Place, design
from webapp.study.stimuli import Drawn


def notes(campaign: Campaign, rated: Sequence[Drawn]) -> Iterator[str]:
    """A sentence for every two conditions of which no ratings could tell a difference."""
    for (a, b), found in designs(campaign, rated).items():
        if not found.can_reach:
            yield _sentence(a, b, found)


def designs(campaign: Campaign, rated: Sequence[Drawn]) -> dict[tuple[str, str], Design]:
    """Two conditions -> how they will be compared, if all that is drawn gets rated."""
    numbers: dict[str, int] = {}
    held: dict[str, set[tuple[int, int]]] = {}  # condition -> (deal, game)
    for unit in rated:
        if unit.game is None:
            continue
        deal = numbers.setdefault(deal_of(unit.game), len(numbers))
        for condition in unit.all_conditions:
            held.setdefault(condition, set()).add((deal, unit.game.pk))
        if campaign.rival is not None and unit.line:
            held.setdefault(campaign.rival_condition, set()).add((deal, unit.game.pk))
    return {(a, b): design(_places(held[a], held[b])) for a, b in combinations(sorted(held), 2)}


def _places(first: set[tuple[int, int]], second: set[tuple[int, int]]) -> Iterator[Place]:
    yield from ((deal, game, False) for deal, game in first)
    yield from ((deal, game, True) for deal, game in second)


def _sentence(a: str, b: str, found: Design) -> str:
    if not found.kind:
        told = _("“{a}” against “{b}”: all of it comes from one deal, so nothing can be compared.")
        return told.format(a=a, b=b)
    if found.kind == UNPAIRED:
        told = _(
            "“{a}” (games: {m}) against “{b}” (games: {n}) can’t reach p < .05, whatever the"
            " ratings. Four games against four can; so can six games that hold both, or six deals"
            " played under each."
        )
        return told.format(a=a, b=b, m=len(found.first), n=len(found.second))
    told = _(
        "“{a}” against “{b}” can’t reach p < .05, whatever the ratings: it takes six pairs of"
        " different deals (there are: {n})."
    )
    return told.format(a=a, b=b, n=len(found.pairs))
