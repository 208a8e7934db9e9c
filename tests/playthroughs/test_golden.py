"""Golden playthroughs: recorded games and the events that each viewer sees.

`.venv/bin/python -m tests.playthroughs.record` rewrites them. Run it only after an intended change
of rules, and review the difference.
"""

from __future__ import annotations

import json

import pytest

from tests.playthroughs.record import file_of, names, record


@pytest.mark.parametrize("name", names())
def test_replayed_game_equals_the_recorded_one(name: str) -> None:
    assert file_of(name).exists(), f"{name} has no playthrough: see this module's first lines"
    golden = json.loads(file_of(name).read_text())
    replayed = record(name)
    assert replayed.keys() == golden.keys()
    for viewer, stream in golden.items():
        assert replayed[viewer] == stream, f"what {viewer} sees has changed"


@pytest.mark.parametrize("name", names())
def test_recorded_streams_contain_exactly_the_visible_events(name: str) -> None:
    golden = json.loads(file_of(name).read_text())
    log = [json.loads(line) for line in golden["log"]]
    for viewer, stream in golden.items():
        if not viewer.startswith("seat"):
            continue
        seat = int(viewer.split()[1])
        for position, event in enumerate(log):
            seats = event["audience"].partition(":")[2].split(".")
            is_visible = event["audience"] == "public" or str(seat) in seats
            assert (position in stream) == is_visible, (viewer, event)
    hidden = {log[i]["audience"] for i in range(len(log)) if i not in golden["aftermath"]}
    assert hidden == {"record"}
