"""A visitor's rating in a role against the built-in players, by openskill."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from openskill.models import BradleyTerryFull

from agents.packs import pack_of
from game.engine import rulesets

GameResult = Literal["won", "lost", ""]  # "": nobody won
HOUSE_MEAN = 25  # a built-in player's mean in every role
_HOUSE_SPREAD = 1.0  # shares are measured over hundreds of games, so the spread is small
_MODEL = BradleyTerryFull(mu=float(HOUSE_MEAN))


@dataclass(frozen=True)
class RatedGame:
    """A game of one person against built-in players."""

    ruleset: str
    team: str
    result: GameResult


@dataclass(frozen=True)
class VisitorRating:
    """The mean and the standard deviation of a skill. HOUSE_MEAN is a built-in player's."""

    mean: float
    spread: float


def rate_player(games: Iterable[RatedGame]) -> VisitorRating:
    """Rate the games of one role, in the order in which they were played.

    The opponent's mean is set so that a player with HOUSE_MEAN wins as often as a built-in player
    does in that team. So an unbalanced game makes no side look skilled.
    """
    rating = _MODEL.rating()
    ranks = {"won": [1.0, 2.0], "lost": [2.0, 1.0], "": [1.0, 1.0]}
    for game in games:
        opponent = _MODEL.rating(mu=_opponent_mean(game), sigma=_HOUSE_SPREAD)
        [[rating], _opponent] = _MODEL.rate([[rating], [opponent]], ranks=ranks[game.result])
    return VisitorRating(rating.mu, rating.sigma)


def _opponent_mean(game: RatedGame) -> float:
    shares = pack_of(rulesets.get(game.ruleset)).data.win_shares
    share = shares.get(game.team, 0.5)  # without a measured share the sides count as equal
    return HOUSE_MEAN - math.sqrt(2) * _MODEL.beta * math.log(share / (1 - share))
