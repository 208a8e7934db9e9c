"""The scale of favor, an agent's feeling toward each player, from 1 to 100 (SPEC 2.2)."""

from collections.abc import Mapping

# The favor toward every player before the first score.
INITIAL_FAVOR = 50.0
MIN_FAVOR, MAX_FAVOR = 1.0, 100.0
LEVEL_BOUNDS = (20.0, 40.0, 60.0, 80.0)  # a value on a boundary belongs to the level below
LEVELS = (1, 2, 3, 4, 5)  # loathing, dislike, neutral, appreciation, devotion
# What another player did -> the points by which it changes the built-in player's score of that
# player, from 1 to 10. The keys are stored in notes as reasons, so they cannot be renamed.
REACTION_BY_DEED: dict[str, float] = {
    "vote": -3.5,
    "accuse": -3.0,
    "suspect": -1.5,
    "disagree": -1.5,
    "report": -3.0,
    "cleared": 3.5,
    "defend": 3.5,
    "agree": 2.5,
    "answered": 1.0,
    "ignored": -1.5,
    "sides": 1.5,
}


def updated_favor(favor: float, score: float) -> float:
    """Return `favor` after a score of 1 to 10, remapped to -30 … 30 and clipped to 1 … 100."""
    return min(MAX_FAVOR, max(MIN_FAVOR, favor + ((score - 1) / 9 * 60 - 30)))


def favor_level(favor: float) -> int:
    """Return the level of `favor` in LEVELS, from 1 (loathing) to 5 (devotion)."""
    return 1 + sum(favor > bound for bound in LEVEL_BOUNDS)


def favor_after_scores(favor: Mapping[int, float], scores: Mapping[int, float]) -> dict[int, float]:
    """Return seat -> favor after a round's scores. Players without a score keep their favor."""
    return {
        seat: updated_favor(value, scores[seat]) if seat in scores else value
        for seat, value in favor.items()
    }
