"""Errors in a design's data, as sentences for the researcher who must correct them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _
from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from webapp.study.toml_files import read_labels

SENTENCE = "sentence"  # the type of errors whose message is a whole sentence
NOT_BLANK = r"[^\s\x1c-\x1f]"  # a pattern of texts with a character that `str.strip` keeps
_LABELS = read_labels(__file__, "error_texts.toml")
# (location of an error below the validated model, what to correct there)
LocatedText = tuple[tuple[str | int, ...], Any]


def raise_errors(located_texts: Iterable[LocatedText], *, are_sentences: bool = False) -> None:
    """Raise a pydantic error with these texts, if there are any. Sentences need no location."""
    kind = SENTENCE if are_sentences else "refused"
    errors = [
        {"type": PydanticCustomError(kind, str(text)), "loc": location, "input": None}
        for location, text in located_texts
    ]
    if errors:
        raise ValidationError.from_exception_data("", errors)  # type: ignore[arg-type]


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
    if error["type"] == SENTENCE:
        return str(error["msg"])
    where = _format_location(error["loc"]) or subject
    sentence = _("{where}: {what}.").format(where=where, what=_error_text(error))
    return sentence[0].upper() + sentence[1:]


def _error_text(error: Mapping[str, Any]) -> str:
    error_type, context, value = error["type"], error.get("ctx", {}), error["input"]
    if context.get("pattern") == NOT_BLANK:
        error_type = "missing"
    # A text of a plain type has the errors of lists, whose advice counts elements.
    if error_type in ("too_long", "too_short") and isinstance(value, str):
        error_type = f"string_{error_type}"
    if error_type in _LABELS["advice"]:
        # pydantic puts quotation marks around the values to choose from.
        plain_context = {k: str(v).replace("'", "") for k, v in context.items()}
        length = len(value) if isinstance(value, str) else 0
        return str(_LABELS["advice"][error_type]).format(**plain_context, length=length)
    return str(_LABELS["types"].get(error_type.split("_")[0]) or error["msg"])


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
            is_named = not words and part in _LABELS["parts"]
            words.append(str(_LABELS["parts"][part]) if is_named else part)
    return ", ".join(word.replace("_", " ") for word in words)
