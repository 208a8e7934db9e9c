"""The data folder is its owner's alone, and no log holds an address that lets somebody in."""

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
from webapp.runtime import logs
from webapp.runtime.data_dir import DataDir
from webapp.runtime.log_redaction import remove_keys
from webapp.runtime.private import make_folder
from webapp.runtime.process_group import ROOT

KEY = "Xc81kQv_z-9aaBBcc22DDee3"


def mode(path: Path) -> int:
    return stat.S_IMODE(os.lstat(path).st_mode)


def open_to_others(folder: Path) -> list[str]:
    """What in the folder, itself included, others than its owner may touch."""
    found = []
    for path in (folder, *folder.rglob("*")):
        with suppress(FileNotFoundError):  # of a journal, which comes and goes
            if not path.is_symlink() and mode(path) & 0o077:
                found.append(str(path))
    return found


def test_files_of_a_running_site_are_private_to_their_owner(stack: Stack) -> None:
    stack.manage("simulate", "--ruleset", "one-night", "--games", "1", "--seed", "1")
    assert (stack.data / "fabula.sqlite3").exists()
    assert (stack.data / "logs" / "web.log").exists()
    assert list((stack.data / "static").iterdir())
    assert open_to_others(stack.data) == []


def test_permissions_of_an_older_folder_are_corrected_at_the_start(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "logs").mkdir(parents=True)
    (data / "logs" / "web.log").write_text("")
    (data / "fabula.sqlite3").write_text("")
    beside = tmp_path / "beside"
    beside.write_text("")
    (data / "link").symlink_to(beside)
    for path in (data, data / "logs", data / "logs" / "web.log", beside):
        path.chmod(0o755)
    with DataDir(data, "127.0.0.1", 0, "").lock():
        assert open_to_others(data) == []
    assert mode(data) == 0o700
    assert mode(beside) == 0o755, "what a link leads to is somebody else's"


def test_permissions_of_a_shared_folder_are_not_changed(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    make_folder(tmp_path)
    assert mode(tmp_path) == 0o1777


@pytest.mark.parametrize(
    "way",
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
def test_keys_are_removed_from_every_kind_of_address(way: str) -> None:
    line = f'GET {way.format(KEY)} HTTP/1.1" 200'
    assert KEY not in remove_keys(line)
    assert remove_keys(line) == line.replace(KEY, "***")
    assert KEY not in remove_keys(f"next={way.format(KEY).replace('/', '%2F')}")


def test_addresses_without_a_key_are_unchanged() -> None:
    for line in ("/games/Abc123/ 200", "/rate/item/1b4e-28ba/ 404", "/study/new /rate/ /seat"):
        assert remove_keys(line) == line
    assert remove_keys("/rate/abc/?PROLIFIC_PID=5f3e HTTP") == "/rate/***/?*** HTTP"


def test_endless_address_is_redacted_in_linear_time() -> None:
    """The time grows with its length, not with the square: a minute and more, for this one."""
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
    for way in ("rate/as", "rate", "join", "seat", "study/invited"):
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"{stack.url}/{way}/{KEY}/", timeout=10)
    written = stack.logs("web")
    assert "/seat/***/" in written, "the refusal itself is logged"
    assert not [file for file in (stack.data / "logs").iterdir() if KEY in file.read_text()]


def test_output_outside_the_loggers_holds_no_key(tmp_path: Path) -> None:
    """An access log goes to standard output, a traceback of Python's own to standard error."""
    program = tmp_path / "program.py"
    program.write_text(
        f"import sys\nprint('GET /seat/{KEY}/ 200')\nsys.stdout.writelines(['/join/{KEY}/'])\n"
        f"raise ValueError('/rate/as/{KEY}/')\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "webapp.runtime.logged", "-f", str(program)],
        cwd=ROOT,
        env=isolated_environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "/seat/***/" in done.stdout
    assert "ValueError" in done.stderr
    # The source line that Python shows is the program's text, not an address.
    assert KEY not in done.stdout + done.stderr


def test_logs_of_an_older_version_lose_their_keys(tmp_path: Path) -> None:
    file = tmp_path / "web.log.1"
    file.write_text(f"Not Found: /seat/{KEY}/\nother\n")
    logs.redact_logs(tmp_path)
    assert file.read_text() == "Not Found: /seat/***/\nother\n"
