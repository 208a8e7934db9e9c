"""Views of the stages that ask questions: background, questionnaire, interview.

Each rendered page has the revision that it was built from and a random id (`page`). A POST with
`do=save` stores a draft: 204 with the new revision in the header `Revision`, or 409 with the stored
values. `do=back` leads to the previous page. Any other POST submits the page. A step may have
several pages (`Item.page_break`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.crypto import get_random_string

from webapp.study.models import Seating
from webapp.study.participant import questionnaire_form as form
from webapp.study.participant.stage_pages import StagePage, Visit
from webapp.study.sessions import responses
from webapp.study.sessions.answers import Answer
from webapp.study.sessions.question_logic import needs_answers
from webapp.study.sessions.questions import (
    ItemQuestion,
    Sheet,
    build_pages,
    build_sheets,
    current_page,
    move_to_page,
    seating_at,
    stage_instruments,
    store_layout,
)
from webapp.study.sessions.responses import AnswerKey, Stale, StepChanged, StoredAnswers

REVISION_HEADER = "Revision"


class QuestionnairePage(StagePage):
    """The page of a stage with instruments."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def show(self, visit: Visit) -> HttpResponse:
        sheet_list = build_sheets(visit.participant, visit.step, _seating(visit))
        store_layout(visit.participant, visit.step, sheet_list)
        page_list = build_pages(visit.participant, visit.step, sheet_list)
        number = min(current_page(visit.participant, visit.step), len(page_list) - 1)
        number = _next_page(page_list, number - 1) or number
        step_page = StepPage(page_list, number)
        stored = responses.stored_answers(visit.participant, visit.step)
        shown_sheets = form.build_shown_sheets(step_page.sheets, stored.answers)
        return _render(visit, shown_sheets, stored.revision, step_page=step_page)

    def post(self, visit: Visit) -> HttpResponse:
        seating, post = _seating(visit), visit.request.POST
        sheet_list = build_sheets(visit.participant, visit.step, seating)
        page_list = build_pages(visit.participant, visit.step, sheet_list)
        step_page = StepPage(page_list, min(parse_posted_number(post, "part"), len(page_list) - 1))
        typed = form.read_answers(post, form.list_questions(step_page.sheets))
        is_draft, back = post.get("do") == "save", post.get("do") == "back"
        try:
            last = visit.ends or not is_draft
            revision = _save_answers(visit, step_page.sheets, typed, seating, last=last)
        except StepChanged:
            return redirect("take:as", visit.participant.key)
        except Stale as stale:
            return _render_conflict(visit, step_page, typed, stale.stored, is_draft=is_draft)
        if is_draft:
            return HttpResponse(status=204, headers={REVISION_HEADER: str(revision)})
        shown_sheets = form.build_shown_sheets(step_page.sheets, typed, check=not back)
        if form.find_faulty_questions(shown_sheets):
            return _render(visit, shown_sheets, revision, 422, step_page=step_page)
        return _turn_page(visit, step_page.number, sheet_list, back=back)


@dataclass(frozen=True)
class StepPage:
    """A page of a step among all its pages, some of which may have no question."""

    pages: Sequence[Sequence[Sheet]]
    number: int

    @property
    def sheets(self) -> Sequence[Sheet]:
        return self.pages[self.number]

    @property
    def previous(self) -> int | None:
        """The number of the last page before it that has questions."""
        return next((n for n in range(self.number - 1, -1, -1) if self.pages[n]), None)


def _next_page(page_list: Sequence[Sequence[Sheet]], after: int) -> int | None:
    """Return the number of the first page after `after` that has questions."""
    return next((n for n in range(after + 1, len(page_list)) if page_list[n]), None)


def _turn_page(
    visit: Visit, number: int, sheet_list: Sequence[Sheet], *, back: bool
) -> HttpResponse:
    """Move to the next or previous page by the stored answers. The last page completes the step."""
    page_list = build_pages(visit.participant, visit.step, sheet_list)
    step_page = StepPage(page_list, number)
    target = step_page.previous if back else _next_page(page_list, number)
    if target is None and not back:
        _clear_unasked_answers(visit, page_list)
        return visit.advance()
    move_to_page(visit.participant, visit.step, number if target is None else target)
    return redirect("take:as", visit.participant.key)


def _clear_unasked_answers(visit: Visit, page_list: Sequence[Sequence[Sheet]]) -> None:
    """Empty the answers to questions whose conditions later changes of answers have made false."""
    instruments = stage_instruments(visit.step.stage, visit.participant.study.asked)
    if not any(map(needs_answers, instruments)):
        return
    asked_keys = {q.response_key for page in page_list for q in form.list_questions(page)}
    stored = responses.stored_answers(visit.participant, visit.step)
    unasked = {
        key: Answer() for key, answer in stored.answers.items() if key not in asked_keys and answer
    }
    if unasked:
        revision = stored.revision
        responses.save_answers(visit.participant, visit.step, unasked, revision=revision)


def _seating(visit: Visit) -> Seating | None:
    return seating_at(visit.participant, visit.step)


def _save_answers(
    visit: Visit,
    sheet_list: Sequence[Sheet],
    typed: Mapping[AnswerKey, Answer],
    seating: Seating | None,
    *,
    last: bool,
) -> int:
    post = visit.request.POST
    about_game = visit.step.game or any(sheet.instrument.is_about_game for sheet in sheet_list)
    return responses.save_answers(
        visit.participant,
        visit.step,
        typed,
        revision=parse_posted_number(post, "revision"),
        page=post.get("page", ""),
        last=last,
        slot=seating.slot if seating and about_game else None,
    )


def parse_posted_number(post: Mapping[str, str], name: str) -> int:
    """Return the posted number (revision or part), 0 if there is none."""
    number = post.get(name, "")
    return int(number) if number.isdecimal() and len(number) < 10 else 0


def _render_conflict(
    visit: Visit,
    step_page: StepPage,
    typed: Mapping[AnswerKey, Answer],
    stored: StoredAnswers,
    *,
    is_draft: bool,
) -> HttpResponse:
    """Answer a POST from a page that is older than the stored answers.

    A script, which posts drafts, gets the stored values as JSON. A form is rendered again with the
    typed and the stored values side by side.
    """
    if is_draft:
        conflict_data = {
            "revision": stored.revision,
            "values": _post_values(step_page.sheets, stored.answers),
        }
        return JsonResponse(
            conflict_data, status=409, headers={REVISION_HEADER: str(stored.revision)}
        )
    merged = form.merge_answers(typed, stored.answers)
    shown_sheets = form.build_shown_sheets(step_page.sheets, merged, other_answers=stored.answers)
    return _render(visit, shown_sheets, stored.revision, 409, step_page=step_page)


def _post_values(
    sheet_list: Sequence[Sheet], answers: Mapping[AnswerKey, Answer]
) -> dict[str, list[str]]:
    """Return the stored answers as POST values."""
    values: dict[str, list[str]] = {}
    for question in form.list_questions(sheet_list):
        answer = answers.get(question.response_key, Answer())
        values |= _field_values(question, answer)
    return values


def _field_values(question: ItemQuestion, answer: Answer) -> dict[str, list[str]]:
    number = [] if answer.number is None else [f"{answer.number:.0f}"]
    if question.item.answer in ("human", "role"):
        return {question.field: list(answer.chosen), f"{question.field}{form.SURE_SUFFIX}": number}
    if question.item.answer in ("text", "number", "slider"):
        return {question.field: [answer.text or "".join(number)]}
    return {question.field: [*answer.chosen, *number]}


def _render(
    visit: Visit,
    shown_sheets: Sequence[form.ShownSheet],
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
        faulty=form.find_faulty_questions(shown_sheets),
        stale=status == 409,
        revision=revision,
        page=get_random_string(12),
        step_page=step_page,
    )
