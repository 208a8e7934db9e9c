"""How an agent answers a window: prepare, brief, ask, check, mend once, else fall back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from agents.faculties import Faculty
from agents.mind import Note
from agents.recipe import Recipe
from agents.registry import faculty
from agents.scene import Ask, BackendError, Reply, Request, Scene
from game.engine.windows import ABSTAIN, Action, Answer, Illegal, pick, say

HOUSE = "house"
EXACT = "judgement"  # the faculty that counts deals


@dataclass(frozen=True)
class Thought:
    """An answer, and what its thinker wants to remember."""

    answer: Answer
    notes: tuple[Note, ...] = ()


def prepare(recipe: Recipe, scene: Scene, ask: Ask) -> tuple[Note, ...]:
    """What the agent works out when a round opens, from what was said before it (SPEC 2.5).

    All agents' preparations are independent of each other. `scene` is as the round opened.
    """
    scene = _as(recipe, scene)
    notes: list[Note] = []
    for name in recipe.faculties:  # each reads what those before it have noted
        found = faculty(name).prepare(scene, ask)
        scene = replace(scene, mind=scene.mind.plus(found))
        notes += found
    return tuple(notes)


def _as(recipe: Recipe, scene: Scene) -> Scene:
    scene = replace(scene, context=recipe.context)
    return replace(scene, persona=recipe.persona) if "persona" in recipe.faculties else scene


def think(recipe: Recipe, scene: Scene, ask: Ask) -> Thought:
    """Answer `scene.window`. Never raises for a backend's failure: that is the fallback's case.

    Invalid output, after one repair attempt, falls back as SPEC 2.6 says, labelled with its
    cause.
    """
    faculties = [faculty(name) for name in recipe.faculties]
    scene = _as(recipe, scene)
    notes = [note for part in faculties for note in part.recall(scene)]
    scene = replace(scene, mind=scene.mind.plus(notes))
    built_in = recipe.backend_for(scene.window.kind) == HOUSE
    brief: dict[str, Any] = {
        part.name: part.brief(scene)
        for part in faculties
        if built_in or part.name != EXACT  # a model judges for itself
    }
    cause = "unusable"
    for attempt in ("first", "repair"):
        request = Request(scene.window.kind, scene, brief)
        try:
            reply = ask(f"answer/{attempt}", request)
            action = _action(scene, faculties, request, reply)
        except BackendError as error:
            cause = error.cause
            answered = (error.exchange or {}).get("answer", "")
            brief = {**brief, "refused": error.detail or cause, "answered": answered}
            continue
        except Illegal as error:
            cause = "illegal"
            answered = (reply.get("exchange") or {}).get("answer", "")
            brief = {**brief, "refused": error.code, "answered": answered}
            continue
        kept = [Note(n["faculty"], n["round"], n["data"]) for n in reply.get("notes", [])]
        label = "repaired" if attempt == "repair" else str(reply.get("label") or "")
        return Thought(Answer(action, label), (*notes, *kept))
    return Thought(scene.window.fallback_for(scene.seat, scene.draws, f"fallback:{cause}"))


def _action(scene: Scene, faculties: list[Faculty], request: Request, reply: Reply) -> Action:
    """The reply as an action. Raises Illegal where the rules or a faculty refuse it."""
    for part in faculties:
        if why := part.check(scene, request, reply):
            raise Illegal(why)
    if scene.window.legal.form == "speech":
        passed = reply.get("pass")
        action = Action(passed) if passed in ("skip", "over") else say(str(reply.get("text", "")))
    elif reply.get("targets"):
        action = pick(*reply["targets"])
    else:
        action = ABSTAIN
    scene.window.check(scene.seat, action)
    return action
