"""Reliability: how far one player relies on another's words, from 1 to 10 (SPEC 2.6).

What an agent's faculty notes and what a person's form answers are read by the same two functions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from game.engine.forms import Rating

FACULTY = "reliability"  # of the notes
REQUEST = "scoring"  # the kind of a request that asks for nothing else


def scores_of(note: Mapping[str, Any]) -> tuple[Rating, ...]:
    """Return what each player was taken for anew.

    Whoever is left out is unchanged.

    note: the data of a note of FACULTY, or of an event of a rating: {"ratings": [{"seat": 1..n,
    "role": a role's key or UNCERTAIN, "confidence": 5..10, …}, …]}. What else stands in it, such as
    evidence or the causes of requests that failed, is not read.
    """
    rows = note.get("ratings", ())
    return tuple(Rating(row["seat"], row["role"], row["confidence"]) for row in rows)


def reliability(rating: Rating, own_role: str, hunted: Collection[str]) -> int:
    """Helmsman's m, 1 to 10.

    11 less the confidence of whoever is taken for one of the `hunted` roles by a player who holds
    none of them, else the confidence.
    """
    if rating.role in hunted and own_role not in hunted:
        return 11 - rating.confidence
    return rating.confidence
