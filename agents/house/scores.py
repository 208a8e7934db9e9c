"""Sums over what a seat may hold, and the best and worst of several seats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def share(row: Mapping[str, float], roles: Iterable[str]) -> float:
    """Return how likely one of `roles` is, of a seat's row."""
    return sum((row.get(role, 0.0) for role in roles), 0.0)


def most(scores: Mapping[int, float]) -> int:
    """Return the seat with the highest score. The lower seat where two are equal."""
    return max(scores, key=lambda seat: (scores[seat], -seat))


def least(scores: Mapping[int, float], among: Iterable[int]) -> list[int]:
    """Return `among`, least wanted first."""
    return sorted(among, key=lambda seat: (scores[seat], seat))
