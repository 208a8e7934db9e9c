"""The quiz before the ratings: a few questions on the instructions, with limited tries.

`Campaign.quiz` is {"tries": n, "questions": [{"text", "options": [text, …], "right": index}, …]},
or {} for no quiz. Researchers write plain text: a question on one line, then each option on a line,
after "+" if it is right and after "-" if it is wrong. An empty line separates questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Annotated, Any, Self

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    StrictInt,
    model_serializer,
    model_validator,
)

from webapp.study.design import validation_errors
from webapp.study.design.refusals import Refused
from webapp.study.design.setting_fields import DesignPart, SingleLineText, setting

QuizText = Annotated[SingleLineText, Field(min_length=1, max_length=400)]


def parse_questions(plain_text: str) -> list[dict[str, Any]]:
    """Parse the questions of a plain text, or raise `Refused`."""
    lines = map(str.strip, plain_text.splitlines())
    blocks = [list(block) for has_text, block in groupby(lines, bool) if has_text]
    questions, errors = [], []
    for number, (text, *options) in enumerate(blocks, 1):
        right = [n for n, option in enumerate(options) if option.startswith("+")]
        if text[:1] in "+-" or any(option[:1] not in "+-" for option in options):
            sentence = _("Write question {n} on one line and each option below it, after - or +.")
            errors.append(sentence.format(n=number))
        elif len(options) < 2 or len(right) != 1:
            sentence = _("Give question {n} at least two options, one of them correct (after +).")
            errors.append(sentence.format(n=number))
        else:
            option_texts = [option[1:].strip() for option in options]
            questions.append({"text": text, "options": option_texts, "right": right[0]})
    if errors:
        raise Refused(errors)
    return questions


def format_questions(questions: Sequence[Mapping[str, Any]]) -> str:
    """Return the plain text that `parse_questions` reads."""
    blocks = []
    for question in questions:
        marked_options = (
            f"{'+' if n == question['right'] else '-'} {option}"
            for n, option in enumerate(question["options"])
        )
        blocks.append("\n".join([question["text"], *marked_options]))
    return "\n\n".join(blocks)


class RatingQuizQuestion(DesignPart):
    """A question of the quiz. `right` is the index of the right option, from 0."""

    text: QuizText
    options: Annotated[tuple[QuizText, ...], Field(min_length=2, max_length=8)]
    right: Annotated[StrictInt, Field(ge=0)]

    @model_validator(mode="after")
    def _check_right(self) -> Self:
        if self.right >= len(self.options):
            validation_errors.raise_errors(
                [(("right",), _("enter an option’s number, counted from 0"))]
            )
        return self


class InstructionQuiz(DesignPart):
    """The quiz on the instructions. Without questions there is no quiz."""

    tries: StrictInt = setting(
        gettext_lazy("Attempts before the rater leaves (failed the quiz)"), default=2, ge=1, le=20
    )
    questions: Annotated[tuple[RatingQuizQuestion, ...], Field(max_length=10)] = ()

    @model_serializer(mode="wrap")
    def _without_later_defaults(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Return {} if there are no questions. It replaces the serializer of DesignPart."""
        return handler(self) if self.questions else {}
