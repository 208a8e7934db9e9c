"""Plays the golden games: a fixed seed, a fixed hand, and every viewer's stream."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from game.engine import rulesets, visibility
from game.engine.events import digest
from tests.engine.playing import Round, drawing_hand, play, seats_of
from tests.playthroughs import aiwolf, sheriff
from tests.two_days import RULESET

SEED = "golden"
STORIES = {**sheriff.STORIES, **aiwolf.STORIES}


def file_of(name: str) -> Path:
    return Path(__file__).with_name(f"{name}.json")


def names() -> list[str]:
    """Every ruleset's game by lot, and the games that tell one rule each."""
    return [*rulesets.names(), *STORIES]


def played(name: str) -> Round:
    if name in STORIES:
        return STORIES[name]()
    return play(rulesets.get(name), SEED, drawing_hand(SEED))


def record(name: str) -> dict[str, list[Any]]:
    """`log`: the events, one JSON line each; by viewer: which of them its stream holds."""
    log = played(name).log
    ruleset = rulesets.get(log[0]["ruleset"])
    viewers = {
        "public": visibility.PUBLIC,
        "aftermath": visibility.AFTERMATH,
        **{f"seat {s}": visibility.seat(s) for s in seats_of(ruleset)},
    }
    lines = [json.dumps(e.canonical_data(), sort_keys=True, ensure_ascii=False) for e in log]
    places = {id(event): at for at, event in enumerate(log)}
    streams = {
        title: [places[id(event)] for event in visibility.view_of(log, viewer).events]
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
