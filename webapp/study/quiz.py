"""The quiz before the ratings: a few questions on the instructions, with so many tries.

`Campaign.quiz` is {"tries": n, "questions": [{"text", "options": [text, …], "right": index}, …]},
or {} where there is none. Researchers write it as plain text: a question in a line, below it an
option in each line, the wrong ones after "-", the right one after "+"; an empty line between.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from webapp.study.value_checks import Refused, number, text

MOST_QUESTIONS, MOST_OPTIONS, LONGEST = 10, 8, 400


def read(written: str) -> list[dict[str, Any]]:
    """The questions of a plain text. Raises Refused with every fault."""
    found, faults = [], []
    for at, block in enumerate(_blocks(written), 1):
        words, options = block[0], block[1:]
        right = [n for n, option in enumerate(options) if option.startswith("+")]
        if words[:1] in "+-" or any(option[:1] not in "+-" for option in options):
            told = _("Question {n}: write it in one line, and below it each option after - or +.")
            faults.append(told.format(n=at))
        elif len(options) < 2 or len(right) != 1:
            told = _("Question {n} needs two options or more, one of them right (after +).")
            faults.append(told.format(n=at))
        else:
            plain = [option[1:].strip() for option in options]
            found.append({"text": words, "options": plain, "right": right[0]})
    if faults:
        raise Refused(faults)
    return found


def _blocks(written: str) -> Iterator[list[str]]:
    block: list[str] = []
    for line in [*written.splitlines(), ""]:
        if line.strip():
            block.append(line.strip())
        elif block:
            yield block
            block = []


def plain(questions: Sequence[Mapping[str, Any]]) -> str:
    """The text that `read` reads."""
    return "\n\n".join(
        "\n".join(
            [
                question["text"],
                *(
                    f"{'+' if n == question['right'] else '-'} {option}"
                    for n, option in enumerate(question["options"])
                ),
            ]
        )
        for question in questions
    )


def check(value: Any) -> dict[str, Any]:
    """The quiz, tidied; {} for none. Raises Refused."""
    if not isinstance(value, Mapping) or set(value) - {"tries", "questions"}:
        raise Refused([_("The quiz has questions and a number of tries.")])
    questions = value.get("questions") or []
    if not questions:
        return {}
    if not isinstance(questions, list | tuple) or len(questions) > MOST_QUESTIONS:
        told = _("The quiz has {most} questions at most.")
        raise Refused([told.format(most=MOST_QUESTIONS)])
    tries = number(_("The number of tries"), 1, 20)(value.get("tries", 2))
    return {"tries": tries, "questions": [_question(q) for q in questions]}


def _question(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping) or set(value) != {"text", "options", "right"}:
        raise Refused([_("A question of the quiz has a text, options, and which is right.")])
    options = value["options"]
    if not isinstance(options, list | tuple) or not 2 <= len(options) <= MOST_OPTIONS:
        told = _("A question of the quiz has 2 to {most} options.")
        raise Refused([told.format(most=MOST_OPTIONS)])
    return {
        "text": text(_("A question of the quiz"), LONGEST, 1)(value["text"]),
        "options": [text(_("An option of the quiz"), LONGEST, 1)(option) for option in options],
        "right": number(_("Which option is right"), 0, len(options) - 1)(value["right"]),
    }
