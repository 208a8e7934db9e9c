"""Persona: the agent's personality, part of every request (SPEC 2.1)."""

from __future__ import annotations

from typing import Any

from agents.decision import Decision
from agents.faculties import Faculty
from agents.personas.characters import character
from agents.personas.styles import GUARD


class PersonaFaculty(Faculty):
    """Faculty that adds {"scores": {factor: 1..7}, "text": str} to a brief.

    An agent without a persona adds {}.
    """

    name = "persona"

    def brief(self, decision: Decision) -> dict[str, Any]:
        if decision.persona is None:
            return {}
        return {"scores": dict(decision.persona.scores), "text": persona_text(decision)}


def persona_text(decision: Decision) -> str:
    """Return the description of the persona, "" without one.

    A guarded agent's is its written character, without scores of traits (Guarded 4.2).
    """
    persona = decision.persona
    if persona is None:
        return ""
    is_guarded = GUARD in decision.faculties and persona.character
    return character(persona.character).text() if is_guarded else persona.text()
