"""The page of stages that ask questions: background, questionnaire, interview.

A step may have several pages of questions (`Item.page_break`). Each rendered page has the revision
that it was built from, and a random id (`page`). A POST with `do=save` stores a draft; the response
is 204 with the new revision in the header `Revision`, or 409 with the stored values. `do=back`
leads to the previous page. Any other POST submits the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.crypto import get_random_string

from webapp.study.models import Seating
from webapp.study.participant import shown_questions
from webapp.study.participant.shown_questions import list_questions
from webapp.study.participant.stage_pages import (
    REVISION_HEADER,
    StagePage,
    Visit,
    conflict_response,
    parse_posted_number,
)
from webapp.study.sessions import responses
from webapp.study.sessions.answers import Answer
from webapp.study.sessions.questions import (
    ItemQuestion,
    Sheet,
    build_pages,
    build_sheets,
    current_page,
    move_to_page,
    needs_answers,
    seating_at,
    stage_instruments,
    store_layout,
)
from webapp.study.sessions.responses import AnswerKey, Stale, StepChanged, StoredAnswers


class QuestionnairePage(StagePage):
    """The page of a stage with instruments. One object serves one kind of stage."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def show(self, visit: Visit) -> HttpResponse:
        participant, step = visit.participant, visit.step
        sheets = build_sheets(participant, step, seating_at(participant, step))
        store_layout(participant, step, sheets)
        pages = build_pages(participant, step, sheets)
        number = min(current_page(participant, step), len(pages) - 1)
        shown_number = _find_page_with_questions(pages, number)
        step_page = StepPage(pages, number if shown_number is None else shown_number)
        stored = responses.stored_answers(participant, step)
        shown_sheets = shown_questions.build_shown_sheets(step_page.sheets, stored.answers)
        return _render(visit, shown_sheets, stored.revision, step_page=step_page)

    def post(self, visit: Visit) -> HttpResponse:
        participant, post = visit.participant, visit.request.POST
        seating = seating_at(participant, visit.step)
        sheets = build_sheets(participant, visit.step, seating)
        pages = build_pages(participant, visit.step, sheets)
        step_page = StepPage(pages, min(parse_posted_number(post, "part"), len(pages) - 1))
        submitted = shown_questions.read_answers(post, list_questions(step_page.sheets))
        is_draft, is_back = post.get("do") == "save", post.get("do") == "back"
        try:
            revision = _save_answers(
                visit, step_page.sheets, submitted, seating, is_final=visit.is_final or not is_draft
            )
        except StepChanged:
            return redirect("take:step", participant.key)
        except Stale as stale:
            return _render_conflict(visit, step_page, submitted, stale.stored, is_draft=is_draft)
        if is_draft:
            return HttpResponse(status=204, headers={REVISION_HEADER: str(revision)})
        shown_sheets = shown_questions.build_shown_sheets(
            step_page.sheets, submitted, should_check=not is_back
        )
        if shown_questions.find_questions_with_errors(shown_sheets):
            return _render(visit, shown_sheets, revision, 422, step_page=step_page)
        return _turn_page(visit, step_page.number, sheets, is_back=is_back)


@dataclass(frozen=True)
class StepPage:
    """A page of a step's questions among all of them. Some may have no question.

    Attributes:
        number: The page's number, from 0.
    """

    pages: Sequence[Sequence[Sheet]]
    number: int

    @property
    def sheets(self) -> Sequence[Sheet]:
        return self.pages[self.number]

    @property
    def previous(self) -> int | None:
        """The number of the last page before it that has questions, None if it is the first."""
        return next((n for n in range(self.number - 1, -1, -1) if self.pages[n]), None)


def _find_page_with_questions(pages: Sequence[Sequence[Sheet]], start: int) -> int | None:
    """Return the number of the first page from `start` on that has questions, None for none."""
    return next((n for n in range(start, len(pages)) if pages[n]), None)


def _turn_page(
    visit: Visit, number: int, sheets: Sequence[Sheet], *, is_back: bool
) -> HttpResponse:
    """Move to the next or previous page, or complete the step after the last one."""
    pages = build_pages(visit.participant, visit.step, sheets)
    if is_back:
        target = StepPage(pages, number).previous
    else:
        target = _find_page_with_questions(pages, number + 1)
        if target is None:
            _clear_unasked_answers(visit, pages)
            return visit.advance()
    move_to_page(visit.participant, visit.step, number if target is None else target)
    return redirect("take:step", visit.participant.key)


def _clear_unasked_answers(visit: Visit, pages: Sequence[Sequence[Sheet]]) -> None:
    """Clear answers to questions whose condition became false when another answer changed."""
    instruments = stage_instruments(visit.step.stage, visit.participant.study.asked)
    if not any(map(needs_answers, instruments)):
        return
    asked_keys = {q.response_key for page in pages for q in list_questions(page)}
    stored = responses.stored_answers(visit.participant, visit.step)
    unasked = {
        key: Answer() for key, answer in stored.answers.items() if key not in asked_keys and answer
    }
    if unasked:
        revision = stored.revision
        responses.save_answers(visit.participant, visit.step, unasked, revision=revision)


def _save_answers(
    visit: Visit,
    sheets: Sequence[Sheet],
    submitted: Mapping[AnswerKey, Answer],
    seating: Seating | None,
    *,
    is_final: bool,
) -> int:
    """Store the answers of a page as `responses.save_answers` does. Return their revision."""
    post = visit.request.POST
    is_about_game = visit.step.game or any(sheet.instrument.is_about_game for sheet in sheets)
    return responses.save_answers(
        visit.participant,
        visit.step,
        submitted,
        revision=parse_posted_number(post, "revision"),
        page_id=post.get("page", ""),
        is_final=is_final,
        slot=seating.slot if seating and is_about_game else None,
    )


def _render_conflict(
    visit: Visit,
    step_page: StepPage,
    submitted: Mapping[AnswerKey, Answer],
    stored: StoredAnswers,
    *,
    is_draft: bool,
) -> HttpResponse:
    """Answer a POST from a page that is older than the stored answers.

    A draft comes from a script, which gets the stored values as JSON. A form is rendered again with
    the submitted and the stored values side by side.
    """
    if is_draft:
        return conflict_response(stored.revision, _post_values(step_page.sheets, stored.answers))
    merged = shown_questions.merge_answers(submitted, stored.answers)
    shown_sheets = shown_questions.build_shown_sheets(
        step_page.sheets, merged, other_answers=stored.answers
    )
    return _render(visit, shown_sheets, stored.revision, 409, step_page=step_page)


def _post_values(
    sheets: Sequence[Sheet], answers: Mapping[AnswerKey, Answer]
) -> dict[str, list[str]]:
    """Return field name -> values, as a form with these answers would post them."""
    values: dict[str, list[str]] = {}
    for question in list_questions(sheets):
        answer = answers.get(question.response_key, Answer())
        values |= _field_values(question, answer)
    return values


def _field_values(question: ItemQuestion, answer: Answer) -> dict[str, list[str]]:
    number = [] if answer.number is None else [f"{answer.number:.0f}"]
    if question.item.answer in ("human", "role"):
        return {
            question.field: list(answer.chosen),
            f"{question.field}{shown_questions.SURE_SUFFIX}": number,
        }
    if question.item.answer in ("text", "number", "slider"):
        return {question.field: [answer.text or "".join(number)]}
    return {question.field: [*answer.chosen, *number]}


def _render(
    visit: Visit,
    shown_sheets: Sequence[shown_questions.ShownSheet],
    revision: int,
    status: int = 200,
    *,
    step_page: StepPage,
) -> HttpResponse:
    return visit.page(
        "study/take/questionnaire.html",
        status,
        keeps=True,
        sheets=shown_sheets,
        questions_with_errors=shown_questions.find_questions_with_errors(shown_sheets),
        is_stale=status == 409,
        revision=revision,
        page=get_random_string(12),
        step_page=step_page,
    )
