"""How an agent answers a window: brief, ask, check, repair once, else fall back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.asking import failure, with_repair
from agents.faculties import Faculty
from agents.mind import Note
from agents.model.quoting import called
from agents.recipe import Recipe
from agents.registry import faculty
from agents.scene import Ask, BackendError, Reply, Request, Scene
from game.engine.forms import ABSTAIN, Action, Illegal, Pick, Speech
from game.engine.windows import Answer

HOUSE = "house"
EXACT = "judgement"  # the faculty that counts deals


@dataclass(frozen=True)
class Thought:
    """An answer, and what its thinker wants to remember."""

    answer: Answer
    notes: tuple[Note, ...] = ()


def prepare(recipe: Recipe, scene: Scene, ask: Ask) -> tuple[Note, ...]:
    """What the agent works out when a round opens, from what was said before it (SPEC 2.5).

    All agents' preparations are independent of each other. `scene` is as the round opened. What
    failed is told by notes of FAILED.
    """
    scene = _as(recipe, scene)
    notes: list[Note] = []
    for part in _parts(recipe):  # each reads what those before it have noted
        found = part.prepare(scene, ask)
        scene = replace(scene, mind=scene.mind.plus(found))
        notes += found
    return tuple(notes)


def unprepared(recipe: Recipe, scene: Scene, cause: str) -> tuple[Note, ...]:
    """What `prepare` would note where nothing of it could be done."""
    scene = _as(recipe, scene)
    return tuple(failure(scene, p.name, cause) for p in _parts(recipe) if p.due(scene))


def think(recipe: Recipe, scene: Scene, ask: Ask) -> Thought:
    """Answer `scene.window`. Never raises for a backend's failure: that is the fallback's case.

    Invalid output, after one repair, falls back as SPEC 2.6 says, labelled with its cause. What
    the answer had to do without is labelled as well.
    """
    scene = _as(recipe, scene)
    faculties = _parts(recipe)
    lacking = _lacking(faculties, scene)
    notes = [note for part in faculties for note in part.recall(scene)]
    scene = replace(scene, mind=scene.mind.plus(notes))
    built_in = recipe.backend_for(scene.window.kind) == HOUSE
    brief: dict[str, Any] = {
        part.name: part.brief(scene)
        for part in faculties
        if built_in or part.name != EXACT  # a model judges for itself
    }
    request = Request(scene.window.kind, scene, brief)

    def take(reply: Reply) -> Action:
        return _action(scene, reply)

    try:
        given = with_repair(ask, "answer", request, take)
    except BackendError as error:
        fallback = scene.window.fallback_for(scene.seat, scene.draws, f"fallback:{error.cause}")
        return Thought(replace(fallback, labels=(*fallback.labels, *lacking)), tuple(notes))
    labels = [*given.reply.get("labels", []), *(["repaired"] if given.repaired else []), *lacking]
    made = [
        Note(n["faculty"], scene.moment, n["data"], scene.window.key)
        for n in given.reply.get("notes", [])
    ]
    return Thought(Answer(given.taken, tuple(labels)), (*notes, *made))


def _parts(recipe: Recipe) -> list[Faculty]:
    return [faculty(name) for name in recipe.faculties]


def _as(recipe: Recipe, scene: Scene) -> Scene:
    """The scene as the agent that `recipe` makes has it."""
    persona = recipe.persona if "persona" in recipe.faculties else None
    has = frozenset(recipe.faculties)
    return replace(
        scene, persona=persona, faculties=has, context=recipe.context, plain=recipe.plain
    )


def _lacking(faculties: Sequence[Faculty], scene: Scene) -> list[str]:
    """Labels for what should have been prepared for the round and was not: `stale:<faculty>`
    where an older note still holds, `without:<faculty>` where there is none."""
    found = []
    for part in faculties:
        if part.due(scene):
            notes = scene.mind.of(part.name)
            if not notes:
                found.append(f"without:{part.name}")
            elif notes[-1].moment < scene.began:
                found.append(f"stale:{part.name}")
    return found


def _action(scene: Scene, reply: Reply) -> Action:
    """The reply as an action. Raises BackendError where the rules refuse it."""
    legal = scene.window.legal
    try:
        if isinstance(legal, Pick) and not reply.get("targets"):
            action = ABSTAIN
        else:
            action = legal.parse(reply)
        scene.window.check(scene.seat, action)
    except Illegal as illegal:
        raise BackendError("illegal", _why(illegal, scene), reply.get("exchange")) from illegal
    return action


def _why(illegal: Illegal, scene: Scene) -> str:
    """What is wrong with an answer, in a sentence that helps to put it right."""
    legal, view = scene.window.legal, scene.view
    if isinstance(legal, Pick):
        options = scene.window.options_for(scene.seat)
        names = [called(view.name(o), scene) if isinstance(o, int) else str(o) for o in options]
        nobody = " or nobody" if legal.may_abstain else ""
        return f"choose exactly {legal.count} of these: {', '.join(names)}{nobody}"
    if isinstance(legal, Speech) and illegal.code in ("too_many_words", "too_long"):
        return f"it was too long; at most {legal.max_words} words"
    return _SPEECH.get(illegal.code, "it can't be said like that; use plain spoken words")


_SPEECH = {
    "empty": "there were no words in it",
    "markup": "it held tags of a markup language; use plain spoken words",
    "no_pass": "you can't pass here; say something",
}
