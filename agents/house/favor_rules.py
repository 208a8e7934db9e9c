"""Favor scores of the house player, by rule, from how it was treated last round (SPEC 2.2)."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from agents.big_five import Persona
from agents.decision import Decision
from agents.dialogue import Dialogue, Statement, result_of
from agents.favor_scale import ABOUT_ME
from agents.packs import pack_of

NEUTRAL = 5.5  # the score that would change nothing


def favor_scores(decision: Decision) -> dict[str, Any]:
    """{"scores": {seat: 1..10}, "why": {seat: [key of ABOUT_ME, …]}} for whom there is reason."""
    dialogue = Dialogue.of(decision.view, pack_of(decision.ruleset))
    round_ = [said for said in dialogue.said if said.round == decision.round - 1]
    points: dict[int, float] = defaultdict(float)
    why: dict[int, list[str]] = defaultdict(list)
    for seat, what in treatment(dialogue, round_, decision.seat):
        weight = ABOUT_ME[what]
        points[seat] += weight * tempered(weight, decision.persona)
        if what not in why[seat]:
            why[seat].append(what)
    found = {s: max(1, min(10, round(NEUTRAL + p))) for s, p in points.items() if abs(p) >= 0.5}
    return {
        "scores": {str(s): score for s, score in found.items()},
        "why": {str(s): why[s] for s in found},
    }


def treatment(dialogue: Dialogue, round_: list[Statement], me: int) -> list[tuple[int, str]]:
    """(seat, what it did to `me`), in the order it happened.

    The same twice counts twice.
    """
    found = []
    asked: dict[int, int] = {}  # whom I asked -> at which statement of the round
    mine = {t for said in round_ if said.seat == me for t in said.presses()}
    for number, said in enumerate(round_):
        if said.seat == me:
            asked.update({t: number for a in said.acts if a.kind == "question" for t in a.targets})
            continue
        if said.seat in asked:
            answered = me in said.names or any(a.kind == "claim" for a in said.acts)
            found.append((said.seat, "answered" if answered else "ignored"))
            del asked[said.seat]
        for act in said.acts:
            if me in act.targets:
                look = result_of(act, dialogue.pack)
                what = "cleared" if look and not dialogue.pack.accuses(look) else act.kind
                if what in ABOUT_ME and (act.strength or what not in ("suspect",)):
                    found.append((said.seat, what))
        if mine & set(said.presses()):
            found.append((said.seat, "sides"))
    return found


def tempered(weight: float, persona: Persona | None) -> float:
    """The agreeable forgive and thank more easily, the neurotic take offence."""
    if persona is None:
        return 1.0
    kind, touchy = persona.leaning("A"), persona.leaning("N")
    return 1.0 - 0.35 * kind + 0.35 * touchy if weight < 0 else 1.0 + 0.3 * kind
