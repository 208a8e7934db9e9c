"""The scale of reliability: how much one player relies on another, from 1 to 10 (SPEC 2.6).

Scores follow from ratings (role and confidence), which notes of agents and answers of people hold
in the same form. This module loads no agent, so that pages and metrics can import it.
"""

from collections.abc import Collection, Mapping
from typing import Any

from agents.decision import Switch
from game.engine.actions import Rating

FACULTY = "reliability"  # the faculty's name in notes and briefs
RATINGS_REQUEST = "scoring"  # the kind of a request for ratings alone
REQUESTED_SEATS = "requested_seats"  # key in the brief of FACULTY: the seats to rate
TOGETHER, APART, EACH, NONE = "together", "apart", "each", "none"  # values of REASONING
REASONING = Switch(
    "reasoning",
    (TOGETHER, APART, EACH, NONE),
    "Helmsman 3.1 asks each; the others are ours",
    "when it says what it takes the others for: with its answer, in a request before it, in one"
    " request for each player, or never",
)
ON, OFF = "on", "off"  # values of SORTING
SORTING = Switch(
    "sorting", (ON, OFF), "Helmsman 3.1", "whether the talk is sorted by whom it believes"
)


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
