"""Batches of simulated games: shared by processes, stopped on the way, gone on with."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agents.recipe import Recipe
from game.models import Game
from tests import fresh_database
from tests.endpoint import Endpoint
from tests.endpoint.clients import set_up
from tests.live import isolated_environment
from webapp.play.models import LLMCall
from webapp.play.simulation.game_pool import simulate
from webapp.runtime.process_group import ROOT

pytestmark = pytest.mark.django_db(transaction=True)
MODEL = Recipe("openai", "full")


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with Endpoint(models=["m"]) as found:
        set_up(monkeypatch, found)
        yield found


def batch(games: int, **more: Any) -> Iterator[Any]:
    given = {"seed": "batch", "recipe": MODEL, "concurrency": 2, **more}
    return simulate("one-night", games=games, **given)


def test_stopped_batch_resumes_without_repeated_requests(endpoint: Endpoint) -> None:
    stopped = batch(3)
    first = next(stopped)
    stopped.close()  # type: ignore[attr-defined]
    assert Game.objects.filter(ended_at=None).exists(), "it was stopped on its way"
    assert not LLMCall.objects.filter(reply=None, failure="").exists(), "what was asked was awaited"
    results = list(batch(3, should_resume=True))
    assert results[0]["digest"] == first["digest"]
    assert Game.objects.count() == 3
    assert len(endpoint.calls) == LLMCall.objects.exclude(backend="house").count()
    again = list(batch(3, should_resume=True))
    assert [r["digest"] for r in again] == [r["digest"] for r in results]
    assert Game.objects.count() == 3


def test_batch_with_another_recipe_is_not_resumed() -> None:
    recipe = Recipe("house", "baseline")
    (one,) = batch(1, recipe=recipe, should_resume=True)
    (other,) = batch(1, recipe=Recipe("house", "full"), should_resume=True)
    assert one["game"] != other["game"]
    (same,) = batch(1, recipe=recipe, should_resume=True)
    assert one["game"] == same["game"]


def command(data: Path, *options: str) -> subprocess.Popen[str]:
    given = ["--ruleset", "one-night", "--seed", "batch", "--concurrency", "2", *options]
    return subprocess.Popen(
        [sys.executable, "manage.py", "simulate", *given],
        cwd=ROOT,
        env={**isolated_environment(), "FABULA_DATA": str(data)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_sigterm_stops_all_processes_of_a_batch_which_can_resume(tmp_path: Path) -> None:
    fresh_database.put(tmp_path / fresh_database.NAME)
    running = command(tmp_path, "--games", "400", "--processes", "2")
    assert running.stdout
    first = json.loads(running.stdout.readline())
    running.send_signal(signal.SIGTERM)
    told, said = running.communicate(timeout=120)
    assert running.returncode == 130, said
    assert "The same command with --go-on goes on" in said
    assert len(told.splitlines()) < 300
    on = command(tmp_path, "--games", "3", "--processes", "2", "--go-on")
    out, said = on.communicate(timeout=240)
    assert on.returncode == 0, said
    found = [json.loads(line) for line in out.splitlines()]
    assert found[0]["game"] == first["game"]
    alone = batch(3, recipe=Recipe("house", "baseline"))
    assert [r["digest"] for r in found] == [r["digest"] for r in alone]
