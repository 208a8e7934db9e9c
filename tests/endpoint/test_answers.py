"""Default answers of the test endpoint: valid instances of the requested schema."""

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


def violations(value: Any, schema: Schema) -> list[str]:
    """Return the violations of a schema without references, for the keywords used here."""
    if "anyOf" in schema:
        branch_problems = [violations(value, part) for part in schema["anyOf"]]
        return [] if [] in branch_problems else [f"{value!r} is none of anyOf"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{value!r} not in enum"]
    if "const" in schema:
        return [] if value == schema["const"] else [f"{value!r} not the constant"]
    kind = schema.get("type", "")
    if kind in ("integer", "number"):
        is_number = type(value) is int or (kind == "number" and type(value) is float)
        low, high = schema.get("minimum", -1e9), schema.get("maximum", 1e9)
        return [] if is_number and low <= value <= high else [f"{value!r} for {schema}"]
    if kind in KINDS and type(value) is not KINDS[kind]:
        return [f"{value!r} is no {kind}"]
    if kind == "string" and len(value) > schema.get("maxLength", 1e9):
        return ["too long"]
    return part_violations(value, schema)


def part_violations(value: Any, schema: Schema) -> list[str]:
    """Return the violations of the parts of an object or array."""
    if isinstance(value, list):
        part_problems = [p for item in value for p in violations(item, schema["items"])]
        has_valid_length = schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", 1e9)
        return part_problems if has_valid_length else [*part_problems, f"{len(value)} items"]
    if isinstance(value, dict):
        parts = schema["properties"]
        part_problems = [
            p for name in value if name in parts for p in violations(value[name], parts[name])
        ]
        missing = set(schema["required"]) - set(value)
        return (
            part_problems
            + [f"without {name}" for name in missing]
            + sorted(set(value) - set(parts))
        )
    return []


def number_range(kind: str, low: float, more: float) -> Schema:
    return {"type": kind, "minimum": low, "maximum": low + more}


texts = st.text("abc", min_size=1, max_size=3)
scalars = st.one_of(
    st.sampled_from([{"type": name} for name in ("string", "boolean", "null", "integer")]),
    st.integers(0, 60).map(lambda limit: {"type": "string", "maxLength": limit}),
    st.builds(number_range, st.just("integer"), st.integers(-20, 20), st.integers(0, 9)),
    st.builds(number_range, st.just("number"), st.floats(-9, 9), st.floats(0, 2)),
    st.lists(texts, min_size=1, unique=True).map(lambda values: {"type": "string", "enum": values}),
    texts.map(lambda value: {"const": value}),
)


def compound_schemas(parts: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    """Return the arrays, objects and alternatives of schemas."""

    def array_of(items: Schema, min_items: int, more: int) -> Schema:
        return {
            "type": "array",
            "items": items,
            "minItems": min_items,
            "maxItems": min_items + more,
        }

    def object_of(properties: dict[str, Schema], optional: set[str]) -> Schema:
        required = [name for name in properties if name not in optional]
        return {"type": "object", "properties": properties, "required": required}

    return st.one_of(
        st.builds(array_of, parts, st.integers(0, 3), st.integers(0, 3)),
        st.builds(object_of, st.dictionaries(texts, parts, max_size=4), st.sets(texts)),
        st.lists(parts, min_size=1, max_size=3).map(lambda parts_list: {"anyOf": parts_list}),
    )


schemas = st.recursive(scalars, compound_schemas, max_leaves=12)


@settings(max_examples=30, deadline=None)
@given(schemas, st.text(max_size=5))
def test_instances_are_valid_and_deterministic(schema: Schema, seed: str) -> None:
    text = Maker(schema, seed).json()
    assert not violations(json.loads(text), schema)
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
    letters: Annotated[set[Literal["a", "b", "c"]], Field(min_length=3)]
    pair: tuple[Annotated[int, Field(gt=3, lt=5)], bool]
    dozens: Annotated[int, Field(ge=1, le=30, multiple_of=12)]
    next: Thought | None


@pytest.mark.parametrize("seed", range(30))
def test_instances_satisfy_pydantic(seed: int) -> None:
    text = Maker(Thought.model_json_schema(), str(seed)).json()
    thought = Thought.model_validate_json(text)
    assert (thought.pair[0], thought.letters) == (4, {"a", "b", "c"})


def test_client_parses_instances_of_its_models() -> None:
    with Endpoint() as endpoint:
        answer = client_of(endpoint).chat.completions.parse(
            model="m", messages=[{"role": "user", "content": "Whom?"}], response_format=Doubt
        )
    assert isinstance(answer.choices[0].message.parsed, Doubt)


def test_endless_schema_is_an_error() -> None:
    endless: Schema = {"type": "object", "properties": {"x": {"$ref": "#"}}, "required": ["x"]}
    for schema in (endless, {"$ref": "#"}, {"type": "date"}):
        with pytest.raises(ValueError, match=r"no end|leads to itself|no such type"):
            Maker(schema, "seed").json()


@pytest.mark.parametrize("seed", range(10))
def test_recursive_schema_with_an_end_terminates(seed: int) -> None:
    child: Schema = {"anyOf": [{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#"}, {"type": "null"}]}
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


def test_sentences_are_distinct_and_have_the_right_length() -> None:
    assert len(set(SENTENCES)) == len(SENTENCES) >= 40
    assert {s for s in SENTENCES if not 8 <= len(s.split()) <= 20} == set()
    assert not [s for s in FOREIGN if s.isascii()]
