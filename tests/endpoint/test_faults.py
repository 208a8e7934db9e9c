"""Faults of the test endpoint that an agent may survive without a label, and their schedule.

`tests/agents/test_models.py` fails if any other fault loses its effect.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import openai
import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tests.endpoint import Endpoint
from tests.endpoint.clients import client_of
from tests.endpoint.faults import HUGE, Plan
from tests.endpoint.sentences import FOREIGN


class Talk(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    say: Annotated[str, Field(max_length=200)]
    target: Literal["Anna", "Ben"]
    odds: Annotated[list[int], Field(min_length=1, max_length=3)]


STRUCTURED = {
    "type": "json_schema",
    "json_schema": {"name": "talk", "schema": Talk.model_json_schema()},
}


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
    proper = Talk.model_validate_json(ask(endpoint).choices[0].message.content)
    foreign = choice_with_fault(endpoint, "foreign").message.content
    assert Talk.model_validate_json(foreign).say in FOREIGN
    illegal = json.loads(choice_with_fault(endpoint, "illegal_name").message.content)
    assert illegal == {**proper.model_dump(), "target": "Nobody"}
    assert choice_with_fault(endpoint, "foreign", schema=False).message.content.startswith(
        FOREIGN[0]
    )
    assert choice_with_fault(endpoint, "illegal_name", schema=False).message.content == "Nobody"


def test_wrong_type_fault_breaks_the_schema_in_several_ways(endpoint: Endpoint) -> None:
    kinds = set()
    for i in range(8):
        content = choice_with_fault(endpoint, "wrong_type", f"Question {i}").message.content
        with pytest.raises(ValidationError):
            Talk.model_validate_json(content)
        kinds.add(type(json.loads(content)))
    assert kinds == {list, dict}
    assert choice_with_fault(endpoint, "wrong_type", schema=False).message.content == "[1, 2, 3]"


def test_drip_fault_outlasts_the_client_timeout(endpoint: Endpoint) -> None:
    endpoint.drip_every = 0.001
    endpoint.fail("drip")
    assert ask(endpoint, timeout=0.25).choices  # the timeout applies to each read
    endpoint.wait_idle()
    (call,) = endpoint.calls
    assert (call.answered or 0) - call.arrived > 0.3


@pytest.mark.parametrize(("fault", "seconds"), [("http429", "7"), ("http429_long", "3600")])
def test_rate_limit_says_when_to_retry(endpoint: Endpoint, fault: str, seconds: str) -> None:
    endpoint.retry_after = 7
    endpoint.fail(fault)
    with pytest.raises(openai.RateLimitError) as error:
        ask(endpoint)
    assert error.value.response.headers["retry-after"] == seconds


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
