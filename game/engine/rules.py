"""How a game goes on: a ruleset is a script, and deciding is running it against the log.

A script is a generator that tells events, opens windows and waits for them. Running it again over
a recorded log repeats what is recorded (draws are read back, not drawn) and then goes on. So a
game's position is nothing but its log, and a ruleset reads like its description.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from game.engine.draws import Draws
from game.engine.events import PUBLIC, Event
from game.engine.ruleset import Ruleset
from game.engine.table import Answers, Ready, Table


def decide(
    ruleset: Ruleset,
    log: Sequence[Event],
    *,
    answers: Answers,
    ready: Ready,
    draws: Draws,
    opening: Mapping[str, Any] | None = None,
) -> list[Event]:
    """The events that follow upon `log`, given the answers lying in its open windows.

    `ready` says whether those a Wait names have answered (and the pace allows going on): the
    engine itself knows no clock. `opening` (`seats`: names, `settings`, `people`: people's seats)
    begins a game whose log is empty. Raises LogMismatch when other rules wrote `log`.
    """
    table = Table(log, answers, draws)
    first = log[0].data if log else (opening or {})
    table.tell(
        "game_opened",
        PUBLIC,
        ruleset=ruleset.name,
        version=ruleset.version,
        seats=list(first["seats"]),
        settings=dict(first["settings"]),
    )
    if ruleset.knows_people:
        told = log[1]["seats"] if log else (opening or {}).get("people", ())
        table.seat_people(told)
    for wait in ruleset.script(table):
        if not ready(wait):
            break
    return table.new
