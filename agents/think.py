"""Answers a window: brief, request, check, one repair, then the fallback."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.decision import Ask, BackendError, Decision, Reply, Request
from agents.faculties import Faculty
from agents.llm.narration import length_text, option
from agents.llm.quoting import seat_label
from agents.methods import FACULTIES
from agents.mind import FAILED, Note
from agents.recipe import WEAKER, Recipe
from agents.repair import UsableReply, failure, with_repair
from game.engine.forms import ABSTAIN, Illegal, Pick, Ratings, Speech
from game.engine.windows import Answer

HOUSE = "house"
EXACT = "judgement"  # the faculty that counts deals


@dataclass(frozen=True)
class Thought:
    """Answer of an agent, with the notes to store."""

    answer: Answer
    notes: tuple[Note, ...] = ()


def prepare(recipe: Recipe, decision: Decision, ask: Ask) -> tuple[Note, ...]:
    """Return an agent's notes at the start of a round, from the talk before (SPEC 2.5).

    Preparations of different agents are independent. `decision` is as the round opened. Failures
    give notes of FAILED.
    """
    decision = _as_agent(recipe, decision)
    notes: list[Note] = []
    for part in _parts(recipe):  # each reads the notes of those before it
        prepared_notes = part.prepare(decision, ask)
        decision = replace(decision, mind=decision.mind.plus(prepared_notes))
        notes += prepared_notes
    return tuple(notes)


def failed_preparation_notes(recipe: Recipe, decision: Decision, cause: str) -> tuple[Note, ...]:
    """Return the notes of `prepare` for the case that nothing could be prepared."""
    decision = _as_agent(recipe, decision)
    return tuple(failure(decision, p.name, cause) for p in _parts(recipe) if p.is_due(decision))


def think(recipe: Recipe, decision: Decision, ask: Ask) -> Thought:
    """Answer `decision.window`. A backend's failure gives the fallback and never raises.

    Invalid output, after one repair, gives the fallback of SPEC 2.6, labelled with its cause.
    Missing preparations are labelled, too.
    """
    built_in = recipe.backend_for(decision.window.kind, decision) == HOUSE
    decision = _as_agent(recipe, decision)
    if built_in:  # it reads its whole view, not a request that shows a part of it
        decision = replace(decision, context="whole")
    faculties = _parts(recipe)
    lacking = _lacking(faculties, decision)
    notes = _considered(faculties, decision, ask)
    decision = replace(decision, mind=decision.mind.plus(notes))
    lacking += _unreasoned(notes, decision)
    for part in faculties:
        if (decided := part.decide(decision)) is not None:
            decision.window.check(decision.seat, decided.action)
            return Thought(replace(decided, labels=(*decided.labels, *lacking)), tuple(notes))
    request = _request(faculties, decision, built_in)
    reply: Reply = {}
    try:
        result = _with_weaker(recipe, ask, request, _reader(faculties, decision, built_in))
    except BackendError as error:
        answer = _fallback(faculties, decision, f"fallback:{error.cause}")
    else:
        answer = result.value
        spoken = {"text": answer.action.text} if answer.action.kind == "say" else {}
        reply = {**result.reply, **spoken}  # as it is said: a window may cut it
        reply_labels = dict.fromkeys([*reply.get("labels", []), *answer.labels])
        answer = replace(answer, labels=(*reply_labels, *["repaired"] * result.repaired))
    reply_notes = [note for part in faculties for note in part.notes_from_reply(decision, reply)]
    lacking += _unreasoned(reply_notes, decision)
    new_notes = [
        Note(n["faculty"], decision.moment, n["data"], decision.window.key)
        for n in reply.get("notes", [])
    ]
    answer = replace(answer, labels=(*answer.labels, *lacking))
    return Thought(answer, (*notes, *reply_notes, *new_notes))


def _considered(faculties: Sequence[Faculty], decision: Decision, ask: Ask) -> list[Note]:
    """Return the notes that the faculties recall, then those that they make for this answer."""
    notes = [note for part in faculties for note in part.recall(decision)]
    for part in faculties:  # each reads the notes of those before it
        notes += part.consider(replace(decision, mind=decision.mind.plus(notes)), ask)
    return notes


def _request(faculties: Sequence[Faculty], decision: Decision, built_in: bool) -> Request:
    """Return the request for an answer, as the backend may see it."""
    brief: dict[str, Any] = {
        part.name: part.brief(decision)
        for part in faculties
        if built_in or part.name != EXACT  # a model makes its own judgement
    }
    disguised = decision
    if not built_in:
        for part in faculties:
            disguised = part.disguise(disguised)
    return Request(decision.window.kind, disguised, brief)


def _reader(
    faculties: Sequence[Faculty], decision: Decision, built_in: bool
) -> Callable[[Reply], Answer]:
    """Return a reader of replies. The faculties may send a model's first legal answer back."""
    complaints: list[str] = []

    def read(reply: Reply) -> Answer:
        answer = _answer(decision, reply)
        if not built_in and not complaints:
            complaints.extend(
                filter(None, (part.complaint(decision, answer.action) for part in faculties))
            )
            if complaints:
                raise BackendError("unusable", complaints[0], reply.get("exchange"))
        return answer

    return read


def _with_weaker(
    recipe: Recipe, ask: Ask, request: Request, take: Callable[[Reply], Answer]
) -> UsableReply[Answer]:
    """Return the reply, if need be of the recipe's weaker model, if it has one (SPEC 2.8)."""
    try:
        return with_repair(ask, "answer", request, take)
    except BackendError:
        if WEAKER not in recipe.backends:
            raise
        return with_repair(ask, WEAKER, replace(request, kind=WEAKER), take)


def _fallback(faculties: Sequence[Faculty], decision: Decision, label: str) -> Answer:
    """Return the answer where no model gave a usable one: a faculty's, else the rules'."""
    for part in faculties:
        if (answer := part.rescue(decision)) is not None:
            return replace(answer, labels=(*answer.labels, label))
    return decision.window.fallback_for(decision.seat, decision.rng, label)


def _parts(recipe: Recipe) -> list[Faculty]:
    return [FACULTIES[name] for name in recipe.faculties]


def _as_agent(recipe: Recipe, decision: Decision) -> Decision:
    """Return the decision with the settings of the recipe's agent."""
    return replace(
        decision,
        persona=recipe.persona if "persona" in recipe.faculties else None,
        faculties=frozenset(recipe.faculties),
        context=recipe.context,
        switches=recipe.switch_values,
        has_plain_speech=recipe.plain,
        profile=recipe.profile,
    )


def _lacking(faculties: Sequence[Faculty], decision: Decision) -> list[str]:
    """Return labels for preparations that are missing for the round.

    `stale:<faculty>` means that an older note is used, `without:<faculty>` that there is none.
    """
    labels = []
    for part in faculties:
        if part.is_due(decision):
            notes = decision.mind.of(part.name)
            if not notes:
                labels.append(f"without:{part.name}")
            elif notes[-1].moment < decision.began:
                labels.append(f"stale:{part.name}")
    return labels


def _unreasoned(notes: Sequence[Note], decision: Decision) -> list[str]:
    """Return the same labels for reasoning that failed with this answer."""
    return [
        f"{'stale' if note.faculty in _standing(decision) else 'without'}:{note.faculty}"
        for note in notes
        if note.faculty != FAILED and "failed" in note.data
    ]


def _standing(decision: Decision) -> set[str]:
    """Return the faculties that have a note other than a failure."""
    return {note.faculty for note in decision.mind.notes if "failed" not in note.data}


def _answer(decision: Decision, reply: Reply) -> Answer:
    """Return the reply as the rules accept it. Raises BackendError if they refuse it."""
    legal = decision.window.legal
    try:
        if isinstance(legal, Pick) and not reply.get("targets"):
            action = ABSTAIN
        else:
            action = legal.parse(reply)
        return decision.window.accept(decision.seat, action, decision.view.state.seats)
    except Illegal as illegal:
        raise BackendError(
            "illegal", _complaint(illegal, decision), reply.get("exchange")
        ) from illegal


def _complaint(illegal: Illegal, decision: Decision) -> str:
    """Return the problem of an illegal answer in a sentence that helps to correct it."""
    legal, view = decision.window.legal, decision.view
    if isinstance(legal, Pick):
        options = decision.window.options_for(decision.seat)
        names = [
            seat_label(view.name(o), decision) if isinstance(o, int) else option(o, decision)
            for o in options
        ]
        nobody = " or nobody" if legal.may_abstain else ""
        return f"choose exactly {legal.count} of these: {', '.join(names)}{nobody}"
    if isinstance(legal, Ratings):
        names = [
            seat_label(view.name(int(o)), decision)
            for o in decision.window.options_for(decision.seat)
        ]
        bounds = f"with a confidence from {legal.least} to {legal.most}"
        return f"give roles of this game to some of these: {', '.join(names)}, {bounds}"
    if isinstance(legal, Speech) and illegal.code in ("too_many_words", "too_long"):
        return f"it was too long; at most {length_text(legal)}"
    return _SPEECH.get(illegal.code, "it can't be said like that; use plain spoken words")


_SPEECH = {
    "empty": "there were no words in it",
    "markup": "it held tags of a markup language; use plain spoken words",
    "no_pass": "you can't pass here; say something",
}
