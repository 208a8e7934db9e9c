"""Tracks: groups of a game's units that one rater may get.

No unit of a track shows the text of another as context. Otherwise a later unit would reveal which
side of a pair is from the game, and raters would read single texts before they rate them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence


def tracks(turns: Sequence[int], context: int) -> list[int]:
    """Return the track (from 0) of each unit of a game.

    There are as few tracks as possible, and their sizes differ by at most one.

    Args:
        turns: The turn that each unit rates (from 1), in ascending order.
        context: The number of turns that a unit shows before its own.
    """
    first, track_count = 0, 1
    for last, turn in enumerate(turns):
        while turns[first] < turn - context:
            first += 1
        track_count = max(track_count, last - first + 1)
    return [number % track_count for number in range(len(turns))]


def capacity(units: Iterable[tuple[object, int]]) -> int:
    """Return the number of units that any rater can get.

    Args:
        units: (game, track) of each unit.
    """
    sizes: defaultdict[object, Counter[int]] = defaultdict(Counter)
    for game, track in units:
        sizes[game][track] += 1
    return sum(min(track_sizes.values()) for track_sizes in sizes.values())
