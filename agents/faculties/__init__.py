"""Faculties: one file each, one interface. A recipe names those an agent has."""

from __future__ import annotations

from typing import Any

from agents.decision import Ask, Decision, Reply
from agents.mind import Note
from game.engine.forms import Action


class Faculty:
    """A part of a mind. Each method may be left as it is here: then it does nothing."""

    name: str

    def due(self, decision: Decision) -> bool:
        """Return whether a note of its own belongs to the round under way."""
        return False

    def prepare(self, decision: Decision, ask: Ask) -> list[Note]:
        """Return what is worked out when a round opens, before anybody speaks in it.

        A note of FAILED for what could not be had.
        """
        return []

    def recall(self, decision: Decision) -> list[Note]:
        """Return what comes to mind before an answer.

        Asks nobody.
        """
        return []

    def consider(self, decision: Decision, ask: Ask) -> list[Note]:
        """Return what is asked right before an answer, in a request of its own."""
        return []

    def decide(self, decision: Decision) -> Action | None:
        """Return the answer itself, where it follows from what the faculty has noted.

        Else None.
        """
        return None

    def brief(self, decision: Decision) -> dict[str, Any]:
        """Return what it adds to the brief of a request.

        JSON-shaped, {} for nothing.
        """
        return {}

    def learned(self, decision: Decision, reply: Reply) -> list[Note]:
        """Return what it notes of a reply that was asked for more than the answer (`brief`)."""
        return []
