"""Default answers of the test endpoint: valid instances of the requested schema."""

from __future__ import annotations

import json
import time
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from tests.endpoint import Call, shaped
from tests.endpoint.answers import Maker, schema_in
from tests.endpoint.sentences import SENTENCES


class Mood(Enum):
    calm = "calm"
    cross = "cross"


class Doubt(BaseModel):
    """One line of a notebook."""

    name: Literal["Anna", "Ben"]
    chance: Annotated[float, Field(ge=0, le=1)]
    because: Annotated[str, Field(max_length=30)] | None


class Thought(BaseModel):
    """A tree of thoughts, as references allow it."""

    text: Annotated[str, Field(min_length=100, max_length=130)]
    mood: Mood
    doubts: Annotated[list[Doubt], Field(min_length=2, max_length=3)]
    letters: Annotated[set[Literal["a", "b", "c"]], Field(min_length=3)]
    pair: tuple[Annotated[int, Field(gt=3, lt=5)], bool]
    dozens: Annotated[int, Field(ge=1, le=30, multiple_of=12)]
    next: Thought | None


@pytest.mark.parametrize("seed", range(30))
def test_instances_satisfy_pydantic(seed: int) -> None:
    text = Maker(Thought.model_json_schema(), str(seed)).json()
    thought = Thought.model_validate_json(text)
    assert (thought.pair[0], thought.letters) == (4, {"a", "b", "c"})


@pytest.mark.parametrize("seed", range(10))
def test_recursive_schema_with_an_end_terminates(seed: int) -> None:
    child = {"anyOf": [*[{"$ref": "#"}] * 3, {"type": "null"}]}
    children = {"type": "array", "items": {"$ref": "#"}, "maxItems": 2}
    tree = {"type": "object", "properties": {"a": child, "b": children}, "required": ["a", "b"]}
    assert set(Maker(tree, str(seed)).make(tree)) == {"a", "b"}


def call_for(*messages: tuple[str, str], **more: Any) -> Call:
    """Return a call as the endpoint would record it."""
    body = {"messages": [{"role": role, "content": text} for role, text in messages], **more}
    return Call(1, time.time(), "POST", "/v1/chat/completions", {}, body)


def test_schema_in_the_last_user_message_is_followed() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "null"}}, "required": ["n"]}
    prompt = f'For example {{"n": 1}}. The schema {{is}}: ```json\n{json.dumps(schema)}\n```'
    json_object = {"type": "json_object"}
    assert shaped(call_for(("user", prompt), response_format=json_object)) == '{"n": null}'
    assert shaped(call_for(("user", prompt), ("assistant", "Well."))) == '{"n": null}'
    assert shaped(call_for(("user", prompt), ("user", "And now?"))) in SENTENCES
    assert schema_in(f'{{"name": "x", "schema": {json.dumps(schema)}}}') == schema
