"""Reasoning that a model lets be seen never becomes words, choices or notes."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.backends.openai import OpenAIBackend
from agents.decision import BackendError, Reply, Request
from agents.llm.reasoning import without_thoughts
from agents.llm.reply_parsing import reply_of
from agents.model_catalog import ModelSettings
from agents.recipe import Recipe
from agents.think import prepare, think
from tests.agents.asked import ROLES, SAID
from tests.agents.table import log_of, scene_of
from tests.endpoint import Call, Endpoint
from tests.endpoint.answers import Maker, schema_for
from tests.endpoint.reasoning import ALONE, SHAPES

CANARY = "Quetzalcoatl"
# Nothing marks these as thoughts but that they stand round a JSON object, or before the last one.
UNMARKED = ("draft, then answer", "prose before", "prose after", "long prose", "a broken object")
EVERY = {**SHAPES, **ALONE}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with Endpoint() as found:
        yield found


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
).map(lambda found: f"{CANARY} {' '.join(found)} {CANARY}")


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
def test_a_thought_is_in_no_answer_and_in_no_note(
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
    decision = scene_of(log_of(ROLES, *SAID, round=2), 3, kind=kind)
    mind = backend(endpoint)
    recipe = Recipe("test", method).cast("seed")

    def ask(step: str, request: Request) -> Reply:
        return mind.reply(step, request)

    notes = prepare(recipe, decision, ask)
    thought_of = think(recipe, decision, ask)
    kept = [note.data for note in (*notes, *thought_of.notes)]
    assert CANARY not in thought_of.answer.action.text
    assert CANARY not in " ".join(thought_of.answer.labels)
    assert CANARY not in json.dumps(kept)


TELLING = {name: shape for name, shape in SHAPES.items() if "unclosed" not in name}
# After the answer, what has no first mark takes all before it with it; it is asked for again.
LOST = {"nested unclosed"}


@pytest.mark.parametrize("shape", sorted(set(TELLING) - LOST))
@pytest.mark.parametrize(
    ("kind", "answer", "expected"),
    [
        ("statement", {"statement": "I trust Beta."}, {"text": "I trust Beta."}),
        ("vote", {"choice": "Beta"}, {"targets": [2]}),
    ],
)
def test_the_answer_is_found_beside_the_thoughts(
    shape: str, kind: str, answer: dict[str, str], expected: Reply
) -> None:
    request = Request(kind, scene_of(log_of(ROLES, *SAID), 3, kind=kind), {})
    content = SHAPES[shape](json.dumps(answer), f"{CANARY} is the wolf")["content"]
    if isinstance(content, list):
        content = "".join(part.get("text", "") for part in content)
    found = reply_of(content, request)
    assert {k: found[k] for k in expected} == expected


@pytest.mark.parametrize("shape", sorted(ALONE))
def test_where_all_is_thought_there_is_no_answer(shape: str) -> None:
    request = Request("statement", scene_of(log_of(ROLES, *SAID), 3), {})
    content = ALONE[shape]('{"statement": "I trust Beta."}', CANARY)["content"]
    with pytest.raises(BackendError) as error:
        reply_of(content or "", request)
    assert error.value.cause in ("empty", "unusable")


def test_removal_makes_no_new_marks() -> None:
    assert without_thoughts(f"<th<think>x</think>ink>{CANARY}</think> Hello") == " Hello"
    assert without_thoughts(f"<th<think>x</think>ink>{CANARY}") == ""
    assert without_thoughts("a < b and b > c, I think.") == "a < b and b > c, I think."


def test_of_several_objects_the_last_that_fits_counts() -> None:
    request = Request("vote", scene_of(log_of(ROLES, *SAID), 3, kind="vote"), {})
    drafts = "".join(
        f'{{"reason": "Because.", "choice": "{name}"}} or ' for name in ("name", "Alpha", "Beta")
    )
    assert reply_of(drafts, request)["targets"] == [2]
    assert reply_of(drafts + '{"reason": "", "choice": "nobody at all"}', request)["targets"] == [2]
    loose = ' As you like it: {"reason": "", "choice": "Delta", "mood": "sour"}'
    assert reply_of(drafts + loose, request)["targets"] == [2]
    late = "x " * 40_000 + '{"choice": "Delta"}'
    assert reply_of(late, request)["targets"] == [4]
    assert reply_of('{"choice": "Delta"}' + " y" * 40_000, request)["targets"] == [4]
