"""The rows behind a study's results: games, seats, guesses, answers, votes.

They contain only data that count. `StudyRows.left_out` has the numbers of those that do not.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from webapp.measures.game_record import GameRecord

PERSON, COMPUTER, UNSURE = "person", "computer", "unsure"  # kinds of players, and no guess
HUMAN, ROLE = "human", "role"  # subjects of a guess: whether a person, and which role
MEAN, RIGHT, TOLD_APART, ACCURATE = "mean", "right", "told_apart", "accurate"  # tested measures
SCALE, NUMBER, CHOICE = "scale", "number", "choice"  # kinds of items
WON = "won"  # measure: whether the team of a seat won


def name_test(measure: str, item: str = "", group: str = "") -> str:
    """Return a test's key, "right/who-is-human.kind/computer", or only the item of a scale."""
    return "/".join(filter(None, ("" if measure == MEAN else measure, item, group)))


@dataclass(frozen=True)
class SeatRow:
    seat: int
    # PERSON or COMPUTER. It is "" if a computer player replaced the player, the kind is not
    # revealed yet, or the person does not count.
    kind: str
    role: str
    team: str
    won: bool | None  # whether its team won, None in a game without a winner
    survived: bool
    participant: str = ""  # the pseudonym of a person who counts, else ""


@dataclass(frozen=True)
class GameRow:
    """A game that counts."""

    code: str
    deal: str  # a key that games with the same roles at the same seats have in common
    condition: str
    # Pseudonyms of all participants who played in it, also of those who do not count.
    people: tuple[str, ...] = ()
    seats: tuple[SeatRow, ...] = ()
    # Source of the metrics of leadership; None while kinds are hidden.
    record: GameRecord | None = None
    counted: frozenset[int] = frozenset()


@dataclass(frozen=True)
class GuessRow:
    """A participant's guess about another seat."""

    game: str
    participant: str
    seat: int
    item: str
    subject: str  # HUMAN or ROLE
    guess: str  # PERSON, COMPUTER or UNSURE, or a role
    truth: str
    sure: float | None = None  # the confidence, None if it is not stated

    @property
    def is_right(self) -> bool:
        return self.guess == self.truth


@dataclass(frozen=True)
class AnswerRow:
    participant: str
    game: str  # "" for an answer about no game. The participant has played at least one.
    condition: str  # "" if the participant played in several
    item: str
    value: float | None = None  # the answer to a scale or a number
    chosen: tuple[str, ...] = ()


@dataclass(frozen=True)
class ItemRow:
    key: str  # "instrument.item"
    label: str
    kind: str
    low: float = 0
    high: float = 0
    low_pole: str = ""
    high_pole: str = ""
    # Key -> label of the options of a CHOICE.
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Observation:
    """One value in a game."""

    value: float
    game: str
    participant: str
    side: str = ""  # what is compared: a condition or a kind of player
    # The participant played in several, so the value belongs to none.
    has_several_conditions: bool = False


@dataclass(frozen=True)
class FlowRow:
    """Numbers of people and games of one condition.

    A participant who played in several conditions counts in each.
    """

    condition: str
    assigned: int = 0  # people who were offered a seat
    started: int = 0  # people whose game began
    under_way: int = 0  # those of `started` who have neither completed nor left the study
    completed: int = 0  # people who came to the study's end
    withdrew: int = 0
    excluded: int = 0
    games: int = 0
    void: Mapping[str, int] = field(default_factory=dict)  # cause -> games that became void


@dataclass(frozen=True)
class StudyRows:
    conditions: tuple[str, ...]
    games: tuple[GameRow, ...] = ()
    guesses: tuple[GuessRow, ...] = ()
    answers: tuple[AnswerRow, ...] = ()
    # Whether each vote named a player with a hunted role, by kind of voter. Only of players whose
    # team wins by the exile of a hunted role.
    votes: tuple[Observation, ...] = ()
    items: tuple[ItemRow, ...] = ()
    is_revealed: bool = True  # whether the kinds of players are revealed for every game
    people: int = 0
    # Key of a reason -> number of data that do not count.
    left_out: Mapping[str, int] = field(default_factory=dict)
    # Numbers of people: enrolled, screened_out, unassigned.
    enrolment: Mapping[str, int] = field(default_factory=dict)
    flow: tuple[FlowRow, ...] = ()
    # Pseudonyms of the participants who came to the study's end.
    completed: frozenset[str] = frozenset()
    planned: tuple[Mapping[str, Any], ...] = ()  # the confirmatory tests, as data of `PlannedTest`
    has_interim_plan: bool = False  # whether an early look at half of the games was planned
    is_experiment: bool = False  # the study is an experiment, so computer players are compared
