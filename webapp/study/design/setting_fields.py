"""Building blocks of settings: base class of the parts of a design, field types, checks."""

import json
from collections.abc import Callable, Iterable, Mapping
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
    StrictInt,
    TypeAdapter,
    ValidationError,
    model_serializer,
)
from pydantic_core import PydanticCustomError

from webapp.study.design import validation_errors
from webapp.study.design.refusals import Refused

ESCAPED_NUL = "\\u0000"  # The form of NUL in JSON. PostgreSQL cannot store the character.


class DesignPart(BaseModel):
    """A part of a design. It is immutable and refuses unknown fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    # Fields that earlier designs did not have. They are written only if they differ from the
    # default, so that a stored design and its hash stay unchanged.
    FIELDS_ADDED_LATER: ClassVar[tuple[str, ...]] = ()

    @model_serializer(mode="wrap")
    def _without_later_defaults(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        defaults = type(self).model_fields
        unchanged = {
            name
            for name in self.FIELDS_ADDED_LATER
            if getattr(self, name) == defaults[name].default
        }
        return {name: value for name, value in data.items() if name not in unchanged}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Build the part from JSON-like `data`, or raise `Refused`."""
        if ESCAPED_NUL in json.dumps(data, default=str):
            raise Refused([_("This text contains characters that cannot be shown.")])
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise Refused(validation_errors.error_sentences(error)) from None

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form that `from_json` reads."""
        return self.model_dump(mode="json")


def setting(label: Any = None, help: Any = None, **options: Any) -> Any:
    """Return the pydantic field of a setting, with its label and help text in forms."""
    return Field(title=label, description=help, **options)


def one_of(*keys: str, more_keys: Callable[[], Iterable[str]] = tuple) -> AfterValidator:
    """Return a validator that accepts only `keys`, and those that `more_keys` returns then."""

    def check(value: str) -> str:
        allowed = (*keys, *more_keys())
        if value not in allowed:
            expected = ", ".join(filter(None, allowed))
            raise PydanticCustomError("literal_error", "unknown", {"expected": expected})
        return value

    return AfterValidator(check)


def _refuse(_value: Any) -> Any:
    raise PydanticCustomError("extra_forbidden", "unknown")


def _tidy(value: Any, *, keep_lines: bool = False) -> Any:
    """Return a text without outer space, its lines joined unless `keep_lines`."""
    if not isinstance(value, str):
        return value
    tidied = value.strip() if keep_lines else " ".join(value.split())
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


KEY_PATTERN = r"^[a-z][a-z0-9_-]{0,39}$"
Key = Annotated[str, Field(pattern=KEY_PATTERN)]
NonBlankText = Annotated[str, Field(pattern=validation_errors.NOT_BLANK)]
SingleLineText = Annotated[str, BeforeValidator(_tidy)]
MultilineText = Annotated[str, BeforeValidator(partial(_tidy, keep_lines=True))]
LongText = Annotated[str, Field(max_length=20_000)]
ShortText = Annotated[str, Field(max_length=200)]
Url = Annotated[SingleLineText, Field(max_length=400), AfterValidator(_check_url)]
ForbiddenField = Annotated[Any, BeforeValidator(_refuse)]  # inherited from a class, but unused


def field_check(part: type[DesignPart], name: str) -> Callable[[Any], Any]:
    """Return a function that validates a value of one field of `part`, or raises Refused."""
    field = part.model_fields[name]
    return _check(Annotated[(field.annotation, *field.metadata)], field.title)


def _check(field_type: Any, subject: Any) -> Callable[[Any], Any]:
    """Return a function that validates a value. Its errors name the `subject`."""
    adapter = TypeAdapter[Any](field_type)

    def check(value: Any) -> Any:
        try:
            return adapter.validate_python(value)
        except ValidationError as error:
            raise Refused(validation_errors.error_sentences(error, str(subject))) from None

    return check


def text_check(
    subject: Any, max_chars: int, min_chars: int = 0, *, keep_lines: bool = False
) -> Callable[[Any], str]:
    """Return a function that validates a text, on one line unless lines are kept."""
    text_type = MultilineText if keep_lines else SingleLineText
    return _check(Annotated[text_type, Field(max_length=max_chars, min_length=min_chars)], subject)


def number_check(subject: Any, low: int, high: int) -> Callable[[Any], int]:
    """Return a function that validates a whole number."""
    return _check(Annotated[StrictInt, Field(ge=low, le=high)], subject)


def url_check(subject: Any) -> Callable[[Any], str]:
    """Return a function that validates a web address, or ""."""
    return _check(Url, subject)
