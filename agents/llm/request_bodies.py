"""Builds request bodies for chat completions, and parses the responses."""

import json
from dataclasses import dataclass
from typing import Any

from agents.decision import BackendError
from agents.llm.capabilities import RequestForm
from agents.model_catalog import ModelSettings
from agents.prompts import template

Messages = list[dict[str, str]]
# The fields in which servers return reasoning beside the answer: recorded, never parsed.
REASONING_FIELDS = ("reasoning_content", "reasoning", "thinking", "reasoning_text")


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
