"""On PostgreSQL too words that are taken out are gone, and games at hand are what the rows say: its
locks, its JSON and its order of rows are not SQLite's. The tests themselves are run again, on a
server made for that."""

from __future__ import annotations

import os
import subprocess
import sys

AGAIN = (
    "game/test_cached_games.py::test_they_are_what_the_rows_say_at_any_time",
    "game/test_cached_games.py::test_what_is_rolled_back_was_never_at_hand",
    "webapp/test_erasing.py::test_words_and_name_are_in_no_row_and_the_game_keeps_its_shape",
    "webapp/test_erasing.py::test_every_page_tells_the_story_on",
    "webapp/test_record_redaction.py::test_no_row_repeats_them_and_the_game_goes_on_without_them",
    "webapp/test_record_redaction.py::test_an_answer_made_while_they_go_is_taken_and_keeps_none_of_them",
    "webapp/test_record_redaction.py::test_a_preparation_made_while_they_go_keeps_none_of_them",
    "webapp/test_your_games.py::test_the_page_counts_what_the_games_end_shows",
    "study/test_erasure.py",
    "study/test_eligible_games.py::test_it_can_be_turned_on_only_while_nobody_else_has_sat_down",
)


def test_the_same_holds_on_postgresql(postgres: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *(f"tests/{test}" for test in AGAIN)],
        env={**os.environ, "DATABASE_URL": postgres},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
