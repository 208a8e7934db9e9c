"""Tests that failed preparations are counted, and labelled on every answer made without them."""

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
from tests.simulated_games import simulate
from webapp.play.models import LLMCall, Table

pytestmark = pytest.mark.django_db(transaction=True)

Answer = Callable[[Call], str]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Answer], Endpoint]]:
    """Start a model server that answers with the given function."""
    endpoints: list[Endpoint] = []

    def start_endpoint(answer: Answer) -> Endpoint:
        endpoint = Endpoint(models=["m"], answer=answer).__enter__()
        endpoints.append(endpoint)
        monkeypatch.delenv("FABULA_MODELS", raising=False)
        monkeypatch.setenv("OPENAI_API_KEY", "any")
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_MODEL", "m")
        return endpoint

    yield start_endpoint
    for endpoint in endpoints:
        endpoint.__exit__(None, None, None)


def request_kind(call: Call) -> str:
    return str(call.format.get("json_schema", {}).get("name", ""))


UNUSABLE = '{"scores": "all of them", "players": 7, "plan": ["", 4]}'


def fail_requests(kinds: set[str], after: int = 0) -> Answer:
    """Return an answer function that fails requests of these kinds.

    after: successful answers to each kind and agent before the failures.
    """
    answered: Counter[tuple[str, str]] = Counter()

    def answer(call: Call) -> str:
        key = (request_kind(call), call.prompt.partition(",")[0])
        answered[key] += 1
        return UNUSABLE if key[0] in kinds and answered[key] > after else shaped(call)

    return answer


def play_game(method: str = "full") -> tuple[dict[str, object], Game]:
    recipe = Recipe("openai", method)
    (result,) = simulate("one-night", games=1, seed="lacking", recipe=recipe, concurrency=1)
    assert isinstance(result, dict), result
    return result, Game.objects.get(code=result["game"])


def labels_by_round(game: Game, event_kind: str) -> dict[int, set[tuple[str, ...]]]:
    """Return the sets of labels on answers of this kind, by round (0: the vote)."""
    labels: dict[int, set[tuple[str, ...]]] = {}
    view = selectors.view_for(game, visibility.MODERATOR)
    for event, state in visibility.steps_with_states(view):
        if event.kind == event_kind:
            # Other labels, such as "shortened", describe the text and not its preparation.
            lacking = tuple(
                label for label in event.labels if label_kind(label) in ("without", "stale")
            )
            number = state.windows[event["window"]].moment.round
            labels.setdefault(number, set()).add(lacking)
    return labels


def test_failed_favor_is_counted_and_labelled(
    serve: Callable[[Answer], Endpoint],
) -> None:
    serve(fail_requests({"favor"}))
    result, game = play_game()
    assert result["failed_preparations"] == {"favor": {"unusable": 16}}
    assert result["fallbacks"] == 0
    steps = Counter(LLMCall.objects.filter(kind="favor").values_list("step", flat=True))
    assert steps == {"favor/first": 16, "favor/repair": 16}, "one repair, as for an answer"
    assert labels_by_round(game, "statement") == {1: {()}, 2: {WITHOUT_FAVOR}, 3: {WITHOUT_FAVOR}}
    assert labels_by_round(game, "poll") == {1: {()}, 2: {WITHOUT_FAVOR}, 3: {WITHOUT_FAVOR}}
    assert labels_by_round(game, "vote") == {0: {WITHOUT_FAVOR}}
    assert result["labels"]["without:favor"] == 2 * 16 + 8  # type: ignore[index]


WITHOUT_FAVOR = ("without:favor",)


def test_older_judgement_still_in_use_is_labelled_stale(
    serve: Callable[[Answer], Endpoint],
) -> None:
    serve(fail_requests({"judgement"}, after=1))
    result, game = play_game("strategy")
    stale_labels = ("stale:judgement",)
    assert labels_by_round(game, "statement") == {1: {()}, 2: {()}, 3: {stale_labels}}
    assert labels_by_round(game, "vote") == {0: {stale_labels}}
    assert result["failed_preparations"] == {"judgement": {"unusable": 8}}


def test_replay_and_transcript_show_missing_preparations(
    serve: Callable[[Answer], Endpoint],
) -> None:
    serve(fail_requests({"favor", "strategy"}))
    _result, game = play_game()
    Table.objects.create(game=game, spectators=True)
    page = Client().get(f"/games/{game.code}/replay?at=30&as=moderator").content.decode()
    assert "without its likes and dislikes" in page
    assert "without a plan" in page
    assert "failed: unusable" in page, "the failed request is listed"
    lines = selectors.transcript(game, visibility.MODERATOR)
    assert {"without:favor", "without:strategy"} <= {
        label for line in lines for label in line["labels"]
    }


def test_repaired_preparation_is_not_labelled_missing(serve: Callable[[Answer], Endpoint]) -> None:
    def answer_after_repair(call: Call) -> str:
        is_first = not re.search("That can't be used", call.prompt)
        return (
            UNUSABLE if is_first and request_kind(call) in ("favor", "strategy") else shaped(call)
        )

    serve(answer_after_repair)
    result, _game = play_game()
    assert result["failed_preparations"] == {}
    assert result["requests"]["favor"] == 32  # type: ignore[index]
    assert not {label_kind(label) for label in result["labels"]} & {"without", "stale", "fallback"}  # type: ignore[attr-defined]


def test_transport_failure_is_not_quoted_to_the_model_as_its_error(
    serve: Callable[[Answer], Endpoint], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint = serve(shaped)
    catalog = tmp_path / "models.toml"
    catalog.write_text(f'[openai]\nmodel = "m"\nurl = "{endpoint.url}"\nretries = 0\n')
    monkeypatch.setenv("FABULA_MODELS", str(catalog))
    endpoint.faults = {"garbage": 0.3}
    result, game = play_game("baseline")
    repairs = LLMCall.objects.filter(game=game, step="answer/repair")
    assert repairs.exists()
    for row in repairs:
        messages = json.dumps(row.exchange["messages"])
        assert "can't be used" not in messages
        assert "garbage" not in messages
    assert not result["repaired"]
