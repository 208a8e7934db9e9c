"""A server that says our own key back to us: no row, no statement and no further prompt has it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from django.apps import apps

from agents.recipe import Recipe
from game.models import Game, Utterance
from tests.endpoint import Call, Endpoint, shaped
from tests.endpoint.clients import set_up
from webapp.play.models import LLMCall
from webapp.play.simulation.game_pool import simulate
from webapp.play.turns.record_redaction import REMOVED_KEY, without_api_keys

pytestmark = pytest.mark.django_db(transaction=True)

KEY = 'sk-"live"/5ecret-of+ours'
FORMS = (KEY, json.dumps(KEY)[1:-1], KEY.replace("/", r"\/"))


def echoing(call: Call) -> str:
    """As the schema wants it, the key wherever words may stand."""
    answer = json.loads(shaped(call))
    for field in ("reason", "plan", "statement"):
        if field in answer:
            answer[field] = f"My key is {KEY}, I believe."
    return json.dumps(answer)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with Endpoint(answer=echoing) as found:
        set_up(monkeypatch, found, KEY)
        yield found


def everything() -> str:
    """All rows of all tables, as they are and as their JSON was sent."""
    rows = [list(m._default_manager.values_list()) for m in apps.get_models()]
    return "\n".join([repr(rows), json.dumps(rows, default=str, ensure_ascii=False)])


def test_a_key_that_a_server_echoes_is_nowhere(endpoint: Endpoint) -> None:
    endpoint.say(f"{{}} No! {KEY}", times=4)
    recipe = Recipe("openai", "full")
    (result,) = simulate("one-night", games=1, seed="keys", recipe=recipe, concurrency=1)
    assert isinstance(result, dict), result
    game = Game.objects.get(code=result["game"])
    told = everything()
    assert REMOVED_KEY in told
    assert not [form for form in (*FORMS, *(repr(f)[1:-1] for f in FORMS)) if form in told]
    assert any(REMOVED_KEY in said.text for said in Utterance.objects.filter(game=game))
    failed = LLMCall.objects.filter(game=game).exclude(failure="")
    assert any(REMOVED_KEY in row.exchange["answer"] for row in failed)
    assert not [call for call in endpoint.calls if KEY in call.prompt]


def test_what_is_too_short_to_be_a_key_is_a_word_like_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    assert without_api_keys({"text": "Has any of you seen it?"}) == {
        "text": "Has any of you seen it?"
    }
