"""Visible reasoning of a model never becomes part of statements, choices or notes."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.backends.openai import OpenAIBackend
from agents.decision import BackendError, Reply, Request
from agents.llm.reasoning import strip_thoughts
from agents.llm.reply_parsing import parse_reply
from agents.model_catalog import ModelSettings
from agents.recipe import Recipe
from agents.think import prepare, think
from tests.agents.one_night_prompts import ROLES, STATEMENTS
from tests.agents.table import log_of, scene_of
from tests.endpoint import Call, Endpoint
from tests.endpoint.answers import Maker, schema_for
from tests.endpoint.reasoning import ALONE, SHAPES

CANARY = "Quetzalcoatl"
# Reasoning without markers, recognizable only by its position around a JSON object.
UNMARKED = ("draft, then answer", "prose before", "prose after", "long prose", "a broken object")
EVERY = {**SHAPES, **ALONE}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with Endpoint() as server:
        yield server


def backend(endpoint: Endpoint) -> OpenAIBackend:
    return OpenAIBackend(ModelSettings("test", "m", endpoint.url, "", seconds=5.0, retries=0))


words = st.lists(
    st.sampled_from(
        (
            *(CANARY, "I", "suspect", "Alpha", "Beta", "so", "vote", "\n", "{", "}", '"', "```"),
            *('{"statement": "', '"}', "Answer", "final", "json", "<b>", "1.", "—", "//", "\\n"),
        )
    ),
    max_size=12,
).map(lambda parts: f"{CANARY} {' '.join(parts)} {CANARY}")


@given(
    shape=st.sampled_from(sorted(EVERY)),
    thought=words,
    kind=st.sampled_from(("statement", "vote")),
    method=st.sampled_from(("baseline", "full")),
    prose=st.booleans(),
)
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_reasoning_never_reaches_answers_or_notes(
    endpoint: Endpoint, shape: str, thought: str, kind: str, method: str, prose: bool
) -> None:
    if shape in UNMARKED:
        prose, thought = False, "".join(c for c in thought if c not in '{}"')

    def answer(call: Call) -> str:
        schema = schema_for(call)
        if prose and schema and "statement" in schema["properties"]:
            return "I have nothing to add."
        return Maker(schema or {}, call.seed).json()

    endpoint.answer = answer
    endpoint.message = lambda call, text: EVERY[shape](text, thought)
    decision = scene_of(log_of(ROLES, *STATEMENTS, round=2), 3, kind=kind)
    mind = backend(endpoint)
    recipe = Recipe("test", method).cast("seed")

    def ask(step: str, request: Request) -> Reply:
        return mind.reply(step, request)

    notes = prepare(recipe, decision, ask)
    result = think(recipe, decision, ask)
    note_data = [note.data for note in (*notes, *result.notes)]
    assert CANARY not in result.answer.action.text
    assert CANARY not in " ".join(result.answer.labels)
    assert CANARY not in json.dumps(note_data)


WITH_ANSWER = {name: shape for name, shape in SHAPES.items() if "unclosed" not in name}
# An end marker without a start removes everything before it, so the request is repeated.
REPEATED_SHAPES = {"nested unclosed"}


@pytest.mark.parametrize("shape", sorted(set(WITH_ANSWER) - REPEATED_SHAPES))
@pytest.mark.parametrize(
    ("kind", "answer", "expected"),
    [
        ("statement", {"statement": "I trust Beta."}, {"text": "I trust Beta."}),
        ("vote", {"choice": "Beta"}, {"targets": [2]}),
    ],
)
def test_answer_is_found_next_to_reasoning(
    shape: str, kind: str, answer: dict[str, str], expected: Reply
) -> None:
    request = Request(kind, scene_of(log_of(ROLES, *STATEMENTS), 3, kind=kind), {})
    content = SHAPES[shape](json.dumps(answer), f"{CANARY} is the wolf")["content"]
    if isinstance(content, list):
        content = "".join(part.get("text", "") for part in content)
    reply = parse_reply(content, request)
    assert {k: reply[k] for k in expected} == expected


@pytest.mark.parametrize("shape", sorted(ALONE))
def test_reply_of_reasoning_only_has_no_answer(shape: str) -> None:
    request = Request("statement", scene_of(log_of(ROLES, *STATEMENTS), 3), {})
    content = ALONE[shape]('{"statement": "I trust Beta."}', CANARY)["content"]
    with pytest.raises(BackendError) as error:
        parse_reply(content or "", request)
    assert error.value.cause in ("empty", "unusable")


def test_removing_reasoning_creates_no_new_markers() -> None:
    assert strip_thoughts(f"<th<think>x</think>ink>{CANARY}</think> Hello") == " Hello"
    assert strip_thoughts(f"<th<think>x</think>ink>{CANARY}") == ""
    assert strip_thoughts("a < b and b > c, I think.") == "a < b and b > c, I think."


def test_last_valid_json_object_counts() -> None:
    request = Request("vote", scene_of(log_of(ROLES, *STATEMENTS), 3, kind="vote"), {})
    drafts = "".join(
        f'{{"reason": "Because.", "choice": "{name}"}} or ' for name in ("name", "Alpha", "Beta")
    )
    assert parse_reply(drafts, request)["targets"] == [2]
    assert parse_reply(drafts + '{"reason": "", "choice": "nobody at all"}', request)[
        "targets"
    ] == [2]
    loose = ' As you like it: {"reason": "", "choice": "Delta", "mood": "sour"}'
    assert parse_reply(drafts + loose, request)["targets"] == [2]
    late = "x " * 40_000 + '{"choice": "Delta"}'
    assert parse_reply(late, request)["targets"] == [4]
    assert parse_reply('{"choice": "Delta"}' + " y" * 40_000, request)["targets"] == [4]
