"""Favor scores of the house player by rule, from its treatment in the last round (SPEC 2.2)."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from agents.decision import Decision
from agents.favor_scale import ABOUT_ME
from agents.packs import pack_of
from agents.personas.big_five import Persona
from agents.talk.dialogue import Dialogue
from agents.understanding.statements import Statement, result_of

NEUTRAL_SCORE = 5.5  # the score that changes no favor
MIN_POINTS = 0.5  # of a change, for a score to be given


def favor_scores(decision: Decision) -> dict[str, Any]:
    """Return the scores of players who gave a reason for one.

    Returns:
        {"scores": {seat: 1 to 10}, "why": {seat: [key of ABOUT_ME, …]}}, with seats as strings.
    """
    dialogue = Dialogue.of(decision.view, pack_of(decision.ruleset))
    statements = [s for s in dialogue.said if s.round == decision.round - 1]
    points: dict[int, float] = defaultdict(float)
    reasons: dict[int, list[str]] = defaultdict(list)
    for seat, kind in find_treatments(dialogue, statements, decision.seat):
        weight = ABOUT_ME[kind]
        points[seat] += weight * temperament_factor(weight, decision.persona)
        if kind not in reasons[seat]:
            reasons[seat].append(kind)
    scores = {
        seat: max(1, min(10, round(NEUTRAL_SCORE + p)))
        for seat, p in points.items()
        if abs(p) >= MIN_POINTS
    }
    return {
        "scores": {str(s): score for s, score in scores.items()},
        "why": {str(s): reasons[s] for s in scores},
    }


def find_treatments(
    dialogue: Dialogue, statements: list[Statement], me: int
) -> list[tuple[int, str]]:
    """Return (seat, key of ABOUT_ME) for what others did to `me` in a round, in order.

    The same treatment twice counts twice.
    """
    treatments: list[tuple[int, str]] = []
    waiting_seats: set[int] = set()  # seats that I asked and that have not spoken since
    my_targets = {t for s in statements if s.seat == me for t in s.presses()}
    for statement in statements:
        seat = statement.seat
        if seat == me:
            questions = (a for a in statement.acts if a.kind == "question")
            waiting_seats.update(t for a in questions for t in a.targets)
            continue
        if seat in waiting_seats:
            has_answered = me in statement.names or any(a.kind == "claim" for a in statement.acts)
            treatments.append((seat, "answered" if has_answered else "ignored"))
            waiting_seats.remove(seat)
        for act in statement.acts:
            if me in act.targets:
                look = result_of(act, dialogue.pack)
                kind = "cleared" if look and not dialogue.pack.accuses(look) else act.kind
                if kind in ABOUT_ME and (act.strength or kind != "suspect"):
                    treatments.append((seat, kind))
        if my_targets & set(statement.presses()):
            treatments.append((seat, "sides"))
    return treatments


def temperament_factor(weight: float, persona: Persona | None) -> float:
    """Return the factor of a treatment's weight for a persona, 1 without one.

    Agreeable players forgive and thank more easily; neurotic players take more offence.
    """
    if persona is None:
        return 1.0
    agreeableness, neuroticism = persona.leaning("A"), persona.leaning("N")
    if weight < 0:
        return 1.0 - 0.35 * agreeableness + 0.35 * neuroticism
    return 1.0 + 0.3 * agreeableness
