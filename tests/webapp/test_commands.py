"""Every command works as the first one in a fresh folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

ROOT = Path(__file__).parents[2]
ONE = ("simulate", "--ruleset", "one-night", "--games", "1", "--seed", "1")


def manage(data: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """manage.py in a process of its own, with nothing but its own empty data folder."""
    ours = ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE", "PYTEST_XDIST_WORKER")
    env = {k: v for k, v in os.environ.items() if k not in ours and not k.startswith("OPENAI_")}
    command = [sys.executable, "manage.py", *words]
    env |= {"FABULA_DATA": str(data)}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120)


def test_a_game_can_be_simulated_and_told_before_anything_else_was_run(tmp_path: Path) -> None:
    done = manage(tmp_path / "new", *ONE, "--set", "poll_people=true")
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    game = json.loads(line)
    told = manage(tmp_path / "new", "transcript", game["game"], "--viewer", "moderator")
    events = [json.loads(line) for line in told.stdout.splitlines()]
    assert events[0]["data"]["settings"]["poll_people"] is True, "a setting is the game's"
    assert events[-1]["kind"] == "game_over"
    assert events[-1]["data"]["winner"] == game["winner"]


def test_a_transcript_asked_for_first_says_that_there_is_no_such_game(tmp_path: Path) -> None:
    done = manage(tmp_path / "new", "transcript", "nothing")
    assert done.returncode == 1
    assert "there is no game 'nothing'" in done.stderr
    assert "no such table" not in done.stderr


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--set", "pol=true"], "one-night has no setting 'pol'; known: ask_why, poll_people"),
        (["--context", "half"], "unknown context 'half'; known: whole, paper"),
        (["--method", "fulll"], "unknown method 'fulll'; known: baseline,"),
    ],
)
def test_what_is_not_known_is_refused_with_what_is(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CommandError) as refused:
        call_command(*ONE, *words)
    assert told in str(refused.value)
    assert not capsys.readouterr().out
