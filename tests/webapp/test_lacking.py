"""What could not be prepared is counted, and labelled on every answer made without it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.test import Client

from agents.recipe import Recipe
from game import selectors
from game.engine import visibility
from game.engine.labels import label_kind
from game.models import Game
from tests.endpoint import Call, Endpoint, shaped
from webapp.play.models import LLMCall, Table
from webapp.play.simulation.game_pool import simulate

pytestmark = pytest.mark.django_db(transaction=True)

Answer = Callable[[Call], str]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Answer], Endpoint]]:
    """Starts a server of models that answers as it is told to."""
    begun: list[Endpoint] = []

    def start(answer: Answer) -> Endpoint:
        endpoint = Endpoint(models=["m"], answer=answer).__enter__()
        begun.append(endpoint)
        monkeypatch.delenv("FABULA_MODELS", raising=False)
        monkeypatch.setenv("OPENAI_API_KEY", "any")
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_MODEL", "m")
        return endpoint

    yield start
    for endpoint in begun:
        endpoint.__exit__(None, None, None)


def kind_of(call: Call) -> str:
    return str(call.format.get("json_schema", {}).get("name", ""))


WRONG = '{"scores": "all of them", "players": 7, "plan": ["", 4]}'


def failing(kinds: set[str], after: int = 0) -> Answer:
    """As the schema wants it, but nothing usable to requests of these kinds.

    The first `after` of each kind and agent are answered.
    """
    answered: Counter[tuple[str, str]] = Counter()

    def answer(call: Call) -> str:
        who = (kind_of(call), call.prompt.partition(",")[0])
        answered[who] += 1
        return WRONG if who[0] in kinds and answered[who] > after else shaped(call)

    return answer


def play(method: str = "full") -> tuple[dict[str, object], Game]:
    recipe = Recipe("openai", method)
    (result,) = simulate("one-night", games=1, seed="lacking", recipe=recipe, concurrency=1)
    assert isinstance(result, dict), result
    return result, Game.objects.get(code=result["game"])


def labels_by_round(game: Game, event_kind: str) -> dict[int, set[tuple[str, ...]]]:
    """Round (0: the vote) -> the sets of labels that answers of this kind bear."""
    found: dict[int, set[tuple[str, ...]]] = {}
    view = selectors.view_for(game, visibility.MODERATOR)
    for event, state in visibility.steps_with_states(view):
        if event.kind == event_kind:
            # "shortened" and the like are of the words, not of what stands behind them
            lacking = tuple(x for x in event.labels if label_kind(x) in ("without", "stale"))
            number = state.windows[event["window"]].moment.round
            found.setdefault(number, set()).add(lacking)
    return found


def test_failed_favor_is_counted_and_labelled(
    serve: Callable[[Answer], Endpoint],
) -> None:
    serve(failing({"favor"}))
    result, game = play()
    assert result["failed_preparations"] == {"favor": {"unusable": 16}}
    assert result["fallbacks"] == 0
    asked = Counter(LLMCall.objects.filter(kind="favor").values_list("step", flat=True))
    assert asked == {"favor/first": 16, "favor/repair": 16}, "one repair, as for an answer"
    assert labels_by_round(game, "statement") == {1: {()}, 2: {LACKS}, 3: {LACKS}}
    assert labels_by_round(game, "poll") == {1: {()}, 2: {LACKS}, 3: {LACKS}}
    assert labels_by_round(game, "vote") == {0: {LACKS}}
    assert result["labels"]["without:favor"] == 2 * 16 + 8  # type: ignore[index]


LACKS = ("without:favor",)


def test_older_judgement_still_in_use_is_labelled_stale(
    serve: Callable[[Answer], Endpoint],
) -> None:
    serve(failing({"judgement"}, after=1))
    result, game = play("strategy")
    stale = ("stale:judgement",)
    assert labels_by_round(game, "statement") == {1: {()}, 2: {()}, 3: {stale}}
    assert labels_by_round(game, "vote") == {0: {stale}}
    assert result["failed_preparations"] == {"judgement": {"unusable": 8}}


def test_replay_and_transcript_show_missing_preparations(
    serve: Callable[[Answer], Endpoint],
) -> None:
    serve(failing({"favor", "strategy"}))
    _result, game = play()
    Table.objects.create(game=game, spectators=True)
    page = Client().get(f"/games/{game.code}/replay?at=30&as=moderator").content.decode()
    assert "without its likes and dislikes" in page
    assert "without a plan" in page
    assert "failed: unusable" in page, "the request that failed is among those of the round"
    lines = selectors.transcript(game, visibility.MODERATOR)
    assert {"without:favor", "without:strategy"} <= {x for line in lines for x in line["labels"]}


def test_repaired_preparation_is_not_labelled_missing(serve: Callable[[Answer], Endpoint]) -> None:
    def careless(call: Call) -> str:
        first = not re.search("That can't be used", call.prompt)
        return WRONG if first and kind_of(call) in ("favor", "strategy") else shaped(call)

    serve(careless)
    result, _game = play()
    assert result["failed_preparations"] == {}
    assert result["requests"]["favor"] == 32  # type: ignore[index]
    assert not {label_kind(x) for x in result["labels"]} & {"without", "stale", "fallback"}  # type: ignore[attr-defined]


def test_transport_failure_is_not_quoted_to_the_model_as_its_error(
    serve: Callable[[Answer], Endpoint], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint = serve(shaped)
    catalog = tmp_path / "models.toml"
    catalog.write_text(f'[openai]\nmodel = "m"\nurl = "{endpoint.url}"\nretries = 0\n')
    monkeypatch.setenv("FABULA_MODELS", str(catalog))
    endpoint.faults = {"garbage": 0.3}
    result, game = play("baseline")
    again = LLMCall.objects.filter(game=game, step="answer/repair")
    assert again.exists()
    for row in again:
        told = json.dumps(row.exchange["messages"])
        assert "can't be used" not in told
        assert "garbage" not in told
    assert not result["repaired"]
