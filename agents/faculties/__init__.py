"""Faculties: the parts of an agent's mind, one module for each idea of a paper.

All have the interface of `Faculty`. A method (`agents.recipe`) is a list of faculties.

A web process loads the faculties and must not load the understanding of talk, which only workers
need. Functions of faculties therefore import what reads talk late.
"""

from typing import Any

from agents.decision import Decision, Note, Reply, Send, Switch
from game.engine.actions import Action
from game.engine.windows import Answer


class Faculty:
    """A part of an agent's mind. Each method does nothing unless overridden.

    Attributes:
        name: the key of its notes and of its part of a brief.
        switches: the choices that it offers to recipes.
        can_prepare: whether `prepare` may return notes.
    """

    name: str
    switches: tuple[Switch, ...] = ()
    can_prepare = False

    def is_due(self, decision: Decision) -> bool:
        """Return whether the faculty should have a note for the current round."""
        return False

    def prepare(self, decision: Decision, send: Send) -> list[Note]:
        """Return the notes made when a round opens. A failed request gives a note of FAILED."""
        return []

    def recall(self, decision: Decision) -> list[Note]:
        """Return the notes made before an answer without any request."""
        return []

    def consider(self, decision: Decision, send: Send) -> list[Note]:
        """Return the notes of separate requests that are sent right before an answer."""
        return []

    def decide(self, decision: Decision) -> Answer | None:
        """Return the answer, with its labels, if the faculty's notes decide it, else None."""
        return None

    def disguise(self, decision: Decision) -> Decision:
        """Return the decision without what a model must not see."""
        return decision

    def complaint(self, decision: Decision, action: Action) -> str:
        """Return the mistake in a model's answer, "" for none. The model may repair it once."""
        return ""

    def fallback_answer(self, decision: Decision) -> Answer | None:
        """Return the answer in place of a model's unusable one, None for the rules' fallback."""
        return None

    def brief(self, decision: Decision) -> dict[str, Any]:
        """Return the faculty's part of a request's brief, JSON-shaped, {} for none."""
        return {}

    def notes_from_reply(self, decision: Decision, reply: Reply) -> list[Note]:
        """Return the notes from a reply that holds more than the answer."""
        return []
