"""What tables may ask of models in a day: counted exactly; when it is spent games go on."""

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
from webapp.play.live import dispatch
from webapp.play.models import LLMCall, MindNote, Spent, Table
from webapp.play.page import narrator
from webapp.play.simulation.game_pool import Simulation, simulate
from webapp.play.tables import opening
from webapp.play.turns.llm_calls import exchange_tokens

pytestmark = pytest.mark.django_db(transaction=True)
DAY = date(2026, 11, 6)


@pytest.fixture(autouse=True)
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """A model that answers, and says what it took."""
    with Endpoint(models=["m"]) as found:
        set_up(monkeypatch, found)
        yield found


@pytest.fixture
def budget(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, int | None]]:
    """No limits; a test sets some."""
    none = {scope: dict.fromkeys(("requests", "tokens")) for scope in ("site", "table")}
    monkeypatch.setattr(settings, "BUDGET", none)
    monkeypatch.setattr("webapp.play.turns.daily_budget._today", lambda: DAY)  # no midnight comes
    return none


Budget = dict[str, dict[str, int | None]]


def play(method: str = "baseline", seed: str = "budget") -> Game:
    """A watched table of models, played to its end in this process."""
    pool = Simulation(1, has_models=True)
    pool._capacity.acquire()
    with dispatch.diverted(pool.sink):
        game = opening.open_table(
            uuid.uuid4(),
            opening.TableOptions(
                mode="watch", pace="none", seed=seed, backend="openai", method=method
            ),
        )
        result = pool.result(game, time.monotonic())
    assert not isinstance(result, Exception), result
    game.refresh_from_db()
    assert game.winner
    return game


def asked(game: Game) -> int:
    return LLMCall.objects.filter(game=game).exclude(backend="house").count()


def labels(game: Game) -> list[list[str]]:
    """The labels of every answer of the game, in order."""
    log = selectors.view_for(game, visibility.MODERATOR).events
    return [list(e.labels) for e in log if e.kind in ("statement", "vote", "poll", "divined")]


def test_without_a_budget_nothing_is_counted(budget: Budget) -> None:
    game = play()
    assert asked(game) >= 57
    assert not Spent.objects.exists()
    assert not any(BUDGET in told for told in labels(game))


def test_a_table_that_has_had_its_requests_goes_on_with_the_built_in_player(
    budget: Budget,
) -> None:
    budget["table"]["requests"] = 20
    game = play()
    assert asked(game) == 20
    assert dict(Spent.objects.values_list("scope", "requests")) == {"site": 20, game.code: 20}
    told = labels(game)
    assert not [x for one in told for x in one if label_kind(x) in ("fallback", "without", "stale")]
    house = LLMCall.objects.filter(game=game, backend="house", purpose=LLMCall.ANSWER)
    seats = set(house.values_list("window", "seat"))
    assert sum(BUDGET in one for one in told) >= 30
    assert seats
    assert all(is_degraded(one) for one in told if BUDGET in one)
    assert narrator.label_text([BUDGET]) != BUDGET
    other = play(seed="another")
    assert asked(other) == 20, "each table has its own"


def test_tokens_count_as_the_server_says(budget: Budget, endpoint: Endpoint) -> None:
    budget["site"]["tokens"] = 5000
    game = play()
    rows = LLMCall.objects.filter(game=game, exchange__isnull=False)
    used = sum(
        exchange["usage"]["prompt_tokens"] + exchange["usage"]["completion_tokens"]
        for exchange in rows.values_list("exchange", flat=True)
    )
    assert used >= 5000
    spent = Spent.objects.get(scope="site")
    assert spent.tokens == used
    assert asked(game) < 57
    assert any(BUDGET in one for one in labels(game))


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
def test_where_the_server_does_not_say_four_characters_are_a_token(
    exchange: dict[str, object] | None, tokens: int
) -> None:
    assert exchange_tokens(exchange) == tokens


def test_what_was_prepared_in_a_models_stead_is_labelled_too(budget: Budget) -> None:
    budget["table"]["requests"] = 35  # it ends while the agents prepare for the second round
    game = play("full")
    assert asked(game) == 35
    notes = MindNote.objects.filter(game=game, faculty="prepared")
    assert [note.data for note in notes if note.data.get("instead") == "openai"]
    assert not MindNote.objects.filter(game=game, faculty="failed").exists()
    assert not [x for one in labels(game) for x in one if label_kind(x) in ("fallback", "without")]


def test_simulations_are_a_researchers_own_business(budget: Budget) -> None:
    budget["site"]["requests"] = 3
    recipe = Recipe("openai", "baseline")
    (result,) = simulate("one-night", games=1, seed="1", recipe=recipe, concurrency=1)
    assert isinstance(result, dict)
    assert result["llm_calls"] >= 57
    assert not Spent.objects.exists()


def test_when_it_is_spent_new_tables_are_offered_the_built_in_players(budget: Budget) -> None:
    budget["site"]["requests"] = 10
    game = play()
    assert asked(game) == 10
    client = Client()
    answer = client.post("/play")
    page = answer.content.decode()
    assert answer.status_code == 503
    assert "The daily limit for language models is reached" in page
    assert 'name="backend" value="house"' in page
    form = {"ruleset": "one-night", "mode": "watch", "pace": "instant", "backend": "openai"}
    answer = client.post("/tables/new", form)
    assert answer.status_code == 422
    assert "Choose the built-in players" in answer.content.decode()
    assert Game.objects.count() == 1
    with dispatch.diverted(lambda game, opened: None):
        address = client.post("/play", {"backend": "house"})["Location"]
        assert client.get(address).status_code == 200
    Spent.objects.update(day=Spent.objects.latest("pk").day - timedelta(days=1))
    with dispatch.diverted(lambda game, opened: None):
        assert client.post("/watch").status_code == 302, "a new day"


def test_the_same_again_is_played_by_whoever_can(budget: Budget) -> None:
    visitor = uuid.uuid4()
    with dispatch.diverted(lambda game, opened: None):
        game = opening.open_table(
            visitor,
            opening.TableOptions(
                pace="none", backend="openai", casting={"2": {"backend": "openai"}}
            ),
        )
        finish(game)
        same = opening.open_similar_table(visitor, game)
        assert Table.objects.get(game=same).recipe["backend"] == "openai"
        budget["site"]["tokens"] = 0
        last = opening.open_similar_table(visitor, same)
    assert Table.objects.get(game=last).recipe["backend"] == "house"
    assert {p.recipe.get("backend", "house") for p in last.players.all()} == {"house"}
