"""Strategy: once a round a judgement of everyone, and from it a plan (SPEC 2.3)."""

from __future__ import annotations

from typing import Any

from agents.faculties import judgement
from agents.faculties.favor import favor_brief, feelings, others_of
from agents.mind import Note
from agents.scene import Ask, BackendError, Reply, Request, Scene
from agents.strategies import seeds
from game.engine.words import count_words

MOST_WORDS = 80


class Strategy:
    """Notes {"plan": str of at most 80 words}; adds it to the brief with the judgement's list."""

    name = "strategy"

    def prepare(self, scene: Scene, ask: Ask) -> list[Note]:
        """From round two on judges the talk first; in round one the role's own ways are all."""
        notes: list[Note] = []
        if scene.view.state.round >= 2 and (judged := judgement.asked(scene, ask)):
            notes.append(judged)
        told = notes[0].data["list"] if notes else scene.mind.latest("judgement").get("list", {})
        brief = {
            "favor": favor_brief(feelings(scene.mind, others_of(scene))),
            "strategy": {"list": told, "ways": list(seeds(scene.view.role))},
        }
        try:
            reply = ask("strategy", Request("strategy", scene, brief))
            plan = _plan(reply)
        except BackendError:
            return notes  # the plan of the round before stands
        kept = [Note(n["faculty"], n["round"], n["data"]) for n in reply.get("notes", [])]
        return [*notes, *kept, Note(self.name, scene.view.state.round, {"plan": plan})]

    def recall(self, scene: Scene) -> list[Note]:
        return []

    def brief(self, scene: Scene) -> dict[str, Any]:
        plan = scene.mind.latest(self.name).get("plan", "")
        return {"plan": plan, "list": scene.mind.latest("judgement").get("list", {})}

    def check(self, scene: Scene, request: Request, reply: Reply) -> str:
        return ""


def _plan(reply: Reply) -> str:
    """The reply's plan, cut to 80 words. BackendError where there is none."""
    plan = reply.get("plan")
    if not isinstance(plan, str) or not plan.strip():
        raise BackendError("unusable", "no plan")
    words = plan.split()
    return plan.strip() if count_words(plan) <= MOST_WORDS else " ".join(words[:MOST_WORDS])
