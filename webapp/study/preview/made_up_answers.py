"""Made-up answers: given at earlier steps, so that pages which depend on them have some."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from webapp.study.models import Participant, Response
from webapp.study.participant import questionnaire_form as form
from webapp.study.preview.positions import ASKING, FIELDS
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
        return Answer(text=_("A made-up answer.")[: item.longest])
    if item.answer in ("scale", "slider", "number"):
        return Answer(number=middle)
    if item.answer == "many":
        return Answer(choice=[first] if first else None)
    if item.answer in ("human", "role"):
        return Answer(choice=first, number=middle)
    return Answer(choice=first) if item.answer == "one" else Answer()


def store_answers(participant: Participant, rows: Sequence[Sequence[object]]) -> None:
    """Store the answers that a position carries (`positions.FIELDS`)."""
    Response.objects.bulk_create(
        Response(participant=participant, revision=1, **dict(zip(FIELDS, row, strict=True)))
        for row in rows
    )


def answer_earlier(participant: Participant, steps: Sequence[Step], page: int) -> None:
    """Make up missing answers to questions before a page of the last of the steps."""
    current = steps[-1]
    for step in steps:
        if step.kind not in ASKING or participant.responses.filter(step=step.key).exists():
            continue
        seating = questions.seating_at(participant, step)
        page_list = questions.build_pages(
            participant, step, questions.build_sheets(participant, step, seating)
        )
        before = page_list[:page] if step == current else page_list
        items = [q for sheets in before for q in form.list_questions(sheets)]
        store_answers(participant, [_row(step, q) for q in items if make_up_answer(q)])


def _row(step: Step, question: ItemQuestion) -> list[object]:
    answer = make_up_answer(question)
    instrument, item, seat = question.response_key
    return [step.key, "", instrument, item, seat, answer.number, answer.text, answer.choice]
