"""Play and record the golden games: fixed seed, fixed hands, and every viewer's events."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from game.engine import rulesets, visibility
from game.engine.events import digest
from tests.engine.playing import GameRun, drawing_hand, play, seats_of
from tests.playthroughs.aiwolf import STORIES
from tests.two_days import RULESET

SEED = "golden"


def file_of(name: str) -> Path:
    return Path(__file__).with_name(f"{name}.json")


def names() -> list[str]:
    """Return the names of the random game of every ruleset and of the games for one rule each."""
    return [*rulesets.names(), *STORIES]


def play_golden(name: str) -> GameRun:
    if name in STORIES:
        return STORIES[name]()
    return play(rulesets.get(name), SEED, drawing_hand(SEED))


def record(name: str) -> dict[str, list[Any]]:
    """Record a game: `log` has the events as JSON lines, each viewer has its event positions."""
    log = play_golden(name).log
    ruleset = rulesets.get(log[0]["ruleset"])
    viewers = {
        "public": visibility.PUBLIC,
        "aftermath": visibility.AFTERMATH,
        **{f"seat {s}": visibility.seat(s) for s in seats_of(ruleset)},
    }
    lines = [json.dumps(e.canonical_data(), sort_keys=True, ensure_ascii=False) for e in log]
    positions = {id(event): at for at, event in enumerate(log)}
    streams = {
        title: [positions[id(event)] for event in visibility.view_of(log, viewer).events]
        for title, viewer in viewers.items()
    }
    return {"log": lines, "digest": [digest(log)], **streams}


if __name__ == "__main__":
    rulesets.register(RULESET)
    for golden in names():
        entries = [
            f'"{title}": ' + json.dumps(stream, indent=0 if title == "log" else None)
            for title, stream in record(golden).items()
        ]
        file_of(golden).write_text("{\n" + ",\n".join(entries) + "\n}\n")
