"""Views of the stages that ask questions: background, questionnaire, interview.

Each rendered page carries the revision it was built from and a random page id (`page`). `do=save`
stores a draft: 204 with the new revision in the header `Revision`, or 409 with the stored values.
Any other POST submits the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.crypto import get_random_string

from webapp.study.models import Seating
from webapp.study.participant import questionnaire_form as form
from webapp.study.participant.stage_pages import StagePage, Visit
from webapp.study.sessions import responses
from webapp.study.sessions.answers import Answer
from webapp.study.sessions.questions import ItemQuestion, Sheet, seating_at, sheets, store_layout
from webapp.study.sessions.responses import AnswerKey, Stale, StepChanged, StoredAnswers

REVISION_HEADER = "Revision"  # name of the header


class QuestionnairePage(StagePage):
    """A stage of instruments."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def show(self, visit: Visit) -> HttpResponse:
        sheet_list = sheets(visit.participant, visit.step, _seating(visit))
        store_layout(visit.participant, visit.step, sheet_list)
        stored = responses.stored_answers(visit.participant, visit.step)
        return _render(visit, form.shown_sheets(sheet_list, stored.answers), stored.revision)

    def post(self, visit: Visit) -> HttpResponse:
        seating = _seating(visit)
        sheet_list = sheets(visit.participant, visit.step, seating)
        typed = form.read_answers(visit.request.POST, form.list_questions(sheet_list))
        saving = visit.request.POST.get("do") == "save"
        try:
            revision = _save(visit, sheet_list, typed, seating, last=visit.ends or not saving)
        except StepChanged:
            return redirect("take:as", visit.participant.key)
        except Stale as stale:
            return _render_conflict(visit, sheet_list, typed, stale.stored, saving=saving)
        if saving:
            return HttpResponse(status=204, headers={REVISION_HEADER: str(revision)})
        shown_sheets = form.shown_sheets(sheet_list, typed, check=True)
        if form.faulty_questions(shown_sheets):
            return _render(visit, shown_sheets, revision, 422)
        return visit.advance()


def _seating(visit: Visit) -> Seating | None:
    return seating_at(visit.participant, visit.step)


def _save(
    visit: Visit,
    sheet_list: Sequence[Sheet],
    typed: Mapping[AnswerKey, Answer],
    seating: Seating | None,
    *,
    last: bool,
) -> int:
    post = visit.request.POST
    about_game = visit.step.game or any(sheet.instrument.of_a_game for sheet in sheet_list)
    return responses.save_answers(
        visit.participant,
        visit.step,
        typed,
        revision=posted_revision(post),
        page=post.get("page", ""),
        last=last,
        slot=seating.slot if seating and about_game else None,
    )


def posted_revision(post: Mapping[str, str]) -> int:
    """Return the revision that the page was built from, 0 if the request has none."""
    revision = post.get("revision", "")
    return int(revision) if revision.isdecimal() and len(revision) < 10 else 0


def _render_conflict(
    visit: Visit,
    sheet_list: Sequence[Sheet],
    typed: Mapping[AnswerKey, Answer],
    stored: StoredAnswers,
    *,
    saving: bool,
) -> HttpResponse:
    """Answer a request whose page is older than the stored data.

    A script gets the stored values as JSON. A plain form is rendered again, with the typed and the
    stored values side by side.
    """
    if saving:
        conflict_data = {
            "revision": stored.revision,
            "values": _post_values(sheet_list, stored.answers),
        }
        return JsonResponse(
            conflict_data, status=409, headers={REVISION_HEADER: str(stored.revision)}
        )
    both = form.merge_answers(typed, stored.answers)
    page = form.shown_sheets(sheet_list, both, other_answers=stored.answers)
    return _render(visit, page, stored.revision, 409)


def _post_values(
    sheet_list: Sequence[Sheet], answers: Mapping[AnswerKey, Answer]
) -> dict[str, list[str]]:
    """Return the stored answers as POST values."""
    values: dict[str, list[str]] = {}
    for question in form.list_questions(sheet_list):
        answer = answers.get(question.response_key, Answer())
        values |= _fields(question, answer)
    return values


def _fields(question: ItemQuestion, answer: Answer) -> dict[str, list[str]]:
    number = [] if answer.number is None else [f"{answer.number:.0f}"]
    if question.item.answer in ("human", "role"):
        return {question.field: list(answer.chosen), f"{question.field}{form.SURE_SUFFIX}": number}
    if question.item.answer in ("text", "number"):
        return {question.field: [answer.text or "".join(number)]}
    return {question.field: [*answer.chosen, *number]}


def _render(
    visit: Visit, shown_sheets: Sequence[form.ShownSheet], revision: int, status: int = 200
) -> HttpResponse:
    return visit.page(
        "study/take/questionnaire.html",
        status,
        keeps=True,
        sheets=shown_sheets,
        faulty=form.faulty_questions(shown_sheets),
        stale=status == 409,
        revision=revision,
        page=get_random_string(12),
    )
