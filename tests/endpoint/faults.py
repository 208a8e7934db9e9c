"""Faults of model endpoints by name: their schedule and their replies."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from tests.endpoint.answers import Maker, schema_for
from tests.endpoint.calls import Body, Call, Json, When, matches, text_of
from tests.endpoint.protocol import CHAT, Reply, completion, error, json_reply
from tests.endpoint.sentences import FOREIGN, FRAGMENTS, REFUSALS, SENTENCES

FAULTS = {
    "garbage": "200 with a body that says it is JSON and isn't",
    "html": "200 with a web page, as from a proxy",
    "broken_answer": "a valid completion whose content is garbage",
    "half_json": "the content is a JSON object cut in half",
    "empty": 'the content is ""',
    "null_content": "the content is null",
    "no_choices": "the list of choices is empty",
    "huge": "the content has 200 KB or more; with a schema, in its first free string",
    "foreign": "the content has the right shape, its sentences are Chinese and Russian",
    "illegal_name": 'the content has the right shape, enumerated strings are "Nobody"',
    "refusal": "the model refuses: message.refusal is set, the content null",
    "refusal_prose": "the content is a sentence in which the model refuses",
    "refusal_json": "the content has the right shape, its sentences refuse",
    "content_filter": 'the content is cut, finish_reason is "content_filter"',
    "fragment": "the content has the right shape, its sentences are marks or copies of the prompt",
    "length": 'the content is cut, finish_reason is "length"',
    "wrong_type": "the content is JSON with other types than asked for",
    "http400": "400, invalid request",
    "http400_filter": "400, the prompt was stopped by a filter of contents",
    "http401": "401, invalid key",
    "http404": "404, no such model",
    "http429": "429, rate limit, Retry-After 1 unless set otherwise",
    "http429_long": "429, rate limit, Retry-After 3600",
    "http500": "500, server error",
    "http503": "503, overloaded",
    "hang": "no answer until the client goes or the endpoint closes",
    "drip": "headers at once, then a byte a second",
    "reset": "the connection is reset (RST)",
}
HUGE = 200_000
GARBAGE = "\x1b[0m<<|im_sep|>> ]]}{ ,,: NaN undefined ~~ \ufffd\ufffd "
PAGE = b"<!doctype html><title>Gateway</title><h1>The model is warming up, please wait</h1>"
REFUSAL = "I'm sorry, but I can't help with that request."

HTTP = {
    "http400": error(400, "Invalid request.", "invalid_value", "messages"),
    "http400_filter": error(400, "The prompt triggered the content filter.", "content_filter"),
    "http401": error(401, "Incorrect API key provided: ***.", "invalid_api_key"),
    "http404": error(404, "The model does not exist.", "model_not_found"),
    "http429": error(429, "Rate limit reached.", "rate_limit_exceeded", kind="requests"),
    "http429_long": error(429, "Rate limit reached.", "rate_limit_exceeded", kind="requests"),
    "http500": error(500, "The server had an error.", kind="server_error"),
    "http503": error(503, "The engine is overloaded, try again later.", kind="server_error"),
}
LINE = ("garbage", "html", "hang", "drip", "reset")
ANYWHERE = frozenset((*HTTP, *LINE))  # other faults apply to completions only


def validate_shares(shares: Mapping[str, float]) -> dict[str, float]:
    """Validate and sort shares. Raises ValueError for unknown faults and impossible shares."""
    if unknown := set(shares) - set(FAULTS):
        raise ValueError(f"no such fault: {', '.join(sorted(unknown))}")
    if min(shares.values(), default=0) < 0 or sum(shares.values()) > 1 + 1e-9:
        raise ValueError("shares are from 0 to 1, and so is their sum")
    return dict(sorted(shares.items()))


@dataclass
class _Queued:
    name: str
    times: int
    when: When


class Plan:
    """Schedule of faults. Queued faults come first, then a draw by the call's number."""

    def __init__(self, shares: Mapping[str, float], seed: int) -> None:
        self.shares = validate_shares(shares)
        self.seed = seed
        self._queue: list[_Queued] = []

    def queue(self, name: str, times: int, when: When) -> None:
        """Schedule the fault for the next `times` matching calls."""
        validate_shares({name: 0})
        self._queue.append(_Queued(name, times, when))

    def take(self, call: Call) -> str:
        """Take the fault of a call, "" for none. Use it once per call."""
        for queued in self._queue:
            if self._possible(queued.name, call) and matches(call, queued.when):
                queued.times -= 1
                self._queue = [entry for entry in self._queue if entry.times > 0]
                return queued.name
        fault = self.drawn_fault(call.number)
        return fault if self._possible(fault, call) else ""

    def drawn_fault(self, number: int) -> str:
        """Return the randomly drawn fault of the call with this number."""
        point = Random(f"{self.seed}/{number}").random()
        for name, share in self.shares.items():
            if point < share:
                return name
            point -= share
        return ""

    @staticmethod
    def _possible(name: str, call: Call) -> bool:
        return call.path == CHAT or name in ANYWHERE


def reply(call: Call, answer: Callable[[], Reply], retry_after: float) -> Reply:
    """Return the reply of a call with a fault. `answer` makes the reply without the fault."""
    if call.fault in HTTP:
        model = HTTP[call.fault]
        retry_after_value = {"http429": f"{retry_after:g}", "http429_long": "3600"}.get(call.fault)
        return Reply(
            model.status,
            model.body,
            headers={"Retry-After": retry_after_value} if retry_after_value else {},
        )
    if call.fault in ("hang", "reset"):
        return Reply(0, b"", manner=call.fault)
    if call.fault == "drip":
        slow = answer()
        slow.manner = "drip"
        return slow
    if call.fault == "garbage":
        return Reply(200, GARBAGE.encode())
    if call.fault == "html":
        return Reply(200, PAGE, content_type="text/html; charset=utf-8")
    body = SPOILT[call.fault](call, lambda: answer().text)
    choices = body["choices"]
    return json_reply(body, text=(choices[0]["message"]["content"] or "") if choices else "")


Answer = Callable[[], str]


def _refuse(call: Call, answer: Answer) -> Body:
    body = completion(call, None)
    body["choices"][0]["message"]["refusal"] = REFUSAL
    return body


def _refuse_in_prose(call: Call, answer: Answer) -> Body:
    return completion(call, Random(call.seed).choice(REFUSALS))


def _cut_by_filter(call: Call, answer: Answer) -> Body:
    text = answer()
    return completion(call, text[: len(text) // 3], finish="content_filter")


class Refusing(Maker):
    """Generator that uses refusals as sentences."""

    sentences = REFUSALS


def _fragment(call: Call, answer: Answer) -> Body:
    maker = Maker(schema_for(call) or {"type": "string"}, call.seed)
    maker.sentences = (*FRAGMENTS, *_questions(call))
    return completion(call, maker.json() if schema_for(call) else maker.text({}))


def _questions(call: Call) -> list[str]:
    """Return the long sentences of the request's question, its last paragraph without a form."""
    user_texts = [text_of(m.get("content")) for m in call.messages if m.get("role") == "user"]
    blocks = (
        [b for b in user_texts[0].split("\n\n") if '{"' not in b.split("\n")[0]]
        if user_texts
        else []
    )
    sentences = re.split(r"(?<=[.!?])\s+", blocks[-1]) if blocks else []
    return [s for s in sentences if len(s.split()) > 8 and '"' not in s]


def _no_choices(call: Call, answer: Answer) -> Body:
    return {**completion(call, None), "choices": []}


def _length(call: Call, answer: Answer) -> Body:
    text = answer()
    return completion(call, text[: len(text) * 2 // 3], finish="length")


def _half(call: Call, answer: Answer) -> Body:
    text = answer()
    json_text = text if isinstance(_parse_json(text), dict | list) else json.dumps({"answer": text})
    return completion(call, json_text[: len(json_text) // 2])


def _wrong_type(call: Call, answer: Answer) -> Body:
    value = _parse_json(answer())
    if not isinstance(value, dict | list):
        return completion(call, json.dumps([1, 2, 3]))
    if value and int(call.seed, 16) % 2:  # whole or part by part, depending on the request's hash
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        return completion(call, json.dumps({str(key): _change_type(part) for key, part in parts}))
    return completion(call, json.dumps(_change_type(value)))


def _change_type(value: Json) -> Json:
    """Convert a value to another type."""
    match value:
        case dict():
            return list(value.values())
        case list():
            return {str(i): item for i, item in enumerate(value)}
        case str():
            return len(value)
        case bool():
            return "yes" if value else "no"
        case None:
            return 0
        case _:
            return str(value)


def _parse_json(text: str) -> Json:
    try:
        return json.loads(text)
    except ValueError:
        return None


class Foreign(Maker):
    """Generator that uses sentences in other languages."""

    sentences = FOREIGN


class Illegal(Maker):
    """Generator that answers enumerations with an unlisted name."""

    def option(self, options: Sequence[Json]) -> Json:
        value = super().option(options)
        return "Nobody" if isinstance(value, str) else value


class Huge(Maker):
    """Generator whose first text is a book, regardless of maxLength."""

    written = False

    def text(self, schema: Body) -> str:
        if self.written:
            return super().text(schema)
        self.written = True
        return _book(self.rng)


def _book(rng: Random) -> str:
    pages = " ".join(rng.choice(SENTENCES) for _ in range(500))
    return " ".join([pages] * (HUGE // len(pages) + 1))


def _huge(call: Call, answer: Answer) -> Body:
    maker = Huge(schema_for(call) or {}, call.seed)
    text = maker.json() if schema_for(call) else ""
    return completion(call, text if maker.written else _book(maker.rng))


def _generated(kind: type[Maker], otherwise: str) -> Callable[[Call, Answer], Body]:
    def spoil(call: Call, answer: Answer) -> Body:
        schema = schema_for(call)
        return completion(call, kind(schema, call.seed).json() if schema else otherwise)

    return spoil


SPOILT: dict[str, Callable[[Call, Answer], Body]] = {
    "broken_answer": lambda call, answer: completion(call, GARBAGE),
    "half_json": _half,
    "empty": lambda call, answer: completion(call, ""),
    "null_content": lambda call, answer: completion(call, None),
    "no_choices": _no_choices,
    "huge": _huge,
    "foreign": _generated(Foreign, " ".join(FOREIGN[:2])),
    "illegal_name": _generated(Illegal, "Nobody"),
    "refusal": _refuse,
    "refusal_prose": _refuse_in_prose,
    "refusal_json": _generated(Refusing, REFUSALS[0]),
    "content_filter": _cut_by_filter,
    "fragment": _fragment,
    "length": _length,
    "wrong_type": _wrong_type,
}
