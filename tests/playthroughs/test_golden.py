"""Golden playthroughs: recorded games, and what each viewer saw of it.

`.venv/bin/python -m tests.playthroughs.record` writes them afresh: do so only when the rules were
meant to change, and read the difference.
"""

from __future__ import annotations

import json

import pytest

from tests.playthroughs.record import file_of, names, record


@pytest.mark.parametrize("name", names())
def test_the_recorded_game_is_played_again_to_the_letter(name: str) -> None:
    assert file_of(name).exists(), f"{name} has no playthrough: see this module's first lines"
    golden = json.loads(file_of(name).read_text())
    played = record(name)
    assert played.keys() == golden.keys()
    for viewer, stream in golden.items():
        assert played[viewer] == stream, f"what {viewer} sees has changed"


@pytest.mark.parametrize("name", names())
def test_the_streams_hold_what_they_should(name: str) -> None:
    golden = json.loads(file_of(name).read_text())
    log = [json.loads(line) for line in golden["log"]]
    for viewer, stream in golden.items():
        if not viewer.startswith("seat"):
            continue
        seat = int(viewer.split()[1])
        for position, event in enumerate(log):
            seats = event["audience"].partition(":")[2].split(".")
            mine = event["audience"] == "public" or str(seat) in seats
            assert (position in stream) == mine, (viewer, event)
    hidden = {log[i]["audience"] for i in range(len(log)) if i not in golden["aftermath"]}
    assert hidden == {"record"}
