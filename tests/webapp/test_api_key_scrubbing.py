"""Tests that an API key echoed by a model server reaches no row, statement or later prompt."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from agents.recipe import Recipe
from game.models import Game, Utterance
from tests.endpoint import Call, Endpoint, shaped
from tests.endpoint.clients import set_up
from tests.simulated_games import simulate
from tests.study.personal_data import dump_database
from webapp.play.models import LLMCall
from webapp.play.turns.agent_records import REMOVED_KEY, without_api_keys

pytestmark = pytest.mark.django_db(transaction=True)

KEY = 'sk-"live"/5ecret-of+ours'
KEY_ENCODINGS = (KEY, json.dumps(KEY)[1:-1], KEY.replace("/", r"\/"))


def answer_with_key(call: Call) -> str:
    """Return an answer of the schema with the key in every free text."""
    answer = json.loads(shaped(call))
    for field in ("reason", "plan", "statement"):
        if field in answer:
            answer[field] = f"My key is {KEY}, I believe."
    return json.dumps(answer)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with Endpoint(answer=answer_with_key) as server:
        set_up(monkeypatch, server, KEY)
        yield server


def test_api_key_echoed_by_a_server_is_stored_nowhere(endpoint: Endpoint) -> None:
    endpoint.say(f"{{}} No! {KEY}", times=4)
    recipe = Recipe("openai", "full")
    (result,) = simulate("one-night", games=1, seed="keys", recipe=recipe, concurrency=1)
    assert isinstance(result, dict), result
    game = Game.objects.get(code=result["game"])
    rows = dump_database()
    assert REMOVED_KEY in rows
    assert not [
        encoding
        for encoding in (*KEY_ENCODINGS, *(repr(f)[1:-1] for f in KEY_ENCODINGS))
        if encoding in rows
    ]
    assert any(REMOVED_KEY in utterance.text for utterance in Utterance.objects.filter(game=game))
    failed = LLMCall.objects.filter(game=game).exclude(failure="")
    assert any(REMOVED_KEY in row.exchange["answer"] for row in failed)
    assert not [call for call in endpoint.calls if KEY in call.prompt]


def test_value_too_short_for_a_key_is_not_scrubbed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    assert without_api_keys({"text": "Has any of you seen it?"}) == {
        "text": "Has any of you seen it?"
    }
