"""What the test endpoint answers by itself: valid instances of whatever schema it is shown."""

from __future__ import annotations

import json
import time
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from tests.endpoint import Call, Endpoint, shaped
from tests.endpoint.answers import Maker, schema_in
from tests.endpoint.clients import client_of
from tests.endpoint.sentences import FOREIGN, SENTENCES

Schema = dict[str, Any]
KINDS = {"string": str, "boolean": bool, "null": type(None), "object": dict, "array": list}


def problems(value: Any, schema: Schema) -> list[str]:
    """Where a value breaks a schema (without references), as far as these tests use it."""
    if "anyOf" in schema:
        found = [problems(value, part) for part in schema["anyOf"]]
        return [] if [] in found else [f"{value!r} is none of anyOf"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{value!r} not in enum"]
    if "const" in schema:
        return [] if value == schema["const"] else [f"{value!r} not the constant"]
    kind = schema.get("type", "")
    if kind in ("integer", "number"):
        right = type(value) is int or (kind == "number" and type(value) is float)
        low, high = schema.get("minimum", -1e9), schema.get("maximum", 1e9)
        return [] if right and low <= value <= high else [f"{value!r} for {schema}"]
    if kind in KINDS and type(value) is not KINDS[kind]:
        return [f"{value!r} is no {kind}"]
    if kind == "string" and len(value) > schema.get("maxLength", 1e9):
        return ["too long"]
    return inside(value, schema)


def inside(value: Any, schema: Schema) -> list[str]:
    """The problems of an object's or array's parts."""
    if isinstance(value, list):
        found = [p for item in value for p in problems(item, schema["items"])]
        enough = schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", 1e9)
        return found if enough else [*found, f"{len(value)} items"]
    if isinstance(value, dict):
        parts = schema["properties"]
        found = [p for name in value if name in parts for p in problems(value[name], parts[name])]
        missing = set(schema["required"]) - set(value)
        return found + [f"without {name}" for name in missing] + sorted(set(value) - set(parts))
    return []


def ranged(kind: str, low: float, more: float) -> Schema:
    return {"type": kind, "minimum": low, "maximum": low + more}


texts = st.text("abc", min_size=1, max_size=3)
scalars = st.one_of(
    st.sampled_from([{"type": name} for name in ("string", "boolean", "null", "integer")]),
    st.integers(0, 60).map(lambda most: {"type": "string", "maxLength": most}),
    st.builds(ranged, st.just("integer"), st.integers(-20, 20), st.integers(0, 9)),
    st.builds(ranged, st.just("number"), st.floats(-9, 9), st.floats(0, 2)),
    st.lists(texts, min_size=1, unique=True).map(lambda some: {"type": "string", "enum": some}),
    texts.map(lambda one: {"const": one}),
)


def larger(parts: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    """Arrays, objects and alternatives of schemas."""

    def listed(items: Schema, least: int, more: int) -> Schema:
        return {"type": "array", "items": items, "minItems": least, "maxItems": least + more}

    def mapped(properties: dict[str, Schema], optional: set[str]) -> Schema:
        required = [name for name in properties if name not in optional]
        return {"type": "object", "properties": properties, "required": required}

    return st.one_of(
        st.builds(listed, parts, st.integers(0, 3), st.integers(0, 3)),
        st.builds(mapped, st.dictionaries(texts, parts, max_size=4), st.sets(texts)),
        st.lists(parts, min_size=1, max_size=3).map(lambda some: {"anyOf": some}),
    )


schemas = st.recursive(scalars, larger, max_leaves=12)


@settings(max_examples=30, deadline=None)
@given(schemas, st.text(max_size=5))
def test_instances_are_valid_and_the_same_for_the_same_seed(schema: Schema, seed: str) -> None:
    text = Maker(schema, seed).json()
    assert not problems(json.loads(text), schema)
    assert Maker(schema, seed).json() == text


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
    known: Annotated[set[Literal["a", "b", "c"]], Field(min_length=3)]
    pair: tuple[Annotated[int, Field(gt=3, lt=5)], bool]
    dozens: Annotated[int, Field(ge=1, le=30, multiple_of=12)]
    next: Thought | None


@pytest.mark.parametrize("seed", range(30))
def test_instances_satisfy_pydantic(seed: int) -> None:
    text = Maker(Thought.model_json_schema(), str(seed)).json()
    thought = Thought.model_validate_json(text)
    assert (thought.pair[0], thought.known) == (4, {"a", "b", "c"})


def test_the_client_parses_its_own_models() -> None:
    with Endpoint() as endpoint:
        answer = client_of(endpoint).chat.completions.parse(
            model="m", messages=[{"role": "user", "content": "Whom?"}], response_format=Doubt
        )
    assert isinstance(answer.choices[0].message.parsed, Doubt)


def test_a_schema_without_end_is_an_error() -> None:
    endless: Schema = {"type": "object", "properties": {"x": {"$ref": "#"}}, "required": ["x"]}
    for schema in (endless, {"$ref": "#"}, {"type": "date"}):
        with pytest.raises(ValueError, match=r"no end|leads to itself|no such type"):
            Maker(schema, "seed").json()


@pytest.mark.parametrize("seed", range(10))
def test_a_tree_that_may_end_does(seed: int) -> None:
    child: Schema = {"anyOf": [{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#"}, {"type": "null"}]}
    some = {"type": "array", "items": {"$ref": "#"}, "maxItems": 2}
    tree = {"type": "object", "properties": {"a": child, "b": some}, "required": ["a", "b"]}
    assert set(Maker(tree, str(seed)).make(tree)) == {"a", "b"}


def call_for(*messages: tuple[str, str], **more: Any) -> Call:
    """A call as the endpoint would record it."""
    body = {"messages": [{"role": role, "content": text} for role, text in messages], **more}
    return Call(1, time.time(), "POST", "/v1/chat/completions", {}, body)


def test_a_schema_in_the_last_user_message_is_followed() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "null"}}, "required": ["n"]}
    written = f'For example {{"n": 1}}. The schema {{is}}: ```json\n{json.dumps(schema)}\n```'
    json_object = {"type": "json_object"}
    assert shaped(call_for(("user", written), response_format=json_object)) == '{"n": null}'
    assert shaped(call_for(("user", written), ("assistant", "Well."))) == '{"n": null}'
    assert shaped(call_for(("user", written), ("user", "And now?"))) in SENTENCES
    assert schema_in(f'{{"name": "x", "schema": {json.dumps(schema)}}}') == schema


def test_sentences_are_many_different_and_of_the_right_length() -> None:
    assert len(set(SENTENCES)) == len(SENTENCES) >= 40
    assert {s for s in SENTENCES if not 8 <= len(s.split()) <= 20} == set()
    assert not [s for s in FOREIGN if s.isascii()]
