"""Deals: games with the same ruleset, seed, and roles at the same seats."""

from __future__ import annotations

from game.engine.seeded_random import SeededRandom
from game.models import Game
from webapp.study.games.seat_outcomes import seats_of


def deal_of(game: Game) -> str:
    """Return a key that games share exactly if they have the same deal.

    It includes the roles, because settings can deal other roles from the same seed. The part of the
    seed after "#" changes only what players draw (`SeededRandom.deal_generator`).
    """
    roles = ",".join(seat.role for seat in seats_of(game))
    return f"{game.ruleset}/{SeededRandom(game.seed).deal_generator.seed}/{roles}"
