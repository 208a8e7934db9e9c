"""What a table's page shows: plain data between the selectors and the templates.

One dataclass per partial. `webapp.play.build` fills them from a View; `templates/play/` draws
them, on first render and on every push alike, so the two can't drift apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Seat:
    """One player as this viewer may see it (`#seat-N`)."""

    number: int  # 1..n, in seat order
    name: str
    portrait: str  # static path of the SVG
    is_me: bool = False
    out: bool = False
    role: str = ""  # translated role name, where this viewer knows it
    role_key: str = ""  # "werewolf", "seer" ...: for an icon
    kind: str = ""  # "person" | "computer" | "" where the table is blind
    speaking: bool = False  # the table is waiting for this seat's statement
    typing: bool = False
    answered: bool = False  # has answered the open public window (a vote is in)
    away: bool = False
    note: str = ""  # my private note: a role key, "" for none


@dataclass(frozen=True)
class Entry:
    """One line of the transcript (`#e<position>`); position is the place in this viewer's stream.

    kind: `phase` (a phase opens: `title`, `text`), `moderator` (announcement), `private` (only this
    viewer sees it: role, companions, what the Seer learned), `statement`, `vote` (`speaker` votes
    for `target`), `out` (`speaker` is out, `role`), `over` (the result).
    """

    position: int
    kind: str
    text: str = ""
    title: str = ""
    speaker: Seat | None = None
    target: Seat | None = None
    role: str = ""
    role_key: str = ""
    silent: bool = False  # a statement without words: "said nothing"
    label: str = ""  # translated: "time ran out" ...; "" at a blind table
    night: bool = False


@dataclass(frozen=True)
class Phase:
    """Where the game is (`#phase`). `key`: "night" | "talk" | "vote" | "over"."""

    key: str
    title: str  # "Night", "Day 1, round 2 of 3", "The vote"
    night: bool
    steps: list[tuple[str, str]] = field(default_factory=list)  # (label, "done" | "now" | "ahead")


@dataclass(frozen=True)
class Awaited:
    """What the table waits for, in one sentence (`#awaited`, announced politely)."""

    text: str
    mine: bool = False  # it is waiting for this viewer
    answered: int = 0
    asked: int = 0  # 0: no count to show
    deadline: str = ""  # ISO-8601 UTC, "" for none: the page counts down to it
    default: str = ""  # what happens at the deadline


@dataclass(frozen=True)
class Me:
    """My role and everything I privately know (`#me`); absent for a watcher."""

    seat: Seat
    role: str
    role_key: str
    team: str
    goal: str
    knows: list[str]


@dataclass(frozen=True)
class Turn:
    """The part of the composer that changes (`#turn`).

    The textarea itself (`#composer`) is never replaced by a push, so that a draft and the
    focus stay. `window` is "" while others speak: then one may draft, not send.
    """

    window: str
    max_words: int
    may_skip: bool = False
    may_over: bool = False
    hint: str = ""


@dataclass(frozen=True)
class Option:
    value: str
    label: str
    seat: Seat | None = None
    chosen: bool = False


@dataclass(frozen=True)
class Choice:
    """A form with `count` picks among `options` (`#choice`): vote, divination, poll ..."""

    window: str
    kind: str  # "vote" | "divination" | "poll" ...
    title: str
    help: str
    count: int  # 1: radio buttons; more: checkboxes, exactly `count`
    options: list[Option]
    may_abstain: bool = False
    answered: bool = False  # my answer is in; it can be changed until the window closes
    submit: str = ""


@dataclass(frozen=True)
class NoteRow:
    seat: Seat
    value: str  # role key
    text: str


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


@dataclass(frozen=True)
class End:
    """The end of a game (`#end`). `result`: "won" | "lost" | "" for a watcher."""

    headline: str
    why: str
    result: str
    winner_key: str  # team key
    rows: list[EndRow]
    chart: str  # inline SVG of the votes: who voted for whom
    can_repeat: bool


@dataclass(frozen=True)
class Page:
    game: str  # public id, in addresses
    ruleset: str
    ruleset_title: str
    cursor: int  # how many of this viewer's events are on the page
    phase: Phase
    seats: list[Seat]
    entries: list[Entry]
    awaited: Awaited
    me: Me | None
    turn: Turn | None
    choice: Choice | None
    notes: list[NoteRow]
    note_roles: list[tuple[str, str]]  # (role key, name) that a note can hold
    end: End | None
    draft: str = ""
    pace: str = ""
    seed: str = ""  # only where it may be shown
