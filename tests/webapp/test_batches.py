"""Tests of batches of simulated games: shared by processes, stopped and resumed."""

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
from tests.simulated_games import simulate
from webapp.play.management.commands.simulate import Command
from webapp.play.models import LLMCall
from webapp.play.simulation.batch_options import parse_options
from webapp.runtime import PROJECT_ROOT

pytestmark = pytest.mark.django_db(transaction=True)
MODEL = Recipe("openai", "full")


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with Endpoint(models=["m"]) as server:
        set_up(monkeypatch, server)
        yield server


def run_batch(games: int, **options: Any) -> Iterator[Any]:
    arguments = {"seed": "batch", "recipe": MODEL, "concurrency": 2, **options}
    return simulate("one-night", games=games, **arguments)


def test_stopped_batch_resumes_without_repeated_requests(endpoint: Endpoint) -> None:
    interrupted_batch = run_batch(3)
    first = next(interrupted_batch)
    interrupted_batch.close()  # type: ignore[attr-defined]
    assert Game.objects.filter(ended_at=None).exists(), "the batch stopped within a game"
    assert not LLMCall.objects.filter(reply=None, failure="").exists(), "every request was awaited"
    results = list(run_batch(3, should_resume=True))
    assert results[0]["digest"] == first["digest"]
    assert Game.objects.count() == 3
    assert len(endpoint.calls) == LLMCall.objects.exclude(backend="house").count()
    repeated_results = list(run_batch(3, should_resume=True))
    assert [r["digest"] for r in repeated_results] == [r["digest"] for r in results]
    assert Game.objects.count() == 3


def test_batch_with_another_recipe_is_not_resumed() -> None:
    recipe = Recipe("house", "baseline")
    (first_result,) = run_batch(1, recipe=recipe, should_resume=True)
    (second_result,) = run_batch(1, recipe=Recipe("house", "full"), should_resume=True)
    assert first_result["game"] != second_result["game"]
    (resumed_result,) = run_batch(1, recipe=recipe, should_resume=True)
    assert first_result["game"] == resumed_result["game"]


@pytest.mark.parametrize("seed", ["batch", "", "-1"])
def test_child_process_gets_the_options_of_the_batch(seed: str) -> None:
    parser = Command().create_parser("manage.py", "simulate")
    arguments = ["--ruleset=one-night", f"--seed={seed}", "--games=2", "--set=people=true"]
    options = parse_options(vars(parser.parse_args(arguments)))
    assert parse_options(vars(parser.parse_args([*options.to_arguments()]))) == options


def start_command(data: Path, *options: str) -> subprocess.Popen[str]:
    arguments = ["--ruleset", "one-night", "--seed", "batch", "--concurrency", "2", *options]
    return subprocess.Popen(
        [sys.executable, "manage.py", "simulate", *arguments],
        cwd=PROJECT_ROOT,
        env={**isolated_environment(), "FABULA_DATA": str(data)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_sigterm_stops_all_processes_of_a_batch_which_can_resume(tmp_path: Path) -> None:
    fresh_database.copy_migrated_database(tmp_path / fresh_database.DATABASE_NAME)
    running = start_command(tmp_path, "--games", "400", "--processes", "2")
    assert running.stdout
    first = json.loads(running.stdout.readline())
    running.send_signal(signal.SIGTERM)
    output, errors = running.communicate(timeout=120)
    assert running.returncode == 130, errors
    assert "To continue, repeat the command with --go-on" in errors
    assert len(output.splitlines()) < 300
    resumed = start_command(tmp_path, "--games", "3", "--go-on")  # with any number of processes
    output, errors = resumed.communicate(timeout=240)
    assert resumed.returncode == 0, errors
    results = [json.loads(line) for line in output.splitlines()]
    assert results[0]["game"] == first["game"]
    single_process = run_batch(3, recipe=Recipe("house", "baseline"))
    assert [r["digest"] for r in results] == [r["digest"] for r in single_process]
