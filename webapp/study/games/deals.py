"""Which games share a deal: the same ruleset, the same seed, the same roles at the same seats."""

from __future__ import annotations

from game.models import Game
from webapp.study.games.seat_outcomes import seats_of


def deal_of(game: Game) -> str:
    """Return what games of one deal have in common and no others.

    The roles are in it, because settings can deal other roles from the same seed.
    """
    roles = ",".join(seat.role for seat in seats_of(game))
    return f"{game.ruleset}/{game.seed}/{roles}"
