"""A participant's answer to one item: parsing of the posted fields, and checks.

An `Answer` holds valid and invalid input. Invalid input is kept as text, so that a page can show it
again. `find_answer_error` says what the participant has to correct.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from game.engine.text_checks import MAX_ANSWER_LINE_BREAKS, tidy
from webapp.storable_text import storable
from webapp.study.design.instruments import Item, Option

PERSON, COMPUTER, UNSURE = "person", "computer", "unsure"  # what a `human` item stores
MAX_STORED_CHARS = 50_000  # longer texts are cut
MAX_NUMBER_CHARS = 200  # the typed text of a number is cut to this length
_WHOLE_NUMBER = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class Answer:
    """An answer to one item."""

    # A value of a scale in the instrument's own direction, a number, or how sure the participant is
    # of their choice.
    number: float | None = None
    text: str = ""
    # The key of an option, or a list of keys in the options' order.
    choice: str | list[str] | None = None

    def __bool__(self) -> bool:
        return self.number is not None or bool(self.text) or bool(self.choice)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The keys of the chosen options."""
        if isinstance(self.choice, str):
            return (self.choice,)
        return tuple(self.choice or ())


def parse_answer(
    item: Item, options: Sequence[Option], typed: Sequence[str], sure: str = ""
) -> Answer:
    """Return the answer from the posted values of an item's field.

    `sure` is that of the scale beside a choice (“How sure are you?”). Values that the page does not
    offer count as unanswered.
    """
    value = storable(typed[0]) if typed else ""
    if item.answer == "scale":
        return Answer(number=_parse_scale_step(item, value))
    if item.answer == "text":
        return Answer(text=tidy(value[:MAX_STORED_CHARS], max_breaks=MAX_ANSWER_LINE_BREAKS))
    if item.answer == "info":
        return Answer()
    if item.answer in ("number", "slider"):
        number_text = value.strip()[:MAX_NUMBER_CHARS]
        is_valid = _WHOLE_NUMBER.fullmatch(number_text) and item.min <= int(number_text) <= item.max
        return Answer(number=int(number_text)) if is_valid else Answer(text=number_text)
    chosen = [option.key for option in options if option.key in typed]
    if item.answer == "many":
        return Answer(choice=chosen or None)
    choice = chosen[0] if chosen else None
    if item.answer == "one" or choice == UNSURE or not (choice or item.required):
        return Answer(choice=choice)
    return Answer(choice=choice, number=_parse_scale_step(item, sure))


def _parse_scale_step(item: Item, typed: str) -> int | None:
    return int(typed) if _WHOLE_NUMBER.fullmatch(typed) and int(typed) in item.values else None


def find_answer_error(item: Item, answer: Answer) -> str:
    """Return a sentence that says what to correct, "" if nothing."""
    if item.answer in ("number", "slider") and answer.text:
        return _("Enter a whole number from {low} to {high}.").format(low=item.min, high=item.max)
    length = len(answer.text)
    if length > item.longest:
        limit_text = _("Your text has {length} characters. Shorten it to {most}.")
        return limit_text.format(length=length, most=item.longest)
    if item.answer == "info" or answer.choice == UNSURE or not (answer or item.required):
        return ""
    if item.is_guess:
        if not answer.choice:
            return _("Choose an answer. A guess is fine.")
        return "" if answer.number is not None else _("Choose how sure you are.")
    if answer:
        return ""
    text = {
        "text": _("Write an answer. A few words are enough."),
        "number": _("Enter a whole number from {low} to {high}."),
        "slider": _("Move the slider, or enter a whole number from {low} to {high}."),
        "one": _("Choose the answer that fits best."),
        "many": _("Choose at least one answer."),
    }.get(item.answer, _("Choose a value on the scale."))
    return text.format(low=item.min, high=item.max)
