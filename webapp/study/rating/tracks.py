"""Tracks: groups of a game's units that one rater may get.

No unit of a track shows the text of another as context. Otherwise the context of a later unit would
reveal which side of a pair is from the game, and single texts would be read before they are rated.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence


def tracks(turns: Sequence[int], context: int) -> list[int]:
    """Return a track (from 0) for each unit of a game, by the turn it rates (from 1).

    A unit shows the `context` turns before its own. Units of one track never show each other's
    turn. There are as few tracks as that allows, and their sizes differ by one at most.
    """
    first, most = 0, 1
    for last, turn in enumerate(turns):
        while turns[first] < turn - context:
            first += 1
        most = max(most, last - first + 1)
    return [number % most for number in range(len(turns))]


def capacity(units: Iterable[tuple[object, int]]) -> int:
    """Return how many units one rater can get, by (game, track) of each unit."""
    sizes: defaultdict[object, Counter[int]] = defaultdict(Counter)
    for game, track in units:
        sizes[game][track] += 1
    return sum(min(of_game.values()) for of_game in sizes.values())
