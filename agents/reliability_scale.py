"""The scale of reliability: how much one player relies on another, from 1 to 10 (SPEC 2.6).

Scores follow from ratings (role and confidence), which notes of agents and answers of people hold
in the same form. This module loads no agent, so that pages and metrics can import it.
"""

from collections.abc import Collection, Mapping
from typing import Any

from agents.decision import Switch
from game.engine.events import Rating

FACULTY = "reliability"  # the faculty's name in notes and briefs
RATINGS_REQUEST = "scoring"  # the kind of a request for ratings alone
REQUESTED_SEATS = "requested_seats"  # key in the brief of FACULTY: the seats to rate
TOGETHER, EACH, NONE = "together", "each", "none"  # values of REASONING, besides "apart"
REASONING = Switch.load("reasoning")
ON = "on"  # the default of SORTING
SORTING = Switch.load("sorting")


def ratings_in_note(note: Mapping[str, Any]) -> tuple[Rating, ...]:
    """Return the new ratings in a note. Earlier ratings of players without a row remain valid.

    A note is the data of a note of FACULTY, or of a rating event: {"ratings": [{"seat": 1..n,
    "role": a role's key or UNCERTAIN, "confidence": 5..10, …}, …]}. Other fields are ignored.
    """
    rows = note.get("ratings", ())
    return tuple(Rating(row["seat"], row["role"], row["confidence"]) for row in rows)


def reliability(rating: Rating, own_role: str, hunted: Collection[str]) -> int:
    """Return the reliability score m, 1 to 10 (Helmsman 3.1), by a player with `own_role`.

    It is 11 minus the confidence if a player without a hunted role believes that the rated player
    holds one, else the confidence.
    """
    if rating.role in hunted and own_role not in hunted:
        return 11 - rating.confidence
    return rating.confidence
