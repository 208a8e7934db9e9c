"""Persona: who one is, before every request (SPEC 2.1)."""

from __future__ import annotations

from typing import Any

from agents.mind import Note
from agents.persona import Persona as Scores
from agents.scene import Ask, Scene


class Persona:
    """Adds {"scores": {factor: 1..7}, "text": str} to a brief; {} for an agent without one."""

    name = "persona"

    def due(self, scene: Scene) -> bool:
        return False

    def prepare(self, scene: Scene, ask: Ask) -> list[Note]:
        return []

    def recall(self, scene: Scene) -> list[Note]:
        return []

    def brief(self, scene: Scene) -> dict[str, Any]:
        if scene.persona is None:
            return {}
        persona: Scores = scene.persona
        return {"scores": dict(persona.scores), "text": persona.text()}
