"""Faculties: one file each, one interface. A recipe names those an agent has."""

from __future__ import annotations

from typing import Any, Protocol

from agents.mind import Note
from agents.scene import Ask, Reply, Request, Scene


class Faculty(Protocol):
    """A part of a mind."""

    name: str

    def prepare(self, scene: Scene, ask: Ask) -> list[Note]:
        """What is worked out before a turn; it reads only what came before the round."""

    def brief(self, scene: Scene) -> dict[str, Any]:
        """What it adds to the brief of a request; JSON-shaped, {} for nothing."""

    def check(self, scene: Scene, request: Request, reply: Reply) -> str:
        """Why `reply` can't stand: a sentence for the one who must mend it, "" where it can."""
