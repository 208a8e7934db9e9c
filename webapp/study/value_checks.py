"""Checks of single values that people set: each gives the value, tidied, or refuses it with a
sentence that says what to mend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.utils.translation import gettext as _


class Refused(Exception):
    """Something can't be done as things are; `sentences` say why and what to do."""

    def __init__(self, sentences: Sequence[str]) -> None:
        super().__init__(" ".join(sentences))
        self.sentences = list(sentences)


def text(what: Any, most: int, least: int = 0, *, lines: bool = False) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if not isinstance(value, str):
            raise Refused([_("{what} is a text.").format(what=what)])
        found = value.strip() if lines else " ".join(value.split())
        if any(c < " " and c not in "\n\t" for c in found.replace("\r\n", "\n")) or "\x7f" in found:
            raise Refused([_("{what} has characters that can’t be shown.").format(what=what)])
        if len(found) > most:
            told = _("{what} has {length} characters; shorten it to {most}.")
            raise Refused([told.format(what=what, length=len(found), most=most)])
        if len(found) < least:
            raise Refused([_("{what} is missing.").format(what=what)])
        return found

    return check


def number(what: Any, low: int, high: int) -> Callable[[Any], int]:
    def check(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            told = _("{what} is a whole number from {low} to {high}.")
            raise Refused([told.format(what=what, low=low, high=high)])
        return value

    return check


def switch(what: Any) -> Callable[[Any], bool]:
    def check(value: Any) -> bool:
        if type(value) is not bool:
            raise Refused([_("{what} is on or off.").format(what=what)])
        return value

    return check


def url(what: Any) -> Callable[[Any], str]:
    check_text = text(what, 400)

    def check(value: Any) -> str:
        found = check_text(value)
        if found:
            try:
                URLValidator(schemes=["https", "http"])(found)
            except ValidationError:
                told = _("{what} must be an address such as https://…")
                raise Refused([told.format(what=what)]) from None
        return found

    return check
