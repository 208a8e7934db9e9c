"""What the replay shows: plain data between the log, the minds' rows and the templates."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate

from agents.memory_retrieval import WEIGHTS
from webapp.play.page.agent_cards import Bar
from webapp.play.page.transcript_parts import Phase, Seat, TranscriptLine


@dataclass(frozen=True)
class Sight:
    """A way to look at the game.

    `key` as in the address: "public", "moderator", a seat number.
    """

    key: str
    name: str
    at: int  # the line that shows this viewer the present moment
    now: bool


@dataclass(frozen=True)
class Chapter:
    """A phase, or a whole day, that one can go to."""

    title: str
    at: int
    now: bool


@dataclass(frozen=True)
class TallyRow:
    """The voters for `seat` by now, none: for nobody; (order of telling, voter)."""

    seat: Seat | None
    voters: list[tuple[int, Seat]]


@dataclass(frozen=True)
class HeatCell:
    """A coloured cell.

    `step` is the colour: -4..4 of a favor or of how far one is believed, 0..8 of a probability.
    """

    text: str  # "": nothing is known
    step: int
    true: bool = False  # a role that its player really had


@dataclass(frozen=True)
class Row:
    """One player's cells.

    Returns None of oneself (`HeatCell` None).
    """

    seat: Seat
    cells: list[HeatCell | None]
    now: bool = False  # the one who speaks


@dataclass(frozen=True)
class ReplayStep:
    """A heat as it was in one round, in colours alone.

    `at` is the line that shows it.
    """

    title: str
    at: int
    rows: list[list[int | None]]
    now: bool


@dataclass(frozen=True)
class Heat:
    """A table of favor or trust: rows feel, columns are felt for.

    key: the faculty.
    """

    key: str
    title: str
    text: str  # how to read it
    columns: list[Seat]
    rows: list[Row]
    steps: list[ReplayStep]


@dataclass(frozen=True)
class Judged:
    """How likely everyone holds which role."""

    roles: list[tuple[str, str]]  # (key, name)
    rows: list[Row]


@dataclass(frozen=True)
class Guess:
    """A plan's guess about a player; `side`: "teammate" | "opponent" | ""."""

    seat: Seat
    role: str
    side: str


@dataclass(frozen=True)
class Recalled:
    """A retrieved statement with its three scores of 0 to 1, and their sum."""

    turn: int
    speaker: Seat
    text: str  # "" where the host took them out
    at: int  # the line where they were said
    recency: float
    importance: float
    fondness: float
    score: float

    @property
    def parts(self) -> list[float]:
        """The figures times their weights, as they are shown: two digits."""
        figures = (self.recency, self.importance, self.fondness)
        return [round(w * x, 2) for w, x in zip(WEIGHTS, figures, strict=True)]

    @property
    def sum(self) -> float:
        return sum(self.parts)

    @property
    def bars(self) -> list[tuple[float, float]]:
        """Return where each part's bar begins and how long it is, one after the other."""
        ends = list(accumulate(self.parts))
        return [(end - part, part) for end, part in zip(ends, self.parts, strict=True)]


@dataclass(frozen=True)
class Weighed:
    """How much a built-in player wanted somebody out when it voted, in points of a hundred."""

    seat: Seat
    parts: list[float]  # as `PARTS` of mind_panels.py names them; one digit
    chosen: bool

    @property
    def sum(self) -> float:
        return sum(self.parts)


@dataclass(frozen=True)
class Line:
    """A line that one can go to.

    `speaker`: whose it is, where it is anybody's.
    """

    at: int
    speaker: Seat | None


@dataclass(frozen=True)
class Trusted:
    """The role one player is taken for, and by which lines; no role: not judged yet.

    confidence: 5..10. score: how far that player's words are relied on, 1..10.
    """

    seat: Seat
    role: str = ""
    confidence: int = 0
    score: int = 0
    evidence: list[Line] = field(default_factory=list)
    unchanged: bool = False  # judged before, and not anew for this line


@dataclass(frozen=True)
class Trust:
    """The players whom one computer player believes: those scored above `believed`.

    asked: it was asked for this line. lost: and its answer could not be had.
    """

    rows: list[Trusted]
    asked: bool
    lost: bool
    believed: int


@dataclass(frozen=True)
class Scoring:
    """A time when it judged the others, for line `at`.

    0: since it last did.
    """

    at: int
    day: int
    icon: str
    lost: bool = False


@dataclass(frozen=True)
class CourseCell:
    """A player's score then, `fresh` or as before, with the lines since the time before."""

    score: HeatCell
    fresh: bool
    spoken: list[Line]


@dataclass(frozen=True)
class CourseRow:
    seat: Seat
    cells: list[CourseCell]


@dataclass(frozen=True)
class Course:
    """How far one player relied on each of the others, over the game."""

    columns: list[Scoring]
    rows: list[CourseRow]


@dataclass(frozen=True)
class Message:
    role: str
    text: str


@dataclass(frozen=True)
class Asking:
    """One request to a backend, as far as it may be shown."""

    step: str  # "answer/first" …: tells those of one window apart
    kind: str  # in words
    preparing: bool  # before the round, not for this line
    backend: str
    model: str
    facts: list[tuple[str, str]]  # tokens, latency, retries …: (name, value)
    failure: str
    messages: list[Message]  # the prompt
    given: str  # JSON: what a backend without a prompt was given
    answer: str
    withheld: bool  # the host took words out that this may repeat
    reason: str = ""  # why it chose so, in its own words; nobody at the table saw it


@dataclass(frozen=True)
class MindPanel:
    """One computer player's mind at one line."""

    seat: Seat
    here: bool  # the line is its own: what it retrieved and asked belongs to it
    said: TranscriptLine | None
    bars: list[Bar]
    adjectives: str
    persona: str  # as it was told to the backend
    judged: Judged | None
    plan: str
    guesses: list[Guess]
    stance: list[tuple[str, str]]  # of the house player: (name, value)
    recalled: list[Recalled]
    askings: list[Asking]
    parts: list[str] = field(default_factory=list)  # the columns of `weighed`
    weighed: list[Weighed] = field(default_factory=list)  # highest first
    trust: Trust | None = None
    course: Course | None = None
    weights: list[tuple[str, float]] = field(default_factory=list)  # of memory: (name, at most)

    @property
    def most(self) -> float:
        """The points that a memory can have."""
        return sum(weight for _name, weight in self.weights)


@dataclass(frozen=True)
class Minds:
    """The panel: everyone's favors and whom they believe, and one mind."""

    heats: list[Heat]
    mind: MindPanel | None


@dataclass(frozen=True)
class Replay:
    """A finished game at line `at` of `last`, as `eyes` saw it."""

    game: str
    ruleset_title: str
    sight: str  # key of the one through whose eyes
    eyes: Seat | None  # none: the public, or the all-knowing
    at: int
    last: int
    told: str  # the present line in words, for readers aloud
    phase: Phase
    seats: list[Seat]
    entries: list[TranscriptLine]  # up to the present line
    sights: list[Sight]
    days: list[Chapter]  # of a game of several; then `chapters` are those of the present one
    chapters: list[Chapter]
    minds: Minds | None = None  # for those who look inside any
    tally: list[TallyRow] = field(default_factory=list)  # the votes, while they are told
    gone: list[int] = field(default_factory=list)  # the seats that the tally's votes put out

    @property
    def previous(self) -> int:
        return max(1, self.at - 1)

    @property
    def next(self) -> int:
        return min(self.last, self.at + 1)
