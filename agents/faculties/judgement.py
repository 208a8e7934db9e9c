"""Judgement: how likely everyone holds which role, given what this seat may know (SPEC 2.3).

It is computed exactly over the deals that remain possible; no backend is asked for it.
"""

from __future__ import annotations

from typing import Any

from agents.evidence import Known, clues, judge
from agents.heard import Heard
from agents.mind import Note
from agents.scene import Ask, Reply, Request, Scene


class Judgement:
    """Adds {"roles": {seat: {role: probability}}} to a brief; seats as strings, four digits."""

    name = "judgement"

    def prepare(self, scene: Scene, ask: Ask) -> list[Note]:
        return []

    def brief(self, scene: Scene) -> dict[str, Any]:
        found = clues(Heard.of(scene.view))
        table = judge(tuple(scene.ruleset.deck), Known.of(scene.view), found)
        return {
            "roles": {str(s): {r: round(p, 4) for r, p in row.items()} for s, row in table.items()}
        }

    def check(self, scene: Scene, request: Request, reply: Reply) -> str:
        return ""
