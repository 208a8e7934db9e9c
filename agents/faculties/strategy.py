"""Strategy: once a round a judgement of everyone, and from it a plan (SPEC 2.3)."""

from __future__ import annotations

from typing import Any

from agents.asking import prepared
from agents.faculties import judgement
from agents.faculties.favor import favor_of
from agents.mind import Note
from agents.scene import Ask, BackendError, Reply, Request, Scene
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
        brief = {**favor_of(scene), "strategy": {"list": told, "ways": ways(scene)}}
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

    def check(self, scene: Scene, request: Request, reply: Reply) -> str:
        return ""


# What somebody of a role may do, to begin with (SPEC 2.3): the seeds of a plan.
WAYS: dict[str, tuple[str, ...]] = {
    "seer": (
        "tell early what was seen, so that the village can use it",
        "wait a round, and speak up once somebody takes the Seer's role",
        "pose as a Villager at first and hint at whom to look at",
    ),
    "mason": (
        "name the partner and stand by each other",
        "stay hidden and see who claims the Masons' role falsely",
        "vouch for the partner only when it is accused",
    ),
    "villager": (
        "say so and ask the silent ones where they stand",
        "compare the claims and press whoever contradicts itself",
        "believe the Seer that fits the talk, and say why",
    ),
    "werewolf": (
        "pose as a Villager and follow the strongest suspicion against somebody else",
        "pose as the Seer with a look that fits the table, and accuse an opponent",
        "pose as a Mason where nobody can object",
    ),
    "minion": (
        "draw suspicion away from the likeliest Werewolf",
        "pose as the Seer and muddle the true one's report",
        "take the vote upon oneself if it must be",
    ),
    "tanner": (
        "be caught in a small contradiction, without begging",
        "claim a role that somebody is sure to dispute",
        "evade straight questions at the wrong moment",
    ),
}


def ways(scene: Scene) -> list[str]:
    """The seed strategies of this seat's role; general ones for roles that have none."""
    general = ("listen, compare what is claimed, and keep to one's own words",)
    return list(WAYS.get(scene.view.role, general))


def _plan(reply: Reply) -> str:
    """The reply's plan, cut to 80 words. BackendError where there is none."""
    plan = reply.get("plan")
    if not isinstance(plan, str) or not plan.strip():
        raise BackendError("unusable", "no plan")
    words = plan.split()
    return plan.strip() if count_words(plan) <= MOST_WORDS else " ".join(words[:MOST_WORDS])
