"""Requests to a server in a form that it accepts: bodies, responses, and plainer forms.

A server that refuses a request may accept it in a plainer form, which follows from its response.
"""

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, Self

import openai

from agents.decision import BackendError
from agents.language.patterns import load
from agents.llm import PATTERNS_FOLDER
from agents.llm.capabilities import LIMIT_PARAMETERS, ROLES, RequestForm
from agents.model_catalog import FORMATS, ModelSettings
from agents.prompts import template

Messages = list[dict[str, str]]
# The fields in which servers return reasoning beside the answer: recorded, never parsed.
REASONING_FIELDS = ("reasoning_content", "reasoning", "thinking", "reasoning_text")
MAX_SEARCHED_CHARS = 4000
# Statuses with which servers refuse unsupported features, with or without a reason.
REFUSAL_STATUSES = (400, 404, 415, 422, 500, 501)
# Keys of an error's body whose values describe it.
_MESSAGE_KEYS = (
    "message", "msg", "detail", "error", "code", "param", "type", "loc", "reason", "title",
)  # fmt: skip
PATTERNS = load("server_errors", PATTERNS_FOLDER)


@dataclass
class Completion:
    """Answer of a model, with the cost of the request."""

    text: str
    thoughts: str  # reasoning that the server returned in a separate field
    model: str  # the model's name as stated by the server
    usage: dict[str, int]  # "prompt_tokens" and "completion_tokens" -> number, 0 if unknown
    is_cut: bool  # whether the answer ended at the token limit
    is_refused: bool  # whether the server or the model refused, in a separate field or in prose
    messages: Messages  # the messages as they were sent
    format: str  # the request's format, one of FORMATS
    retries: int = 0
    seconds: float = 0.0  # duration of the request with its retries


def arrange_messages(
    messages: Messages, request_form: RequestForm, schema: dict[str, Any]
) -> Messages:
    """Return the messages in a form that the server accepts.

    The schema is appended to the prompt if the format has no other place for it. Only roles that
    the server accepts are used. Consecutive messages of one role are merged.
    """
    arranged_messages = [dict(message) for message in messages]
    if schema and request_form.format != "json_schema":
        schema_text = template("schema").substitute(schema=json.dumps(schema, ensure_ascii=False))
        arranged_messages[-1]["content"] += f"\n\n{schema_text.strip()}"
    merged: Messages = []
    for message in arranged_messages:
        if message["role"] == "system" and request_form.roles != "all":
            message["role"] = "user"
        elif message["role"] == "assistant" and request_form.roles == "user":
            message |= {"role": "user", "content": f"Your answer was: {message['content']}"}
        if merged and merged[-1]["role"] == message["role"]:
            merged[-1]["content"] += f"\n\n{message['content']}"
        else:
            merged.append(message)
    return merged


def optional_parameters(
    settings: ModelSettings, request_form: RequestForm, temperature: float | None
) -> dict[str, Any]:
    """Return the parameters that a server may refuse, without those it has refused."""
    parameters: dict[str, Any] = {**settings.extra}
    if temperature is not None:
        parameters["temperature"] = temperature
    if settings.reasoning_effort:
        parameters["reasoning_effort"] = settings.reasoning_effort
    if settings.max_tokens and request_form.limit:
        parameters[request_form.limit] = settings.max_tokens
    return {name: value for name, value in parameters.items() if name not in request_form.dropped}


def response_format(request_form: RequestForm, schema: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the parameter that requests JSON, {} if only the prompt does."""
    if request_form.format == "json_schema":
        json_schema = {"name": name, "schema": schema, "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": json_schema}}
    if request_form.format == "json_object":
        return {"response_format": {"type": request_form.format}}
    return {}


def parse_response(body: bytes, messages: Messages, model: str, format_: str) -> Completion:
    """Parse a response body, or raise BackendError if it is no completion or an empty one.

    `is_refused` is true if the server says so, in `refusal` or by `content_filter`. `model` is the
    name to use if the response states none. `messages` and `format_` are those of the request.
    """
    try:
        data = json.loads(body)
        choice = data["choices"][0]
        message = choice["message"]
        if not isinstance(message, dict):
            raise TypeError
    except (ValueError, KeyError, IndexError, TypeError):
        raise BackendError("garbage", "the server's response was not a chat completion") from None
    text, thoughts = _split_content(message.get("content"))
    is_refused = bool(message.get("refusal")) or choice.get("finish_reason") == "content_filter"
    text = str(message.get("refusal") or text)
    thoughts += [message[name] for name in REASONING_FIELDS if isinstance(message.get(name), str)]
    if not text.strip() and not is_refused:
        detail = (
            "the model returned reasoning but no answer" if thoughts else "the answer was empty"
        )
        raise BackendError("empty", detail)
    usage = data.get("usage") or {}
    return Completion(
        text=text,
        thoughts="\n".join(thoughts),
        model=str(data.get("model") or model),
        usage={key: _token_count(usage, key) for key in ("prompt_tokens", "completion_tokens")},
        is_cut=choice.get("finish_reason") == "length",
        is_refused=is_refused,
        messages=messages,
        format=format_,
    )


def _split_content(content: Any) -> tuple[str, list[str]]:
    """Return (answer, thoughts) of a message's content: a string, or a list of typed parts."""
    if isinstance(content, str):
        return content, []
    texts, thoughts = [], []
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict):
            continue
        if part.get("type") in ("text", "output_text") and isinstance(part.get("text"), str):
            texts.append(part["text"])
        else:
            thoughts.append(json.dumps(part, ensure_ascii=False))
    return "".join(texts), thoughts


def _token_count(usage: Any, key: str) -> int:
    value = usage.get(key) if isinstance(usage, dict) else 0
    return int(value) if isinstance(value, int | float) else 0


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
