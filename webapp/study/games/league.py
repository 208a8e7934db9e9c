"""Schedules of leagues: which system plays which card of which game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from game.engine.seeded_random import SeededRandom

TRIALS = 40  # drawn shifts per round of games, of which the most balanced is taken


def draw_league(systems: int, cards: int, games: int, rng: SeededRandom) -> list[list[int]]:
    """Return, for each game, the system (from 0) of each card.

    A round has one game for every system. In round r, card c of game j goes to system
    j + shift[r][c] modulo `systems`, so that each system has each card once a round. The shifts are
    drawn so that all pairs of systems meet as evenly as the number of rounds allows. With fewer
    systems than cards, systems have several cards of a game.

    Raises:
        ValueError: `games` is no multiple of `systems`.
    """
    if games % systems:
        raise ValueError(f"{games} games are no multiple of {systems} systems")
    met: Counter[int] = Counter()  # distance between two systems -> pairs at one table
    schedule: list[list[int]] = []
    for round_number in range(games // systems):
        drawn = [_shifts(systems, cards, rng, f"{round_number}/{n}") for n in range(TRIALS)]
        shifts = min(drawn, key=lambda one: _unevenness(met, one, systems))
        met.update(_distances(shifts, systems))
        schedule += [[(game + shift) % systems for shift in shifts] for game in range(systems)]
    return schedule


def _shifts(systems: int, cards: int, rng: SeededRandom, name: str) -> list[int]:
    """Draw a shift for each card: all different if there are as many systems as cards."""
    each, rest = divmod(cards, systems)
    drawn = rng.shuffled(f"league/{name}/more", range(systems))[:rest]
    return rng.shuffled(f"league/{name}/order", [*range(systems)] * each + drawn)


def _distances(shifts: Sequence[int], systems: int) -> Counter[int]:
    """Count the pairs of cards by the distance of their systems, from 1 to half of `systems`."""
    counts: Counter[int] = Counter()
    for at, first in enumerate(shifts):
        for second in shifts[at + 1 :]:
            apart = (first - second) % systems
            if apart:
                counts[min(apart, systems - apart)] += 1
    return counts


def _unevenness(met: Counter[int], shifts: Sequence[int], systems: int) -> float:
    """Return the variance of how often pairs of systems have met, this round included.

    There are half as many pairs at the distance `systems` / 2 as at any other.
    """
    total = met + _distances(shifts, systems)
    meetings = [total[d] * (2 if 2 * d == systems else 1) for d in range(1, systems // 2 + 1)]
    mean = sum(meetings) / len(meetings) if meetings else 0
    return sum((m - mean) ** 2 for m in meetings)
