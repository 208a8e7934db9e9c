"""Tables whose computer players are language models; trouble with them is told before a game."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from agents.mind import FAILED
from game.engine.labels import label_kind
from game.models import Game, Player, Utterance
from tests.endpoint import Endpoint, spoilt
from tests.endpoint.clients import set_up
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


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """A model is set up by the usual variables, and answers."""
    with Endpoint(key="right", models=["m"]) as found:
        set_up(monkeypatch, found, "right")
        yield found


def simulated(**options: object) -> dict[str, object]:
    out = StringIO()
    given = {"ruleset": "one-night", "games": 1, "seed": "7", "backend": "openai", **options}
    call_command("simulate", stdout=out, stderr=StringIO(), **given)
    found: dict[str, object] = json.loads(out.getvalue())
    return found


def backends_of(game: Game) -> set[str]:
    return {p.recipe["backend"] for p in game.players.all() if p.recipe}


def test_play_now_seats_the_model_that_is_set_up(endpoint: Endpoint) -> None:
    answer = Client().post("/play")
    assert answer.status_code == 302
    game = Game.objects.get()
    assert backends_of(game) == {"openai"}
    assert Player.objects.filter(game=game, kind=Player.PERSON).count() == 1


def test_without_a_model_the_built_in_players_play_and_nothing_is_to_choose(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "FABULA_MODELS"):
        monkeypatch.delenv(name, raising=False)
    client = Client()
    assert client.post("/play").status_code == 302
    assert backends_of(Game.objects.get()) == {"house"}
    page = client.get("/tables/new").content.decode()
    assert "built-in players" not in page


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("OPENAI_API_KEY", "wrong", "refuses the key"),
        ("OPENAI_MODEL", "other", "no such model"),
        ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1", "can’t be reached"),
    ],
)
def test_trouble_is_told_before_the_game_and_the_built_in_players_offered(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, told: str
) -> None:
    monkeypatch.setenv(variable, value)
    client = Client()
    answer = client.post("/play")
    assert answer.status_code == 503
    page = answer.content.decode()
    assert told in page
    assert "Play with the built-in players" in page
    form = {"ruleset": "one-night", "mode": "play", "pace": "instant", "guests": 1}
    answer = client.post("/tables/new", {**form, "backend": "openai", "seed": ""})
    assert answer.status_code == 422
    assert told in answer.content.decode()
    assert not Game.objects.exists()
    assert client.post("/play", {"backend": "house"}).status_code == 302
    assert backends_of(Game.objects.get()) == {"house"}


def test_a_table_chooses_its_backend_and_method(endpoint: Endpoint) -> None:
    form = {"ruleset": "one-night", "mode": "watch", "pace": "instant", "guests": 0}
    Client().post("/tables/new", {**form, "backend": "openai", "method": "strategy"})
    recipes = [p.recipe for p in Game.objects.get().players.all()]
    assert {(r["backend"], r["method"]) for r in recipes} == {("openai", "strategy")}


@pytest.mark.parametrize(
    ("method", "calls"),
    [("baseline", 57), ("full", 113)],
)
def test_a_game_of_models_asks_just_what_its_method_has(
    endpoint: Endpoint, method: str, calls: int
) -> None:
    found = simulated(method=method)
    assert (found["statements"], found["fallbacks"], found["llm_calls"]) == (24, 0, calls)
    assert endpoint.count == calls
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
    # Requests of the third round and the votes no longer show the first round: it comes to mind.
    assert MindNote.objects.filter(faculty="memory").count() == 8 + 8 + 8


def test_a_tenth_of_faults_ends_in_a_whole_game_with_every_deviation_labelled(
    endpoint: Endpoint,
) -> None:
    endpoint.faults = dict.fromkeys(FAULTS, 0.1 / len(FAULTS) * 3)
    found = simulated(method="full", seed="faults")
    assert found["winner"] in ("village", "werewolf", "tanner")
    game = Game.objects.get()
    labels = Counter(label for e in game.events.all() for label in e.labels)
    assert labels == Counter(found["labels"])
    fallbacks = sum(n for label, n in labels.items() if label_kind(label) == "fallback")
    assert fallbacks == found["fallbacks"]
    known = {"fallback", "repaired", "shortened", "without", "stale"}
    assert {label_kind(label) for label in labels} <= known
    failed = MindNote.objects.filter(faculty=FAILED)
    assert failed.count() == sum(sum(c.values()) for c in found["failed_preparations"].values())
    failures = Counter(LLMCall.objects.exclude(failure="").values_list("failure", flat=True))
    assert failures, "thirty in a hundred failed and nobody noticed"


@pytest.mark.parametrize(("ruleset", "method"), [("one-night", "full"), ("sheriff", "helmsman")])
def test_a_server_that_refuses_and_leaks_leaves_no_trace_but_labels(
    endpoint: Endpoint, ruleset: str, method: str
) -> None:
    """`python -m tests.bench refusals` plays ten such games."""
    endpoint.faults = spoilt.FAULTS
    simulated(ruleset=ruleset, method=method, seed="refusing")
    game = Game.objects.get()
    log = list(game.events.all())
    texts = [*Utterance.objects.values_list("text", flat=True)]
    texts += [json.dumps(n.data, ensure_ascii=False) for n in MindNote.objects.all()]
    texts += [json.dumps(e.data, ensure_ascii=False) for e in log]
    told = spoilt.spoilt_texts(endpoint.calls)
    assert told
    assert spoilt.leaks(texts, told) == []
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
    lacking = {(n.seat, n.data["faculty"]) for n in MindNote.objects.filter(faculty=FAILED)}
    lacks = {
        (e.data["seat"], x.partition(":")[2])
        for e in log
        for x in e.labels
        if label_kind(x) in ("without", "stale")
    }
    assert lacking <= lacks


def test_a_recorded_answer_is_never_asked_for_again(endpoint: Endpoint) -> None:
    from webapp.play.turns.answering import answer_window

    simulated(method="baseline")
    before = endpoint.count
    for row in LLMCall.objects.filter(kind="statement"):
        answer_window(row.game_id, row.seat, row.window)
    assert endpoint.count == before


def test_an_unknown_backend_is_refused_with_those_there_are(endpoint: Endpoint) -> None:
    with pytest.raises(CommandError, match="known: house, openai"):
        simulated(backend="nobody")


def test_the_first_page_names_the_model_that_play_now_seats(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    monkeypatch.setenv("OPENAI_MODEL", "model-of-the-house")
    assert "Playing with: model-of-the-house" in Client().get("/").content.decode()


def test_without_a_model_the_first_page_says_how_to_seat_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "FABULA_MODELS"):
        monkeypatch.delenv(name, raising=False)
    assert 'href="/how-to-play/#models"' in Client().get("/").content.decode()
    assert "OPENAI_API_KEY" in Client().get("/how-to-play/", follow=True).content.decode()
