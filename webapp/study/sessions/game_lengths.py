"""How long a study's games take, and how many requests to a model: estimates for the plan."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from agents import backends
from agents.recipe import METHODS
from game import clock
from game.engine import rulesets
from webapp.study.sessions.design import During, TableDesign

FILE = Path(__file__).with_name("game_lengths.toml")
WORDS = 50  # of a statement
# Seconds that a person takes for a statement and for a choice.
PERSON_SPEAKS, PERSON_CHOOSES = 60, 20
PERSON_SCORES = 40  # and to say of everybody which role, and how surely


@dataclass(frozen=True)
class Length:
    """What a game has on an average; game_lengths.toml says what the fields are."""

    statements: int
    polls: int
    votes: int
    looks: int
    nights: int
    ballots: int
    faculties: Mapping[str, int] = field(default_factory=dict)


@cache
def _measured() -> dict[str, Length]:
    told = tomllib.loads(FILE.read_text("utf-8"))
    return {name: Length(**data) for name, data in told.items()}


def length_of(ruleset: str) -> Length:
    """What a game of the ruleset has; of one that was not measured as if it were a single day."""
    if ruleset in _measured():
        return _measured()[ruleset]
    seats, rounds = len(rulesets.get(ruleset).deck), max(1, rulesets.get(ruleset).rounds)
    each = {"favor": seats * rounds, "strategy": 2 * seats * rounds}
    return Length(seats * rounds, seats * rounds, seats, 2, 1, 1, each)


def minutes(table: TableDesign, during: During) -> int:
    """How long a game at the table takes, about, with what people are asked during it."""
    game, pace = length_of(table.ruleset), clock.PACES["even" if table.blind else table.pace]
    said = min(pace.statement + pace.word * WORDS, pace.longest)
    share = min(1.0, table.people / len(rulesets.get(table.ruleset).deck))
    speaks = said + share * max(0.0, PERSON_SPEAKS - said)
    seconds = game.statements * speaks
    seconds += game.nights * max(pace.night, PERSON_CHOOSES)
    seconds += game.ballots * max(pace.vote, PERSON_CHOOSES)
    if during.confidence:
        acts = game.statements + game.votes + game.looks + (game.polls if during.polls else 0)
        seconds += PERSON_SCORES * acts / len(rulesets.get(table.ruleset).deck)
    return math.ceil(seconds / 60)


def requests(table: TableDesign) -> int:
    """How many requests to language models a game at the table makes, about. A person asks none."""
    game = length_of(table.ruleset)
    seats = len(rulesets.get(table.ruleset).deck)
    answers = game.statements + game.polls + game.votes + game.looks
    found = 0.0
    for seat in _computer_seats(table, seats):
        choice = table.casting.get(str(seat), {})
        if (choice.get("backend") or table.backend) == backends.HOUSE:
            continue
        given = METHODS.get(choice.get("method") or table.method, ())
        found += (answers + sum(game.faculties.get(name, 0) for name in given)) / seats
    return round(found)


def _computer_seats(table: TableDesign, seats: int) -> list[int]:
    """The computer players' seats; where people's are drawn, the last ones stand for them."""
    people = table.people_seats or range(1, min(table.people, seats) + 1)
    return [seat for seat in range(1, seats + 1) if seat not in people]
