"""Two hundred arrivals at once, on SQLite and on PostgreSQL, with two clocks beside them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.live import free_environment
from webapp.runtime.process_group import ROOT


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_nobody_has_two_seats_and_no_game_is_one_short(
    database: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    env = {**free_environment(), "FABULA_DATA": str(tmp_path)}
    if database == "postgres":
        env["DATABASE_URL"] = request.getfixturevalue("postgres")
    done = subprocess.run(
        [sys.executable, "-m", "tests.study.arrivals"],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    came = json.loads(done.stdout.splitlines()[-1])
    assert came["seated"] == 198
    assert came["games"] == 66
    assert came["people_at_tables"] == [3]
    assert (came["most_seats_a_person"], came["most_people_a_seat"]) == (1, 1)
    assert came["filling"] == 0
    assert came["steps"] == {"game": 198, "waiting": 2}
    assert "ERROR" not in done.stderr
