"""Interpretation of a server's refusal, and the plainer request form that follows from it."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, Self

import openai

from agents.language.patterns import load
from agents.llm import PATTERNS_FOLDER
from agents.llm.capabilities import LIMIT_PARAMETERS, ROLES, RequestForm
from agents.model_catalog import FORMATS

MAX_SEARCHED_CHARS = 4000
# Statuses with which servers refuse unsupported features, with or without a reason.
REFUSAL_STATUSES = (400, 404, 415, 422, 500, 501)
# Keys of an error's body whose values describe it.
_MESSAGE_KEYS = (
    "message", "msg", "detail", "error", "code", "param", "type", "loc", "reason", "title",
)  # fmt: skip
PATTERNS = load("server_errors", PATTERNS_FOLDER)


@dataclass(frozen=True)
class ServerRefusal:
    """A server's response to a refused request."""

    status: int  # the HTTP status
    text: str  # the sentences of the response in lower case
    # (name, value) of the response's fields that are whole numbers.
    numbers: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, error: openai.APIStatusError) -> Self:
        """Read the response to a refused request, as JSON or else as text."""
        try:
            body = error.response.json()
        except ValueError:
            return cls(error.status_code, error.response.text[:MAX_SEARCHED_CHARS].lower())
        return cls(
            error.status_code,
            " ".join(_error_sentences(body))[:MAX_SEARCHED_CHARS].lower(),
            tuple(_iter_numbers(body)),
        )

    @property
    def is_filtered(self) -> bool:
        """Whether a content filter stopped the prompt or the answer."""
        return self.status in REFUSAL_STATUSES and bool(PATTERNS.filtered.search(self.text))

    @property
    def is_too_long(self) -> bool:
        """Whether the prompt exceeded the context."""
        if self.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            return True
        return self.status in REFUSAL_STATUSES and bool(PATTERNS.too_long.search(self.text))

    @property
    def is_about_content(self) -> bool:
        """Whether the server refused the content, which no plainer form or retry would change."""
        return self.is_too_long or self.is_filtered

    @property
    def may_concern_form(self) -> bool:
        """Whether the server might accept the request in another form."""
        is_of_status = self.status in REFUSAL_STATUSES
        return is_of_status and not self.is_about_content and not self.is_unknown_model

    @property
    def context(self) -> int:
        """Context size in tokens as stated by the server, 0 if unknown."""
        for name, number in self.numbers:
            if name in ("n_ctx", "max_context_length", "context_length"):
                return number
        match = PATTERNS.context_size.search(self.text)
        return int(match[1]) if match else 0

    @property
    def is_unknown_model(self) -> bool:
        """Whether the server says that the model does not exist."""
        return self.status in (400, 404) and bool(PATTERNS.unknown_model.search(self.text))

    def mentions(self, parameter: str) -> bool:
        """Return whether the response names the parameter, as a whole word in any case."""
        return bool(re.search(rf"\b{re.escape(parameter.lower())}\b", self.text))


def plainer_by_message(
    request_form: RequestForm, refusal: ServerRefusal, sent_parameters: Collection[str]
) -> RequestForm | None:
    """Return the form that follows from a refusal's message, None if none follows."""
    names_limit = any(refusal.mentions(name) for name in LIMIT_PARAMETERS if name)
    if names_limit and request_form.limit in sent_parameters:
        position = LIMIT_PARAMETERS.index(request_form.limit) + 1
        return replace(request_form, limit=LIMIT_PARAMETERS[position])
    for name in sent_parameters:
        if name not in request_form.dropped and refusal.mentions(name):
            return replace(request_form, dropped=(*request_form.dropped, name))
    if PATTERNS.roles_refused.search(refusal.text) and request_form.roles != ROLES[-1]:
        return replace(request_form, roles=ROLES[ROLES.index(request_form.roles) + 1])
    return plainer_format(request_form) if PATTERNS.format_refused.search(refusal.text) else None


def plainer_by_guess(
    request_form: RequestForm, sent_parameters: Collection[str]
) -> RequestForm | None:
    """Return the form to try next if a refusal gives no reason, None after the last one.

    Plainer formats come first. The last form has no optional parameters and no system message.
    """
    droppable = (name for name in sent_parameters if name not in LIMIT_PARAMETERS)
    dropped = dict.fromkeys((*request_form.dropped, *droppable))
    bare = RequestForm(FORMATS[-1], tuple(dropped), LIMIT_PARAMETERS[-1], ROLES[1])
    return plainer_format(request_form) or (bare if request_form.roles == ROLES[0] else None)


def plainer_format(request_form: RequestForm) -> RequestForm | None:
    """Return the same form with the next plainer format, None after the last one."""
    position = FORMATS.index(request_form.format) + 1
    if position == len(FORMATS):
        return None
    return replace(request_form, format=FORMATS[position])


def _error_sentences(value: Any, key: str = "message") -> Iterator[str]:
    """Yield the values of _MESSAGE_KEYS in an error's body.

    The other values may repeat the request, which mentions every parameter.
    """
    if isinstance(value, str | int) and key in _MESSAGE_KEYS:
        yield str(value)
    elif isinstance(value, list):
        for item in value:
            yield from _error_sentences(item, key)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _error_sentences(item, name)


def _iter_numbers(value: Any) -> Iterator[tuple[str, int]]:
    """Yield (name, value) of the whole numbers in an error's body."""
    if isinstance(value, dict):
        for name, item in value.items():
            if isinstance(item, int) and not isinstance(item, bool):
                yield name, item
            yield from _iter_numbers(item)
