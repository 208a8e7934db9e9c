"""How a game ended: who won and why, each seat's role, the last vote, the days."""

from __future__ import annotations

from dataclasses import dataclass, field

from webapp.play.page.transcript_parts import Seat


@dataclass(frozen=True)
class EndRow:
    """One seat at the end: its role, what it knew, whom it voted for, who voted for it."""

    seat: Seat
    role: str
    role_key: str
    team: str
    won: bool
    knew: list[str]
    voted_for: Seat | None
    voters: list[Seat]
    vote_label: str = ""  # "time ran out: drawn by lot"; "" at a blind table


@dataclass(frozen=True)
class Ballot:
    """One seat in the last vote, and who voted for it: (place in the order of telling, voter)."""

    seat: Seat
    voters: list[tuple[int, Seat]]


@dataclass(frozen=True)
class Telling:
    """The last vote as it is told step by step where a game has just ended (`ending.js`)."""

    ballots: list[Ballot]  # in seat order
    tally: str  # "Delta has 5 votes, Beta 3."
    tie: str  # how a tie was decided, "" where there was none
    out: str  # who is out
    was: str  # what they were, "" where nobody learns it
    gone: list[int]  # the seats that are out


@dataclass(frozen=True)
class CourseVotes:
    """The voters for `seat` in one ballot. seat is None for those who chose nobody."""

    seat: Seat | None
    voters: list[Seat]


@dataclass(frozen=True)
class CourseRow:
    """Something that decided the game, or a ballot with its name and votes."""

    text: str
    votes: list[CourseVotes]
    secret: bool = False  # the table did not see it


@dataclass(frozen=True)
class CourseDay:
    """The events of one day and of the night before it."""

    title: str
    rows: list[CourseRow]


@dataclass(frozen=True)
class End:
    """The end of a game (`#end`). `result`: "won" | "lost" | "" for a watcher."""

    ruleset: str
    headline: str
    why: str
    result: str
    said: str  # "You won.", for a live region; "" for a watcher
    telling: Telling | None
    winner_key: str  # team key
    rows: list[EndRow]
    chart: str  # inline SVG of the votes: who voted for whom; "" where `course` tells them
    can_repeat: bool
    can_erase: bool = False  # the viewer sat here, and may take back what they said
    share: str = ""  # the daily deal's result in a line, without seats and roles
    course: list[CourseDay] = field(default_factory=list)  # of a game that was more than one vote
