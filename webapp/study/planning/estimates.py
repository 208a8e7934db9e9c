"""What participants can expect of a study: its minutes, and the highest sum of their bonuses."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from statistics import fmean
from typing import Any

from game import clock
from game.engine import rulesets
from webapp.study.design import instruments, stages
from webapp.study.design.conditions import ConditionPlan, build_conditions, max_seats
from webapp.study.design.exits import Bonus
from webapp.study.design.participation_rules import InPlayQuestions
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design, GameStage, Stage, TableDesign
from webapp.study.sessions.bonuses import bonus_amount, human_items
from webapp.study.toml_files import read_tables

WORDS_PER_STATEMENT = 50
# Average times of a person for a statement, a choice, and the role guesses about all players.
STATEMENT_S, CHOICE_S, ROLE_GUESSES_S = 60, 20, 40
# Average times of a participant outside the game.
CONSENT_MINUTES, RULES_MINUTES, DEBRIEFING_MINUTES, WAITING_MINUTES = 2, 4, 1, 2
PRACTICE_MINUTES = 2  # length of a practice game without a time limit
QUIZ_QUESTION_S, ITEM_S, RATING_S = 20, 12, 45
ROUNDING_MINUTES = 5  # the consent page shows a multiple of these minutes


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


_MEASURED_LENGTHS = {
    name: GameLength(**data) for name, data in read_tables(__file__, "game_lengths.toml").items()
}


def game_length(ruleset: str, settings: Mapping[str, Any] | None = None) -> GameLength:
    """Return the average length of a game of the ruleset.

    Lengths are measured by ruleset, and also by settings that shorten the game. Without a measured
    length, the result is an estimate for a single day.
    """
    switched_on = (f"{ruleset}.{name}" for name, value in (settings or {}).items() if value is True)
    for key in (*switched_on, ruleset):
        if key in _MEASURED_LENGTHS:
            return _MEASURED_LENGTHS[key]
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


def game_minutes(table: TableDesign, during: InPlayQuestions) -> int:
    """Return the expected minutes of a game at the table, with the study's questions in it."""
    game = game_length(table.ruleset, table.settings)
    seats = len(rulesets.get(table.ruleset).deck)
    pace = clock.PACES["even" if table.blind else table.pace]
    # An agent's statement takes the time of its pace, and a person's at least as long.
    agent_statement_s = min(pace.statement + pace.word * WORDS_PER_STATEMENT, pace.max_statement)
    person_statement_s = max(agent_statement_s, STATEMENT_S)
    people_share = min(1.0, table.people / seats)
    mean_statement_s = agent_statement_s + people_share * (person_statement_s - agent_statement_s)
    seconds = game.statements * mean_statement_s
    seconds += game.nights * max(pace.night, CHOICE_S)
    seconds += game.ballots * max(pace.vote, CHOICE_S)
    if during.confidence:
        answers = game.answers if during.polls else game.answers - game.polls
        seconds += ROLE_GUESSES_S * answers / seats
    return math.ceil(seconds / 60)


def total_minutes(design: Design) -> int:
    """Return the expected minutes of the study, a positive multiple of 5, or 0 if incomplete."""
    try:
        conditions = build_conditions(design)
        total = sum(minutes for _stage, minutes in total_minutes_by_stage(design, conditions))
    except (Refused, LookupError):
        return 0
    return max(ROUNDING_MINUTES, ROUNDING_MINUTES * round(total / ROUNDING_MINUTES))


def total_minutes_by_stage(
    design: Design, conditions: Sequence[ConditionPlan]
) -> Iterator[tuple[Stage, int]]:
    """Yield (stage, expected minutes in all its repetitions)."""
    for stage in design.stages:
        yield stage, mean_stage_minutes(design, conditions, stage) * _occurrences(design, stage)


def mean_stage_minutes(design: Design, conditions: Sequence[ConditionPlan], stage: Stage) -> int:
    """Return the expected minutes of a stage; of a game, the mean of conditions, and the wait."""
    if not isinstance(stage, GameStage):
        return _page_minutes(stage, max_seats(conditions) - 1)
    mean_minutes = fmean(game_minutes(c.table, design.during) for c in conditions)
    wait_minutes = max(WAITING_MINUTES, math.ceil(design.waiting.least / 60))
    if not design.waiting.least and all(c.table.people == 1 for c in conditions):
        wait_minutes = 0
    return math.ceil(mean_minutes) + wait_minutes


def mean_stage_minutes_or_zero(design: Design, stage: Stage) -> int:
    """Return `mean_stage_minutes`, or 0 if they cannot be estimated."""
    try:
        return mean_stage_minutes(design, build_conditions(design), stage)
    except (Refused, LookupError):
        return 0


def _page_minutes(stage: Stage, other_players: int) -> int:
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
            refs = getattr(stage, "instruments", ())
            item_count = sum(_count_items(ref, other_players) for ref in refs)
            return max(1, math.ceil(item_count * ITEM_S / 60))


def _count_items(instrument_ref: str | dict[str, Any], other_players: int) -> int:
    """Return the number of questions of an instrument (a key or its data), 0 if unknown."""
    try:
        instrument = instruments.resolve(instrument_ref, {})
    except (LookupError, TypeError):
        return 0
    return len(instrument.dimensions) * (other_players if instrument.is_about_each_player else 1)


def max_minutes(
    design: Design, conditions: Sequence[ConditionPlan], *, time_limit_percent: int = 100
) -> int:
    """Return the most minutes that a participant can take for the study.

    A game counts with the minutes of the longest condition and the longest wait before it. Another
    stage counts with its time limit, or with its expected minutes if it has none. The
    `time_limit_percent` (a participant's `extra_time`) stretches games and time limits only.
    """
    total = 0
    for stage in design.stages:
        if isinstance(stage, GameStage):
            longest = max(game_minutes(c.table, design.during) for c in conditions)
            minutes = math.ceil(longest * time_limit_percent / 100)
            minutes += math.ceil(design.waiting.most / 60)
        elif stage.minutes:
            minutes = math.ceil(stage.minutes * time_limit_percent / 100)
        else:
            minutes = mean_stage_minutes(design, conditions, stage)
        total += minutes * _occurrences(design, stage)
    return total


def _occurrences(design: Design, stage: Stage) -> int:
    return design.assignment.games_each if stage.each_game or isinstance(stage, GameStage) else 1


def max_bonus_or_zero(design: Design) -> Decimal:
    """Return the highest sum of a participant's bonuses, 0 if the design is too incomplete."""
    try:
        conditions = build_conditions(design)
        amounts = (_max_of_bonus(bonus, design, conditions) for bonus in design.bonuses)
        return sum(amounts, Decimal(0))
    except (Refused, LookupError, TypeError):
        return Decimal(0)


def _max_of_bonus(bonus: Bonus, design: Design, conditions: Sequence[ConditionPlan]) -> Decimal:
    """Return the highest amount of a bonus: every game won or survived, every guess right."""
    games_each = design.assignment.games_each
    if bonus.rule != "guessed_human":
        return bonus_amount(bonus, games_each)
    other_players = max_seats(conditions) - 1
    guess_stages = [stage for stage in design.stages if human_items([stage], {})]
    guesses_each_game = any(stage.each_game for stage in guess_stages)
    games = games_each if guesses_each_game else min(len(guess_stages), 1)
    return bonus_amount(bonus, other_players * games)
