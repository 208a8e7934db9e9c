"""The page of stages that ask questions: background, questionnaire, interview.

`QuestionnairePage` answers requests. The other classes are questions as the template shows them.

A step may have several pages of questions (`Item.page_break`). Each rendered page has the revision
that it was built from, and a random id (`page`). A POST with `do=save` stores a draft; the response
is 204 with the new revision in the header `Revision`, or 409 with the stored values. `do=back`
leads to the previous page. Any other POST submits the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

from django.http import HttpResponse, QueryDict
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _

from webapp.storable_text import read_number
from webapp.study.design.instruments import Instrument, Item
from webapp.study.participant import stage_pages
from webapp.study.participant.stage_pages import StagePage, Visit
from webapp.study.sessions import questions, responses
from webapp.study.sessions.questions import ItemQuestion, Sheet, StepPage, StepQuestions
from webapp.study.sessions.responses import Answer, AnswerKey, Stale, StepChanged, StoredAnswers

UNANSWERED = Answer()
MAX_NARROW_STEPS = 7  # scales with more steps get a wide layout


class QuestionnairePage(StagePage):
    """The page of a stage with instruments. One object serves one kind of stage."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def show(self, visit: Visit) -> HttpResponse:
        participant, step = visit.participant, visit.step
        step_questions = StepQuestions(participant, step)
        questions.store_layout(participant, step, step_questions.sheets)
        pages = step_questions.build_pages()
        number = min(questions.current_page(participant, step), len(pages) - 1)
        shown_number = questions.find_page_with_questions(pages, number)
        step_page = StepPage(pages, number if shown_number is None else shown_number)
        stored = responses.stored_answers(participant, step)
        shown_sheets = _build_shown_sheets(step_page.sheets, stored.answers)
        return _render(visit, shown_sheets, stored.revision, step_page=step_page)

    def post(self, visit: Visit) -> HttpResponse:
        post, step_questions = visit.request.POST, StepQuestions(visit.participant, visit.step)
        pages = step_questions.build_pages()
        step_page = StepPage(pages, min(read_number(post.get("part", "")), len(pages) - 1))
        submitted = _read_answers(post, questions.list_questions(step_page.sheets))
        is_draft, is_back = visit.action == "save", visit.action == "back"
        instruments = [sheet.instrument for sheet in step_page.sheets]
        is_about_game = visit.step.game or any(i.is_about_game for i in instruments)
        try:
            revision = responses.save_answers(
                visit.participant,
                visit.step,
                submitted,
                revision=read_number(post.get("revision", "")),
                page_id=post.get("page", ""),
                is_final=visit.is_final or not is_draft,
                slot=step_questions.seating.slot
                if step_questions.seating and is_about_game
                else None,
            )
        except StepChanged:
            return visit.reload()
        except Stale as stale:
            return _render_conflict(visit, step_page, submitted, stale.stored, is_draft=is_draft)
        if is_draft:
            return HttpResponse(status=204, headers={stage_pages.REVISION_HEADER: str(revision)})
        shown_sheets = _build_shown_sheets(step_page.sheets, submitted, should_check=not is_back)
        if _find_questions_with_errors(shown_sheets):
            return _render(visit, shown_sheets, revision, 422, step_page=step_page)
        return _turn_page(visit, step_questions, step_page.number, is_back=is_back)


def _turn_page(
    visit: Visit, step_questions: StepQuestions, number: int, *, is_back: bool
) -> HttpResponse:
    """Move to the next or previous page, or complete the step after the last one."""
    pages = step_questions.build_pages()
    if is_back:
        target = StepPage(pages, number).previous
    else:
        target = questions.find_page_with_questions(pages, number + 1)
        if target is None:
            _clear_unasked_answers(step_questions, pages)
            return visit.advance()
    questions.move_to_page(visit.participant, visit.step, number if target is None else target)
    return visit.reload()


def _clear_unasked_answers(step_questions: StepQuestions, pages: Sequence[Sequence[Sheet]]) -> None:
    """Clear answers to questions whose condition became false when another answer changed."""
    if not any(map(questions.needs_answers, step_questions.instruments)):
        return
    asked_keys = {q.response_key for page in pages for q in questions.list_questions(page)}
    stored = responses.stored_answers(step_questions.participant, step_questions.step)
    if unasked := dict.fromkeys(stored.answers.keys() - asked_keys, UNANSWERED):
        responses.save_answers(
            step_questions.participant, step_questions.step, unasked, revision=stored.revision
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
        values: dict[str, list[str]] = {}
        for question in questions.list_questions(step_page.sheets):
            values |= question.form_values(stored.answers.get(question.response_key, UNANSWERED))
        return stage_pages.conflict_response(stored.revision, values)
    # The submitted answers, with those of the other page in place of empty ones.
    merged = {key: answer or stored.answers.get(key, answer) for key, answer in submitted.items()}
    shown_sheets = _build_shown_sheets(step_page.sheets, merged, other_answers=stored.answers)
    return _render(visit, shown_sheets, stored.revision, 409, step_page=step_page)


def _render(
    visit: Visit,
    shown_sheets: Sequence[ShownSheet],
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
        questions_with_errors=_find_questions_with_errors(shown_sheets),
        is_stale=status == 409,
        revision=revision,
        page=get_random_string(12),
        step_page=step_page,
    )


@dataclass(frozen=True)
class ShownQuestion(ItemQuestion):
    """A question with its current answer."""

    answer: Answer = UNANSWERED
    error: str = ""  # what the participant has to correct, "" for nothing
    # The text that another page of the participant has stored meanwhile, "" if it is the same.
    other_text: str = ""
    table_position: str = ""  # `first` or `next` in a table of scales, "" outside a table

    @property
    def id(self) -> str:
        return self.field.replace("/", "-")

    @property
    def described_by(self) -> str:
        """The ids of the elements that a screen reader reads with the field."""
        return " ".join(
            f"{self.id}-{element}"
            for element, is_present in (
                ("limit", self.item.answer in ("text", "number", "slider")),
                ("error", self.error),
                ("other", self.other_text),
            )
            if is_present
        )

    @property
    def info_html(self) -> str:
        """The text of an information item, written in Markdown."""
        return stage_pages.render_markdown(self.item.question)

    @property
    def field_value(self) -> str:
        """The content of a text or number field."""
        number = self.answer.number
        return self.answer.text or ("" if number is None else f"{number:.0f}")

    @property
    def choices(self) -> list[dict[str, Any]]:
        """The options of the question, with "No answer" if the item is optional."""
        chosen = self.answer.chosen
        options = [
            {"key": option.key, "label": option.label, "is_checked": option.key in chosen}
            for option in self.options
        ]
        if not self.item.required and self.item.answer not in ("scale", "many"):
            options.append({"key": "", "label": _("No answer"), "is_checked": not chosen})
        return options

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The steps of the scale from left to right. Labels count from the left, too.

        A value is as stored. Steps between the ends have no pole.
        """
        low, high = self.item.min, self.item.max
        values = list(reversed(self.item.values)) if self.is_reversed else self.item.values
        poles = {low: self.item.low_pole, high: self.item.high_pole}
        return [
            {
                "value": value,
                "label": label,
                "is_checked": value == self.answer.number,
                "pole": poles.get(value, ""),
            }
            for label, value in zip(self.item.values, values, strict=True)
        ]

    @property
    def poles(self) -> tuple[str, str]:
        """The labels of the left and the right end."""
        pole_labels = self.item.low_pole, self.item.high_pole
        return pole_labels[::-1] if self.is_reversed else pole_labels

    @property
    def is_wide(self) -> bool:
        return len(self.item.values) > MAX_NARROW_STEPS


class ShownGroup(NamedTuple):
    """The questions of an instrument about one player, or about none."""

    player_name: str  # "" for no player
    questions: Sequence[ShownQuestion]


@dataclass(frozen=True)
class ShownSheet:
    """An instrument with its groups of questions."""

    instrument: Instrument
    groups: Sequence[ShownGroup]

    @property
    def shared_item(self) -> Item | None:
        """The item that is shown once above all players, if the instrument has only one."""
        if len(self.instrument.dimensions) > 1 or not self.groups[0].player_name:
            return None
        return self.groups[0].questions[0].item


def _read_answers(
    post: QueryDict, page_questions: Sequence[ItemQuestion]
) -> dict[AnswerKey, Answer]:
    """Return the answers in a POST. Questions without a value are unanswered."""
    return {
        q.response_key: responses.parse_answer(
            q.item,
            q.options,
            post.getlist(q.field),
            post.get(f"{q.field}{questions.SURE_SUFFIX}", ""),
        )
        for q in page_questions
    }


def _build_shown_sheets(
    sheets: Sequence[Sheet],
    current_answers: Mapping[AnswerKey, Answer],
    *,
    should_check: bool = False,
    other_answers: Mapping[AnswerKey, Answer] | None = None,
) -> list[ShownSheet]:
    """Prepare the sheets of a page, with errors to correct and the answers of another open page."""

    def build_question(question: ItemQuestion) -> ShownQuestion:
        answer = current_answers.get(question.response_key, UNANSWERED)
        error = responses.find_answer_error(question.item, answer) if should_check else ""
        stored = (other_answers or {}).get(question.response_key, UNANSWERED)
        other_text = stored.text if stored.text != answer.text else ""
        return ShownQuestion(**vars(question), answer=answer, error=error, other_text=other_text)

    return [
        ShownSheet(
            sheet.instrument,
            [
                ShownGroup(group[0].name, _set_table_positions([*map(build_question, group)]))
                for group in sheet.groups
            ],
        )
        for sheet in sheets
    ]


def _set_table_positions(group: list[ShownQuestion]) -> list[ShownQuestion]:
    """Set the positions in tables of scales. A question that follows no row begins a table."""
    is_next_row = [
        False,
        *(bool(b.item.table_row and b.item.is_row_after(a.item)) for a, b in pairwise(group)),
        False,
    ]
    return [
        replace(question, table_position="next" if is_next else "first" if has_next else "")
        for question, (is_next, has_next) in zip(group, pairwise(is_next_row), strict=True)
    ]


def _find_questions_with_errors(sheets: Sequence[ShownSheet]) -> list[ShownQuestion]:
    return [q for sheet in sheets for group in sheet.groups for q in group.questions if q.error]
