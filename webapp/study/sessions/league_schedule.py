"""Draws which system of a league plays which card in which game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from game.engine.seeded_random import SeededRandom

DRAWS_PER_ROUND = 40  # candidates for a round, of which the most balanced one is used


def draw_schedule(systems: int, cards: int, games: int, rng: SeededRandom) -> list[list[int]]:
    """Return, for each game, the system (from 0) of each card.

    A round has as many games as there are systems. In round r, card c of game j goes to system
    (j + shift[r][c]) mod `systems`, so each system has each card once in a round. The shifts are
    drawn so that pairs of systems meet about equally often. With fewer systems than cards, a system
    has several cards of a game.

    Args:
        cards: Number of players at a table.

    Raises:
        ValueError: `games` is not a multiple of `systems`.
    """
    if games % systems:
        raise ValueError(f"{games} games are no multiple of {systems} systems")
    # Distance of two systems -> pairs of cards at one table, in the rounds so far.
    met: Counter[int] = Counter()
    schedule: list[list[int]] = []
    for round_number in range(games // systems):
        drawn = [
            _draw_shifts(systems, cards, rng, f"{round_number}/{n}") for n in range(DRAWS_PER_ROUND)
        ]
        shifts = min(drawn, key=lambda shifts: _meeting_imbalance(met, shifts, systems))
        met.update(_count_distances(shifts, systems))
        schedule += [[(game + shift) % systems for shift in shifts] for game in range(systems)]
    return schedule


def _draw_shifts(systems: int, cards: int, rng: SeededRandom, name: str) -> list[int]:
    """Draw a shift for each card. They differ as far as there are enough systems."""
    full_sets, remainder = divmod(cards, systems)
    extra = rng.shuffled(f"league/{name}/more", range(systems))[:remainder]
    return rng.shuffled(f"league/{name}/order", [*range(systems)] * full_sets + extra)


def _count_distances(shifts: Sequence[int], systems: int) -> Counter[int]:
    """Count the pairs of cards by the distance of their systems, from 1 to half of `systems`."""
    distances = [(first - second) % systems for first, second in combinations(shifts, 2)]
    return Counter(min(distance, systems - distance) for distance in distances if distance)


def _meeting_imbalance(met: Counter[int], shifts: Sequence[int], systems: int) -> float:
    """Return how unequally pairs of systems meet after this round (sum of squares).

    There are half as many pairs at the distance `systems` / 2 as at any other, so theirs count
    twice.
    """
    total = met + _count_distances(shifts, systems)
    meetings = [total[d] * (2 if 2 * d == systems else 1) for d in range(1, systems // 2 + 1)]
    mean = sum(meetings) / len(meetings) if meetings else 0
    return sum((m - mean) ** 2 for m in meetings)
