"""Estimates for a design: durations, bonuses, and requests to language models."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

from agents import backends
from agents.recipe import METHODS, OFFICE
from game import clock
from game.engine import rulesets
from webapp.study.design import instruments, stages
from webapp.study.design.conditions import ConditionPlan, build_conditions
from webapp.study.design.exits import Bonus
from webapp.study.design.in_play_settings import InPlayQuestions
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design, GameStage, Stage, TableDesign
from webapp.study.sessions.bonuses import bonus_amount
from webapp.study.sessions.questions import stage_instruments

LENGTHS_FILE = Path(__file__).with_name("game_lengths.toml")
WORDS_PER_STATEMENT = 50
# Average times of a person for a statement, a choice, and the role guesses about all players.
STATEMENT_S, CHOICE_S, SCORING_S = 60, 20, 40
# Average times of a participant outside the game.
CONSENT_MINUTES, RULES_MINUTES, DEBRIEFING_MINUTES, WAITING_MINUTES = 2, 4, 1, 2
PRACTICE_MINUTES = 2  # The length of a practice game without a time limit.
QUIZ_QUESTION_S, ITEM_S, RATING_S = 20, 12, 45


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
    faculties = {"favor": seats * rounds, "strategy": 2 * seats * rounds}
    return GameLength(seats * rounds, seats * rounds, seats, 2, 1, 1, faculties)


def game_minutes(table: TableDesign, during: InPlayQuestions) -> int:
    """Return the expected minutes of a game at the table, with the study's questions in it."""
    game = game_length(table.ruleset, table.settings)
    pace = clock.PACES["even" if table.blind else table.pace]
    statement_seconds = min(pace.statement + pace.word * WORDS_PER_STATEMENT, pace.max_statement)
    share = min(1.0, table.people / len(rulesets.get(table.ruleset).deck))
    mean_statement_s = statement_seconds + share * max(0.0, STATEMENT_S - statement_seconds)
    seconds = game.statements * mean_statement_s
    seconds += game.nights * max(pace.night, CHOICE_S)
    seconds += game.ballots * max(pace.vote, CHOICE_S)
    if during.confidence:
        answers = game.statements + game.votes + game.looks + (game.polls if during.polls else 0)
        seconds += SCORING_S * answers / len(rulesets.get(table.ruleset).deck)
    return math.ceil(seconds / 60)


def minutes_by_stage(
    design: Design, conditions: Sequence[ConditionPlan]
) -> Iterator[tuple[Stage, int]]:
    """Yield (stage, minutes in all repetitions) of a participant who completes the study."""
    for stage in design.stages:
        yield stage, stage_minutes(design, conditions, stage) * _occurrences(design, stage)


def total_minutes(design: Design) -> int:
    """Return the minutes of the whole study to the nearest 5, 0 if they are unknown."""
    try:
        conditions = build_conditions(design)
        total = sum(minutes for _stage, minutes in minutes_by_stage(design, conditions))
    except (Refused, LookupError):
        return 0
    return max(5, 5 * round(total / 5))


def stage_minutes_or_zero(design: Design, stage: Stage) -> int:
    """Return `stage_minutes`, or 0 if they cannot be estimated."""
    try:
        return stage_minutes(design, build_conditions(design), stage)
    except (Refused, LookupError):
        return 0


def minutes_without_wait(design: Design, conditions: Sequence[ConditionPlan], stage: Stage) -> int:
    """Return the expected minutes of a stage once: of a game, in the longest condition."""
    if not isinstance(stage, GameStage):
        return stage_minutes(design, conditions, stage)
    return max(game_minutes(condition.table, design.during) for condition in conditions)


def stage_minutes(design: Design, conditions: Sequence[ConditionPlan], stage: Stage) -> int:
    """Return the expected minutes of a stage once: of a game, the mean with the wait."""
    if not isinstance(stage, GameStage):
        return _minutes_of_stage(stage, _max_seats(conditions) - 1)
    mean_minutes = fmean(game_minutes(c.table, design.during) for c in conditions)
    wait_minutes = max(WAITING_MINUTES, math.ceil(design.waiting.least / 60))
    if not design.waiting.least and all(c.table.people == 1 for c in conditions):
        wait_minutes = 0
    return math.ceil(mean_minutes) + wait_minutes


def _max_seats(conditions: Sequence[ConditionPlan]) -> int:
    return max(len(rulesets.get(condition.table.ruleset).deck) for condition in conditions)


def _minutes_of_stage(stage: Stage, other_players: int) -> int:
    """Return the expected minutes of a stage without a game."""
    match stage:
        case stages.ConsentStage():
            return CONSENT_MINUTES
        case stages.DebriefingStage():
            return DEBRIEFING_MINUTES
        case stages.PracticeStage():
            return stage.minutes or PRACTICE_MINUTES
        case stages.RulesStage():
            return RULES_MINUTES + math.ceil(stage.quiz.questions * QUIZ_QUESTION_S / 60)
        case stages.RatingsStage():
            return math.ceil(stage.items * RATING_S / 60)
        case _:
            item_count = sum(
                _count_items(ref, other_players) for ref in getattr(stage, "instruments", ())
            )
            return max(1, math.ceil(item_count * ITEM_S / 60))


def _count_items(instrument_ref: str | dict[str, Any], other_players: int) -> int:
    """Return the number of questions of an instrument (a key or its data), 0 if unknown."""
    try:
        instrument = instruments.resolve(instrument_ref, {})
    except (LookupError, TypeError):
        return 0
    return len(instrument.dimensions) * (other_players if instrument.is_about_each_player else 1)


def max_minutes(design: Design, minutes_of: Callable[[Stage], int], *, extra: int = 100) -> int:
    """Return the most minutes that a participant can take for the study.

    A stage without a time limit counts with its expected minutes (`minutes_of`), and a game with
    the longest wait before it. Time limits are `extra` per cent of the usual ones.
    """
    total = 0
    for stage in design.stages:
        minutes = minutes_of(stage)
        if isinstance(stage, GameStage):
            minutes = math.ceil(minutes * extra / 100) + math.ceil(design.waiting.most / 60)
        elif stage.minutes:
            minutes = math.ceil(stage.minutes * extra / 100)
        total += minutes * _occurrences(design, stage)
    return total


def _occurrences(design: Design, stage: Stage) -> int:
    """Return how often a participant is at the stage."""
    return design.assignment.games_each if stage.each_game or isinstance(stage, GameStage) else 1


def max_bonus_or_zero(design: Design) -> Decimal:
    """Return the highest possible sum of a participant's bonuses, 0 if it cannot be computed."""
    try:
        conditions = build_conditions(design)
        return sum(
            (_max_of_bonus(bonus, design, conditions) for bonus in design.bonuses), Decimal(0)
        )
    except (Refused, LookupError, TypeError):
        return Decimal(0)


def _max_of_bonus(bonus: Bonus, design: Design, conditions: Sequence[ConditionPlan]) -> Decimal:
    games_each = design.assignment.games_each
    if bonus.rule != "guessed_human":
        return bonus_amount(bonus, games_each)
    other_players = _max_seats(conditions) - 1
    asking_stages = [
        stage
        for stage in design.stages
        if any(i.answer == "human" for q in stage_instruments(stage, {}) for i in q.items)
    ]
    asks_after_each_game = any(stage.each_game for stage in asking_stages)
    games = games_each if asks_after_each_game else min(len(asking_stages), 1)
    return bonus_amount(bonus, other_players * games)


def expected_requests(table: TableDesign) -> int:
    """Return the expected number of requests to language models of a game at the table."""
    return round(sum(requests_by_backend(table).values()))


def requests_by_backend(table: TableDesign) -> dict[str, float]:
    """Return backend -> expected number of requests of a game, without built-in players."""
    game = game_length(table.ruleset, table.settings)
    deck = rulesets.get(table.ruleset).deck
    seats = len(deck)
    answers = game.statements + game.polls + game.votes + game.looks
    counts: dict[str, float] = {}
    for seat in _computer_seats(table, seats):
        # The roles of the seats are those of the deck. Another deal changes the sum only if the
        # casting has both roles and seats.
        casting = {**table.casting.get(deck[seat - 1], {}), **table.casting.get(str(seat), {})}
        backend = casting.get("backend") or table.backend
        method = METHODS.get(casting.get("method") or table.method)
        faculty_names = method.own_faculties if method else ()
        prepared = sum(game.faculties.get(name, 0) for name in faculty_names)
        # One seat at a time holds the badge, and each seat about as often.
        office_share = 1 / seats if (office := table.backends.get(OFFICE)) else 0
        for name, share in ((backend, 1 - office_share), (office, office_share)):
            if name and name != backends.HOUSE and share:
                counts[name] = counts.get(name, 0) + share * (answers + prepared) / seats
    return counts


def _computer_seats(table: TableDesign, seats: int) -> list[int]:
    """Return the seats of computer players. Drawn seats of people count as the first seats."""
    people = table.people_seats or range(1, min(table.people, seats) + 1)
    return [seat for seat in range(1, seats + 1) if seat not in people]
