"""Tests of backups: made while games run, restored elsewhere, and made before updates."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import threading
import tracemalloc
import zipfile
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command

from tests import fresh_database
from tests.clients import Robot
from tests.live import Stack, run_manage, wait_until
from tests.upgrade import database
from webapp import backups, commands
from webapp.runtime import StartupError, prepare
from webapp.runtime.launch_settings import LaunchSettings
from webapp.study.management.commands import researchers


async def join_waiting_table(url: str) -> Robot:
    """Return a person at a table that has begun and waits for them."""
    robot = await Robot.host(url, 0)
    async with robot.line() as line:
        await line.send('{"cursor": 0}')
        robot._take(str(await asyncio.wait_for(line.recv(), 60)))
    if robot._work:  # it has not answered yet
        robot._work.cancel()
    return robot


def run_in_thread(work: Coroutine[Any, Any, Robot]) -> Robot:
    """Run the coroutine in its own thread: a browser test may have left its loop running."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def continue_game(url: str, previous: Robot) -> Robot:
    """Continue with the same browser at another address, until it has spoken twice."""
    robot = Robot(url, "Host")
    robot.game = previous.game
    ((name, value),) = ((n, v) for n, v in previous.http.cookies.items() if "session" in n)
    robot.http.cookies.set(re.sub(r"\d+$", url.rpartition(":")[2], name), value)
    response = await robot.http.get(f"/games/{robot.game}/")
    assert response.status_code == 200, "the seat still belongs to the visitor"
    game_task = asyncio.create_task(robot.play())
    async with asyncio.timeout(300):
        while len(robot.said) < 2:
            await asyncio.sleep(0.05)
    game_task.cancel()
    await robot.close()
    return robot


def test_running_game_continues_in_a_restored_folder(stack: Stack, tmp_path: Path) -> None:
    file, folder = tmp_path / "copy.zip", tmp_path / "elsewhere"
    person = run_in_thread(join_waiting_table(stack.url))
    stack.manage("backup", str(file))
    assert file.stat().st_mode & 0o077 == 0
    restore = run_manage("restore", str(file), FABULA_DATA=str(folder))
    assert restore.returncode == 0, restore.stderr
    rulesets = {"FABULA_RULESETS": stack.env["FABULA_RULESETS"]}  # rulesets of other tests' games
    with Stack(data=folder, env=rulesets) as second:
        restored_person = run_in_thread(continue_game(second.url, person))
        assert len(restored_person.said) == 2, "the person continues with the same cookies"
        assert not restored_person.refused


def read_pair(file: Path) -> tuple[int, int]:
    with closing(sqlite3.connect(file)) as database:
        ((left, right),) = database.execute("SELECT a, b FROM pair")
    return left, right


def test_backup_during_writes_is_a_consistent_snapshot(
    tmp_path: Path, django_db_blocker: Any
) -> None:
    file, stop = tmp_path / "live.sqlite3", threading.Event()
    values_before: list[int] = []  # before each backup
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE pair (a, b)")
        connection.execute("CREATE TABLE much (x)")
        connection.execute("INSERT INTO pair VALUES (0, 0)")
        connection.executemany("INSERT INTO much VALUES (?)", [("x" * 1000,)] * 2000)
        connection.commit()

    def write() -> None:
        with closing(sqlite3.connect(file, timeout=20)) as writer:
            while not stop.is_set():
                writer.execute("UPDATE pair SET a = a + 1")
                writer.execute("UPDATE pair SET b = b + 1")
                writer.commit()

    thread = threading.Thread(target=write)
    thread.start()
    wait_until(lambda: read_pair(file)[0], "something is written")
    try:
        with django_db_blocker.unblock(), database.opened(file):
            for number in range(3):
                values_before.append(read_pair(file)[0])
                backups.write_backup(tmp_path / f"{number}.zip")
    finally:
        stop.set()
        thread.join()
    for number in range(3):
        with zipfile.ZipFile(tmp_path / f"{number}.zip") as archive:
            left, right = read_pair(Path(archive.extract("database.sqlite3", tmp_path / "out")))
        assert left == right
        assert left >= values_before[number] > 0, "the backup holds earlier writes"
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".")], (
        "no temporary file remains"
    )


@pytest.fixture
def old_database(tmp_path: Path, django_db_blocker: Any, settings: LazySettings) -> Any:
    """Provide a database of an earlier revision, in a data folder of its own."""
    settings.DATA_DIR = tmp_path
    file = tmp_path / "fabula.sqlite3"
    database.unpack(database.names()[0], file)
    with django_db_blocker.unblock(), database.opened(file):
        yield file


@pytest.fixture
def new_database(tmp_path: Path, django_db_blocker: Any, settings: LazySettings) -> Iterator[Path]:
    """Provide a database of this revision, in a data folder of its own."""
    settings.DATA_DIR = tmp_path
    file = tmp_path / fresh_database.DATABASE_NAME
    fresh_database.copy_migrated_database(file)
    with django_db_blocker.unblock(), database.opened(file):
        yield file


def backup_names(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / backups.AUTOMATIC_FOLDER).glob("*"))


def test_backup_is_made_before_the_database_is_updated(old_database: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(old_database)) as connection:
        before = list(connection.iterdump())
    prepare.prepare_database("")
    (name,) = backup_names(tmp_path)
    with zipfile.ZipFile(tmp_path / backups.AUTOMATIC_FOLDER / name) as archive:
        backup = Path(archive.extract("database.sqlite3", tmp_path / "out"))
    with closing(sqlite3.connect(backup)) as connection:
        assert list(connection.iterdump()) == before
    prepare.prepare_database("")
    assert backup_names(tmp_path) == [name], "without changes there is no backup"
    for _ in range(4):
        backups.write_automatic_backup("update")
    assert len(backup_names(tmp_path)) == backups.MAX_AUTOMATIC_BACKUPS
    assert name not in backup_names(tmp_path), "the oldest backup is deleted"


def test_command_that_updates_the_database_makes_a_backup(
    old_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backups_before_migration: list[list[str]] = []  # one entry per migration
    monkeypatch.setattr(
        commands,
        "call_command",
        lambda *_, **__: backups_before_migration.append(backup_names(tmp_path)),
    )
    monkeypatch.setattr(researchers.Command, "handle", lambda *_, **__: None)
    call_command("researchers")
    assert [len(names) for names in backups_before_migration] == [1]


def test_database_is_not_updated_without_room_for_a_backup(
    old_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backups, "_dump_sqlite", no_room)
    with pytest.raises(StartupError, match=r"No space left.*nothing was changed"):
        prepare.prepare_database("")
    monkeypatch.undo()
    assert backups.back_up_before_migrating(), "the database still needs the update"


def restore_error(file: Path, *, replace: bool = False) -> str:
    """Return the sentence with which `restore` refuses the file."""
    with pytest.raises(CommandError) as raised:
        call_command("restore", file, replace=replace)
    return str(raised.value)


def test_refused_restore_is_explained_and_changes_nothing(
    new_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, database_file = tmp_path, new_database
    monkeypatch.setenv("FABULA_DATA", str(data))
    file, invalid_file = tmp_path / "copy.zip", tmp_path / "other.zip"
    call_command("backup", file)
    invalid_file.write_bytes(file.read_bytes()[:-200])
    before = database_file.read_bytes()
    process = run_manage("restore", str(invalid_file), "--replace", FABULA_DATA=str(data))
    assert process.returncode == 1
    assert "no backup" in process.stderr
    assert "Traceback" not in process.stderr
    assert "No such file" in restore_error(tmp_path / "none.zip")
    assert "--replace" in restore_error(file)
    with LaunchSettings(data, "127.0.0.1", 0, "").lock():
        assert "already runs" in restore_error(file, replace=True)
    with zipfile.ZipFile(invalid_file, "w") as archive, zipfile.ZipFile(file) as backup:
        about = backup.read("about.json").replace(b'"0001_initial"', b'"0999_later"', 1)
        archive.writestr("about.json", about)
        archive.writestr("database.sqlite3", backup.read("database.sqlite3"))
    assert "newer Fabula" in restore_error(invalid_file, replace=True)
    assert database_file.read_bytes() == before
    process = run_manage("restore", str(file), "--replace", FABULA_DATA=str(data))
    assert process.returncode == 0, process.stderr
    assert len(backup_names(data)) == 1, "the replaced database is backed up"


def test_file_that_resembles_a_backup_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FABULA_DATA", str(tmp_path / "data"))
    for number, migrations in enumerate(("5", "[1]", '[["a"]]')):
        file = tmp_path / f"{number}.zip"
        with zipfile.ZipFile(file, "w") as archive:
            about = f'{{"fabula": 1, "database": "sqlite", "migrations": {migrations}}}'
            archive.writestr("about.json", about)
            archive.writestr("database.sqlite3", b"")
        assert restore_error(file) == "That is no backup of Fabula's."


def test_backup_without_room_is_refused_before_unpacking(
    new_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FABULA_DATA", str(tmp_path))
    file, before = tmp_path / "copy.zip", new_database.read_bytes()
    call_command("backup", file)
    with monkeypatch.context() as patch:
        patch.setattr(backups.shutil, "disk_usage", lambda _folder: SimpleNamespace(free=100_000))
        assert "0.1 MB are free" in restore_error(file, replace=True)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("about.json", b" " * 30_000_000)
        archive.writestr("database.sqlite3", b"")
    tracemalloc.start()
    assert "no backup" in restore_error(file, replace=True)
    assert tracemalloc.get_traced_memory()[1] < 15_000_000
    tracemalloc.stop()
    assert new_database.read_bytes() == before


def test_backup_to_an_existing_file_is_refused(old_database: Path, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="exists already"):
        call_command("backup", old_database)
