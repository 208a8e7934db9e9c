"""Tests of tables whose agents are language models, and of errors shown before a game."""

from __future__ import annotations

import json
from collections import Counter
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from agents.decision import FAILED
from game.engine.labels import label_kind
from game.models import Game, Player, Utterance
from tests.endpoint import Endpoint, spoilt
from webapp.play.models import LLMCall, MindNote
from webapp.play.page.narrator import label_text

pytestmark = pytest.mark.django_db(transaction=True)
FAULTS = (
    "garbage",
    "broken_answer",
    "half_json",
    "empty",
    "null_content",
    "no_choices",
    "foreign",
    "illegal_name",
    "refusal",
    "http400",
    "http500",
    "http503",
    "reset",
    "wrong_type",
)


def simulate_game(**options: object) -> dict[str, object]:
    out = StringIO()
    arguments = {"ruleset": "one-night", "games": 1, "seed": "7", "backend": "openai", **options}
    call_command("simulate", stdout=out, stderr=StringIO(), **arguments)
    summary: dict[str, object] = json.loads(out.getvalue())
    return summary


def seated_backends(game: Game) -> set[str]:
    return {p.recipe["backend"] for p in game.players.all() if p.recipe}


def test_play_now_seats_the_configured_model(keyed_endpoint: Endpoint) -> None:
    response = Client().post("/play")
    assert response.status_code == 302
    game = Game.objects.get()
    assert seated_backends(game) == {"openai"}
    assert Player.objects.filter(game=game, kind=Player.PERSON).count() == 1


def test_built_in_players_play_without_a_model_and_no_choice_is_offered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "FABULA_MODELS"):
        monkeypatch.delenv(name, raising=False)
    client = Client()
    assert client.post("/play").status_code == 302
    assert seated_backends(Game.objects.get()) == {"house"}
    page = client.get("/tables/new").content.decode()
    assert "built-in players" not in page


@pytest.mark.parametrize(
    ("variable", "value", "error"),
    [
        ("OPENAI_API_KEY", "wrong", "refuses the key"),
        ("OPENAI_MODEL", "other", "no such model"),
        ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1", "can’t be reached"),
    ],
)
def test_model_error_is_shown_before_the_game_with_built_in_players_offered(
    keyed_endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, error: str
) -> None:
    monkeypatch.setenv(variable, value)
    client = Client()
    response = client.post("/play")
    assert response.status_code == 503
    page = response.content.decode()
    assert error in page
    assert "Play with the built-in players" in page
    form = {"ruleset": "one-night", "mode": "play", "pace": "instant", "guests": 1}
    response = client.post("/tables/new", {**form, "backend": "openai", "seed": ""})
    assert response.status_code == 422
    assert error in response.content.decode()
    assert not Game.objects.exists()
    assert client.post("/play", {"backend": "house"}).status_code == 302
    assert seated_backends(Game.objects.get()) == {"house"}


def test_table_uses_the_chosen_backend_and_method(keyed_endpoint: Endpoint) -> None:
    form = {"ruleset": "one-night", "mode": "watch", "pace": "instant", "guests": 0}
    Client().post("/tables/new", {**form, "backend": "openai", "method": "strategy"})
    recipes = [p.recipe for p in Game.objects.get().players.all()]
    assert {(r["backend"], r["method"]) for r in recipes} == {("openai", "strategy")}


@pytest.mark.parametrize(("method", "calls"), [("baseline", 57), ("full", 113)])
def test_game_sends_exactly_the_requests_of_its_method(
    keyed_endpoint: Endpoint, method: str, calls: int
) -> None:
    summary = simulate_game(method=method)
    assert (summary["statements"], summary["fallbacks"], summary["llm_calls"]) == (24, 0, calls)
    assert keyed_endpoint.count == calls
    kinds = Counter(LLMCall.objects.values_list("kind", flat=True))
    assert kinds["favor"] == (16 if method in ("favor", "full") else 0)
    assert kinds["strategy"] == (24 if method in ("strategy", "full") else 0)
    assert kinds["judgement"] == (16 if method in ("strategy", "full") else 0)
    for row in LLMCall.objects.all():
        assert row.exchange
        assert row.exchange["model"] == "m"
        assert row.exchange["usage"]["prompt_tokens"] > 0
        assert "right" not in json.dumps(row.exchange["messages"]).split('"Bearer')
        persona = "You are" in row.exchange["messages"][0]["content"]
        assert persona
    # Prompts of round three and the votes omit round one, which is retrieved from memory.
    assert MindNote.objects.filter(faculty="memory").count() == 8 + 8 + 8


def test_game_with_injected_faults_completes_with_every_deviation_labelled(
    keyed_endpoint: Endpoint,
) -> None:
    keyed_endpoint.faults = dict.fromkeys(FAULTS, 0.1 / len(FAULTS) * 3)
    summary = simulate_game(method="full", seed="faults")
    assert summary["winner"] in ("village", "werewolf", "tanner")
    game = Game.objects.get()
    labels = Counter(label for e in game.events.all() for label in e.labels)
    assert labels == Counter(summary["labels"])
    fallbacks = sum(n for label, n in labels.items() if label_kind(label) == "fallback")
    assert fallbacks == summary["fallbacks"]
    expected_kinds = {"fallback", "repaired", "shortened", "without", "stale"}
    assert {label_kind(label) for label in labels} <= expected_kinds
    failed = MindNote.objects.filter(faculty=FAILED)
    assert failed.count() == sum(sum(c.values()) for c in summary["failed_preparations"].values())
    failures = Counter(LLMCall.objects.exclude(failure="").values_list("failure", flat=True))
    assert failures, "a third of the requests fail"


@pytest.mark.parametrize(("ruleset", "method"), [("one-night", "full"), ("sheriff", "helmsman")])
def test_refusing_and_leaking_server_leaves_only_labels(
    keyed_endpoint: Endpoint, ruleset: str, method: str
) -> None:
    """`python -m tests.bench refusals` plays ten such games."""
    keyed_endpoint.faults = spoilt.FAULTS
    simulate_game(ruleset=ruleset, method=method, seed="refusing")
    game = Game.objects.get()
    log = list(game.events.all())
    texts = [*Utterance.objects.values_list("text", flat=True)]
    texts += [json.dumps(n.data, ensure_ascii=False) for n in MindNote.objects.all()]
    texts += [json.dumps(e.data, ensure_ascii=False) for e in log]
    spoilt_texts = spoilt.spoilt_texts(keyed_endpoint.calls)
    assert spoilt_texts
    assert spoilt.leaks(texts, spoilt_texts) == []
    rows = LLMCall.objects.values_list("seat", "window", "step", "failure")
    answers = {
        (e.data["window"], e.data["seat"]): e.labels
        for e in log
        if "seat" in e.data and "window" in e.data
    }
    assert spoilt.unlabelled(rows, answers) == []
    labels = {label for e in log for label in e.labels}
    assert {label_kind(label) for label in labels} & {"repaired", "fallback"}
    assert "the model refused" in label_text(["fallback:refusal"])
    failed = {(n.seat, n.data["faculty"]) for n in MindNote.objects.filter(faculty=FAILED)}
    labelled = {
        (e.data["seat"], label.partition(":")[2])
        for e in log
        for label in e.labels
        if label_kind(label) in ("without", "stale")
    }
    assert failed <= labelled


def test_recorded_answer_is_not_requested_again(keyed_endpoint: Endpoint) -> None:
    from webapp.play.turns.answering import answer_window

    simulate_game(method="baseline")
    request_count = keyed_endpoint.count
    for row in LLMCall.objects.filter(kind="statement"):
        answer_window(row.game_id, row.seat, row.window)
    assert keyed_endpoint.count == request_count


def test_unknown_backend_is_refused_with_the_known_ones(keyed_endpoint: Endpoint) -> None:
    with pytest.raises(CommandError, match="known: house, openai"):
        simulate_game(backend="nobody")


def test_front_page_names_the_configured_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    monkeypatch.setenv("OPENAI_MODEL", "model-of-the-house")
    assert "Playing with: model-of-the-house" in Client().get("/").content.decode()


def test_front_page_explains_how_to_configure_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "FABULA_MODELS"):
        monkeypatch.delenv(name, raising=False)
    assert 'href="/how-to-play/#models"' in Client().get("/").content.decode()
    assert "OPENAI_API_KEY" in Client().get("/how-to-play/", follow=True).content.decode()
