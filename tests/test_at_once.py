"""Many answers, guests, raters and participants at the same instant, on SQLite and on PostgreSQL:
each counts once, and no place is taken twice."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests import fresh_database
from tests.live import free_environment
from webapp.runtime.process_group import ROOT

GUESTS = 40  # of tests.game.crowd


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def came(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What came of the crowds; none of them met an error."""
    data = tmp_path_factory.mktemp("at-once")
    env = {**free_environment(), "DJANGO_SETTINGS_MODULE": "tests.settings"}
    env["FABULA_TEST_RUN"] = str(data)
    if request.param == "postgres":
        env["DATABASE_URL"] = request.getfixturevalue("postgres")
    else:
        fresh_database.put(data / fresh_database.NAME)
    done = subprocess.run(
        [sys.executable, "-m", "tests.at_once"],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "ERROR" not in done.stderr, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_answers_and_guests_at_once_count_once(came: Any) -> None:
    came = came["players"]
    assert came["talk"].count("taken") == 1
    assert set(came["talk"]) <= {"taken", "again", "too_late"}
    assert came["said"] in (["Me."], ["Me too."])
    assert set(came["ballot"]) <= {"taken", "too_late", "game_over"}
    assert came["votes"] == [[seat, seat % 8 + 1] for seat in range(1, 9)]
    assert came["over"] == 1
    for race, seats in (("last", 1), ("few", 3)):
        assert came[race]["answers"] == {"302": seats, "409": GUESTS - seats}
        assert [came[race][what] for what in ("people", "sittings", "seats")] == [seats] * 3


def test_raters_at_once_never_take_one_place_twice(came: Any) -> None:
    came = came["raters"]
    assert came["statuses"] == {"302": 40}, "one press each, and ten pressed twice"
    assert came["raters"] == 30
    assert came["taken"] == {"2": 24}, "every unit to exactly two"
    assert came["given"] == 48
    again = came["again"]
    assert again["refused"] == 0
    assert again["most"] <= 2, "answers within the quota, after leases lapsed under a crowd"
    assert again["stored"] == again["said"], "no answer was lost"


def test_of_fifty_arrivals_nobody_has_two_seats_and_no_game_is_one_short(came: Any) -> None:
    """With two clocks beside them."""
    came = came["arrivals"]
    assert came["seated"] == 48
    assert came["games"] == 16
    assert came["people_at_tables"] == [3]
    assert (came["most_seats_a_person"], came["most_people_a_seat"]) == (1, 1)
    assert came["filling"] == 0
    assert came["steps"] == {"game": 48, "waiting": 2}
