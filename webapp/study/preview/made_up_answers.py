"""Made-up answers at earlier steps, for pages that depend on them."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from webapp.study.models import Participant, Response
from webapp.study.participant import shown_questions
from webapp.study.preview.positions import ANSWER_FIELDS, KINDS_WITH_QUESTIONS
from webapp.study.sessions import questions
from webapp.study.sessions.answers import Answer
from webapp.study.sessions.participant_steps import Step
from webapp.study.sessions.questions import ItemQuestion


def make_up_answer(question: ItemQuestion) -> Answer:
    """Return an answer that the question accepts: the middle of a scale, the first option."""
    item = question.item
    middle = (item.min + item.max) // 2
    first = question.options[0].key if question.options else None
    if item.answer == "text":
        return Answer(text=_("A sample answer.")[: item.longest])
    if item.answer in ("scale", "slider", "number"):
        return Answer(number=middle)
    if item.answer == "many":
        return Answer(choice=[first] if first else None)
    if item.answer in ("human", "role"):
        return Answer(choice=first, number=middle)
    return Answer(choice=first) if item.answer == "one" else Answer()


def store_answers(participant: Participant, rows: Sequence[Sequence[object]]) -> None:
    """Store the answers that a position carries (`positions.ANSWER_FIELDS`)."""
    Response.objects.bulk_create(
        Response(participant=participant, revision=1, **dict(zip(ANSWER_FIELDS, row, strict=True)))
        for row in rows
    )


def make_up_missing_answers(participant: Participant, steps: Sequence[Step], page: int) -> None:
    """Make up and store missing answers before a page of the last step.

    Args:
        steps: The steps until the current one.
        page: Index of the current page of questions.
    """
    current = steps[-1]
    for step in steps:
        has_answers = participant.responses.filter(step=step.key).exists()
        if step.kind not in KINDS_WITH_QUESTIONS or has_answers:
            continue
        seating = questions.seating_at(participant, step)
        pages = questions.build_pages(
            participant, step, questions.build_sheets(participant, step, seating)
        )
        earlier_pages = pages[:page] if step == current else pages
        asked = [q for sheets in earlier_pages for q in shown_questions.list_questions(sheets)]
        store_answers(participant, [_build_row(step, q) for q in asked if make_up_answer(q)])


def _build_row(step: Step, question: ItemQuestion) -> list[object]:
    answer = make_up_answer(question)
    instrument, item, seat = question.response_key
    return [step.key, "", instrument, item, seat, answer.number, answer.text, answer.choice]
