"""The test endpoint, used by the real openai client: responses, rules, records, shutdown."""

from __future__ import annotations

import http.client
import math
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import openai
import pytest
from openai.types.chat import ChatCompletion

from tests.endpoint import Call, Endpoint
from tests.endpoint.clients import client_of

ROOT = Path(__file__).parents[2]
VOTE = {
    "type": "object",
    "properties": {"target": {"type": "string", "enum": ["Anna", "Ben"]}},
    "required": ["target"],
    "additionalProperties": False,
}
STRUCTURED = {"type": "json_schema", "json_schema": {"name": "vote", "schema": VOTE}}


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint() as running:
        yield running


def ask(client: openai.OpenAI, text: str = "Hello", **more: Any) -> ChatCompletion:
    """Request one completion."""
    answer: ChatCompletion = client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": text}], **more
    )
    return answer


def test_completion_has_all_fields(endpoint: Endpoint) -> None:
    answer = ask(client_of(endpoint), "A question of thirty-two letters")
    assert answer.id.startswith("chatcmpl-")
    assert (answer.object, answer.model) == ("chat.completion", "m")
    assert answer.created > 1_700_000_000
    assert str(answer.system_fingerprint).startswith("fp_")
    (choice,) = answer.choices
    assert (choice.index, choice.finish_reason, choice.message.role) == (0, "stop", "assistant")
    content = choice.message.content or ""
    assert 8 <= len(content.split()) <= 20
    assert answer.usage is not None
    assert answer.usage.prompt_tokens == 8
    assert answer.usage.completion_tokens == math.ceil(len(content) / 4)
    assert answer.usage.total_tokens == 8 + answer.usage.completion_tokens


def test_models_are_listed_and_retrieved() -> None:
    with Endpoint(models=["small", "large"]) as endpoint:
        client = client_of(endpoint)
        assert [model.id for model in client.models.list()] == ["small", "large"]
        assert client.models.retrieve("small").id == "small"
        with pytest.raises(openai.NotFoundError):
            client.models.retrieve("other")


def test_embeddings_are_returned_as_base64_and_as_numbers(endpoint: Endpoint) -> None:
    create = client_of(endpoint).embeddings.create
    packed = create(model="m", input=["the wolf", "the wolf howls", "tea at noon"])
    numeric = create(model="m", input="the wolf", encoding_format="float")
    assert "base64" in str(endpoint.calls[0].body)
    vectors = [item.embedding for item in packed.data]
    assert vectors[0] == numeric.data[0].embedding
    assert [len(vector) for vector in vectors] == [64] * 3
    assert [item.index for item in packed.data] == [0, 1, 2]
    assert math.hypot(*vectors[0]) == pytest.approx(1)
    near, far = (sum(map(float.__mul__, vectors[0], vector)) for vector in vectors[1:])
    assert near > far
    assert len(create(model="m", input=[[1, 2], [3]], dimensions=8).data[1].embedding) == 8
    with pytest.raises(openai.BadRequestError):
        create(model="m", input=["something", ""])


def test_keys_are_checked_and_not_recorded() -> None:
    with Endpoint(key="right-key-of-the-house") as endpoint:
        ask(client_of(endpoint, key="right-key-of-the-house"))
        with pytest.raises(openai.AuthenticationError) as wrong:
            ask(client_of(endpoint, key="wrong-key-of-the-house"))
        with pytest.raises(openai.AuthenticationError) as none:
            ask(client_of(endpoint), extra_headers={"Authorization": openai.Omit()})
        assert (wrong.value.code, none.value.code) == ("invalid_api_key", None)
        assert [call.headers.get("authorization") for call in endpoint.calls[:2]] == [
            "Bearer ***"
        ] * 2
        assert [call.status for call in endpoint.calls] == [200, 401, 401]


def test_unknown_models_and_paths_are_not_found() -> None:
    with Endpoint(models=["other"]) as endpoint:
        client = client_of(endpoint)
        with pytest.raises(openai.NotFoundError) as missing:
            ask(client)
        assert missing.value.code == "model_not_found"
        with pytest.raises(openai.NotFoundError):
            client.responses.create(model="other", input="Hello")


@pytest.mark.parametrize(
    ("rules", "request_", "param"),
    [
        ({"structured": False}, {"response_format": STRUCTURED}, "response_format"),
        ({"json_mode": False}, {"response_format": {"type": "json_object"}}, "response_format"),
        ({"refuses": ("seed", "temperature")}, {"temperature": 0.5}, "temperature"),
        ({}, {"stream": True}, "stream"),
        ({}, {"response_format": {"type": "json_schema"}}, "response_format.json_schema"),
        ({}, {"extra_body": {"messages": []}}, "messages"),
    ],
)
def test_unsupported_parameter_is_a_bad_request(
    rules: dict[str, Any], request_: dict[str, Any], param: str
) -> None:
    with Endpoint(**rules) as endpoint:
        with pytest.raises(openai.BadRequestError) as error:
            ask(client_of(endpoint), **request_)
        assert error.value.param == param
        assert error.value.type == "invalid_request_error"
        ask(client_of(endpoint))


def test_invalid_json_body_is_a_bad_request(endpoint: Endpoint) -> None:
    line = http.client.HTTPConnection(endpoint.url.split("/")[2], timeout=5)
    for body in ("{", "[]", "\xff"):  # all on one kept-alive connection
        line.request("POST", "/v1/chat/completions", body.encode("latin-1"))
        response = line.getresponse()
        assert response.status == 400
        assert b"invalid_request_error" in response.read()
    line.close()


def test_same_body_gets_the_same_answer_from_every_endpoint(endpoint: Endpoint) -> None:
    with Endpoint() as second_endpoint:
        texts = [
            ask(client, f"Question {i}").choices[0].message.content
            for client in (client_of(endpoint), client_of(second_endpoint))
            for i in range(6)
        ]
    assert texts[:6] == texts[6:]
    assert len(set(texts)) > 1


def test_canned_answers_are_used_once_and_only_if_they_match(endpoint: Endpoint) -> None:
    endpoint.answer = lambda call: f"number {call.number}"
    endpoint.say("for Ben", when="You are Ben")
    endpoint.say("for anybody")
    endpoint.say("for the second call", when=lambda call: call.number == 2)
    client = client_of(endpoint)
    prompts = ["You are Anna", "You are Anna", "You are Ben", "You are Ben"]
    answers = [ask(client, text).choices[0].message.content for text in prompts]
    assert answers == ["for anybody", "for the second call", "for Ben", "number 4"]
    assert [call.answer for call in endpoint.calls] == answers


def test_calls_are_recorded(endpoint: Endpoint) -> None:
    part = {"type": "text", "text": "Who are you?"}
    messages: list[Any] = [
        {"role": "system", "content": "You are Anna."},
        {"role": "user", "content": [part]},
    ]
    client_of(endpoint).chat.completions.create(
        model="m",
        messages=messages,
        response_format=STRUCTURED,  # type: ignore[call-overload]
        temperature=0.5,
    )
    (call,) = endpoint.calls
    assert (call.number, call.path, call.model) == (1, "/v1/chat/completions", "m")
    assert call.prompt == "You are Anna.\nWho are you?"
    assert call.messages == messages
    assert call.schema == VOTE
    assert call.body["temperature"] == 0.5
    assert (call.status, call.fault, call.left) == (200, "", False)
    assert call.answered is not None
    assert call.answered >= call.arrived


def test_latency_counts_from_arrival(endpoint: Endpoint) -> None:
    def slow_answer(call: Call) -> str:
        time.sleep(0.5 if "slow" in call.prompt else 0)
        return "I have thought."

    endpoint.answer = slow_answer
    endpoint.latency = lambda call: 0.6 if "slow" in call.prompt else 0.0
    client = client_of(endpoint)
    ask(client, "slow")
    ask(client, "quick")
    slow, quick = ((call.answered or 0) - call.arrived for call in endpoint.calls)
    assert 0.59 < slow < 1.1
    assert quick < 0.59


def test_latency_does_not_apply_to_rejections() -> None:
    with Endpoint(latency=60, models=["other"]) as endpoint:
        client = client_of(endpoint)
        client.models.list()
        with pytest.raises(openai.NotFoundError):
            ask(client)


def test_exception_in_a_test_callable_is_recorded(
    endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    def raise_error(call: Call) -> str:
        raise KeyError("oh")

    endpoint.answer = raise_error
    with pytest.raises(openai.InternalServerError):
        ask(client_of(endpoint))
    assert [type(error) for error in endpoint.errors] == [KeyError]
    assert "oh" in capsys.readouterr().err


def test_two_hundred_concurrent_requests_are_served(endpoint: Endpoint) -> None:
    endpoint.latency = 0.2
    client = client_of(endpoint, timeout=30)
    with ThreadPoolExecutor(200) as pool:
        list(pool.map(lambda i: ask(client, f"number {i}"), range(200)))
        assert endpoint.most_in_flight > 20  # the client spreads them
        endpoint.hold()
        held_requests = [pool.submit(ask, client, f"held {i}") for i in range(200)]
        endpoint.wait_for(400, timeout=30)
        assert endpoint.in_flight == endpoint.most_in_flight == 200
        endpoint.release()
        assert all(future.result(30).choices for future in held_requests)
    assert endpoint.in_flight == 0
    assert [call.number for call in endpoint.calls] == list(range(1, 401))


def test_wait_for_returns_matching_calls_or_times_out(endpoint: Endpoint) -> None:
    with pytest.raises(TimeoutError, match="1 calls, but 0"):
        endpoint.wait_for(1, timeout=0.01)
    client = client_of(endpoint)
    endpoint.hold()
    with ThreadPoolExecutor(3) as pool:
        futures = [pool.submit(ask, client, text) for text in ("vote", "talk", "vote")]
        assert len(endpoint.wait_for(2, when="vote")) == 2
        with pytest.raises(TimeoutError, match="open"):
            endpoint.wait_idle(timeout=0.01)
        assert not any(future.done() for future in futures)
        endpoint.release()
        endpoint.wait_idle()
    ask(client, "after the release")


def test_client_leaving_a_held_request_is_detected(endpoint: Endpoint) -> None:
    endpoint.hold()
    with pytest.raises(openai.APITimeoutError):
        ask(client_of(endpoint, timeout=0.2))
    endpoint.wait_idle()
    (call,) = endpoint.calls
    assert call.left
    assert call.answered is None


def test_closing_ends_waiting_requests_and_all_threads() -> None:
    before = set(threading.enumerate())
    pool = ThreadPoolExecutor(4)
    with Endpoint() as endpoint:
        client = client_of(endpoint, timeout=30)
        ask(client)  # the connection stays open
        endpoint.fail("hang", when="hang")
        endpoint.fail("drip", when="drip")
        endpoint.latency = lambda call: 30.0 if "slow" in call.prompt else 0.0
        waiting: list[Future[ChatCompletion]] = [
            pool.submit(ask, client, text) for text in ("hang", "drip", "slow")
        ]
        endpoint.wait_for(4)
        endpoint.hold()
        waiting.append(pool.submit(ask, client, "held"))
        endpoint.wait_for(5)
    assert not [t for t in threading.enumerate() if t.name.startswith("endpoint")]
    assert endpoint.in_flight == 0
    for future in waiting:
        assert isinstance(future.exception(5), openai.APIConnectionError)
    pool.shutdown()
    endpoint.close()  # closing twice is allowed
    assert set(threading.enumerate()) <= before


def test_port_can_be_reused() -> None:
    with Endpoint() as first:
        ask(client_of(first))
        port = int(first.url.split(":")[2].split("/")[0])
    with Endpoint(port=port) as second:
        assert second.url == first.url
        ask(client_of(second))


def test_endpoint_runs_from_the_command_line() -> None:
    command = [sys.executable, "-m", "tests.endpoint", "--port", "0", "--seed", "1"]
    command += ["--faults", "http500=0.5,http503=0.5", "--latency", "0.01", "--models", "m"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        client = openai.OpenAI(base_url=url, api_key="any", max_retries=0, timeout=5)
        with pytest.raises(openai.InternalServerError):
            ask(client)
        process.send_signal(signal.SIGTERM)
        output = process.stdout.read()
        assert process.wait(10) == 0
    assert "1 requests, 1 at once at most" in output
    assert "http50" in output
