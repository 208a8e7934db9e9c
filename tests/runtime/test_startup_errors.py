"""Tests of startup errors: one helpful sentence without a traceback or a password."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.live import isolated_environment, wait_until
from tests.runtime.console import play
from webapp.runtime import PROJECT_ROOT, StartupError
from webapp.runtime.launch_settings import LaunchSettings, write_address
from webapp.runtime.prepare import check_database_url, check_redis, mask_password, masked_reason


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        ("postgres://ann:pa:ss@w/o@rd@host/db", "postgres://ann:***@host/db"),
        ("redis://:secret@host:6379/0", "redis://:***@host:6379/0"),
        (
            "postgres://host/db?user=ann&password=secret&x=1",
            "postgres://host/db?user=ann&password=***&x=1",
        ),
        ("sqlite:////tmp/a.sqlite3", "sqlite:////tmp/a.sqlite3"),
    ],
)
def test_passwords_are_masked(url: str, masked: str) -> None:
    assert mask_password(url) == masked


def test_password_in_a_driver_message_is_masked() -> None:
    url = "postgres://ann:s%40cret@host/db"
    error = ValueError(f"no such thing as {url}, nor s@cret\nand more lines")
    assert masked_reason(error, url) == "no such thing as postgres://ann:***@host/db, nor ***"


def test_port_in_use_gets_a_clear_error(tmp_path: Path) -> None:
    with socket.socket() as other_socket:
        other_socket.bind(("127.0.0.1", 0))
        other_socket.listen()
        port = str(other_socket.getsockname()[1])
        with pytest.raises(StartupError, match=f"Port {port} is taken by another program"):
            LaunchSettings.from_environment({"PORT": port, "FABULA_DATA": str(tmp_path)}).listen()


@pytest.mark.parametrize("port", ["eight", "-1", "65536", "80 80", "٣"])
def test_invalid_port_gets_a_clear_error(port: str) -> None:
    with pytest.raises(StartupError, match="is not a port number"):
        LaunchSettings.from_environment({"PORT": port})


@pytest.mark.parametrize("host", ["not.a.host.invalid", "203.0.113.7", "::1"])
def test_foreign_host_address_gets_a_clear_error(host: str) -> None:
    with pytest.raises(StartupError, match=r"HOST=|can't be listened on"):
        LaunchSettings.from_environment({"HOST": host, "PORT": "0"}).listen()


def test_default_address_is_local() -> None:
    settings = LaunchSettings.from_environment({})
    assert (settings.host, settings.port, settings.data) == (
        "127.0.0.1",
        8000,
        PROJECT_ROOT / ".data",
    )


def test_folder_in_use_names_the_address_of_its_instance(tmp_path: Path) -> None:
    settings = LaunchSettings(tmp_path, "127.0.0.1", 0, "")
    with settings.lock() as lock_file:
        write_address(lock_file, "http://127.0.0.1:8123/")
        with pytest.raises(StartupError, match=r"already runs with .* at http://127.0.0.1:8123/"):
            settings.lock().__enter__()
    with settings.lock():  # the folder is free again
        pass


def test_folder_of_a_killed_supervisor_is_awaited(tmp_path: Path) -> None:
    """The orphan guard holds the lock until it has ended the children."""
    settings = LaunchSettings(tmp_path, "127.0.0.1", 0, "")
    first_lock = settings.lock()
    lock_file = first_lock.__enter__()
    os.pwrite(lock_file, b"999999999 http://127.0.0.1:8123/", 0)  # no process has this id
    child_pid = os.fork()
    if child_pid == 0:
        try:
            os.close(lock_file)  # the child's copy of the first lock
            with settings.lock():
                os._exit(7)
        finally:
            os._exit(1)
    first_lock.__exit__(None, None, None)
    exit_codes: list[int] = []

    def has_ended() -> bool:
        pid, code = os.waitpid(child_pid, os.WNOHANG)
        exit_codes.append(os.waitstatus_to_exitcode(code))
        return pid == child_pid

    wait_until(has_ended, "the child gets the folder")
    assert exit_codes[-1] == 7


UNUSABLE_ADDRESSES = {
    "unreachable database": {"DATABASE_URL": "postgres://ann:secret@127.0.0.1:1/fabula"},
    "impossible database path": {"DATABASE_URL": "sqlite:////dev/null/ann:secret@x.sqlite3"},
    "unreachable Redis": {"REDIS_URL": "redis://:secret@127.0.0.1:1/0"},
}


@pytest.mark.parametrize(
    ("check", "url", "name"),
    [
        (check_database_url, "mysql://ann:secret@127.0.0.1/fabula", "DATABASE_URL"),
        (check_database_url, "fabula:secret@db", "DATABASE_URL"),
        (check_redis, "http://ann:secret@127.0.0.1/", "REDIS_URL"),
    ],
)
def test_invalid_address_gets_a_clear_error(
    check: Callable[[str], None], url: str, name: str
) -> None:
    with pytest.raises(StartupError) as raised:
        check(url)
    error = str(raised.value)
    assert name in error
    assert "secret" not in error
    assert len(error.splitlines()) == 1


@pytest.mark.live
@pytest.mark.parametrize("env", UNUSABLE_ADDRESSES.values(), ids=UNUSABLE_ADDRESSES.keys())
def test_unusable_address_ends_the_start_with_one_line(tmp_path: Path, env: dict[str, str]) -> None:
    with play(tmp_path, **env) as console:
        assert console.wait_for_exit() == 1
        lines = console.output.splitlines()
        assert lines[0] == "Starting …"
        assert len(lines) == 2, console.output
        assert lines[1].startswith("fabula: ")
        assert next(iter(env)) in lines[1]
        assert "secret" not in console.output


@pytest.mark.live
def test_unusable_data_folder_ends_the_start_with_one_line(tmp_path: Path) -> None:
    with play(tmp_path, FABULA_DATA="/dev/null/fabula") as console:
        assert console.wait_for_exit() == 1
        assert console.output.startswith("fabula: The data folder /dev/null/fabula can't be used")
        assert len(console.output.splitlines()) == 1


def test_announced_address_is_the_public_one() -> None:
    def site_address(**env: str) -> str:
        return LaunchSettings.from_environment(env).public_address

    assert site_address(FABULA_HOSTS="play.example.org") == ""
    assert site_address(FABULA_HTTPS="1") == ""
    assert (
        site_address(FABULA_HTTPS="1", FABULA_HOSTS="*, play.example.org")
        == "https://play.example.org/"
    )


def test_empty_database_url_means_the_default_database(tmp_path: Path) -> None:
    code = "from django.conf import settings; print(settings.DATABASES['default']['NAME'])"
    env = {"DATABASE_URL": "", "FABULA_DATA": str(tmp_path)}
    process = subprocess.run(
        [sys.executable, "-c", code],
        cwd=PROJECT_ROOT,
        env={**isolated_environment(), **env, "DJANGO_SETTINGS_MODULE": "webapp.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.stdout.strip() == str(tmp_path / "fabula.sqlite3"), process.stderr
