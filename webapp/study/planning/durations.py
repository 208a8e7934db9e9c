"""Estimates of the length of a study and of the requests to models that its games make."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from agents import backends
from agents.methods import METHODS
from agents.recipe import OFFICE
from game import clock
from game.engine import rulesets
from webapp.study.design import conditions, instruments
from webapp.study.design.conditions import ConditionPlan
from webapp.study.design.instruments import Instrument
from webapp.study.design.stages import (
    ConsentStage,
    DebriefingStage,
    Design,
    During,
    GameStage,
    PracticeStage,
    RatingsStage,
    RulesStage,
    Stage,
    TableDesign,
)
from webapp.study.design.value_checks import Refused

FILE = Path(__file__).with_name("game_lengths.toml")
WORDS = 50  # average words of a statement
# Seconds that a person takes for a statement and for a choice.
PERSON_SPEAKS, PERSON_CHOOSES = 60, 20
PERSON_SCORES = 40  # for stating role and confidence of all other players


# Approximate minutes of participants.
CONSENT, RULES, DEBRIEFING, WAITING = 2, 4, 1, 2
SECONDS_A_QUESTION, SECONDS_AN_ITEM, SECONDS_A_RATING = 20, 12, 45


@dataclass(frozen=True)
class Length:
    """The average length of a game. game_lengths.toml explains the fields."""

    statements: int
    polls: int
    votes: int
    looks: int
    nights: int
    ballots: int
    faculties: Mapping[str, int] = field(default_factory=dict)


@cache
def _measured() -> dict[str, Length]:
    lengths = tomllib.loads(FILE.read_text("utf-8"))
    return {name: Length(**data) for name, data in lengths.items()}


def length_of(ruleset: str, settings: Mapping[str, Any] | None = None) -> Length:
    """Return the average length of a game of the ruleset.

    A setting that shortens the game has a length of its own. A ruleset that was not measured counts
    as if it were a single day.
    """
    for name, value in (settings or {}).items():
        if value is True and f"{ruleset}.{name}" in _measured():
            return _measured()[f"{ruleset}.{name}"]
    if ruleset in _measured():
        return _measured()[ruleset]
    seats, rounds = len(rulesets.get(ruleset).deck), max(1, rulesets.get(ruleset).rounds)
    each = {"favor": seats * rounds, "strategy": 2 * seats * rounds}
    return Length(seats * rounds, seats * rounds, seats, 2, 1, 1, each)


def game_minutes(table: TableDesign, during: During) -> int:
    """Return about how many minutes a game at the table takes, with its questions."""
    game = length_of(table.ruleset, table.settings)
    pace = clock.PACES["even" if table.blind else table.pace]
    statement_seconds = min(pace.statement + pace.word * WORDS, pace.longest)
    share = min(1.0, table.people / len(rulesets.get(table.ruleset).deck))
    speaks = statement_seconds + share * max(0.0, PERSON_SPEAKS - statement_seconds)
    seconds = game.statements * speaks
    seconds += game.nights * max(pace.night, PERSON_CHOOSES)
    seconds += game.ballots * max(pace.vote, PERSON_CHOOSES)
    if during.confidence:
        acts = game.statements + game.votes + game.looks + (game.polls if during.polls else 0)
        seconds += PERSON_SCORES * acts / len(rulesets.get(table.ruleset).deck)
    return math.ceil(seconds / 60)


def minutes_by_stage(design: Design, cells: Sequence[ConditionPlan]) -> Iterator[tuple[Stage, int]]:
    """Yield (stage, minutes) for a participant who completes the study.

    Stages after each game count as often as there are games.
    """
    each = design.assignment.games_each
    for stage in design.stages:
        times = each if stage.each_game or isinstance(stage, GameStage) else 1
        yield stage, stage_minutes(design, cells, stage) * times


def minutes(design: Design) -> int:
    """Return the minutes of a participant who completes the study, to the nearest 5.

    Returns 0 if they cannot be counted.
    """
    try:
        total = sum(
            minutes_
            for _stage, minutes_ in minutes_by_stage(design, conditions.build_conditions(design))
        )
    except (Refused, LookupError):
        return 0
    return max(5, 5 * round(total / 5))


def minutes_of(design: Design, stage: Stage) -> int:
    """Return about how many minutes a stage takes each time, with the wait before a game.

    Returns 0 if they cannot be counted.
    """
    try:
        return stage_minutes(design, conditions.build_conditions(design), stage)
    except (Refused, LookupError):
        return 0


def minutes_without_wait(design: Design, cells: Sequence[ConditionPlan], stage: Stage) -> int:
    """Return about how many minutes a stage takes each time, without the wait before a game."""
    if not isinstance(stage, GameStage):
        return stage_minutes(design, cells, stage)
    minutes_by_cell = [game_minutes(cell.table, design.during) for cell in cells]
    return math.ceil(max(minutes_by_cell))


def stage_minutes(design: Design, cells: Sequence[ConditionPlan], stage: Stage) -> int:
    if not isinstance(stage, GameStage):
        return _minutes(
            stage, max(len(rulesets.get(cell.table.ruleset).deck) for cell in cells) - 1
        )
    minutes_by_cell = [game_minutes(cell.table, design.during) for cell in cells]
    waits = max(WAITING, math.ceil(design.waiting.least / 60))
    alone = all(cell.table.people == 1 for cell in cells) and not design.waiting.least
    return math.ceil(sum(minutes_by_cell) / len(minutes_by_cell)) + (0 if alone else waits)


def _minutes(stage: Stage, other_players: int) -> int:
    """Return the minutes of a stage.

    other_players: number at a table, because some instruments ask about each of them.
    """
    match stage:
        case ConsentStage():
            return CONSENT
        case DebriefingStage():
            return DEBRIEFING
        case PracticeStage():
            return stage.minutes or 2
        case RulesStage():
            return RULES + math.ceil(stage.quiz.questions * SECONDS_A_QUESTION / 60)
        case RatingsStage():
            return math.ceil(stage.items * SECONDS_A_RATING / 60)
        case _:
            item_count = sum(
                _items(one, other_players) for one in getattr(stage, "instruments", ())
            )
            return max(1, math.ceil(item_count * SECONDS_AN_ITEM / 60))


def _items(instrument_data: str | dict[str, Any], other_players: int) -> int:
    """Return how many questions an instrument has, named or given whole, 0 if unknown."""
    try:
        one = (
            instruments.get(instrument_data)
            if isinstance(instrument_data, str)
            else Instrument.of(instrument_data)
        )
    except (LookupError, TypeError):
        return 0
    return len(one.dimensions) * (other_players if one.of_seats else 1)


def requests(table: TableDesign) -> int:
    """Return about how many requests to language models a game at the table makes."""
    return round(sum(requests_by_backend(table).values()))


def requests_by_backend(table: TableDesign) -> dict[str, float]:
    """Return backend -> about how many requests a game at the table makes. People make none."""
    game = length_of(table.ruleset, table.settings)
    deck = rulesets.get(table.ruleset).deck
    seats = len(deck)
    answers = game.statements + game.polls + game.votes + game.looks
    counts: dict[str, float] = {}
    for seat in _computer_seats(table, seats):
        # Which seat is dealt which role makes no difference to the sum, unless seats differ, too.
        choice = {**table.casting.get(deck[seat - 1], {}), **table.casting.get(str(seat), {})}
        backend = choice.get("backend") or table.backend
        method = METHODS.get(choice.get("method") or table.method)
        faculty_names = method.own if method else ()
        prepared = sum(game.faculties.get(name, 0) for name in faculty_names)
        # One seat at a time holds the badge, each about as often.
        of_office = 1 / seats if (office := table.backends.get(OFFICE)) else 0
        for name, part in ((backend, 1 - of_office), (office, of_office)):
            if name and name != backends.HOUSE and part:
                counts[name] = counts.get(name, 0) + part * (answers + prepared) / seats
    return counts


def _computer_seats(table: TableDesign, seats: int) -> list[int]:
    """Return the computer players' seats.

    If people's seats are drawn, the last seats count as theirs.
    """
    people = table.people_seats or range(1, min(table.people, seats) + 1)
    return [seat for seat in range(1, seats + 1) if seat not in people]
