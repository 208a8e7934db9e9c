"""The questions of a step as a page shows them, and what a page posted as answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.translation import gettext as _

from webapp.study.design.instruments import Instrument, Item
from webapp.study.sessions import answers
from webapp.study.sessions.answers import Answer
from webapp.study.sessions.questions import Question, Sheet
from webapp.study.sessions.responses import Place

SURE = "/sure"  # behind a field: how sure one is of what is chosen there


@dataclass(frozen=True)
class Step:
    """A step of a scale.

    value: what is stored; shown: what stands on it, counted from the left.
    """

    value: int
    shown: int
    checked: bool
    pole: str  # in words, at the ends


@dataclass(frozen=True)
class Choice:
    """One of the answers to choose from."""

    key: str
    label: str
    checked: bool


@dataclass(frozen=True)
class ShownQuestion:
    """A question with what was answered so far.

    fault: what is to be mended; other: what another page of theirs stored meanwhile, where that is
    another text.
    """

    question: Question
    answer: Answer
    fault: str = ""
    other: str = ""

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
        """The ids of what a screen reader reads with the field."""
        return " ".join(
            f"{self.id}-{part}"
            for part, is_present in (
                ("limit", self.item.answer in ("text", "number")),
                ("fault", self.fault),
                ("other", self.other),
            )
            if is_present
        )

    @property
    def typed(self) -> str:
        """Return what a field of text or a number shows."""
        number = self.answer.number
        return self.answer.text or ("" if number is None else f"{number:.0f}")

    @property
    def choices(self) -> list[Choice]:
        """The answers to choose from.

        Returns None of them is one where the item may be left out.
        """
        chosen = self.answer.chosen
        option_choices = [Choice(o.key, o.label, o.key in chosen) for o in self.question.options]
        if not self.item.required and self.item.answer not in ("scale", "many"):
            option_choices.append(Choice("", _("No answer"), not chosen))
        return option_choices

    @property
    def steps(self) -> list[Step]:
        """The scale from left to right. What stands on a step counts from there, too."""
        low, high = self.item.min, self.item.max
        values = list(reversed(self.item.values)) if self.question.turned else self.item.values
        poles = {low: self.item.low_pole, high: self.item.high_pole}
        return [
            Step(value, label, value == self.answer.number, poles.get(value, ""))
            for label, value in zip(self.item.values, values, strict=True)
        ]

    @property
    def poles(self) -> tuple[str, str]:
        """Return what stands at the left and at the right end."""
        pole_labels = self.item.low_pole, self.item.high_pole
        return pole_labels[::-1] if self.question.turned else pole_labels

    @property
    def wide(self) -> bool:
        return len(self.item.values) > 7

    @property
    def unanswered(self) -> bool:
        return self.answer.number is None


@dataclass(frozen=True)
class ShownSheet:
    """An instrument with its groups: (the player's name, "" for nobody's, their questions)."""

    instrument: Instrument
    groups: Sequence[tuple[str, Sequence[ShownQuestion]]]

    @property
    def single(self) -> Item | None:
        """The one item that is asked of every player: it is worded once, above them."""
        if len(self.instrument.dimensions) > 1 or not self.groups[0][0]:
            return None
        return self.groups[0][1][0].item


def questions(sheets: Sequence[Sheet]) -> list[Question]:
    """Return all of them, in the order of the page."""
    return [q for sheet in sheets for group in sheet.groups for q in group]


def read(post: QueryDict, questions: Sequence[Question]) -> dict[Place, Answer]:
    """Return what was typed.

    A question of which nothing was sent is not answered: a form is whole.
    """
    return {
        q.response_key: answers.read(
            q.item, q.options, post.getlist(q.field), post.get(f"{q.field}{SURE}", "")
        )
        for q in questions
    }


def merged(mine: Mapping[Place, Answer], stored: Mapping[Place, Answer]) -> dict[Place, Answer]:
    """Return what is typed here, on top of what another page has stored."""
    return {key: answer or stored.get(key, answer) for key, answer in mine.items()}


def shown_sheets(
    sheets: Sequence[Sheet],
    typed: Mapping[Place, Answer],
    *,
    check: bool = False,
    other_answers: Mapping[Place, Answer] | None = None,
) -> list[ShownSheet]:
    """Return the page.

    check: say what is to be mended; other_answers: what another page has stored.
    """

    def one(question: Question) -> ShownQuestion:
        answer = typed.get(question.response_key, Answer())
        fault = answers.fault(question.item, answer) if check else ""
        stored = (other_answers or {}).get(question.response_key, Answer())
        other_text = stored.text if stored.text != answer.text else ""
        return ShownQuestion(question, answer, fault, other_text)

    return [
        ShownSheet(s.instrument, [(group[0].name, list(map(one, group))) for group in s.groups])
        for s in sheets
    ]


def faulty(sheets: Sequence[ShownSheet]) -> list[ShownQuestion]:
    """Return the questions that are to be mended, in the order of the page."""
    return [q for sheet in sheets for _name, group in sheet.groups for q in group if q.fault]
