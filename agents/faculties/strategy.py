"""Strategy: once a round a judgement of everyone, and from it a plan (SPEC 2.3)."""

from __future__ import annotations

from typing import Any

from agents.asking import prepared
from agents.faculties import judgement
from agents.faculties.favor import favor_of
from agents.mind import Note
from agents.packs import pack_of
from agents.scene import Ask, BackendError, Reply, Scene
from agents.strategies import seeds
from game.engine.words import count_words

MOST_WORDS = 80


class Strategy:
    """Notes {"plan": str of at most 80 words}; adds it to the brief with the judgement's list."""

    name = "strategy"

    def due(self, scene: Scene) -> bool:
        return scene.round >= 1

    def prepare(self, scene: Scene, ask: Ask) -> list[Note]:
        """From the second round on judges the talk first; in the first the role's own ways are
        all."""
        notes = judgement.asked(scene, ask) if scene.round >= 2 else []
        told = scene.mind.plus(notes).latest("judgement").get("list", {})
        ways = list(seeds(scene.view.role, pack_of(scene.ruleset)))
        brief = {**favor_of(scene), "strategy": {"list": told, "ways": ways}}
        given, failed = prepared(ask, scene, self.name, brief, _plan)
        if given is None:
            return [*notes, *failed]  # the plan of the round before stands
        kept = [Note(n["faculty"], scene.began, n["data"]) for n in given.reply.get("notes", [])]
        return [*notes, *kept, Note(self.name, scene.began, {"plan": given.taken})]

    def recall(self, scene: Scene) -> list[Note]:
        return []

    def brief(self, scene: Scene) -> dict[str, Any]:
        plan = scene.mind.latest(self.name).get("plan", "")
        return {"plan": plan, "list": scene.mind.latest("judgement").get("list", {})}


def _plan(reply: Reply) -> str:
    """The reply's plan, cut to 80 words. BackendError where there is none."""
    plan = reply.get("plan")
    if not isinstance(plan, str) or not any(c.isalnum() for c in plan):  # "…" is the example's
        raise BackendError("unusable", "no plan")
    words = plan.split()
    return plan.strip() if count_words(plan) <= MOST_WORDS else " ".join(words[:MOST_WORDS])
