"""The test endpoint, used by the real openai client: responses, rules, records, shutdown."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
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


def ask(client: openai.OpenAI, text: str = "Hello", **more: Any) -> ChatCompletion:
    """Request one completion."""
    answer: ChatCompletion = client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": text}], **more
    )
    return answer


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
