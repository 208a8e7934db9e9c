"""Persona: who one is, before every request (SPEC 2.1)."""

from __future__ import annotations

from typing import Any

from agents.big_five import Persona as Scores
from agents.decision import Ask, Decision
from agents.mind import Note


class PersonaFaculty:
    """Adds {"scores": {factor: 1..7}, "text": str} to a brief; {} for an agent without one."""

    name = "persona"

    def due(self, decision: Decision) -> bool:
        return False

    def prepare(self, decision: Decision, ask: Ask) -> list[Note]:
        return []

    def recall(self, decision: Decision) -> list[Note]:
        return []

    def brief(self, decision: Decision) -> dict[str, Any]:
        if decision.persona is None:
            return {}
        persona: Scores = decision.persona
        return {"scores": dict(persona.scores), "text": persona.text()}
