"""What settings are made of: models (`Part`), types of their fields, and checks of single values.

Each gives the value, tidied, or refuses it with a sentence that says what to mend.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
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
    ValidationError,
    model_serializer,
)
from pydantic_core import PydanticCustomError

from webapp.study import design_faults

NUL = "\\u0000"  # as JSON writes it: no database keeps one


class Refused(Exception):
    """Something can't be done as things are; `sentences` say why and what to do."""

    def __init__(self, sentences: Sequence[str]) -> None:
        super().__init__(" ".join(sentences))
        self.sentences = list(sentences)


class Part(BaseModel):
    """A part of a design: nothing unknown in it, and nothing changes once it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    # Fields that earlier designs did not have: written only where they differ from the default,
    # so that a stored design and its hash stay what they were.
    LATER: ClassVar[tuple[str, ...]] = ()

    @model_serializer(mode="wrap")
    def _without_later_defaults(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        defaults = type(self).model_fields
        usual = {name for name in self.LATER if getattr(self, name) == defaults[name].default}
        return {name: value for name, value in data.items() if name not in usual}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        """The part that JSON-shaped `data` tells. Raises Refused, a sentence for each fault."""
        if NUL in json.dumps(data, default=str):
            raise Refused([_("There are characters in it that can’t be shown.")])
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise Refused(design_faults.sentences(error)) from None

    def data(self) -> dict[str, Any]:
        """The JSON form that `of` reads."""
        return self.model_dump(mode="json")


def setting(label: Any = "", help: Any = "", **bounds: Any) -> Any:
    """Return the pydantic field of a setting, which `researcher.fields.declared` makes a form's."""
    return Field(title=label, description=help, **bounds)


def one_of(*keys: str) -> AfterValidator:
    """Return a validator that admits these keys only."""

    def check(value: str) -> str:
        if value not in keys:
            expected = ", ".join(filter(None, keys))
            raise PydanticCustomError("literal_error", "unknown", {"expected": expected})
        return value

    return AfterValidator(check)


def _refuse(_value: Any) -> Any:
    raise PydanticCustomError("extra_forbidden", "unknown")


KEY = r"^[a-z][a-z0-9_-]{0,39}$"
Key = Annotated[str, Field(pattern=KEY)]
Filled = Annotated[str, Field(pattern=design_faults.NOT_BLANK)]
Whole = Annotated[int, Field(strict=True)]
Switch = Annotated[bool, Field(strict=True)]
Absent = Annotated[Any, BeforeValidator(_refuse)]  # a field that a subclass does not have


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
            except InvalidUrl:
                told = _("{what} must be an address such as https://…")
                raise Refused([told.format(what=what)]) from None
        return found

    return check
