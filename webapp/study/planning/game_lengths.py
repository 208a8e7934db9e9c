"""The average numbers of actions in a game, measured or estimated from the ruleset."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from game.engine import rulesets

LENGTHS_FILE = Path(__file__).with_name("game_lengths.toml")


@dataclass(frozen=True)
class GameLength:
    """Average numbers of actions in a game. game_lengths.toml explains the fields."""

    statements: int
    polls: int
    votes: int
    looks: int
    nights: int
    ballots: int
    faculties: Mapping[str, int] = field(default_factory=dict)

    @property
    def answers(self) -> int:
        """The number of answers of all seats together."""
        return self.statements + self.polls + self.votes + self.looks


@cache
def _measured_lengths() -> dict[str, GameLength]:
    lengths = tomllib.loads(LENGTHS_FILE.read_text("utf-8"))
    return {name: GameLength(**data) for name, data in lengths.items()}


def game_length(ruleset: str, settings: Mapping[str, Any] | None = None) -> GameLength:
    """Return the average length of a game of the ruleset.

    Lengths are measured by ruleset, and also by settings that shorten the game. Without a measured
    length, the result is an estimate for a single day.
    """
    switched_on = (f"{ruleset}.{name}" for name, value in (settings or {}).items() if value is True)
    for key in (*switched_on, ruleset):
        if key in _measured_lengths():
            return _measured_lengths()[key]
    seats, rounds = len(rulesets.get(ruleset).deck), max(1, rulesets.get(ruleset).rounds)
    return GameLength(
        statements=seats * rounds,
        polls=seats * rounds,
        votes=seats,
        looks=2,
        nights=1,
        ballots=1,
        faculties={"favor": seats * rounds, "strategy": 2 * seats * rounds},
    )
