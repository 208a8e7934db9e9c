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
from agents.llm.narration import illegal_answer_text
from agents.model_catalog import HOUSE
from agents.recipe import FACULTIES, WEAKER, Recipe
from game.engine.events import ABSTAIN
from game.engine.forms import Illegal, Pick
from game.engine.labels import FALLBACK, REPAIRED, STALE, WITHOUT, with_detail
from game.engine.windows import Answer

JUDGEMENT = "judgement"


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
    decision = _with_recipe(recipe, decision)
    notes: list[Note] = []
    for faculty in _faculties_of(recipe):  # each reads the notes of those before it
        prepared_notes = faculty.prepare(decision, send)
        decision = replace(decision, mind=decision.mind.plus(prepared_notes))
        notes += prepared_notes
    return tuple(notes)


def crashed_preparation_notes(recipe: Recipe, decision: Decision) -> tuple[Note, ...]:
    """Return the notes of failed preparations if `prepare` crashed, or crashed its workers."""
    decision = _with_recipe(recipe, decision)
    return tuple(
        failed_preparation_note(decision, faculty.name, "crash")
        for faculty in _faculties_of(recipe)
        if faculty.is_due(decision)
    )


def think(recipe: Recipe, decision: Decision, send: Send) -> Thought:
    """Return the answer to `decision.window`. A failure of the backend raises no error.

    If the reply is invalid after one repair, the answer is the fallback of SPEC 2.6, labelled with
    the cause. Missing preparations are labelled, too.
    """
    is_house = recipe.backend_for(decision.window.kind, decision) == HOUSE
    decision = _with_recipe(recipe, decision)
    if is_house:  # the house player reads its whole view, whatever a model's request would show
        decision = replace(decision, context="whole")
    faculties = _faculties_of(recipe)
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
    answer, reply = _AnswerRequest(recipe, faculties, decision, send, is_house).send_or_fall_back()
    reply_notes = [n for faculty in faculties for n in faculty.notes_from_reply(decision, reply)]
    labels += _failed_reasoning_labels(reply_notes, decision)
    moment, key = decision.moment, decision.window.key
    backend_notes = [Note(n["faculty"], moment, n["data"], key) for n in reply.get("notes", [])]
    answer = replace(answer, labels=(*answer.labels, *labels))
    return Thought(answer, (*notes, *reply_notes, *backend_notes))


@dataclass(frozen=True)
class _AnswerRequest:
    """The request for an answer to `decision.window`."""

    recipe: Recipe
    faculties: Sequence[Faculty]
    decision: Decision
    send: Send
    is_house: bool  # the built-in player answers

    def send_or_fall_back(self) -> tuple[Answer, Reply]:
        """Return the backend's answer and reply, or a fallback and {} if it gave no usable one.

        The fallback is that of a faculty, else that of the rules.
        """
        try:
            result = self._send_with_weaker_model()
        except BackendError as error:
            return self._fallback_answer(with_detail(FALLBACK, error.cause)), {}
        answer = result.value
        accepted_text = {"text": answer.action.text} if answer.action.kind == "say" else {}
        reply = {**result.reply, **accepted_text}  # a window may have cut the text
        labels = list(dict.fromkeys([*reply.get("labels", []), *answer.labels]))
        if result.is_repaired:
            labels.append(REPAIRED)
        return replace(answer, labels=tuple(labels)), reply

    def _fallback_answer(self, label: str) -> Answer:
        for faculty in self.faculties:
            if (fallback := faculty.fallback_answer(self.decision)) is not None:
                return replace(fallback, labels=(*fallback.labels, label))
        return self.decision.window.fallback_for(self.decision.seat, self.decision.rng, label)

    def _send_with_weaker_model(self) -> UsableReply[Answer]:
        """Send the request, and if that fails, send it to the recipe's weaker model (SPEC 2.8)."""
        request, parse_answer = self._build(), self._answer_parser()
        try:
            return send_with_repair(self.send, "answer", request, parse_answer)
        except BackendError:
            if WEAKER not in self.recipe.backends:
                raise
            weaker_request = replace(request, kind=WEAKER)
            return send_with_repair(self.send, WEAKER, weaker_request, parse_answer)

    def _build(self) -> Request:
        """Build the request, as the backend may see it."""
        brief: dict[str, Any] = {
            faculty.name: faculty.brief(self.decision)
            for faculty in self.faculties
            # Exact odds are the house player's; a model judges for itself.
            if self.is_house or faculty.name != JUDGEMENT
        }
        visible_decision = self.decision
        if not self.is_house:
            for faculty in self.faculties:
                visible_decision = faculty.disguise(visible_decision)
        return Request(self.decision.window.kind, visible_decision, brief)

    def _answer_parser(self) -> Callable[[Reply], Answer]:
        """Return the parser of replies. Faculties may refuse a model's first legal answer.

        They refuse only one, so that a model that repeats its mistake still answers.
        """
        may_refuse = not self.is_house

        def parse_answer(reply: Reply) -> Answer:
            nonlocal may_refuse
            answer = _accept_answer(self.decision, reply)
            if may_refuse:
                complaints = (f.complaint(self.decision, answer.action) for f in self.faculties)
                if complaint := next(filter(None, complaints), ""):
                    may_refuse = False
                    raise BackendError("unusable", complaint, reply.get("exchange"))
            return answer

        return parse_answer


def _faculties_of(recipe: Recipe) -> list[Faculty]:
    return [FACULTIES[name] for name in recipe.faculties]


def _with_recipe(recipe: Recipe, decision: Decision) -> Decision:
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
                labels.append(with_detail(WITHOUT, faculty.name))
            elif notes[-1].moment < decision.round_start:
                labels.append(with_detail(STALE, faculty.name))
    return labels


def _failed_reasoning_labels(notes: Sequence[Note], decision: Decision) -> list[str]:
    """Return `stale:` and `without:` labels for reasoning that failed with this answer."""
    noted_faculties = {note.faculty for note in decision.mind.notes if "failed" not in note.data}
    return [
        with_detail(STALE if note.faculty in noted_faculties else WITHOUT, note.faculty)
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
            "illegal", illegal_answer_text(illegal, decision), reply.get("exchange")
        ) from illegal
