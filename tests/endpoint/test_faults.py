"""Each fault of the test endpoint, as seen by the real openai client."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from typing import Any

import openai
import pytest

from tests.endpoint import FAULTS, Endpoint
from tests.endpoint.clients import client_of
from tests.endpoint.faults import HTTP, HUGE, LINE, SPOILT, Plan
from tests.endpoint.sentences import FOREIGN
from tests.endpoint.test_answers import violations

SCHEMA = {
    "type": "object",
    "properties": {
        "say": {"type": "string", "maxLength": 200},
        "target": {"type": "string", "enum": ["Anna", "Ben"]},
        "odds": {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3},
    },
    "required": ["say", "target", "odds"],
    "additionalProperties": False,
}
STRUCTURED = {"type": "json_schema", "json_schema": {"name": "talk", "schema": SCHEMA}}


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint() as running:
        yield running


def ask(endpoint: Endpoint, text: str = "Hello", timeout: float = 5.0, schema: bool = True) -> Any:
    """Request one completion."""
    more: dict[str, Any] = {"response_format": STRUCTURED} if schema else {}
    return client_of(endpoint, timeout).chat.completions.create(
        model="m", messages=[{"role": "user", "content": text}], **more
    )


def choice_with_fault(
    endpoint: Endpoint, name: str, text: str = "Hello", schema: bool = True
) -> Any:
    """Return the choice of a completion with a fault."""
    endpoint.fail(name)
    answer = ask(endpoint, text, schema=schema)
    assert endpoint.calls[-1].fault == name
    assert endpoint.calls[-1].answer == (answer.choices[0].message.content or "")
    return answer.choices[0]


def test_every_fault_is_described_and_implemented() -> None:
    assert set(FAULTS) == {*HTTP, *LINE, *SPOILT}
    assert not [text for text in FAULTS.values() if not text or "\n" in text]


@pytest.mark.parametrize(
    ("name", "kind", "retry_after"),
    [
        ("http400", openai.BadRequestError, None),
        ("http401", openai.AuthenticationError, None),
        ("http404", openai.NotFoundError, None),
        ("http429", openai.RateLimitError, "7"),
        ("http429_long", openai.RateLimitError, "3600"),
        ("http500", openai.InternalServerError, None),
        ("http503", openai.InternalServerError, None),
    ],
)
def test_http_fault_has_its_status_and_retry_header(
    endpoint: Endpoint, name: str, kind: type[openai.APIStatusError], retry_after: str | None
) -> None:
    endpoint.retry_after = 7
    endpoint.fail(name)
    with pytest.raises(kind) as error:
        ask(endpoint)
    assert error.value.status_code == int(name[4:7]) == endpoint.calls[0].status
    assert error.value.response.headers.get("retry-after") == retry_after
    assert error.value.type
    assert ask(endpoint).choices


def test_garbage_is_invalid_json_and_html_is_no_completion(endpoint: Endpoint) -> None:
    endpoint.fail("garbage")
    with pytest.raises(json.JSONDecodeError):  # not an openai.OpenAIError
        ask(endpoint)
    endpoint.fail("html")
    assert "<title>" in ask(endpoint)  # a str, despite the annotation


@pytest.mark.parametrize("schema", [True, False])
def test_unreadable_content_faults_have_their_exact_form(endpoint: Endpoint, schema: bool) -> None:
    for name in ("broken_answer", "half_json"):
        content = choice_with_fault(endpoint, name, schema=schema).message.content
        with pytest.raises(json.JSONDecodeError):
            json.loads(content)
    assert content.startswith('{"')
    assert choice_with_fault(endpoint, "empty", schema=schema).message.content == ""
    assert choice_with_fault(endpoint, "null_content", schema=schema).message.content is None
    refusal = choice_with_fault(endpoint, "refusal", schema=schema).message
    assert refusal.content is None
    assert refusal.refusal
    endpoint.fail("no_choices")
    assert ask(endpoint, schema=schema).choices == []


def test_length_fault_cuts_the_default_answer_not_a_canned_one(endpoint: Endpoint) -> None:
    endpoint.say("whole")
    cut = choice_with_fault(endpoint, "length")
    assert cut.finish_reason == "length"
    canned = ask(endpoint).choices[0].message.content
    assert canned == "whole"
    expected = ask(endpoint).choices[0].message.content
    assert expected.startswith(cut.message.content)
    assert len(cut.message.content) < len(expected)


def test_huge_fault_returns_at_least_200_kb(endpoint: Endpoint) -> None:
    prose = choice_with_fault(endpoint, "huge", schema=False).message.content
    content = json.loads(choice_with_fault(endpoint, "huge").message.content)
    assert HUGE <= len(prose) < 2 * HUGE
    assert HUGE <= len(content["say"]) < 2 * HUGE
    assert content["target"] in ("Anna", "Ben")


def test_foreign_and_illegal_contents_keep_the_shape(endpoint: Endpoint) -> None:
    proper = json.loads(ask(endpoint).choices[0].message.content)
    assert not violations(proper, SCHEMA)
    foreign = json.loads(choice_with_fault(endpoint, "foreign").message.content)
    assert not violations(foreign, SCHEMA)
    assert foreign["say"] in FOREIGN
    illegal = json.loads(choice_with_fault(endpoint, "illegal_name").message.content)
    assert illegal == {**proper, "target": "Nobody"}
    assert choice_with_fault(endpoint, "foreign", schema=False).message.content.startswith(
        FOREIGN[0]
    )
    assert choice_with_fault(endpoint, "illegal_name", schema=False).message.content == "Nobody"


def test_wrong_type_fault_breaks_the_schema_in_several_ways(endpoint: Endpoint) -> None:
    kinds = set()
    for i in range(8):
        value = json.loads(
            choice_with_fault(endpoint, "wrong_type", f"Question {i}").message.content
        )
        assert violations(value, SCHEMA)
        kinds.add(type(value))
    assert kinds == {list, dict}
    assert choice_with_fault(endpoint, "wrong_type", schema=False).message.content == "[1, 2, 3]"


def test_hanging_request_ends_when_its_client_leaves(endpoint: Endpoint) -> None:
    endpoint.fail("hang")
    with pytest.raises(openai.APITimeoutError):
        ask(endpoint, timeout=0.2)
    endpoint.wait_idle()
    (call,) = endpoint.calls
    assert (call.left, call.answered, call.status) == (True, None, 0)


def test_drip_fault_outlasts_the_client_timeout(endpoint: Endpoint) -> None:
    endpoint.drip_every = 0.001
    endpoint.fail("drip")
    assert ask(endpoint, timeout=0.25).choices  # the timeout applies to each read
    endpoint.wait_idle()
    (call,) = endpoint.calls
    assert (call.answered or 0) - call.arrived > 0.3


def test_drip_fault_sends_headers_first_then_single_bytes(endpoint: Endpoint) -> None:
    endpoint.drip_every = 0.05
    endpoint.fail("drip")
    line = http.client.HTTPConnection(endpoint.url.split("/")[2], timeout=5)
    line.request("POST", "/v1/chat/completions", '{"model": "m", "messages": [{}]}')
    response = line.getresponse()
    assert endpoint.in_flight == 1
    assert [response.read1(100) for _ in range(3)] == [b"{", b'"', b"i"]
    response.close()
    line.close()
    endpoint.wait_idle()
    assert endpoint.calls[0].left


def test_reset_fault_resets_the_connection(endpoint: Endpoint) -> None:
    endpoint.fail("reset", times=2)
    with pytest.raises(openai.APIConnectionError):
        ask(endpoint)
    host, port = endpoint.url.split("/")[2].split(":")
    with socket.create_connection((host, int(port)), timeout=5) as line:
        body = b'{"model": "m", "messages": [{"role": "user"}]}'
        head = f"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n"
        line.sendall(head.encode() + body)
        with pytest.raises(ConnectionResetError):
            line.recv(1)
    assert [(call.fault, call.answered) for call in endpoint.calls] == [("reset", None)] * 2


def test_queued_faults_wait_for_matching_calls(endpoint: Endpoint) -> None:
    endpoint.fail("empty", times=2, when="vote")
    endpoint.fail("null_content", when=lambda call: call.number == 4)
    endpoint.fail("no_choices", when="never")
    for text in ("talk", "your vote", "your vote", "your vote", "your vote"):
        ask(endpoint, text)
    assert [call.fault for call in endpoint.calls] == ["", "empty", "empty", "null_content", ""]
    assert endpoint.fault_counts == {"": 2, "empty": 2, "null_content": 1}


def test_drawn_faults_depend_on_seed_and_number() -> None:
    shares = {"empty": 0.3, "no_choices": 0.2}
    with Endpoint(faults=shares, seed=5) as endpoint:
        for i in range(12):
            ask(endpoint, f"Question {i}")
        drawn = [call.fault for call in endpoint.calls]
        endpoint.faults = {}
        ask(endpoint)
        assert endpoint.calls[-1].fault == ""
    plan = Plan(dict(reversed(shares.items())), 5)
    assert [plan.drawn_fault(number) for number in range(1, 13)] == drawn
    many = [plan.drawn_fault(number) for number in range(4000)]
    assert many != [Plan(shares, 6).drawn_fault(number) for number in range(4000)]
    assert many.count("empty") / 4000 == pytest.approx(0.3, abs=0.03)
    assert many.count("") / 4000 == pytest.approx(0.5, abs=0.03)


def test_invalid_faults_are_rejected(endpoint: Endpoint) -> None:
    with pytest.raises(ValueError, match="no such fault: nonsense"):
        endpoint.fail("nonsense")
    for shares in ({"empty": 0.6, "hang": 0.6}, {"empty": -0.1}, {"other": 0.1}):
        with pytest.raises(ValueError, match=r"no such fault|shares are"):
            Endpoint(faults=shares)


def test_embeddings_get_only_transport_and_http_faults(endpoint: Endpoint) -> None:
    endpoint.fail("empty")
    endpoint.fail("http500")
    client = client_of(endpoint)
    with pytest.raises(openai.InternalServerError):
        client.embeddings.create(model="m", input="wolf")
    assert client.embeddings.create(model="m", input="wolf").data
    assert ask(endpoint).choices[0].message.content == ""
