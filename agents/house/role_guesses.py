"""What a house player takes the others for, as ratings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from agents.house.mindset import Mindset
from agents.understanding.speech_acts import FACTS
from game.engine.forms import UNCERTAIN, Ratings

CITED = 4  # utterances that are cited on one player
CLEARLY = 0.05  # by how much a role's probability must beat chance to be named


def guesses(mind: Mindset, legal: Ratings) -> dict[str, dict[str, Any]]:
    """Seat (as a string) -> {"role", "confidence"}, by what the player really believes."""
    seats = [s for s in legal.options_for(mind.me) if isinstance(s, int)]
    return {str(seat): _guess(mind.believed[seat], legal) for seat in seats}


def _guess(row: Mapping[str, float], legal: Ratings) -> dict[str, Any]:
    """Return the likeliest role.

    Its confidence grows evenly from an even chance among the roles that are offered to certainty;
    uncertain where two are as likely or none clearly beats chance.
    """
    odds = {role: row.get(role, 0.0) for role in legal.roles}
    likeliest = max(odds.values(), default=0.0)
    best = [role for role, p in odds.items() if p == likeliest]
    even = 1 / max(len(odds), 1)
    if len(best) != 1 or likeliest < even + CLEARLY:
        return {"role": UNCERTAIN, "confidence": legal.least}
    share = min((likeliest - even) / (1 - even), 1.0) if even < 1 else 1.0
    return {"role": best[0], "confidence": legal.least + round(share * (legal.most - legal.least))}


def with_evidence(mind: Mindset, legal: Ratings) -> dict[str, dict[str, Any]]:
    """Return `guesses` with {"evidence": [position, …]}.

    Where in its view those who speak say anything of themselves, or others of them. The latest
    `CITED`.
    """
    positions_by_seat: dict[int, list[int]] = defaultdict(list)
    turns = [turn for turn in mind.view.turns if turn.text]
    for turn, statement in zip(turns, mind.dialogue.said, strict=True):
        about = {t for act in statement.acts for t in act.targets}
        if any(act.kind in FACTS for act in statement.acts):
            about.add(statement.seat)
        for seat in about - {mind.me}:
            positions_by_seat[seat].append(turn.position)
    return {
        seat: {**row, "evidence": positions_by_seat[int(seat)][-CITED:]}
        for seat, row in guesses(mind, legal).items()
    }
