"""Judgement: how likely everyone holds which role, given what this seat may know (SPEC 2.3).

The house computes it exactly over the deals that remain possible; nothing is asked for it.
"""

from __future__ import annotations

from typing import Any

from agents.evidence import judge
from agents.heard import Heard
from agents.mind import Note
from agents.scene import Ask, Reply, Request, Scene


class Judgement:
    """Adds `private` (what this seat believes) and `public` (what the talk alone suggests)."""

    name = "judgement"

    def prepare(self, scene: Scene, ask: Ask) -> list[Note]:
        return []

    def brief(self, scene: Scene) -> dict[str, Any]:
        """{"private"|"public": {seat: {role: probability}}}, seats as strings, four digits."""
        heard = Heard.of(scene.view)
        return {
            "private": _plain(judge(scene.ruleset, scene.view, heard).probabilities()),
            "public": _plain(
                judge(scene.ruleset, scene.view, heard, private=False).probabilities()
            ),
        }

    def check(self, scene: Scene, request: Request, reply: Reply) -> str:
        return ""


def _plain(table: dict[int, dict[str, float]]) -> dict[str, dict[str, float]]:
    return {str(s): {r: round(p, 4) for r, p in row.items()} for s, row in table.items()}
