"""Tests of `make play` from start to end, with all its processes."""

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


def wait_for_address(console: Console) -> str:
    console.wait_for(READY, seconds=240)
    return console.output.split(READY)[1].split()[0]


def get_status(url: str, page: str = "healthz") -> int:
    with urllib.request.urlopen(url + page, timeout=60) as answer:
        return int(answer.status)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("play")


@pytest.fixture(scope="module")
def instance(folder: Path) -> Iterator[Console]:
    with play(folder) as console:
        wait_for_address(console)
        console.record_processes()
        yield console


def test_address_is_printed_once_the_site_is_ready(instance: Console) -> None:
    assert get_status(wait_for_address(instance)) == 200
    assert instance.output.splitlines()[0] == "Starting …"
    assert len([line for line in instance.output.splitlines() if line]) == 4


def test_link_of_the_first_researcher_is_printed(instance: Console) -> None:
    (line,) = [line for line in instance.output.splitlines() if "first account" in line]
    with urllib.request.urlopen(line.split()[-1], timeout=60) as answer:
        assert "first researcher" in answer.read().decode()


def test_second_instance_on_the_same_data_names_the_first(instance: Console, folder: Path) -> None:
    with play(folder) as second:
        assert second.wait_for_exit() == 1
        assert "already runs with the data folder" in second.output
        assert wait_for_address(instance) in second.output
        assert len(second.output.splitlines()) == 1


def test_killed_web_process_restarts_without_refused_requests(instance: Console) -> None:
    instance.child("daphne").kill()
    # The request waits in the listening socket until the process is back.
    assert get_status(wait_for_address(instance), "rules/one-night/") == 200
    instance.wait_for("The web process ended (killed by SIGKILL); it is started again")


def test_killed_redis_restarts(instance: Console) -> None:
    instance.child("valkey-server").kill()
    instance.wait_for("The redis process ended (killed by SIGKILL); it is started again")
    assert wait_until(lambda: is_healthy(wait_for_address(instance)), "healthz answers 200 again")


def is_healthy(url: str) -> bool:
    try:
        return get_status(url) == 200
    except OSError:
        return False


def test_restart_after_a_kill_keeps_data_and_ctrl_c_ends_all_processes(
    instance: Console, folder: Path
) -> None:
    database = folder / "data" / "fabula.sqlite3"
    with sqlite3.connect(database) as connection:
        connection.execute("INSERT INTO django_session VALUES ('kept', 'data', '2040-01-01')")
    secret = (folder / "data" / "secret_key").read_text()
    instance.record_processes()
    instance.process.send_signal(signal.SIGKILL)
    instance.process.wait()
    with play(folder) as restarted:  # waits for processes of the killed one
        assert get_status(wait_for_address(restarted)) == 200
        instance.wait_until_all_exit()
        with sqlite3.connect(database) as connection:
            assert connection.execute("SELECT session_key FROM django_session").fetchall() == [
                ("kept",)
            ]
        assert (folder / "data" / "secret_key").read_text() == secret
        restarted.record_processes()
        restarted.interrupt()
        assert restarted.wait_for_exit() == 0
        restarted.wait_until_all_exit()
