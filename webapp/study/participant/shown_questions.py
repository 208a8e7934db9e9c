"""Reads the answers of a page of questions from a POST, and prepares them for the template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from django.http import QueryDict
from django.utils.translation import gettext as _

from webapp.study.design.instruments import Instrument, Item
from webapp.study.participant.stage_pages import render_markdown
from webapp.study.sessions import answers
from webapp.study.sessions.answers import Answer
from webapp.study.sessions.questions import ItemQuestion, Sheet
from webapp.study.sessions.responses import AnswerKey

SURE_SUFFIX = "/sure"  # of the field that says how sure the participant is of a choice
MAX_NARROW_STEPS = 7  # scales with more steps get a wide layout


@dataclass(frozen=True)
class ScaleStep:
    """A step of a scale.

    Attributes:
        value: The stored value.
        label: The number that the page shows, counted from the left.
        pole: The label of an end, "" between the ends.
    """

    value: int
    label: int
    is_checked: bool
    pole: str


@dataclass(frozen=True)
class ShownOption:
    """One of the options of a question."""

    key: str
    label: str
    is_checked: bool


@dataclass(frozen=True)
class ShownQuestion:
    """A question with its current answer.

    Attributes:
        error: What the participant has to correct, "" for nothing.
        other_text: The text that another page of the participant has stored meanwhile, "" if it is
            the same.
        table_position: `first` or `next` in a table of scales, "" outside a table.
    """

    question: ItemQuestion
    answer: Answer
    error: str = ""
    other_text: str = ""
    table_position: str = ""

    @property
    def item(self) -> Item:
        return self.question.item

    @property
    def field(self) -> str:
        return self.question.field

    @property
    def id(self) -> str:
        return self.question.field.replace("/", "-")

    @property
    def described_by(self) -> str:
        """The ids of the elements that a screen reader reads with the field."""
        return " ".join(
            f"{self.id}-{part}"
            for part, is_present in (
                ("limit", self.item.answer in ("text", "number", "slider")),
                ("error", self.error),
                ("other", self.other_text),
            )
            if is_present
        )

    @property
    def info_html(self) -> str:
        """The text of an information item, written in Markdown."""
        return render_markdown(self.item.question)

    @property
    def field_value(self) -> str:
        """The content of a text or number field."""
        number = self.answer.number
        return self.answer.text or ("" if number is None else f"{number:.0f}")

    @property
    def choices(self) -> list[ShownOption]:
        """The options of the question, with "No answer" if the item is optional."""
        chosen = self.answer.chosen
        options = [ShownOption(o.key, o.label, o.key in chosen) for o in self.question.options]
        if not self.item.required and self.item.answer not in ("scale", "many"):
            options.append(ShownOption("", _("No answer"), not chosen))
        return options

    @property
    def steps(self) -> list[ScaleStep]:
        """The steps of the scale from left to right. Labels count from the left, too."""
        low, high = self.item.min, self.item.max
        values = list(reversed(self.item.values)) if self.question.is_reversed else self.item.values
        poles = {low: self.item.low_pole, high: self.item.high_pole}
        return [
            ScaleStep(value, label, value == self.answer.number, poles.get(value, ""))
            for label, value in zip(self.item.values, values, strict=True)
        ]

    @property
    def poles(self) -> tuple[str, str]:
        """The labels of the left and the right end."""
        pole_labels = self.item.low_pole, self.item.high_pole
        return pole_labels[::-1] if self.question.is_reversed else pole_labels

    @property
    def is_wide(self) -> bool:
        return len(self.item.values) > MAX_NARROW_STEPS

    @property
    def is_unanswered(self) -> bool:
        return self.answer.number is None


@dataclass(frozen=True)
class ShownSheet:
    """An instrument with its groups: (name of the player or "", questions)."""

    instrument: Instrument
    groups: Sequence[tuple[str, Sequence[ShownQuestion]]]

    @property
    def shared_item(self) -> Item | None:
        """The item that is shown once above all players, if the instrument has only one."""
        if len(self.instrument.dimensions) > 1 or not self.groups[0][0]:
            return None
        return self.groups[0][1][0].item


def list_questions(sheets: Sequence[Sheet]) -> list[ItemQuestion]:
    """Return all questions in the order of the page."""
    return [q for sheet in sheets for group in sheet.groups for q in group]


def read_answers(post: QueryDict, questions: Sequence[ItemQuestion]) -> dict[AnswerKey, Answer]:
    """Return the answers in a POST. Questions without a value are unanswered."""
    return {
        q.response_key: answers.parse_answer(
            q.item, q.options, post.getlist(q.field), post.get(f"{q.field}{SURE_SUFFIX}", "")
        )
        for q in questions
    }


def merge_answers(
    submitted: Mapping[AnswerKey, Answer], stored: Mapping[AnswerKey, Answer]
) -> dict[AnswerKey, Answer]:
    """Return the submitted answers, with stored ones of another page in place of empty ones."""
    return {key: answer or stored.get(key, answer) for key, answer in submitted.items()}


def build_shown_sheets(
    sheets: Sequence[Sheet],
    current_answers: Mapping[AnswerKey, Answer],
    *,
    should_check: bool = False,
    other_answers: Mapping[AnswerKey, Answer] | None = None,
) -> list[ShownSheet]:
    """Prepare the sheets of a page for the template.

    Args:
        should_check: Whether to report what the participant has to correct.
        other_answers: Answers that another page of the participant has stored.
    """

    def build_question(question: ItemQuestion) -> ShownQuestion:
        answer = current_answers.get(question.response_key, Answer())
        error = answers.find_answer_error(question.item, answer) if should_check else ""
        stored = (other_answers or {}).get(question.response_key, Answer())
        other_text = stored.text if stored.text != answer.text else ""
        return ShownQuestion(question, answer, error, other_text)

    return [
        ShownSheet(
            sheet.instrument,
            [
                (group[0].name, _set_table_positions([*map(build_question, group)]))
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
        replace(question, table_position=_table_position(*flags))
        for question, flags in zip(group, pairwise(is_next_row), strict=True)
    ]


def _table_position(is_next: bool, has_next: bool) -> str:
    if is_next:
        return "next"
    return "first" if has_next else ""


def find_questions_with_errors(sheets: Sequence[ShownSheet]) -> list[ShownQuestion]:
    """Return the questions with errors, in the order of the page."""
    return [q for sheet in sheets for _name, group in sheet.groups for q in group if q.error]
