"""Favor scores of the house player, by rule, from how it was treated last round (SPEC 2.2)."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from agents.decision import Decision
from agents.favor_scale import ABOUT_ME
from agents.packs import pack_of
from agents.personas.big_five import Persona
from agents.talk.dialogue import Dialogue
from agents.understanding.statements import Statement, result_of

NEUTRAL = 5.5  # the score that would change nothing


def favor_scores(decision: Decision) -> dict[str, Any]:
    """{"scores": {seat: 1..10}, "why": {seat: [key of ABOUT_ME, …]}} for whom there is reason."""
    dialogue = Dialogue.of(decision.view, pack_of(decision.ruleset))
    round_ = [statement for statement in dialogue.said if statement.round == decision.round - 1]
    points: dict[int, float] = defaultdict(float)
    reasons: dict[int, list[str]] = defaultdict(list)
    for seat, treatment_kind in treatment(dialogue, round_, decision.seat):
        weight = ABOUT_ME[treatment_kind]
        points[seat] += weight * tempered(weight, decision.persona)
        if treatment_kind not in reasons[seat]:
            reasons[seat].append(treatment_kind)
    scores = {s: max(1, min(10, round(NEUTRAL + p))) for s, p in points.items() if abs(p) >= 0.5}
    return {
        "scores": {str(s): score for s, score in scores.items()},
        "why": {str(s): reasons[s] for s in scores},
    }


def treatment(dialogue: Dialogue, round_: list[Statement], me: int) -> list[tuple[int, str]]:
    """Return (seat, what it did to `me`), in order.

    The same treatment twice counts twice.
    """
    treatments = []
    asked_at: dict[int, int] = {}  # whom I asked -> at which statement of the round
    mine = {t for statement in round_ if statement.seat == me for t in statement.presses()}
    for number, statement in enumerate(round_):
        if statement.seat == me:
            asked_at.update(
                {t: number for a in statement.acts if a.kind == "question" for t in a.targets}
            )
            continue
        if statement.seat in asked_at:
            answered = me in statement.names or any(a.kind == "claim" for a in statement.acts)
            treatments.append((statement.seat, "answered" if answered else "ignored"))
            del asked_at[statement.seat]
        for act in statement.acts:
            if me in act.targets:
                look = result_of(act, dialogue.pack)
                treatment_kind = "cleared" if look and not dialogue.pack.accuses(look) else act.kind
                if treatment_kind in ABOUT_ME and (
                    act.strength or treatment_kind not in ("suspect",)
                ):
                    treatments.append((statement.seat, treatment_kind))
        if mine & set(statement.presses()):
            treatments.append((statement.seat, "sides"))
    return treatments


def tempered(weight: float, persona: Persona | None) -> float:
    """Return the agreeable forgive and thank more easily, the neurotic take offence."""
    if persona is None:
        return 1.0
    kind, touchy = persona.leaning("A"), persona.leaning("N")
    return 1.0 - 0.35 * kind + 0.35 * touchy if weight < 0 else 1.0 + 0.3 * kind
