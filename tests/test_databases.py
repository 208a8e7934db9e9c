"""Tests on PostgreSQL: chosen ones run again, and crowds that do something at the same instant.

Its locks, its JSON and its order of rows are not SQLite's. The crowds run on SQLite as well. Both
parts are in one file, so that one server is started and one database migrated.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests import fresh_database
from tests.live import isolated_environment
from webapp.runtime.process_group import ROOT

GUESTS = 40  # of tests.game.crowd
AGAIN = (
    "game/test_cached_games.py::test_cached_game_equals_its_rows_after_every_step",
    "game/test_cached_games.py::test_rolled_back_changes_are_not_cached",
    "webapp/test_erasing.py::test_words_and_name_are_in_no_row_and_the_game_keeps_its_shape",
    "webapp/test_erasing.py::test_every_page_tells_the_story_on",
    "webapp/test_record_redaction.py::test_no_row_repeats_them_and_the_game_goes_on_without_them",
    "webapp/test_record_redaction.py::test_an_answer_made_while_they_go_is_taken_and_keeps_none_of_them",
    "webapp/test_record_redaction.py::test_a_preparation_made_while_they_go_keeps_none_of_them",
    "webapp/test_your_games.py::test_the_page_counts_what_the_games_end_shows",
    "study/test_erasure.py",
    "study/test_eligible_games.py::test_it_can_be_turned_on_only_while_nobody_else_has_sat_down",
)


@pytest.fixture(scope="module")
def run_again(postgres: str) -> subprocess.CompletedProcess[str]:
    """Run the tests of AGAIN on PostgreSQL. Their migrated database stays, without rows."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--reuse-db", *(f"tests/{test}" for test in AGAIN)],
        env={**os.environ, "DATABASE_URL": postgres},
        capture_output=True,
        text=True,
        check=False,
    )


def test_chosen_tests_hold_on_postgresql(run_again: subprocess.CompletedProcess[str]) -> None:
    assert run_again.returncode == 0, run_again.stdout


@pytest.fixture(scope="module", params=["postgres", "sqlite"])
def came(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What came of the crowds; none of them met an error."""
    data = tmp_path_factory.mktemp("at-once")
    env = {**isolated_environment(), "DJANGO_SETTINGS_MODULE": "tests.settings"}
    env["FABULA_TEST_RUN"] = str(data)
    if request.param == "postgres":
        request.getfixturevalue("run_again")
        server = urlsplit(request.getfixturevalue("postgres"))
        env["DATABASE_URL"] = server._replace(path=f"/test_{server.path[1:]}").geturl()
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
