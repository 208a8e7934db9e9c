"""Guesses of a house player at the others' roles, as ratings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from agents.house.mindset import Mindset
from agents.understanding.speech_acts import FACTS
from game.engine.forms import UNCERTAIN, Ratings

MAX_CITED = 4  # utterances cited as evidence for a player
MIN_LEAD = 0.05  # of a role's probability over an even chance, for the role to be named


def guess_roles(mind: Mindset, legal: Ratings) -> dict[str, dict[str, Any]]:
    """Return seat (as a string) -> {"role", "confidence"}, by what the player believes."""
    seats = [s for s in legal.options_for(mind.me) if isinstance(s, int)]
    return {str(seat): _guess(mind.believed[seat], legal) for seat in seats}


def _guess(row: Mapping[str, float], legal: Ratings) -> dict[str, Any]:
    """Return the likeliest role with a confidence.

    The confidence grows linearly from an even chance among the offered roles to certainty. The
    guess is UNCERTAIN if several roles are likeliest or if none clearly beats an even chance.
    """
    odds = {role: row.get(role, 0.0) for role in legal.roles}
    likeliest = max(odds.values(), default=0.0)
    best = [role for role, p in odds.items() if p == likeliest]
    even = 1 / max(len(odds), 1)
    if len(best) != 1 or likeliest < even + MIN_LEAD:
        return {"role": UNCERTAIN, "confidence": legal.least}
    share = min((likeliest - even) / (1 - even), 1.0) if even < 1 else 1.0
    return {"role": best[0], "confidence": legal.least + round(share * (legal.most - legal.least))}


def guess_roles_with_evidence(mind: Mindset, legal: Ratings) -> dict[str, dict[str, Any]]:
    """Return the guesses of `guess_roles`, each with "evidence".

    Evidence is a list of positions in the view: the latest MAX_CITED statements in which the player
    states a fact about itself, or in which others speak about it.
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
        seat: {**row, "evidence": positions_by_seat[int(seat)][-MAX_CITED:]}
        for seat, row in guess_roles(mind, legal).items()
    }
