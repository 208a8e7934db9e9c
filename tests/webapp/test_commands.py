"""Tests of the commands: each works in a new data folder and explains refused input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.management import (
    CommandError,
    call_command,
    get_commands,
    load_command_class,
)
from django.test import Client

from game.engine import rulesets
from game.models import Game
from tests.agents.contest import Crowd
from tests.game.table import new_game
from tests.webapp.tables import host_table
from webapp import backups
from webapp.commands import DatabaseCommand
from webapp.play.models import AuditEntry

ROOT = Path(__file__).parents[2]
SIMULATE_ONE_GAME = ("simulate", "--ruleset", "one-night", "--games", "1", "--seed", "1")
WITHOUT_DATABASE = ("backup", "restore", "check_ruleset", "recipes")


def run_manage(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run manage.py in its own process, with an empty data folder of its own."""
    excluded = ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE", "PYTEST_XDIST_WORKER")
    env = {k: v for k, v in os.environ.items() if k not in excluded and not k.startswith("OPENAI_")}
    command = [sys.executable, "manage.py", *arguments]
    env |= {"FABULA_DATA": str(data)}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120)


def test_concurrent_first_commands_create_one_database(tmp_path: Path) -> None:
    """In an empty data folder, `simulate` plays a game and `transcript` prints it."""
    data = tmp_path / "new"
    with ThreadPoolExecutor(2) as pool:
        researchers = pool.submit(run_manage, data, "researchers")
        simulation = run_manage(data, *SIMULATE_ONE_GAME, "--set", "poll_people=true")
    for process in (researchers.result(), simulation):
        assert process.returncode == 0, process.stderr
    (line,) = simulation.stdout.splitlines()
    game = json.loads(line)
    transcript = run_manage(data, "transcript", game["game"], "--viewer", "moderator")
    events = [json.loads(line) for line in transcript.stdout.splitlines()]
    assert events[0]["data"]["settings"]["poll_people"] is True, "the game stores its settings"
    assert events[-1]["kind"] == "game_over"
    assert events[-1]["data"]["winner"] == game["winner"]
    assert not (data / backups.AUTOMATIC_FOLDER).exists(), "a new database needs no backup"


def site_commands() -> list[str]:
    return [name for name, app in get_commands().items() if str(app).startswith("webapp.")]


@pytest.mark.parametrize("name", site_commands())
def test_every_command_creates_the_database_first(name: str) -> None:
    """Except the commands that need the database as it is."""
    command = load_command_class(get_commands()[name], name)
    assert isinstance(command, DatabaseCommand) == (name not in WITHOUT_DATABASE)
    has_base_execute = command.execute.__func__ is DatabaseCommand.execute  # type: ignore[attr-defined]
    assert has_base_execute or name in WITHOUT_DATABASE


@pytest.mark.django_db
def test_transcript_of_an_unknown_game_fails_with_a_clear_error() -> None:
    with pytest.raises(CommandError, match="there is no game 'nothing'"):
        call_command("transcript", "nothing")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("options", "error"),
    [
        (
            ["--set", "pol=true"],
            "one-night has no setting 'pol'; known: ask_why, opening_only, poll_people",
        ),
        (["--context", "half"], "unknown context 'half'; known: whole, paper"),
        (["--method", "fulll"], "unknown method 'fulll'; known: baseline,"),
    ],
)
def test_unknown_option_value_is_refused_with_the_known_ones(
    options: list[str], error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CommandError) as raised:
        call_command(*SIMULATE_ONE_GAME, *options)
    assert error in str(raised.value)
    assert not capsys.readouterr().out


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--set", "max_rounds=3", "--set", "max_rounds=4"], "max_rounds is given twice"),
        (["--set", "must_elect=2", "--set", "election=false"], "must_elect needs election=true"),
        (["--set", "election=false", "--set", "first_sheriff=person"], "needs a person"),
        (
            ["--set", "election=false", "--set", "first_sheriff=seer", "--set", "sheriff_seat=2"],
            "Set first_sheriff to anybody when sheriff_seat is set.",
        ),
        (["--setting", "homogeneous", "--set", "election=true"], "has election=false"),
        (["--baseline", "openai"], "--baseline is the other model of a paper's --setting"),
        (["--baseline", "house"], "--baseline is the other model of a paper's --setting"),
    ],
)
def test_contradicting_settings_are_refused(
    options: list[str], error: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    with pytest.raises(CommandError) as raised:
        call_command("simulate", "--ruleset", "sheriff", "--games", "1", "--seed", "s", *options)
    assert error in str(raised.value)


@pytest.mark.django_db
def test_deck_with_too_many_deals_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(rulesets._RULESETS, Crowd.name, Crowd())
    with pytest.raises(CommandError, match=r"the deck of 'crowd-40' has [\d,]+ deals: too many"):
        call_command("simulate", "--ruleset", Crowd.name, "--games", "1", "--seed", "s")


@pytest.mark.django_db
def test_call_off_ends_a_running_game_with_a_reason() -> None:
    game = new_game(1)
    call_command("call_off", game.code, "--reason", "A statement blocked the table.")
    game.refresh_from_db()
    (entry,) = AuditEntry.objects.filter(game=game)
    assert (game.called_off, entry.what) == (True, "call_off")
    assert entry.reason == "A statement blocked the table."
    for code, error in ((game.code, "has ended"), ("nowhere", "there is no game 'nowhere'")):
        with pytest.raises(CommandError, match=error):
            call_command("call_off", code, "--reason", "Again.")


@pytest.mark.django_db
def test_call_off_ends_a_table_before_its_game() -> None:
    game = host_table(Client())
    call_command("call_off", game.code, "--reason", "The study was cancelled.")
    game.refresh_from_db()
    assert (game.started_at, game.status) == (None, Game.CALLED_OFF)
    assert AuditEntry.objects.filter(game=game, what="call_off").count() == 1
