"""Errors in a design's data, as sentences for the researcher who must correct them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _
from pydantic import ValidationError
from pydantic_core import PydanticCustomError

NOT_BLANK = r"[^\s\x1c-\x1f]"  # characters that `str.strip` keeps
# Names of the parts of a design.
PART_NAMES = {
    "table": _("the table"),
    "factors": _("factors"),
    "assignment": _("participants and games"),
    "experiment": _("the experiment"),
    "league": _("the league"),
    "budget": _("the budget"),
    "stages": _("the stages"),
    "waiting": _("the waiting room"),
    "dropout": _("leaving a game"),
    "during": _("questions during the game"),
    "exits": _("exits"),
    "bonuses": _("bonuses"),
    "platform": _("the platform"),
    "ethics": _("ethics"),
    "choice": _("selection of units"),
    "exclusion": _("exclusion rules"),
    "planned_analysis": _("the planned tests"),
    "analysis": _("the planned tests"),
    "quiz": _("the quiz"),
    "dimensions": _("the items"),
    "example": _("the worked example"),
    "intro": _("the introduction"),
}
# Type of a pydantic error -> how to correct it.
ADVICE = {
    "extra_forbidden": _("this setting does not exist. Remove it"),
    "unexpected_keyword_argument": _("this setting does not exist. Remove it"),
    "missing": _("this is missing"),
    "literal_error": _("choose one of {expected}"),
    "union_tag_invalid": _("choose one of the stages {expected_tags}"),
    "union_tag_not_found": _("enter the kind of stage"),
    "greater_than": _("enter more than {gt}"),
    "greater_than_equal": _("enter {ge} or more"),
    "less_than_equal": _("enter {le} or less"),
    "string_too_long": _("this has {length} characters. The maximum is {max_length}"),
    "string_too_short": _("this is missing"),
    "unprintable": _("this contains characters that cannot be shown"),
    "address": _("enter an address such as https://…"),
    "string_pattern_mismatch": _(
        "use lowercase letters, digits, - and _, start with a letter, maximum 40 characters"
    ),
    "too_long": _("the maximum is {max_length}"),
    "too_short": _("the minimum is {min_length}"),
    "decimal_max_places": _("enter a maximum of two decimal places"),
}
# Prefix of the type of a pydantic error -> the expected type of value.
TYPE_TEXTS = {
    "int": _("enter a whole number"),
    "float": _("enter a number"),
    "decimal": _("enter an amount such as 4.50"),
    "finite": _("enter a number"),
    "bool": _("enter true or false"),
    "string": _("enter a text"),
    **dict.fromkeys(("tuple", "list"), _("enter a list")),
    **dict.fromkeys(("dict", "mapping", "dataclass", "model"), _("enter a table of settings")),
}


# (location of an error below the validated model, what to correct there)
LocatedText = tuple[tuple[str | int, ...], Any]


def raise_errors(located_texts: Iterable[LocatedText]) -> None:
    """Raise a pydantic error with the errors of a whole model, if there are any."""
    if errors := list(located_texts):
        raise build_error(errors)


def build_error(located_texts: Iterable[LocatedText], kind: str = "refused") -> ValidationError:
    """Return a pydantic error with these texts. Of kind "sentence", they need no location."""
    errors = [
        {"type": PydanticCustomError(kind, str(text)), "loc": location, "input": None}
        for location, text in located_texts
    ]
    return ValidationError.from_exception_data("", errors)  # type: ignore[arg-type]


def error_sentences(error: ValidationError, subject: str = "") -> list[str]:
    """Return one sentence for each distinct error. Those without a location name `subject`."""
    errors = error.errors(include_url=False)
    causes = [error for error in errors if not _is_consequence(error, errors)]
    subject = subject or str(_("the design"))
    return list(dict.fromkeys(_sentence(error, subject) for error in causes))


def _is_consequence(error: Mapping[str, Any], errors: Sequence[Any]) -> bool:
    """Return whether a list is only too short because its elements have errors."""
    location = error["loc"]
    return error["type"] == "too_short" and any(
        other_error["loc"][: len(location)] == location and len(other_error["loc"]) > len(location)
        for other_error in errors
    )


def _sentence(error: Mapping[str, Any], subject: str) -> str:
    if error["type"] == "sentence":
        return str(error["msg"])
    where = _format_location(error["loc"]) or subject
    sentence = _("{where}: {what}.").format(where=where, what=_error_text(error))
    return sentence[0].upper() + sentence[1:]


def _error_text(error: Mapping[str, Any]) -> str:
    kind, context, value = error["type"], error.get("ctx", {}), error["input"]
    if context.get("pattern") == NOT_BLANK:
        kind = "missing"
    if kind in ("too_long", "too_short") and isinstance(value, str):
        kind = f"string_{kind}"
    if kind in ADVICE:
        plain_context = {k: str(v).replace("'", "") for k, v in context.items()}
        length = len(value) if isinstance(value, str) else 0
        return str(ADVICE[kind]).format(**plain_context, length=length)
    return str(TYPE_TEXTS.get(kind.split("_")[0]) or error["msg"])


def _format_location(location: Sequence[str | int]) -> str:
    """Return the description of a location.

    `("stages", 2, "rules", "quiz", "tries")` becomes "the stages, no. 3 (rules), quiz, tries".
    """
    words: list[str] = []
    for index, part in enumerate(location):
        if isinstance(part, int):
            words.append(_("no. {n}").format(n=part + 1))
        elif index == 2 and location[0] == "stages":
            words[-1] += f" ({part})"
        elif part != "[key]":
            words.append(str(PART_NAMES[part]) if part in PART_NAMES and not words else part)
    return ", ".join(word.replace("_", " ") for word in words)
