"""An agent's answer to a window, and its preparations for a round of talk.

`think` collects the faculties' briefs, sends the request, and checks the reply. An unusable reply
gets one repair request, then the fallback.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.decision import (
    FAILED,
    BackendError,
    Decision,
    Faculty,
    Note,
    Reply,
    Request,
    Send,
    UsableReply,
    failed_preparation_note,
    send_with_repair,
)
from agents.llm.narration import length_text, quoted_option_name
from agents.model_catalog import HOUSE
from agents.recipe import FACULTIES, WEAKER, Recipe
from game.engine.events import ABSTAIN
from game.engine.forms import Illegal, Pick, Ratings, Speech
from game.engine.labels import REPAIRED
from game.engine.windows import Answer

JUDGEMENT = "judgement"
# Code of an illegal statement -> the mistake, as a sentence to the model.
_MISTAKE_BY_CODE = {
    "empty": "there were no words in it",
    "markup": "it held tags of a markup language; use plain spoken words",
    "no_pass": "you can't pass here; say something",
}


@dataclass(frozen=True)
class Thought:
    """Answer of an agent, with the notes to store."""

    answer: Answer
    notes: tuple[Note, ...] = ()


def prepare(recipe: Recipe, decision: Decision, send: Send) -> tuple[Note, ...]:
    """Return the notes that an agent makes when a round opens (SPEC 2.5).

    Preparations of different agents are independent, so that they can run in parallel. A failed
    request gives a note of FAILED.
    """
    decision = _as_agent(recipe, decision)
    notes: list[Note] = []
    for faculty in _faculties(recipe):  # each reads the notes of those before it
        prepared_notes = faculty.prepare(decision, send)
        decision = replace(decision, mind=decision.mind.plus(prepared_notes))
        notes += prepared_notes
    return tuple(notes)


def crashed_preparation_notes(recipe: Recipe, decision: Decision) -> tuple[Note, ...]:
    """Return the notes of failed preparations if `prepare` crashed, or crashed its workers."""
    decision = _as_agent(recipe, decision)
    return tuple(
        failed_preparation_note(decision, faculty.name, "crash")
        for faculty in _faculties(recipe)
        if faculty.is_due(decision)
    )


def think(recipe: Recipe, decision: Decision, send: Send) -> Thought:
    """Return the answer to `decision.window`. A failure of the backend raises no error.

    If the reply is invalid after one repair, the answer is the fallback of SPEC 2.6, labelled with
    the cause. Missing preparations are labelled, too.
    """
    is_house = recipe.backend_for(decision.window.kind, decision) == HOUSE
    decision = _as_agent(recipe, decision)
    if is_house:  # the house player reads its whole view, whatever a model's request would show
        decision = replace(decision, context="whole")
    faculties = _faculties(recipe)
    labels = _missing_preparation_labels(faculties, decision)
    notes = [note for faculty in faculties for note in faculty.recall(decision)]
    for faculty in faculties:  # each reads the notes of those before it
        notes += faculty.consider(replace(decision, mind=decision.mind.plus(notes)), send)
    decision = replace(decision, mind=decision.mind.plus(notes))
    labels += _failed_reasoning_labels(notes, decision)
    for faculty in faculties:
        if (answer := faculty.decide(decision)) is not None:
            decision.window.check(decision.seat, answer.action)
            return Thought(replace(answer, labels=(*answer.labels, *labels)), tuple(notes))
    answer, reply = _request_answer(recipe, faculties, decision, send, is_house)
    reply_notes = [n for faculty in faculties for n in faculty.notes_from_reply(decision, reply)]
    labels += _failed_reasoning_labels(reply_notes, decision)
    moment, key = decision.moment, decision.window.key
    backend_notes = [Note(n["faculty"], moment, n["data"], key) for n in reply.get("notes", [])]
    answer = replace(answer, labels=(*answer.labels, *labels))
    return Thought(answer, (*notes, *reply_notes, *backend_notes))


def _request_answer(
    recipe: Recipe, faculties: Sequence[Faculty], decision: Decision, send: Send, is_house: bool
) -> tuple[Answer, Reply]:
    """Return the backend's answer and reply, or a fallback and {} if it gave no usable one.

    The fallback is that of a faculty, else that of the rules.
    """
    request = _build_request(faculties, decision, is_house)
    parse_answer = _answer_parser(faculties, decision, is_house)
    try:
        result = _send_with_weaker_model(recipe, send, request, parse_answer)
    except BackendError as error:
        label = f"fallback:{error.cause}"
        for faculty in faculties:
            if (fallback := faculty.fallback_answer(decision)) is not None:
                return replace(fallback, labels=(*fallback.labels, label)), {}
        return decision.window.fallback_for(decision.seat, decision.rng, label), {}
    answer = result.value
    accepted_text = {"text": answer.action.text} if answer.action.kind == "say" else {}
    reply = {**result.reply, **accepted_text}  # a window may have cut the text
    reply_labels = dict.fromkeys([*reply.get("labels", []), *answer.labels])
    labels = (*reply_labels, *[REPAIRED] * result.is_repaired)
    return replace(answer, labels=labels), reply


def _build_request(faculties: Sequence[Faculty], decision: Decision, is_house: bool) -> Request:
    """Build the request for an answer, as the backend may see it."""
    brief: dict[str, Any] = {
        faculty.name: faculty.brief(decision)
        for faculty in faculties
        # Exact odds are the house player's; a model judges for itself.
        if is_house or faculty.name != JUDGEMENT
    }
    visible_decision = decision
    if not is_house:
        for faculty in faculties:
            visible_decision = faculty.disguise(visible_decision)
    return Request(decision.window.kind, visible_decision, brief)


def _answer_parser(
    faculties: Sequence[Faculty], decision: Decision, is_house: bool
) -> Callable[[Reply], Answer]:
    """Return the parser of replies. Faculties may refuse a model's first legal answer.

    They refuse only one, so that a model that repeats its mistake still answers.
    """
    complaints: list[str] = []

    def parse_answer(reply: Reply) -> Answer:
        answer = _accept_answer(decision, reply)
        if not is_house and not complaints:
            found = (faculty.complaint(decision, answer.action) for faculty in faculties)
            complaints.extend(filter(None, found))
            if complaints:
                raise BackendError("unusable", complaints[0], reply.get("exchange"))
        return answer

    return parse_answer


def _send_with_weaker_model(
    recipe: Recipe, send: Send, request: Request, parse_answer: Callable[[Reply], Answer]
) -> UsableReply[Answer]:
    """Send the request, and if that fails, to the recipe's weaker model (SPEC 2.8)."""
    try:
        return send_with_repair(send, "answer", request, parse_answer)
    except BackendError:
        if WEAKER not in recipe.backends:
            raise
        return send_with_repair(send, WEAKER, replace(request, kind=WEAKER), parse_answer)


def _faculties(recipe: Recipe) -> list[Faculty]:
    return [FACULTIES[name] for name in recipe.faculties]


def _as_agent(recipe: Recipe, decision: Decision) -> Decision:
    """Return the decision with the recipe's fields."""
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
            elif notes[-1].moment < decision.round_start:
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
            "illegal", _explain_mistake(illegal, decision), reply.get("exchange")
        ) from illegal


def _explain_mistake(illegal: Illegal, decision: Decision) -> str:
    """Return the mistake in an illegal answer, in a sentence that helps a model to correct it."""
    legal = decision.window.legal
    if isinstance(legal, Speech):
        if illegal.code in ("too_many_words", "too_long"):
            return f"it was too long; at most {length_text(legal)}"
        return _MISTAKE_BY_CODE.get(
            illegal.code, "it can't be said like that; use plain spoken words"
        )
    options = decision.window.options_for(decision.seat)
    names = ", ".join(quoted_option_name(option, decision) for option in options)
    if isinstance(legal, Ratings):
        bounds = f"with a confidence from {legal.min_confidence} to {legal.max_confidence}"
        return f"give roles of this game to some of these: {names}, {bounds}"
    pick = decision.window.pick
    nobody = " or nobody" if pick.may_abstain else ""
    return f"choose exactly {pick.count} of these: {names}{nobody}"
