"""Many answers, or guests, at the same instant, on SQLite and on PostgreSQL: each counts once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.live import free_environment
from webapp.runtime.process_group import ROOT

GUESTS = 40  # of tests.game.crowd


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_answers_at_once_count_once(
    database: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    env = {**free_environment(), "FABULA_DATA": str(tmp_path)}
    if database == "postgres":
        env["DATABASE_URL"] = request.getfixturevalue("postgres")
    done = subprocess.run(
        [sys.executable, "-m", "tests.game.crowd"],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    came = json.loads(done.stdout.splitlines()[-1])
    assert came["talk"].count("taken") == 1
    assert set(came["talk"]) <= {"taken", "again", "too_late"}
    assert came["said"] in (["Me."], ["Me too."])
    assert set(came["ballot"]) <= {"taken", "too_late", "game_over"}
    assert came["votes"] == [[seat, seat % 8 + 1] for seat in range(1, 9)]
    assert came["over"] == 1
    for race, seats in (("last", 1), ("few", 3)):
        assert came[race]["answers"] == {"302": seats, "409": GUESTS - seats}
        assert [came[race][what] for what in ("people", "sittings", "seats")] == [seats] * 3
