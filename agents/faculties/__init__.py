"""Faculties: the parts of an agent's mind, with one interface. A method lists its faculties."""

from __future__ import annotations

from typing import Any

from agents.decision import Ask, Decision, Reply
from agents.mind import Note
from agents.switches import Switch
from game.engine.forms import Action
from game.engine.windows import Answer


class Faculty:
    """A part of an agent's mind. Each method does nothing unless overridden.

    Attributes:
        name: the key of its notes and of its part of a brief.
        can_prepare: whether `prepare` may return notes.
    """

    name: str
    switches: tuple[Switch, ...] = ()
    can_prepare = False

    def is_due(self, decision: Decision) -> bool:
        """Return whether the faculty should have a note for the current round."""
        return False

    def prepare(self, decision: Decision, ask: Ask) -> list[Note]:
        """Return the notes made when a round opens, before a player speaks in it.

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
        """Return the answer, with its labels, if the faculty's notes decide it, else None."""
        return None

    def disguise(self, decision: Decision) -> Decision:
        """Return the decision as a model may see it."""
        return decision

    def complaint(self, decision: Decision, action: Action) -> str:
        """Return the mistake in a model's draft, "" for none. It gets one chance to repair it."""
        return ""

    def rescue(self, decision: Decision) -> Answer | None:
        """Return the answer if no model gave a usable one. None: the rules' fallback applies."""
        return None

    def brief(self, decision: Decision) -> dict[str, Any]:
        """Return the faculty's part of a request's brief, JSON-shaped, {} for none."""
        return {}

    def notes_from_reply(self, decision: Decision, reply: Reply) -> list[Note]:
        """Return the notes from a reply that holds more than the answer."""
        return []
