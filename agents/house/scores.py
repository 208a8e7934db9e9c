"""Sums of a seat's probabilities, and rankings of seats by score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def probability_of_roles(row: Mapping[str, float], roles: Iterable[str]) -> float:
    """Return the probability that a seat holds one of `roles`. row: role -> probability."""
    return sum((row.get(role, 0.0) for role in roles), 0.0)


def highest_scoring_seat(scores: Mapping[int, float]) -> int:
    """Return the seat with the highest score, the lowest of equal ones."""
    return max(scores, key=lambda seat: (scores[seat], -seat))


def seats_by_ascending_score(scores: Mapping[int, float], among: Iterable[int]) -> list[int]:
    """Return the seats of `among`, lowest score first."""
    return sorted(among, key=lambda seat: (scores[seat], seat))
