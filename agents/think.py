"""An agent's answer to a window: brief, request, check, one repair, then the fallback."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.decision import Ask, BackendError, Decision, Reply, Request
from agents.faculties import Faculty
from agents.llm.narration import length_text, option
from agents.llm.quoting import seat_label
from agents.mind import FAILED, Note
from agents.recipe import FACULTIES, WEAKER, Recipe
from agents.repair import UsableReply, failure_note, with_repair
from game.engine.forms import ABSTAIN, Illegal, Pick, Ratings, Speech
from game.engine.labels import REPAIRED
from game.engine.windows import Answer

HOUSE = "house"
JUDGEMENT = "judgement"


@dataclass(frozen=True)
class Thought:
    """Answer of an agent, with the notes to store."""

    answer: Answer
    notes: tuple[Note, ...] = ()


def prepare(recipe: Recipe, decision: Decision, ask: Ask) -> tuple[Note, ...]:
    """Return an agent's notes at the start of a round, from the talk before (SPEC 2.5).

    Preparations of different agents are independent, so that they can run in parallel. Failures
    give notes of FAILED.

    Args:
        decision: the decision as the round opened.
    """
    decision = _as_agent(recipe, decision)
    notes: list[Note] = []
    for faculty in _faculties(recipe):  # each reads the notes of those before it
        prepared_notes = faculty.prepare(decision, ask)
        decision = replace(decision, mind=decision.mind.plus(prepared_notes))
        notes += prepared_notes
    return tuple(notes)


def failed_preparation_notes(recipe: Recipe, decision: Decision, cause: str) -> tuple[Note, ...]:
    """Return the notes in place of those of `prepare` if it could not run at all."""
    decision = _as_agent(recipe, decision)
    return tuple(
        failure_note(decision, faculty.name, cause)
        for faculty in _faculties(recipe)
        if faculty.is_due(decision)
    )


def think(recipe: Recipe, decision: Decision, ask: Ask) -> Thought:
    """Return the answer to `decision.window`. Never raises for a failure of the backend.

    A reply that is invalid after one repair gives the fallback of SPEC 2.6, labelled with its
    cause. Missing preparations are labelled, too.
    """
    is_house = recipe.backend_for(decision.window.kind, decision) == HOUSE
    decision = _as_agent(recipe, decision)
    if is_house:  # it reads its whole view; a model reads a request that shows a part of it
        decision = replace(decision, context="whole")
    faculties = _faculties(recipe)
    missing_labels = _missing_preparation_labels(faculties, decision)
    notes = _notes_before_answer(faculties, decision, ask)
    decision = replace(decision, mind=decision.mind.plus(notes))
    missing_labels += _failed_reasoning_labels(notes, decision)
    for faculty in faculties:
        if (own_answer := faculty.decide(decision)) is not None:
            decision.window.check(decision.seat, own_answer.action)
            return Thought(
                replace(own_answer, labels=(*own_answer.labels, *missing_labels)), tuple(notes)
            )
    answer, reply = _request_answer(recipe, faculties, decision, ask, is_house)
    reply_notes = [
        note for faculty in faculties for note in faculty.notes_from_reply(decision, reply)
    ]
    missing_labels += _failed_reasoning_labels(reply_notes, decision)
    backend_notes = [
        Note(n["faculty"], decision.moment, n["data"], decision.window.key)
        for n in reply.get("notes", [])
    ]
    answer = replace(answer, labels=(*answer.labels, *missing_labels))
    return Thought(answer, (*notes, *reply_notes, *backend_notes))


def _notes_before_answer(faculties: Sequence[Faculty], decision: Decision, ask: Ask) -> list[Note]:
    """Return the notes that need no request, then those of requests before this answer."""
    notes = [note for faculty in faculties for note in faculty.recall(decision)]
    for faculty in faculties:  # each reads the notes of those before it
        notes += faculty.consider(replace(decision, mind=decision.mind.plus(notes)), ask)
    return notes


def _request_answer(
    recipe: Recipe, faculties: Sequence[Faculty], decision: Decision, ask: Ask, is_house: bool
) -> tuple[Answer, Reply]:
    """Return the backend's answer and reply, or the fallback and {} if it gave no usable one."""
    request = _build_request(faculties, decision, is_house)
    parse_answer = _answer_parser(faculties, decision, is_house)
    try:
        result = _with_weaker(recipe, ask, request, parse_answer)
    except BackendError as error:
        return _fallback(faculties, decision, f"fallback:{error.cause}"), {}
    answer = result.value
    spoken = {"text": answer.action.text} if answer.action.kind == "say" else {}
    reply = {**result.reply, **spoken}  # as accepted: a window may cut it
    reply_labels = dict.fromkeys([*reply.get("labels", []), *answer.labels])
    labels = (*reply_labels, *[REPAIRED] * result.is_repaired)
    return replace(answer, labels=labels), reply


def _build_request(faculties: Sequence[Faculty], decision: Decision, is_house: bool) -> Request:
    """Build the request for an answer, as the backend may see it."""
    brief: dict[str, Any] = {
        faculty.name: faculty.brief(decision)
        for faculty in faculties
        if is_house or faculty.name != JUDGEMENT  # exact; a model makes its own
    }
    disguised = decision
    if not is_house:
        for faculty in faculties:
            disguised = faculty.disguise(disguised)
    return Request(decision.window.kind, disguised, brief)


def _answer_parser(
    faculties: Sequence[Faculty], decision: Decision, is_house: bool
) -> Callable[[Reply], Answer]:
    """Return the parser of replies. Faculties may refuse a model's first legal answer."""
    complaints: list[str] = []

    def parse_answer(reply: Reply) -> Answer:
        answer = _accept_answer(decision, reply)
        if not is_house and not complaints:
            complaints.extend(
                filter(None, (faculty.complaint(decision, answer.action) for faculty in faculties))
            )
            if complaints:
                raise BackendError("unusable", complaints[0], reply.get("exchange"))
        return answer

    return parse_answer


def _with_weaker(
    recipe: Recipe, ask: Ask, request: Request, parse_answer: Callable[[Reply], Answer]
) -> UsableReply[Answer]:
    """Return the reply, of the recipe's weaker model if its own fails (SPEC 2.8)."""
    try:
        return with_repair(ask, "answer", request, parse_answer)
    except BackendError:
        if WEAKER not in recipe.backends:
            raise
        return with_repair(ask, WEAKER, replace(request, kind=WEAKER), parse_answer)


def _fallback(faculties: Sequence[Faculty], decision: Decision, label: str) -> Answer:
    """Return the answer if no model gave a usable one: a faculty's, else the rules'."""
    for faculty in faculties:
        if (answer := faculty.rescue(decision)) is not None:
            return replace(answer, labels=(*answer.labels, label))
    return decision.window.fallback_for(decision.seat, decision.rng, label)


def _faculties(recipe: Recipe) -> list[Faculty]:
    return [FACULTIES[name] for name in recipe.faculties]


def _as_agent(recipe: Recipe, decision: Decision) -> Decision:
    return replace(
        decision,
        persona=recipe.persona if "persona" in recipe.faculties else None,
        faculties=frozenset(recipe.faculties),
        context=recipe.context,
        switches=recipe.switch_values,
        has_plain_speech=recipe.has_plain_speech,
        profile=recipe.profile,
    )


def _missing_preparation_labels(faculties: Sequence[Faculty], decision: Decision) -> list[str]:
    """Return labels for missing preparations of the round.

    `stale:<faculty>` means that an older note is used, `without:<faculty>` that there is none.
    """
    labels = []
    for faculty in faculties:
        if faculty.is_due(decision):
            notes = decision.mind.of(faculty.name)
            if not notes:
                labels.append(f"without:{faculty.name}")
            elif notes[-1].moment < decision.began:
                labels.append(f"stale:{faculty.name}")
    return labels


def _failed_reasoning_labels(notes: Sequence[Note], decision: Decision) -> list[str]:
    """Return `stale:` and `without:` labels for reasoning that failed with this answer."""
    with_notes = {note.faculty for note in decision.mind.notes if "failed" not in note.data}
    return [
        f"{'stale' if note.faculty in with_notes else 'without'}:{note.faculty}"
        for note in notes
        if note.faculty != FAILED and "failed" in note.data
    ]


def _accept_answer(decision: Decision, reply: Reply) -> Answer:
    """Return the reply as the answer that the rules accept, or raise BackendError."""
    legal = decision.window.legal
    try:
        if isinstance(legal, Pick) and not reply.get("targets"):
            action = ABSTAIN
        else:
            action = legal.parse(reply)
        return decision.window.accept(decision.seat, action, decision.view.state.seats)
    except Illegal as illegal:
        raise BackendError(
            "illegal", _explain_refusal(illegal, decision), reply.get("exchange")
        ) from illegal


def _explain_refusal(illegal: Illegal, decision: Decision) -> str:
    """Return the mistake of an illegal answer, in a sentence that helps a model to correct it."""
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
        bounds = f"with a confidence from {legal.min_confidence} to {legal.max_confidence}"
        return f"give roles of this game to some of these: {', '.join(names)}, {bounds}"
    if isinstance(legal, Speech) and illegal.code in ("too_many_words", "too_long"):
        return f"it was too long; at most {length_text(legal)}"
    return _SPEECH_MISTAKES.get(illegal.code, "it can't be said like that; use plain spoken words")


_SPEECH_MISTAKES = {
    "empty": "there were no words in it",
    "markup": "it held tags of a markup language; use plain spoken words",
    "no_pass": "you can't pass here; say something",
}
