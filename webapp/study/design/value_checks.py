"""Checks of single values.

A check returns the tidied value, or raises `Refused` with a sentence that says what to correct.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field, StrictInt, TypeAdapter, ValidationError

from webapp.study.design import validation_errors
from webapp.study.design.refusals import Refused
from webapp.study.design.setting_fields import DesignPart, MultilineText, SingleLineText, Url


def field_check(part: type[DesignPart], name: str) -> Callable[[Any], Any]:
    """Return the check of one field of `part`. Its errors name the field's label."""
    field = part.model_fields[name]
    return _check(Annotated[(field.annotation, *field.metadata)], field.title)


def _check(kind: Any, subject: Any) -> Callable[[Any], Any]:
    adapter = TypeAdapter[Any](kind)

    def check(value: Any) -> Any:
        try:
            return adapter.validate_python(value)
        except ValidationError as error:
            raise Refused(validation_errors.error_sentences(error, str(subject))) from None

    return check


def text_check(
    subject: Any, max_chars: int, min_chars: int = 0, *, keep_lines: bool = False
) -> Callable[[Any], str]:
    kind = MultilineText if keep_lines else SingleLineText
    return _check(Annotated[kind, Field(max_length=max_chars, min_length=min_chars)], subject)


def number_check(subject: Any, low: int, high: int) -> Callable[[Any], int]:
    return _check(Annotated[StrictInt, Field(ge=low, le=high)], subject)


def url_check(subject: Any) -> Callable[[Any], str]:
    return _check(Url, subject)
