"""OpenAI's bodies: completions, models, embeddings, and the errors that requests can earn."""

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
WHERE = {CHAT: "POST", EMBEDDINGS: "POST", MODELS: "GET"}
ANY_MODEL = "test-model"  # what /v1/models lists where every name is taken
DIMENSIONS = 64
MOST_DIMENSIONS = 4096


@dataclass
class Rules:
    """What the endpoint takes. `models` None takes every name, `key` None everybody."""

    key: str | None = None
    models: Sequence[str] | None = None
    structured: bool = True  # response_format json_schema
    json_mode: bool = True  # response_format json_object
    refuses: Sequence[str] = ()  # parameters by name
    heeds: bool = True  # no: 200 and prose where a response_format is asked for
    refusal: int = 400  # the status with which formats and roles are refused
    explains: bool = True  # no: refusals don't say what they are about
    system: bool = True  # takes a system message
    alternate: bool = False  # user and assistant must take turns, beginning with user
    context: int | None = None  # tokens of a prompt


@dataclass
class Reply:
    """What goes over the line. `manner`: "" as it should be, or "hang", "drip", "reset"."""

    status: int
    body: bytes
    text: str = ""  # the content, for the record
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    manner: str = ""
    instant: bool = False  # latency does not apply


def told(body: Body, status: int = 200, text: str = "", instant: bool = False) -> Reply:
    """A reply of JSON, in ASCII: half a surrogate pair from a prompt can't break it."""
    return Reply(status, json.dumps(body).encode(), text, instant=instant)


def error(
    status: int,
    message: str,
    code: str | None = None,
    param: str | None = None,
    kind: str = "invalid_request_error",
) -> Reply:
    """An error as OpenAI shapes it."""
    body = {"error": {"message": message, "type": kind, "param": param, "code": code}}
    return told(body, status, instant=True)


def refusal(call: Call, authorization: str, rules: Rules) -> Reply | None:
    """The error a request earns by itself, None for one that is answered."""
    unwelcome = _key_error(authorization, rules.key) or _path_error(call)
    if unwelcome or call.method == "GET":
        return unwelcome
    found = _body_error(call) or _model_error(call.model, rules)
    if found or call.path != CHAT:
        return found or _parameter_error(call, rules)
    return _context_error(call, rules) or _roles_error(call, rules) or _parameter_error(call, rules)


def _key_error(authorization: str, key: str | None) -> Reply | None:
    if key is None:
        return None
    scheme, _, given = authorization.partition(" ")
    if scheme.lower() != "bearer" or not given:
        return error(401, "You didn't provide an API key in an Authorization header.")
    if given != key:
        seen = f"{given[:3]}***{given[-4:]}" if len(given) > 12 else "***"
        return error(401, f"Incorrect API key provided: {seen}.", "invalid_api_key")
    return None


def _path_error(call: Call) -> Reply | None:
    base = MODELS if call.path.startswith(f"{MODELS}/") else call.path
    if base not in WHERE:
        return error(404, f"Invalid URL ({call.method} {call.path})")
    if WHERE[base] != call.method:
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
    refused = [name for name in call.body if name in rules.refuses]
    refused += ["stream"] if call.body.get("stream") else []  # this endpoint never does
    if refused:
        message = f"Unsupported parameter: '{refused[0]}' is not supported with this model."
        if refused[0] == "max_tokens":
            message += " Use 'max_completion_tokens' instead."
        return error(400, message, "unsupported_parameter", refused[0])
    wanted = str(call.format.get("type", "text"))
    taken = {"text": True, "json_object": rules.json_mode, "json_schema": rules.structured}
    if not taken.get(wanted):
        said = f"'response_format' of type '{wanted}' is not supported with this model."
        return _refused(rules, f"Invalid parameter: {said}", "response_format")
    if wanted == "json_schema" and call.schema is None:
        name = "response_format.json_schema"
        message = f"Missing required parameter: '{name}'."
        return error(400, message, "missing_required_parameter", name)
    return None


def _refused(rules: Rules, message: str, param: str | None = None) -> Reply:
    """A refusal with the status and in the words of the server at hand."""
    if not rules.explains:
        return told({"error": {"message": "Request failed."}}, rules.refusal, instant=True)
    if rules.refusal == 422:  # as FastAPI shapes it, which repeats what it was sent
        row = {"type": "extra_forbidden", "loc": ["body", param], "msg": message}
        sent = {"input": {"temperature": 1, "messages": "system"}}
        return told({"detail": [{**row, **sent}]}, 422, instant=True)
    return error(rules.refusal, message, param=param)


def _context_error(call: Call, rules: Rules) -> Reply | None:
    asked = tokens(call.prompt)
    if rules.context is None or asked <= rules.context:
        return None
    message = (
        f"This model's maximum context length is {rules.context} tokens. However, your messages "
        f"resulted in {asked} tokens. Please reduce the length of the messages."
    )
    return error(400, message, "context_length_exceeded", "messages")


def _roles_error(call: Call, rules: Rules) -> Reply | None:
    roles = [str(message.get("role")) for message in call.messages]
    if not rules.system and "system" in roles:
        return _refused(rules, "System role not supported")
    turns = [("user", "assistant")[i % 2] for i in range(len(roles))]
    if rules.alternate and roles != turns:
        told_ = "Conversation roles must alternate user/assistant/user/assistant/..."
        return _refused(rules, told_)
    return None


def tokens(text: str) -> int:
    """A plausible count: four characters each."""
    return math.ceil(len(text) / 4)


def completion(
    call: Call, content: str | None, finish: str = "stop", more: Body | None = None
) -> Body:
    """A chat completion with one choice; `more`: fields of its message, or in place of them."""
    asked, said = tokens(call.prompt), tokens(content or "")
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
            "prompt_tokens": asked,
            "completion_tokens": said,
            "total_tokens": asked + said,
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
        },
        "service_tier": "default",
        "system_fingerprint": f"fp_{hashlib.sha256(call.model.encode()).hexdigest()[:10]}",
    }


def models(call: Call, rules: Rules) -> Reply:
    """The list of models, or the one that was asked for."""
    names = rules.models or ([ANY_MODEL] if rules.models is None else [])
    if call.path == MODELS:
        return told({"object": "list", "data": [_model(name) for name in names]}, instant=True)
    name = call.path.removeprefix(f"{MODELS}/")
    return _model_error(name, rules) or told(_model(name), instant=True)


def _model(name: str) -> Body:
    return {"id": name, "object": "model", "created": 1_700_000_000, "owned_by": "fabula-tests"}


def embeddings(call: Call) -> Reply:
    """Vectors for the inputs, as numbers or in base64."""
    size = call.body.get("dimensions", DIMENSIONS)
    if not isinstance(size, int) or not 1 <= size <= MOST_DIMENSIONS:
        return error(400, "Invalid value for 'dimensions'.", "invalid_value", "dimensions")
    texts = _inputs(call.body["input"])
    if texts is None:
        return error(400, "'$.input' is invalid.", param="input")
    packed = call.body.get("encoding_format", "float") == "base64"
    vectors = [vector(text, size) for text in texts]
    data = [
        {"object": "embedding", "index": i, "embedding": _packed(v) if packed else v}
        for i, v in enumerate(vectors)
    ]
    count = sum(tokens(text) for text in texts)
    usage = {"prompt_tokens": count, "total_tokens": count}
    return told({"object": "list", "data": data, "model": call.model, "usage": usage})


def vector(text: str, size: int = DIMENSIONS) -> list[float]:
    """A unit vector: the sum of its words' hashes, so that texts with shared words are near."""
    total = [0.0] * size
    for word in re.findall(r"\w+", text.lower()) or [text]:
        noise = hashlib.shake_256(word.encode("utf-8", "surrogatepass")).digest(2 * size)
        total = [sum(two) for two in zip(total, struct.unpack(f"<{size}h", noise), strict=True)]
    length = math.sqrt(sum(part * part for part in total)) or 1.0
    exact = struct.pack(f"<{size}f", *(part / length for part in total))
    return list(struct.unpack(f"<{size}f", exact))  # as base64 would carry them


def _packed(values: Sequence[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(values)}f", *values)).decode()


def _inputs(given: Json) -> list[str] | None:
    """The inputs as texts (tokens as their numbers), None if there is an empty or odd one."""
    if isinstance(given, str) or (isinstance(given, list) and isinstance(given[0], int)):
        given = [given]
    if not isinstance(given, list):
        return None
    texts = [" ".join(map(str, one)) if isinstance(one, list) else one for one in given]
    return texts if all(isinstance(text, str) and text for text in texts) else None
