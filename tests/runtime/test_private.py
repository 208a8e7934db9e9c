"""Tests of privacy: files for the owner only, and logs without secret addresses."""

from __future__ import annotations

import logging
import os
import stat
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest
from django.conf import settings

from tests.live import Stack, isolated_environment
from webapp.runtime import PROJECT_ROOT, logs
from webapp.runtime.launch_settings import LaunchSettings
from webapp.runtime.logs import remove_keys
from webapp.runtime.private_files import create_private_folder

KEY = "Xc81kQv_z-9aaBBcc22DDee3"


def file_mode(path: Path) -> int:
    return stat.S_IMODE(os.lstat(path).st_mode)


def accessible_to_others(folder: Path) -> list[str]:
    """Return the paths in the folder, itself included, that others than its owner may access."""
    paths = []
    for path in (folder, *folder.rglob("*")):
        with suppress(FileNotFoundError):  # a journal may disappear meanwhile
            if not path.is_symlink() and file_mode(path) & 0o077:
                paths.append(str(path))
    return paths


def test_files_of_a_running_site_are_private_to_their_owner(stack: Stack) -> None:
    stack.manage("simulate", "--ruleset", "one-night", "--games", "1", "--seed", "1")
    assert (stack.data / "fabula.sqlite3").exists()
    assert (stack.data / "logs" / "web.log").exists()
    assert list((stack.data / "static").iterdir())
    assert accessible_to_others(stack.data) == []


def test_permissions_of_an_older_folder_are_corrected_at_the_start(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "logs").mkdir(parents=True)
    (data / "logs" / "web.log").write_text("")
    (data / "fabula.sqlite3").write_text("")
    link_target = tmp_path / "beside"
    link_target.write_text("")
    (data / "link").symlink_to(link_target)
    for path in (data, data / "logs", data / "logs" / "web.log", link_target):
        path.chmod(0o755)
    with LaunchSettings(data, "127.0.0.1", 0, "").lock():
        assert accessible_to_others(data) == []
    assert file_mode(data) == 0o700
    assert file_mode(link_target) == 0o755, "the target of a link is not changed"


def test_permissions_of_a_shared_folder_are_not_changed(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    create_private_folder(tmp_path)
    assert file_mode(tmp_path) == 0o1777


@pytest.mark.parametrize(
    "path",
    [
        "/rate/as/{}/",
        "/rate/{}/",
        "/take/as/{}/help",
        "/take/{}/",
        "/join/{}/",
        "/seat/{}",
        "/study/invited/{}/?a=1",
    ],
)
def test_keys_are_removed_from_every_kind_of_address(path: str) -> None:
    line = f'GET {path.format(KEY)} HTTP/1.1" 200'
    assert KEY not in remove_keys(line)
    assert remove_keys(line) == line.replace(KEY, "***")
    assert KEY not in remove_keys(f"next={path.format(KEY).replace('/', '%2F')}")


def test_addresses_without_a_key_are_unchanged() -> None:
    for line in ("/games/Abc123/ 200", "/rate/item/1b4e-28ba/ 404", "/study/new /rate/ /seat"):
        assert remove_keys(line) == line
    assert remove_keys("/rate/abc/?PROLIFIC_PID=5f3e HTTP") == "/rate/***/?*** HTTP"


def test_endless_address_is_redacted_in_linear_time() -> None:
    """In quadratic time this address would take more than a minute."""
    assert "***" in remove_keys("GET " + "/rate" * 150_000 + "/")


def test_logged_traceback_holds_no_key() -> None:
    (handler,) = settings.LOGGING["handlers"].values()
    assert handler["formatter"] == "line"
    formatter = logging.getLogger("django").handlers[0].formatter
    assert formatter
    try:
        raise ValueError(f"at /seat/{KEY}/")
    except ValueError:
        record = logging.LogRecord(
            "django", logging.ERROR, "", 1, "%s", (f"/join/{KEY}/",), sys.exc_info()
        )
    text = formatter.format(record)
    assert "Traceback" in text
    assert KEY not in text


def test_logs_of_a_running_site_hold_no_key(stack: Stack) -> None:
    for path in ("rate/as", "rate", "join", "seat", "study/invited"):
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"{stack.url}/{path}/{KEY}/", timeout=10)
    log = stack.read_log("web")
    assert "/seat/***/" in log, "the refused request is logged"
    assert not [file for file in (stack.data / "logs").iterdir() if KEY in file.read_text()]


def test_output_outside_the_loggers_holds_no_key(tmp_path: Path) -> None:
    """Such as an access log on standard output and a Python traceback on standard error."""
    program = tmp_path / "program.py"
    program.write_text(
        f"import sys\nprint('GET /seat/{KEY}/ 200')\nsys.stdout.writelines(['/join/{KEY}/'])\n"
        f"raise ValueError('/rate/as/{KEY}/')\n"
    )
    process = subprocess.run(
        [sys.executable, "-m", "webapp.runtime.redacted_program", "-f", str(program)],
        cwd=PROJECT_ROOT,
        env=isolated_environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "/seat/***/" in process.stdout
    assert "ValueError" in process.stderr
    # The source line that Python shows is the program's text, not an address.
    assert KEY not in process.stdout + process.stderr


def test_logs_of_an_older_version_lose_their_keys(tmp_path: Path) -> None:
    file = tmp_path / "web.log.1"
    file.write_text(f"Not Found: /seat/{KEY}/\nother\n")
    logs.redact_logs(tmp_path)
    assert file.read_text() == "Not Found: /seat/***/\nother\n"
