"""Faculties: one file each, one interface. A recipe lists the faculties of an agent."""

from __future__ import annotations

from typing import Any

from agents.decision import Ask, Decision, Reply
from agents.mind import Note
from agents.switches import Switch
from game.engine.forms import Action
from game.engine.windows import Answer


class Faculty:
    """Part of a mind. Each method does nothing unless overridden."""

    name: str
    switches: tuple[Switch, ...] = ()
    prepares = False  # whether `prepare` ever does something

    def due(self, decision: Decision) -> bool:
        """Check whether the faculty should have a note for the current round."""
        return False

    def prepare(self, decision: Decision, ask: Ask) -> list[Note]:
        """Return the notes made when a round opens, before anybody speaks in it.

        A failed request gives a note of FAILED.
        """
        return []

    def recall(self, decision: Decision) -> list[Note]:
        """Return the notes made before an answer without any request."""
        return []

    def consider(self, decision: Decision, ask: Ask) -> list[Note]:
        """Return the notes of a separate request right before an answer."""
        return []

    def decide(self, decision: Decision) -> Answer | None:
        """Return the answer, with its labels, if it follows from the faculty's notes, else None."""
        return None

    def disguise(self, decision: Decision) -> Decision:
        """Return the decision as a model is told it."""
        return decision

    def complaint(self, decision: Decision, action: Action) -> str:
        """Return what is wrong with a model's draft, "" for nothing. It is said to it once."""
        return ""

    def rescue(self, decision: Decision) -> Answer | None:
        """Return the answer if no model gave a usable one, None for the rules' fallback."""
        return None

    def brief(self, decision: Decision) -> dict[str, Any]:
        """Return the faculty's part of a request's brief, JSON-shaped, {} for nothing."""
        return {}

    def learned(self, decision: Decision, reply: Reply) -> list[Note]:
        """Return the notes from a reply that holds more than the answer (`brief`)."""
        return []
