"""How an agent answers a window: brief, ask, check, repair once, else fall back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.decision import Ask, BackendError, Decision, Reply, Request
from agents.faculties import Faculty
from agents.llm.narration import option
from agents.llm.quoting import prompt_name
from agents.mind import FAILED, Note
from agents.recipe import Recipe
from agents.registry import faculty
from agents.repair import failure, with_repair
from game.engine.forms import ABSTAIN, Action, Illegal, Pick, Ratings, Speech
from game.engine.windows import Answer

HOUSE = "house"
EXACT = "judgement"  # the faculty that counts deals


@dataclass(frozen=True)
class Thought:
    """An answer, and what its thinker wants to remember."""

    answer: Answer
    notes: tuple[Note, ...] = ()


def prepare(recipe: Recipe, decision: Decision, ask: Ask) -> tuple[Note, ...]:
    """What the agent works out when a round opens, from what was said before it (SPEC 2.5).

    All agents' preparations are independent of each other. `scene` is as the round opened. What
    failed is told by notes of FAILED.
    """
    decision = _as(recipe, decision)
    notes: list[Note] = []
    for part in _parts(recipe):  # each reads what those before it have noted
        found = part.prepare(decision, ask)
        decision = replace(decision, mind=decision.mind.plus(found))
        notes += found
    return tuple(notes)


def unprepared(recipe: Recipe, decision: Decision, cause: str) -> tuple[Note, ...]:
    """What `prepare` would note where nothing of it could be done."""
    decision = _as(recipe, decision)
    return tuple(failure(decision, p.name, cause) for p in _parts(recipe) if p.due(decision))


def think(recipe: Recipe, decision: Decision, ask: Ask) -> Thought:
    """Answer `scene.window`. Never raises for a backend's failure: that is the fallback's case.

    Invalid output, after one repair, falls back as SPEC 2.6 says, labelled with its cause. What
    the answer had to do without is labelled as well.
    """
    built_in = recipe.backend_for(decision.window.kind, decision) == HOUSE
    decision = _as(recipe, decision)
    if built_in:  # it reads its whole view, and no request that shows a part of it
        decision = replace(decision, context="whole")
    faculties = _parts(recipe)
    lacking = _lacking(faculties, decision)
    notes = [note for part in faculties for note in part.recall(decision)]
    notes += [note for part in faculties for note in part.consider(decision, ask)]
    decision = replace(decision, mind=decision.mind.plus(notes))
    lacking += _unreasoned(notes, decision)
    for part in faculties:
        if (decided := part.decide(decision)) is not None:
            decision.window.check(decision.seat, decided)
            return Thought(Answer(decided, tuple(lacking)), tuple(notes))
    brief: dict[str, Any] = {
        part.name: part.brief(decision)
        for part in faculties
        if built_in or part.name != EXACT  # a model judges for itself
    }
    request = Request(decision.window.kind, decision, brief)

    def take(reply: Reply) -> Action:
        return _action(decision, reply)

    try:
        given = with_repair(ask, "answer", request, take)
    except BackendError as error:
        learned = [note for part in faculties for note in part.learned(decision, {})]
        lacking += _unreasoned(learned, decision)
        fallback = decision.window.fallback_for(
            decision.seat, decision.rng, f"fallback:{error.cause}"
        )
        labels = (*fallback.labels, *lacking)
        return Thought(replace(fallback, labels=labels), (*notes, *learned))
    learned = [note for part in faculties for note in part.learned(decision, given.reply)]
    lacking += _unreasoned(learned, decision)
    labels = (*given.reply.get("labels", []), *(["repaired"] if given.repaired else []), *lacking)
    made = [
        Note(n["faculty"], decision.moment, n["data"], decision.window.key)
        for n in given.reply.get("notes", [])
    ]
    return Thought(Answer(given.taken, labels), (*notes, *learned, *made))


def _parts(recipe: Recipe) -> list[Faculty]:
    return [faculty(name) for name in recipe.faculties]


def _as(recipe: Recipe, decision: Decision) -> Decision:
    """The scene as the agent that `recipe` makes has it."""
    return replace(
        decision,
        persona=recipe.persona if "persona" in recipe.faculties else None,
        faculties=frozenset(recipe.faculties),
        context=recipe.context,
        sorting=recipe.sorting,
        reasoning=recipe.reasoning,
        plain=recipe.plain,
    )


def _lacking(faculties: Sequence[Faculty], decision: Decision) -> list[str]:
    """Labels for what should have been prepared for the round and was not: `stale:<faculty>`
    where an older note still holds, `without:<faculty>` where there is none."""
    found = []
    for part in faculties:
        if part.due(decision):
            notes = decision.mind.of(part.name)
            if not notes:
                found.append(f"without:{part.name}")
            elif notes[-1].moment < decision.began:
                found.append(f"stale:{part.name}")
    return found


def _unreasoned(notes: Sequence[Note], decision: Decision) -> list[str]:
    """The same labels for reasoning that was asked for with this answer and could not be had."""
    return [
        f"{'stale' if note.faculty in _standing(decision) else 'without'}:{note.faculty}"
        for note in notes
        if note.faculty != FAILED and "failed" in note.data
    ]


def _standing(decision: Decision) -> set[str]:
    """The faculties that have noted something that was not a failure."""
    return {note.faculty for note in decision.mind.notes if "failed" not in note.data}


def _action(decision: Decision, reply: Reply) -> Action:
    """The reply as an action. Raises BackendError where the rules refuse it."""
    legal = decision.window.legal
    try:
        if isinstance(legal, Pick) and not reply.get("targets"):
            action = ABSTAIN
        else:
            action = legal.parse(reply)
        decision.window.check(decision.seat, action)
    except Illegal as illegal:
        raise BackendError("illegal", _why(illegal, decision), reply.get("exchange")) from illegal
    return action


def _why(illegal: Illegal, decision: Decision) -> str:
    """What is wrong with an answer, in a sentence that helps to put it right."""
    legal, view = decision.window.legal, decision.view
    if isinstance(legal, Pick):
        options = decision.window.options_for(decision.seat)
        names = [
            prompt_name(view.name(o), decision) if isinstance(o, int) else option(o, decision)
            for o in options
        ]
        nobody = " or nobody" if legal.may_abstain else ""
        return f"choose exactly {legal.count} of these: {', '.join(names)}{nobody}"
    if isinstance(legal, Ratings):
        names = [
            prompt_name(view.name(int(o)), decision)
            for o in decision.window.options_for(decision.seat)
        ]
        bounds = f"with a confidence from {legal.least} to {legal.most}"
        return f"give roles of this game to some of these: {', '.join(names)}, {bounds}"
    if isinstance(legal, Speech) and illegal.code in ("too_many_words", "too_long"):
        return f"it was too long; at most {legal.max_words} words"
    return _SPEECH.get(illegal.code, "it can't be said like that; use plain spoken words")


_SPEECH = {
    "empty": "there were no words in it",
    "markup": "it held tags of a markup language; use plain spoken words",
    "no_pass": "you can't pass here; say something",
}
