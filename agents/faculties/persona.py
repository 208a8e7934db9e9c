"""Persona: the agent's personality, part of every request (SPEC 2.1)."""

from __future__ import annotations

from typing import Any

from agents.big_five import Persona as Scores
from agents.decision import Decision
from agents.faculties import Faculty


class PersonaFaculty(Faculty):
    """Faculty that adds {"scores": {factor: 1..7}, "text": str} to a brief.

    An agent without a persona adds {}.
    """

    name = "persona"

    def brief(self, decision: Decision) -> dict[str, Any]:
        if decision.persona is None:
            return {}
        persona: Scores = decision.persona
        return {"scores": dict(persona.scores), "text": persona.text()}
