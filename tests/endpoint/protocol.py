"""OpenAI's response bodies: completions, models, embeddings and errors."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.endpoint.calls import Body, Call, Json

CHAT = "/v1/chat/completions"
EMBEDDINGS = "/v1/embeddings"
MODELS = "/v1/models"
METHODS = {CHAT: "POST", EMBEDDINGS: "POST", MODELS: "GET"}
ANY_MODEL = "test-model"  # listed by /v1/models if every name is accepted
DIMENSIONS = 64
MAX_DIMENSIONS = 4096


@dataclass
class Rules:
    """Rules of accepted requests. None accepts every name (`models`) or client (`key`)."""

    key: str | None = None
    models: Sequence[str] | None = None
    structured: bool = True  # response_format json_schema
    json_mode: bool = True  # response_format json_object
    refuses: Sequence[str] = ()  # parameters by name
    heeds: bool = True  # false: 200 and prose despite a response_format
    refusal: int = 400  # status of rejected formats and roles
    explains: bool = True  # false: rejections have no reason
    system: bool = True  # accepts a system message
    alternate: bool = False  # user and assistant must alternate, beginning with user
    context: int | None = None  # tokens of a prompt


@dataclass
class Reply:
    """An HTTP reply. `manner` is "" for normal delivery, or "hang", "drip", "reset"."""

    status: int
    body: bytes
    text: str = ""  # the content, for the record
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    manner: str = ""
    instant: bool = False  # latency does not apply


def json_reply(body: Body, status: int = 200, text: str = "", instant: bool = False) -> Reply:
    """Return a JSON reply in ASCII, which half a surrogate pair can't break."""
    return Reply(status, json.dumps(body).encode(), text, instant=instant)


def error(
    status: int,
    message: str,
    code: str | None = None,
    param: str | None = None,
    kind: str = "invalid_request_error",
) -> Reply:
    """Return an error in OpenAI's format."""
    body = {"error": {"message": message, "type": kind, "param": param, "code": code}}
    return json_reply(body, status, instant=True)


def refusal(call: Call, authorization: str, rules: Rules) -> Reply | None:
    """Return the error of an invalid request, None for a valid one."""
    early_error = _key_error(authorization, rules.key) or _path_error(call)
    if early_error or call.method == "GET":
        return early_error
    body_error = _body_error(call) or _model_error(call.model, rules)
    if body_error or call.path != CHAT:
        return body_error or _parameter_error(call, rules)
    return _context_error(call, rules) or _roles_error(call, rules) or _parameter_error(call, rules)


def _key_error(authorization: str, key: str | None) -> Reply | None:
    if key is None:
        return None
    scheme, _, sent_key = authorization.partition(" ")
    if scheme.lower() != "bearer" or not sent_key:
        return error(401, "You didn't provide an API key in an Authorization header.")
    if sent_key != key:
        masked_key = f"{sent_key[:3]}***{sent_key[-4:]}" if len(sent_key) > 12 else "***"
        return error(401, f"Incorrect API key provided: {masked_key}.", "invalid_api_key")
    return None


def _path_error(call: Call) -> Reply | None:
    base = MODELS if call.path.startswith(f"{MODELS}/") else call.path
    if base not in METHODS:
        return error(404, f"Invalid URL ({call.method} {call.path})")
    if METHODS[base] != call.method:
        message = f"Not allowed to {call.method} on {call.path}."
        return error(405, message, "method_not_supported")
    return None


def _body_error(call: Call) -> Reply | None:
    if not call.body:
        return error(400, "We could not parse the JSON body of your request.")
    if not isinstance(call.body.get("model"), str):
        return error(400, "you must provide a model parameter")
    name = "messages" if call.path == CHAT else "input"
    if not call.body.get(name):
        code = "missing_required_parameter"
        return error(400, f"Missing required parameter: '{name}'.", code, name)
    if call.path == CHAT and not call.messages:
        message = "Invalid type for 'messages': expected an array of objects."
        return error(400, message, "invalid_type", "messages")
    return None


def _model_error(model: str, rules: Rules) -> Reply | None:
    if rules.models is None or model in rules.models:
        return None
    message = f"The model `{model}` does not exist or you do not have access to it."
    return error(404, message, "model_not_found")


def _parameter_error(call: Call, rules: Rules) -> Reply | None:
    rejected = [name for name in call.body if name in rules.refuses]
    rejected += ["stream"] if call.body.get("stream") else []  # streaming is not supported
    if rejected:
        message = f"Unsupported parameter: '{rejected[0]}' is not supported with this model."
        if rejected[0] == "max_tokens":
            message += " Use 'max_completion_tokens' instead."
        return error(400, message, "unsupported_parameter", rejected[0])
    format_type = str(call.format.get("type", "text"))
    accepted = {"text": True, "json_object": rules.json_mode, "json_schema": rules.structured}
    if not accepted.get(format_type):
        detail = f"'response_format' of type '{format_type}' is not supported with this model."
        return _rejection(rules, f"Invalid parameter: {detail}", "response_format")
    if format_type == "json_schema" and call.schema is None:
        name = "response_format.json_schema"
        message = f"Missing required parameter: '{name}'."
        return error(400, message, "missing_required_parameter", name)
    return None


def _rejection(rules: Rules, message: str, param: str | None = None) -> Reply:
    """Return a rejection with the status and format of the simulated server."""
    if not rules.explains:
        return json_reply({"error": {"message": "Request failed."}}, rules.refusal, instant=True)
    if rules.refusal == 422:  # FastAPI's format, which repeats the input
        row = {"type": "extra_forbidden", "loc": ["body", param], "msg": message}
        echo = {"input": {"temperature": 1, "messages": "system"}}
        return json_reply({"detail": [{**row, **echo}]}, 422, instant=True)
    return error(rules.refusal, message, param=param)


def _context_error(call: Call, rules: Rules) -> Reply | None:
    prompt_tokens = tokens(call.prompt)
    if rules.context is None or prompt_tokens <= rules.context:
        return None
    message = (
        f"This model's maximum context length is {rules.context} tokens. However, your messages "
        f"resulted in {prompt_tokens} tokens. Please reduce the length of the messages."
    )
    return error(400, message, "context_length_exceeded", "messages")


def _roles_error(call: Call, rules: Rules) -> Reply | None:
    roles = [str(message.get("role")) for message in call.messages]
    if not rules.system and "system" in roles:
        return _rejection(rules, "System role not supported")
    expected_roles = [("user", "assistant")[i % 2] for i in range(len(roles))]
    if rules.alternate and roles != expected_roles:
        message = "Conversation roles must alternate user/assistant/user/assistant/..."
        return _rejection(rules, message)
    return None


def tokens(text: str) -> int:
    """Return a plausible token count: four characters each."""
    return math.ceil(len(text) / 4)


def completion(
    call: Call, content: str | None, finish: str = "stop", more: Body | None = None
) -> Body:
    """Return a chat completion with one choice. `more` adds or replaces fields of its message."""
    prompt_tokens, completion_tokens = tokens(call.prompt), tokens(content or "")
    message: Body = {"role": "assistant", "content": content, "refusal": None, "annotations": []}
    message |= more or {}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
    return {
        "id": f"chatcmpl-{call.seed[:20]}{call.number:06d}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": call.model,
        "choices": [choice],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
        },
        "service_tier": "default",
        "system_fingerprint": f"fp_{hashlib.sha256(call.model.encode()).hexdigest()[:10]}",
    }


def models(call: Call, rules: Rules) -> Reply:
    """Return the list of models, or the requested one."""
    names = rules.models or ([ANY_MODEL] if rules.models is None else [])
    if call.path == MODELS:
        return json_reply(
            {"object": "list", "data": [_model(name) for name in names]}, instant=True
        )
    name = call.path.removeprefix(f"{MODELS}/")
    return _model_error(name, rules) or json_reply(_model(name), instant=True)


def _model(name: str) -> Body:
    return {"id": name, "object": "model", "created": 1_700_000_000, "owned_by": "fabula-tests"}


def embeddings(call: Call) -> Reply:
    """Return the vectors for the inputs, as numbers or in base64."""
    size = call.body.get("dimensions", DIMENSIONS)
    if not isinstance(size, int) or not 1 <= size <= MAX_DIMENSIONS:
        return error(400, "Invalid value for 'dimensions'.", "invalid_value", "dimensions")
    texts = _inputs(call.body["input"])
    if texts is None:
        return error(400, "'$.input' is invalid.", param="input")
    is_base64 = call.body.get("encoding_format", "float") == "base64"
    vectors = [vector(text, size) for text in texts]
    data = [
        {"object": "embedding", "index": i, "embedding": _to_base64(v) if is_base64 else v}
        for i, v in enumerate(vectors)
    ]
    count = sum(tokens(text) for text in texts)
    usage = {"prompt_tokens": count, "total_tokens": count}
    return json_reply({"object": "list", "data": data, "model": call.model, "usage": usage})


def vector(text: str, size: int = DIMENSIONS) -> list[float]:
    """Return a unit vector, the sum of its words' hashes: texts with shared words are near."""
    total = [0.0] * size
    for word in re.findall(r"\w+", text.lower()) or [text]:
        noise = hashlib.shake_256(word.encode("utf-8", "surrogatepass")).digest(2 * size)
        total = [sum(pair) for pair in zip(total, struct.unpack(f"<{size}h", noise), strict=True)]
    length = math.sqrt(sum(part * part for part in total)) or 1.0
    exact = struct.pack(f"<{size}f", *(part / length for part in total))
    return list(struct.unpack(f"<{size}f", exact))  # with the precision of base64


def _to_base64(values: Sequence[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(values)}f", *values)).decode()


def _inputs(inputs: Json) -> list[str] | None:
    """Return the inputs as texts (tokens as numbers), or None if one is empty or invalid."""
    if isinstance(inputs, str) or (isinstance(inputs, list) and isinstance(inputs[0], int)):
        inputs = [inputs]
    if not isinstance(inputs, list):
        return None
    texts = [" ".join(map(str, item)) if isinstance(item, list) else item for item in inputs]
    return texts if all(isinstance(text, str) and text for text in texts) else None
