"""Building blocks of settings: models (`Part`), types of their fields, and checks of values.

A check returns the tidied value, or raises `Refused` with a sentence that says what to correct.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, ClassVar, Self

from django.core.exceptions import ValidationError as InvalidUrl
from django.core.validators import URLValidator
from django.utils.translation import gettext as _
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    TypeAdapter,
    ValidationError,
    model_serializer,
)
from pydantic_core import PydanticCustomError

from webapp.study.design import validation_errors

NUL = "\\u0000"  # as JSON writes it; PostgreSQL cannot store it


class Refused(Exception):
    """An action is not possible now. `sentences` say why and what to do."""

    def __init__(self, sentences: Sequence[str]) -> None:
        super().__init__(" ".join(sentences))
        self.sentences = list(sentences)


class Part(BaseModel):
    """A part of a design: it has no unknown fields and is immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    # Fields that earlier designs did not have. They are written only if they differ from the
    # default, so that a stored design and its hash stay unchanged.
    LATER: ClassVar[tuple[str, ...]] = ()

    @model_serializer(mode="wrap")
    def _without_later_defaults(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        defaults = type(self).model_fields
        unchanged = {name for name in self.LATER if getattr(self, name) == defaults[name].default}
        return {name: value for name, value in data.items() if name not in unchanged}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        """Build the part from JSON-like `data`. Raises Refused with a sentence for each error."""
        if NUL in json.dumps(data, default=str):
            raise Refused([_("This text contains characters that cannot be shown.")])
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise Refused(validation_errors.error_sentences(error)) from None

    def data(self) -> dict[str, Any]:
        """Return the JSON form that `of` reads."""
        return self.model_dump(mode="json")


def setting(label: Any = None, help: Any = None, **options: Any) -> Any:
    """Return the pydantic field of a setting.

    Args:
        label: Label in forms (`fields.setting_field`).
        help: Help text in forms.
        options: Other options of pydantic's `Field`.
    """
    return Field(title=label, description=help, **options)


def one_of(*keys: str, more_keys: Callable[[], Iterable[str]] = tuple) -> AfterValidator:
    """Return a validator that accepts only certain keys.

    Args:
        more_keys: Returns further keys. It is called at each check.
    """

    def check(value: str) -> str:
        allowed = (*keys, *more_keys())
        if value not in allowed:
            expected = ", ".join(filter(None, allowed))
            raise PydanticCustomError("literal_error", "unknown", {"expected": expected})
        return value

    return AfterValidator(check)


def refusing(check: Callable[[Any], Any]) -> BeforeValidator:
    """Return a validator that applies `check`, which may raise Refused."""

    def validate(value: Any) -> Any:
        try:
            return check(value)
        except Refused as refused:
            errors = [((), sentence) for sentence in refused.sentences]
            return validation_errors.raise_errors(errors, "sentence")

    return BeforeValidator(validate)


def _refuse(_value: Any) -> Any:
    raise PydanticCustomError("extra_forbidden", "unknown")


def _tidy(value: Any, *, lines: bool = False) -> Any:
    """Strip a text, and join its lines unless it may have several."""
    if not isinstance(value, str):
        return value
    tidied = value.strip() if lines else " ".join(value.split())
    if any(c < " " and c not in "\n\t" for c in tidied.replace("\r\n", "\n")) or "\x7f" in tidied:
        raise PydanticCustomError("unprintable", "unprintable")
    return tidied


def _check_url(value: str) -> str:
    if value:
        try:
            URLValidator(schemes=["https", "http"])(value)
        except InvalidUrl:
            raise PydanticCustomError("address", "no address") from None
    return value


KEY = r"^[a-z][a-z0-9_-]{0,39}$"
Key = Annotated[str, Field(pattern=KEY)]
Filled = Annotated[str, Field(pattern=validation_errors.NOT_BLANK)]
Whole = Annotated[int, Field(strict=True)]
Switch = Annotated[bool, Field(strict=True)]
Line = Annotated[str, BeforeValidator(_tidy)]
Lines = Annotated[str, BeforeValidator(partial(_tidy, lines=True))]
Url = Annotated[Line, Field(max_length=400), AfterValidator(_check_url)]
Absent = Annotated[Any, BeforeValidator(_refuse)]  # a field that a subclass does not have


def check_field(part: type[Part], name: str) -> Callable[[Any], Any]:
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
    subject: Any, max_chars: int, min_chars: int = 0, *, lines: bool = False
) -> Callable[[Any], str]:
    kind = Lines if lines else Line
    return _check(Annotated[kind, Field(max_length=max_chars, min_length=min_chars)], subject)


def number_check(subject: Any, low: int, high: int) -> Callable[[Any], int]:
    return _check(Annotated[Whole, Field(ge=low, le=high)], subject)


def url_check(subject: Any) -> Callable[[Any], str]:
    return _check(Url, subject)
