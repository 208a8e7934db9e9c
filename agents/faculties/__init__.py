"""Faculties: one file each, one interface. A recipe names those an agent has."""

from __future__ import annotations

from typing import Any, Protocol

from agents.decision import Ask, Decision
from agents.mind import Note


class Faculty(Protocol):
    """A part of a mind."""

    name: str

    def due(self, decision: Decision) -> bool:
        """Whether a note of its own belongs to the round under way."""

    def prepare(self, decision: Decision, ask: Ask) -> list[Note]:
        """What is worked out when a round opens, before anybody speaks in it; a note of FAILED
        for what could not be had."""

    def recall(self, decision: Decision) -> list[Note]:
        """What comes to mind before an answer; asks nobody."""

    def brief(self, decision: Decision) -> dict[str, Any]:
        """What it adds to the brief of a request; JSON-shaped, {} for nothing."""
