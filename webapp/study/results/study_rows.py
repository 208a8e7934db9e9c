"""The data of a study's results: plain rows of games, seats, guesses, answers and votes.

They hold only data that count; `left_out` has the numbers of data that do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from webapp.measures.game_record import GameRecord

PERSON, COMPUTER, UNSURE = "person", "computer", "unsure"
HUMAN, ROLE = "human", "role"  # subject of a guess
MEAN, RIGHT, TOLD_APART, ACCURATE = "mean", "right", "told_apart", "accurate"  # what is tested
SCALE, NUMBER, CHOICE = "scale", "number", "choice"


WON = "won"  # whether a seat is of the team that won


def name_test(measure: str, item: str = "", group: str = "") -> str:
    """Return the key by which a plan names the test: "right/who-is-human.kind/computer".

    A scale of a questionnaire is named by its item alone.
    """
    return "/".join(filter(None, ("" if measure == MEAN else measure, item, group)))


@dataclass(frozen=True)
class SeatRow:
    """A seat of a game.

    kind: PERSON, COMPUTER, or "" if a computer player stood in, the kind may not be revealed yet,
    or the person does not count. who: the participant, "" for none. won: None in a game that nobody
    won.
    """

    seat: int
    kind: str
    role: str
    team: str
    won: bool | None
    survived: bool
    who: str = ""


@dataclass(frozen=True)
class GameRow:
    """A game that counts.

    deal: key of games with the same roles at the same seats. people: pseudonyms of all who played
    in it, also of those who do not count. record: for the metrics of a leader; None while kinds are
    hidden. counted: seats of people who count.
    """

    code: str
    deal: str
    condition: str
    people: tuple[str, ...] = ()
    seats: tuple[SeatRow, ...] = ()
    record: GameRecord | None = None
    counted: frozenset[int] = frozenset()


@dataclass(frozen=True)
class GuessRow:
    """A participant's guess about another seat.

    asked: HUMAN or ROLE. sure: the confidence, None if not stated.
    """

    game: str
    participant: str
    seat: int
    item: str
    asked: str
    guess: str
    truth: str
    sure: float | None = None

    @property
    def right(self) -> bool:
        return self.guess == self.truth


@dataclass(frozen=True)
class AnswerRow:
    """An answer to a questionnaire.

    game: "" for an answer about no game, whose participant has played at least one. condition: ""
    if they played in several. value: of a scale or a number. chosen: options.
    """

    participant: str
    game: str
    condition: str
    item: str
    value: float | None = None
    chosen: tuple[str, ...] = ()


@dataclass(frozen=True)
class ItemRow:
    """A question. key: `instrument.item`."""

    key: str
    label: str
    kind: str
    low: float = 0
    high: float = 0
    low_pole: str = ""
    high_pole: str = ""
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class VoteRow:
    """A vote to eliminate a player, by a player whose team wins by the exile of a hunted role.

    right: whether it named one of these.
    """

    game: str
    seat: int
    kind: str
    right: bool
    who: str = ""


@dataclass(frozen=True)
class FlowRow:
    """The people and the games of one condition.

    assigned: were offered a seat; started: a game of theirs began; under_way: of these, who are not
    out yet; completed: came to the study's end. void: games that became void, by cause. Who played
    in several conditions counts in each.
    """

    condition: str
    assigned: int = 0
    started: int = 0
    under_way: int = 0
    completed: int = 0
    withdrew: int = 0
    excluded: int = 0
    games: int = 0
    void: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class StudyRows:
    """All rows of a study.

    enrolment: how many enrolled, were screened out and were offered no seat. completed: pseudonyms
    of those who came to the end.

    told: whether kinds are told of every game. left_out: what does not count, by the key of the
    reason. planned: the confirmatory tests, as data of `PlannedTest`. plans_interim: whether a look
    half-way was planned. by_itself: it is an experiment, so the computer players are compared.
    """

    conditions: tuple[str, ...]
    games: tuple[GameRow, ...] = ()
    guesses: tuple[GuessRow, ...] = ()
    answers: tuple[AnswerRow, ...] = ()
    votes: tuple[VoteRow, ...] = ()
    items: tuple[ItemRow, ...] = ()
    told: bool = True
    people: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    enrolment: Mapping[str, int] = field(default_factory=dict)
    flow: tuple[FlowRow, ...] = ()
    completed: frozenset[str] = frozenset()
    planned: tuple[Mapping[str, Any], ...] = ()
    plans_interim: bool = False
    by_itself: bool = False
