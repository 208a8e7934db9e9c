"""Tests of the daily budget for model requests: exact counts, and play after it is spent."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from datetime import date, timedelta

import pytest
from django.conf import settings
from django.test import Client

from agents.recipe import Recipe
from game import selectors
from game.engine import visibility
from game.engine.labels import BUDGET, is_degraded, label_kind
from game.models import Game
from tests.endpoint import Endpoint
from tests.endpoint.clients import set_up
from tests.game.table import finish
from tests.simulated_games import simulate
from webapp.play.live import notifier
from webapp.play.models import LLMCall, MindNote, Spent, Table
from webapp.play.page.narrator import label_text
from webapp.play.simulation.game_pool import GamePool, StartedGame
from webapp.play.tables import opening
from webapp.play.turns.llm_calls import exchange_tokens

pytestmark = pytest.mark.django_db(transaction=True)
DAY = date(2026, 11, 6)


@pytest.fixture(autouse=True)
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """Run a model endpoint that reports the tokens it used."""
    with Endpoint(models=["m"]) as server:
        set_up(monkeypatch, server)
        yield server


@pytest.fixture
def budget(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, int | None]]:
    """Set an unlimited budget, which a test restricts."""
    unlimited = {scope: dict.fromkeys(("requests", "tokens")) for scope in ("site", "table")}
    monkeypatch.setattr(settings, "BUDGET", unlimited)
    monkeypatch.setattr(
        "webapp.play.turns.daily_budget._today", lambda: DAY
    )  # the day does not change
    return unlimited


Budget = dict[str, dict[str, int | None]]


def play_model_table(method: str = "baseline", seed: str = "budget") -> Game:
    """Play a watched table of models to its end in this process."""
    pool = GamePool(1, has_models=True)
    pool._capacity.acquire()
    with notifier.diverted(pool.on_game_changed):
        game = opening.open_table(
            uuid.uuid4(),
            opening.TableOptions(
                mode="watch", pace="none", seed=seed, recipe=Recipe("openai", method)
            ),
        )
        result = pool.result(StartedGame(game, time.monotonic()))
    assert not isinstance(result, Exception), result
    game.refresh_from_db()
    assert game.winner
    return game


def count_model_requests(game: Game) -> int:
    return LLMCall.objects.filter(game=game).exclude(backend="house").count()


def read_labels(game: Game) -> list[list[str]]:
    """Return the labels of every answer of the game, in order."""
    log = selectors.view_for(game, visibility.MODERATOR).events
    return [list(e.labels) for e in log if e.kind in ("statement", "vote", "poll", "divined")]


def test_requests_are_not_counted_without_a_budget(budget: Budget) -> None:
    game = play_model_table()
    assert count_model_requests(game) >= 57
    assert not Spent.objects.exists()
    assert not any(BUDGET in answer_labels for answer_labels in read_labels(game))


def test_table_over_its_request_limit_continues_with_the_built_in_player(
    budget: Budget,
) -> None:
    budget["table"]["requests"] = 20
    game = play_model_table()
    assert count_model_requests(game) == 20
    assert dict(Spent.objects.values_list("scope", "requests")) == {"site": 20, game.code: 20}
    answer_labels = read_labels(game)
    assert not [
        label
        for labels in answer_labels
        for label in labels
        if label_kind(label) in ("fallback", "without", "stale")
    ]
    house = LLMCall.objects.filter(game=game, backend="house", purpose=LLMCall.ANSWER)
    seats = set(house.values_list("window", "seat"))
    assert sum(BUDGET in labels for labels in answer_labels) >= 30
    assert seats
    assert all(is_degraded(labels) for labels in answer_labels if BUDGET in labels)
    assert label_text([BUDGET]) != BUDGET
    second_game = play_model_table(seed="another")
    assert count_model_requests(second_game) == 20, "each table has its own limit"


def test_tokens_count_as_reported_by_the_server(budget: Budget, endpoint: Endpoint) -> None:
    budget["site"]["tokens"] = 5000
    game = play_model_table()
    rows = LLMCall.objects.filter(game=game, exchange__isnull=False)
    reported_tokens = sum(
        exchange["usage"]["prompt_tokens"] + exchange["usage"]["completion_tokens"]
        for exchange in rows.values_list("exchange", flat=True)
    )
    assert reported_tokens >= 5000
    spent = Spent.objects.get(scope="site")
    assert spent.tokens == reported_tokens
    assert count_model_requests(game) < 57
    assert any(BUDGET in labels for labels in read_labels(game))


@pytest.mark.parametrize(
    ("exchange", "tokens"),
    [
        (None, 0),
        ({"usage": {"prompt_tokens": 7, "completion_tokens": 5}}, 12),
        ({"usage": {"prompt_tokens": 7, "completion_tokens": None}}, 7),
        ({"usage": {"total_tokens": 13, "prompt_tokens": 7}}, 13),
        ({"usage": None, "messages": [{"content": "x" * 400}], "answer": "y" * 40}, 110),
        ({"messages": [{"content": "x" * 400}], "answer": ""}, 0),
    ],
)
def test_tokens_are_estimated_as_four_characters_when_not_reported(
    exchange: dict[str, object] | None, tokens: int
) -> None:
    assert exchange_tokens(exchange) == tokens


def test_preparation_by_the_built_in_player_is_labelled(budget: Budget) -> None:
    budget["table"]["requests"] = 35  # used up while agents prepare for round two
    game = play_model_table("full")
    assert count_model_requests(game) == 35
    notes = MindNote.objects.filter(game=game, faculty="prepared")
    assert [note.data for note in notes if note.data.get("instead") == "openai"]
    assert not MindNote.objects.filter(game=game, faculty="failed").exists()
    assert not [
        label
        for labels in read_labels(game)
        for label in labels
        if label_kind(label) in ("fallback", "without")
    ]


def test_simulations_do_not_count_against_the_budget(budget: Budget) -> None:
    budget["site"]["requests"] = 3
    recipe = Recipe("openai", "baseline")
    (result,) = simulate("one-night", games=1, seed="1", recipe=recipe, concurrency=1)
    assert isinstance(result, dict)
    assert result["llm_calls"] >= 57
    assert not Spent.objects.exists()


def test_new_tables_offer_built_in_players_when_the_budget_is_spent(budget: Budget) -> None:
    budget["site"]["requests"] = 10
    game = play_model_table()
    assert count_model_requests(game) == 10
    client = Client()
    response = client.post("/play")
    page = response.content.decode()
    assert response.status_code == 503
    assert "The daily limit for language models is reached" in page
    assert 'name="backend" value="house"' in page
    form = {"ruleset": "one-night", "mode": "watch", "pace": "instant", "backend": "openai"}
    response = client.post("/tables/new", form)
    assert response.status_code == 422
    assert "Choose the built-in players" in response.content.decode()
    assert Game.objects.count() == 1
    with notifier.diverted(lambda game, opened: None):
        address = client.post("/play", {"backend": "house"})["Location"]
        assert client.get(address).status_code == 200
    Spent.objects.update(day=Spent.objects.latest("pk").day - timedelta(days=1))
    with notifier.diverted(lambda game, opened: None):
        assert client.post("/watch").status_code == 302, "a new day"


def test_similar_table_uses_available_backend(budget: Budget) -> None:
    visitor = uuid.uuid4()
    with notifier.diverted(lambda game, opened: None):
        game = opening.open_table(
            visitor,
            opening.TableOptions(
                pace="none", recipe=Recipe("openai"), casting={"2": {"backend": "openai"}}
            ),
        )
        finish(game)
        similar = opening.open_similar_table(visitor, game)
        assert Table.objects.get(game=similar).recipe["backend"] == "openai"
        budget["site"]["tokens"] = 0
        last_similar = opening.open_similar_table(visitor, similar)
    assert Table.objects.get(game=last_similar).recipe["backend"] == "house"
    assert {p.recipe.get("backend", "house") for p in last_similar.players.all()} == {"house"}
