"""`make play` from start to end, with everything it really starts."""

import signal
import sqlite3
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live import wait_until
from tests.runtime.console import Console, play

pytestmark = pytest.mark.live
READY = "Fabula is ready: "


def address(console: Console) -> str:
    console.wait_for(READY, seconds=240)
    return console.output.split(READY)[1].split()[0]


def status(url: str, page: str = "healthz") -> int:
    with urllib.request.urlopen(url + page, timeout=60) as answer:
        return int(answer.status)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("play")


@pytest.fixture(scope="module")
def running(folder: Path) -> Iterator[Console]:
    with play(folder) as console:
        address(console)
        console.family()
        yield console


def test_address_is_printed_once_the_site_is_ready(running: Console) -> None:
    assert status(address(running)) == 200
    assert running.output.splitlines()[0] == "Starting …"
    assert len([line for line in running.output.splitlines() if line]) == 4


def test_link_of_the_first_researcher_is_printed(running: Console) -> None:
    (line,) = [line for line in running.output.splitlines() if "first account" in line]
    with urllib.request.urlopen(line.split()[-1], timeout=60) as answer:
        assert "first researcher" in answer.read().decode()


def test_second_instance_on_the_same_data_names_the_first(running: Console, folder: Path) -> None:
    with play(folder) as second:
        assert second.ends() == 1
        assert "already runs with the data folder" in second.output
        assert address(running) in second.output
        assert len(second.output.splitlines()) == 1


def test_killed_web_process_restarts_without_refused_requests(running: Console) -> None:
    running.child("daphne").kill()
    # It waits in the listening socket until the process is back.
    assert status(address(running), "rules/one-night/") == 200
    running.wait_for("The web process ended (killed by SIGKILL); it is started again")


def test_killed_redis_restarts(running: Console) -> None:
    running.child("valkey-server").kill()
    running.wait_for("The redis process ended (killed by SIGKILL); it is started again")
    assert wait_until(lambda: healthy(address(running)), "healthz answers 200 again")


def healthy(url: str) -> bool:
    try:
        return status(url) == 200
    except OSError:
        return False


def test_restart_after_a_kill_keeps_data_and_ctrl_c_ends_all_processes(
    running: Console, folder: Path
) -> None:
    database = folder / "data" / "fabula.sqlite3"
    with sqlite3.connect(database) as connection:
        connection.execute("INSERT INTO django_session VALUES ('kept', 'data', '2040-01-01')")
    secret = (folder / "data" / "secret_key").read_text()
    running.family()
    running.process.send_signal(signal.SIGKILL)
    running.process.wait()
    with play(folder) as again:  # waits for what the killed one left
        assert status(address(again)) == 200
        running.leaves_nothing()
        with sqlite3.connect(database) as connection:
            assert connection.execute("SELECT session_key FROM django_session").fetchall() == [
                ("kept",)
            ]
        assert (folder / "data" / "secret_key").read_text() == secret
        again.family()
        again.interrupt()
        assert again.ends() == 0
        again.leaves_nothing()
