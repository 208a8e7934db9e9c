"""Interprets a server's refusal and derives a plainer request form from it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

import openai

from agents.llm.capabilities import LIMITS, ROLES, RequestForm
from agents.model_catalog import FORMATS

# Statuses with which servers refuse unsupported features, with or without a reason.
REFUSED = (400, 404, 415, 422, 500, 501)
_TOLD = ("message", "msg", "detail", "error", "code", "param", "type", "loc", "reason", "title")
_TOO_LONG = re.compile(
    r"context.?(?:length|size|window)|maximum context|too many (?:input )?tokens|reduce the length|"
    r"(?:prompt|input|request)s?(?: token count)? (?:is|are|was) too long|"
    r"token (?:count|limit).{0,40}exceed|exceed.{0,60}(?:token|context)"
)
_LIMIT = re.compile(
    r"(?:context.?(?:length|size|window)|n_ctx|maximum(?: number)? of|limit)\D{0,30}?(\d{3,7})\b"
)
_ROLES = re.compile(
    r"alternat|only user\b.{0,40}\broles?\b|developer instruction|"
    r"system.?(?:role|message|prompt|instruction)s?\b.{0,60}(?:not|unsupported|isn't|invalid)|"
    r"(?:not support|unsupported|unexpected|unknown|invalid).{0,40}\bsystem\b"
)
_FORMAT = re.compile(r"response.?format|json.?schema|json.?object|json.?mode|schema|grammar|struct")
_FILTERED = re.compile(r"content.?filter|content management policy|responsibleaipolicy")
_NO_MODEL = re.compile(
    r"model_not_found|model\b.{0,80}(?:not (?:found|exist)|does(?: not|n't) exist|no such|unknown)|"
    r"(?:no such|unknown) model"
)


@dataclass(frozen=True)
class ServerRefusal:
    """Status of a refused request, and its whole text in lower case."""

    status: int
    words: str
    figures: tuple[tuple[str, int], ...] = ()  # numbers in separate fields

    @classmethod
    def of(cls, error: openai.APIStatusError) -> ServerRefusal:
        try:
            body = error.response.json()
        except ValueError:
            return cls(error.status_code, error.response.text[:2000].lower())
        return cls(
            error.status_code,
            " ".join(_error_sentences(body))[:4000].lower(),
            tuple(_figures(body)),
        )

    @property
    def filtered(self) -> bool:
        """Whether a content filter stopped the prompt or the answer."""
        return self.status in REFUSED and bool(_FILTERED.search(self.words))

    @property
    def too_long(self) -> bool:
        """Whether the prompt exceeded the context."""
        if self.status == 413:
            return True
        return self.status in REFUSED and bool(_TOO_LONG.search(self.words))

    @property
    def context(self) -> int:
        """Context size in tokens as stated by the server, 0 if unknown."""
        for name, figure in self.figures:
            if name in ("n_ctx", "max_context_length", "context_length"):
                return figure
        match = _LIMIT.search(self.words)
        return int(match[1]) if match else 0

    @property
    def no_model(self) -> bool:
        """Whether the server says that the model does not exist."""
        return self.status in (400, 404) and bool(_NO_MODEL.search(self.words))

    def names(self, parameter: str) -> bool:
        return bool(re.search(rf"\b{re.escape(parameter.lower())}\b", self.words))


def _error_sentences(value: Any, key: str = "message") -> Iterator[str]:
    """Yield the sentences in an error's body.

    Some servers repeat the request in it, which is skipped.
    """
    if isinstance(value, str | int) and key in _TOLD:
        yield str(value)
    elif isinstance(value, list):
        for one in value:
            yield from _error_sentences(one, key)
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from _error_sentences(one, name)


def _figures(value: Any) -> Iterator[tuple[str, int]]:
    if isinstance(value, dict):
        for name, one in value.items():
            if isinstance(one, int) and not isinstance(one, bool):
                yield name, one
            yield from _figures(one)


def plainer_by_message(
    request_form: RequestForm, refusal: ServerRefusal, sent_parameters: Collection[str]
) -> RequestForm | None:
    """Return the form that follows from a refusal's message, None if it says nothing useful.

    `sent_parameters` are the parameters that can be left out.
    """
    if refusal.status not in REFUSED or refusal.no_model:
        return None
    if request_form.limit in sent_parameters and any(
        refusal.names(name) for name in LIMITS if name
    ):
        return replace(request_form, limit=LIMITS[LIMITS.index(request_form.limit) + 1])
    for name in sent_parameters:
        if name not in request_form.dropped and refusal.names(name):
            return replace(request_form, dropped=(*request_form.dropped, name))
    if _ROLES.search(refusal.words) and request_form.roles != ROLES[-1]:
        return replace(request_form, roles=ROLES[ROLES.index(request_form.roles) + 1])
    return plainer_format(request_form) if _FORMAT.search(refusal.words) else None


def plainer_by_guess(
    request_form: RequestForm, refusal: ServerRefusal, sent_parameters: Collection[str]
) -> RequestForm | None:
    """Return a plainer form to try if a refusal gives no reason.

    The last form to try is the barest one.
    """
    if refusal.status not in REFUSED or refusal.no_model:
        return None
    without = dict.fromkeys(
        (*request_form.dropped, *(name for name in sent_parameters if name not in LIMITS))
    )
    bare = RequestForm(FORMATS[-1], tuple(without), LIMITS[-1], ROLES[1])
    return plainer_format(request_form) or (bare if request_form.roles == ROLES[0] else None)


def plainer_format(request_form: RequestForm) -> RequestForm | None:
    """Return the same form with the next plainer format, None after the last one."""
    at = FORMATS.index(request_form.format) + 1
    return replace(request_form, format=FORMATS[at]) if at < len(FORMATS) else None
