"""Tests of games with a model server: hidden thoughts, stored facts, opening and replay.

The command `models` has its own file, test_models_command.py.
"""

from __future__ import annotations

import json
from random import Random

import pytest
from django.test import Client

from agents.backends import openai as backend_of
from agents.recipe import Recipe
from game.engine import rulesets
from game.models import Event, Game, Utterance
from tests.endpoint import Call, Endpoint
from tests.endpoint.answers import shaped
from tests.endpoint.reasoning import ALONE, SHAPES
from tests.engine.playing import FEW_STATEMENTS
from tests.simulated_games import simulate
from webapp.play.models import BackendFacts, LLMCall, MindNote
from webapp.play.replay.request_panels import build_request_panels
from webapp.play.turns.model_choices import model_checks

pytestmark = pytest.mark.django_db(transaction=True)
CANARY = "Quetzalcoatl"
# A game that uses fewer message shapes has made too few requests to prove anything.
MIN_SHAPES_USED = {"one-night": 41, "aiwolf-5": 21}
SHAPES_WITHOUT_ANSWER = ("only reasoning", "a broken object")


def play_game(seed: str, method: str = "full", ruleset: str = "one-night") -> Game:
    recipe = Recipe("openai", method)
    settings = FEW_STATEMENTS.get(ruleset)
    (result,) = simulate(
        ruleset, games=1, seed=seed, recipe=recipe, concurrency=1, settings=settings
    )
    assert isinstance(result, dict)
    return Game.objects.get(code=result["game"])


@pytest.mark.parametrize("ruleset", ["one-night", "aiwolf-5"])
def test_model_thoughts_are_neither_spoken_nor_noted(ruleset: str, endpoint: Endpoint) -> None:
    shapes = {**SHAPES, **{name: ALONE[name] for name in SHAPES_WITHOUT_ANSWER}}
    used_shapes: set[str] = set()

    def message(call: Call, answer: str) -> dict[str, object]:
        name = Random(call.number).choice(sorted(shapes))
        used_shapes.add(name)
        return shapes[name](answer, f"{CANARY} is the wolf, says {CANARY}")

    endpoint.message = message
    game = play_game("canary", "full" if ruleset == "one-night" else "baseline", ruleset)
    assert len(used_shapes) >= MIN_SHAPES_USED[ruleset]
    assert game.ended_at
    for texts in (
        Event.objects.filter(game=game).values_list("data", "labels"),
        MindNote.objects.filter(game=game).values_list("data"),
        Utterance.objects.filter(game=game).values_list("text"),
        LLMCall.objects.filter(game=game).values_list("reply"),
    ):
        assert texts
        assert CANARY not in json.dumps(list(texts))
    exchanges = [row.exchange or {} for row in LLMCall.objects.filter(game=game)]
    assert any(CANARY in exchange.get("reasoning", "") for exchange in exchanges)


def test_backend_facts_are_stored_and_survive_the_process(
    endpoint: Endpoint,
) -> None:
    endpoint.rules.structured = False
    endpoint.rules.refuses = ("temperature",)
    play_game("first", "baseline")
    row = BackendFacts.objects.get()
    assert (row.backend, row.model) == ("openai", "m")
    assert set(row.facts["formats"].values()) == {"json_object"}
    refused_calls = sum(c.status == 400 for c in endpoint.calls)
    assert refused_calls
    backend_of._clients.clear()  # as in a new process
    play_game("second", "baseline")
    assert sum(c.status == 400 for c in endpoint.calls) == refused_calls


def test_table_opens_only_with_a_model_that_can_make_a_statement(endpoint: Endpoint) -> None:
    def answer(call: Call) -> str:
        return "{}" if "statement" in call.prompt else shaped(call)

    endpoint.answer = answer
    response = Client().post("/play")
    assert response.status_code == 503
    assert "can’t be used" in response.content.decode()
    endpoint.answer = shaped
    model_checks.clear()
    assert Client().post("/play").status_code == 302


def test_replay_shows_omitted_turns_and_unread_answer_parts(endpoint: Endpoint) -> None:
    def answer(call: Call) -> str:
        if "scores" in (call.schema or {}).get("properties", {}):
            return json.dumps({"reason": "", "scores": {"Alpha": "9", "Beta": 12, "Eta": 3}})
        return shaped(call)

    endpoint.answer = answer
    endpoint.rules.context = 1100  # tokens, as the endpoint counts them
    game = play_game("replay", "favor")
    rows = LLMCall.objects.filter(game=game)
    left_out = [row for row in rows if (row.exchange or {}).get("left_out")]
    assert left_out
    panel_facts = [
        dict(panel.facts)
        for panel in build_request_panels(
            rows, rulesets.get("one-night").wording, is_redacted=False
        )
    ]
    assert sum("Oldest turns left out" in facts for facts in panel_facts) == len(left_out)
    unread = {
        facts["Changes to the answer"] for facts in panel_facts if "Changes to the answer" in facts
    }
    assert any("Beta: 12 is no score from 1 to 10" in text for text in unread)
    redacted_facts = [
        dict(panel.facts)
        for panel in build_request_panels(rows, rulesets.get("one-night").wording, is_redacted=True)
    ]
    assert not any("Changes to the answer" in facts for facts in redacted_facts)
    labels = [e.labels for e in game.events.all()]
    assert any("left-out" in event_labels for event_labels in labels)
