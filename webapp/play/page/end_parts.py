"""The end of a game: winner and reason, each seat's role, the last vote, the days."""

from __future__ import annotations

from dataclasses import dataclass, field

from webapp.play.page.transcript_parts import Seat


@dataclass(frozen=True)
class EndRow:
    """One seat at the end: its role, what it knew, its vote, its voters."""

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
    """One seat in the last vote, and its voters: (position in the order of display, voter)."""

    seat: Seat
    voters: list[tuple[int, Seat]]


@dataclass(frozen=True)
class Telling:
    """The last vote, shown step by step after the end of a game (`ending.js`)."""

    ballots: list[Ballot]  # in seat order
    tally: str  # "Delta has 5 votes, Beta 3."
    tie: str  # how a tie was decided, "" if there was none
    out: str  # the name of the player who is out
    was: str  # the player's role, "" if it stays secret
    gone: list[int]  # the seats that are out


@dataclass(frozen=True)
class CourseVotes:
    """The voters for `seat` in one ballot. seat is None for abstentions."""

    seat: Seat | None
    voters: list[Seat]


@dataclass(frozen=True)
class CourseRow:
    """An event that decided the game, or a ballot with its name and votes."""

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
    can_erase: bool = False  # the viewer sat here, and may withdraw all statements
    share: str = ""  # the daily deal's result in a line, without seats and roles
    course: list[CourseDay] = field(default_factory=list)  # of a game with more than one vote
