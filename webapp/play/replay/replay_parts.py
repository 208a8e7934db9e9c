"""The parts of the replay: plain data between the log, the minds' rows and the templates."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate

from agents.faculties.memory import SCORE_WEIGHTS
from webapp.play.page.agent_cards import FactorScore
from webapp.play.page.transcript_parts import Phase, Seat, TranscriptLine
from webapp.play.replay.contest_notes import NotePart


@dataclass(frozen=True)
class ReplayViewer:
    """A viewer of the game. `key` as in the address: "public", "moderator", a seat number."""

    key: str
    name: str
    at: int  # the line that shows this viewer the present moment
    is_current: bool


@dataclass(frozen=True)
class Chapter:
    """A phase, or a whole day, to which the replay can jump."""

    title: str
    at: int
    is_current: bool


@dataclass(frozen=True)
class TallyRow:
    """The votes for `seat` so far: (position in the order of voting, voter).

    seat is None for abstentions.
    """

    seat: Seat | None
    voters: list[tuple[int, Seat]]


@dataclass(frozen=True)
class HeatCell:
    """A coloured cell."""

    text: str  # "" if unknown
    step: int  # the colour: -4..4 of a favor or of trust, 0..8 of a probability
    is_true: bool = False  # the role is the player's real one


@dataclass(frozen=True)
class HeatRow:
    """One player's cells. The cell about itself is None."""

    seat: Seat
    cells: list[HeatCell | None]
    is_current: bool = False  # the row of the current speaker


@dataclass(frozen=True)
class ReplayStep:
    """A heat table in one round, in colours alone. `at` is the line that shows it."""

    title: str
    at: int
    rows: list[list[int | None]]
    is_current: bool


@dataclass(frozen=True)
class Heat:
    """A table of favor or trust: each row rates each column."""

    key: str  # the faculty
    title: str
    text: str  # an explanation of the table
    columns: list[Seat]
    rows: list[HeatRow]
    steps: list[ReplayStep]


@dataclass(frozen=True)
class RoleProbabilities:
    """The probability of each role for each player."""

    roles: list[tuple[str, str]]  # (key, name)
    rows: list[HeatRow]
    is_of_round: bool = False  # judged when the round began; no answer since then had a judgement


@dataclass(frozen=True)
class Guess:
    """A plan's guess of a player's role. `side`: "teammate" | "opponent" | ""."""

    seat: Seat
    role: str
    side: str


@dataclass(frozen=True)
class Recalled:
    """A retrieved statement, with the three figures that explain it.

    Each figure is 0 to 1. The score is their weighted sum.
    """

    turn: int
    speaker: Seat
    text: str  # "" if the host removed it
    at: int  # the line with the statement
    recency: float
    importance: float
    fondness: float
    score: float

    @property
    def parts(self) -> list[float]:
        """The figures times their weights, with two digits."""
        figures = (self.recency, self.importance, self.fondness)
        return [round(w * x, 2) for w, x in zip(SCORE_WEIGHTS, figures, strict=True)]

    @property
    def sum(self) -> float:
        return sum(self.parts)

    @property
    def bars(self) -> list[tuple[float, float]]:
        """Return (start, length) of each part's bar. The bars follow one after the other."""
        ends = list(accumulate(self.parts))
        return [(end - part, part) for end, part in zip(ends, self.parts, strict=True)]


@dataclass(frozen=True)
class VoteWeights:
    """How much a built-in player wanted to exile a player when it voted, in percentage points."""

    seat: Seat
    parts: list[float]  # in the order of `PARTS` in mind_panels.py; one digit
    is_chosen: bool

    @property
    def sum(self) -> float:
        return sum(self.parts)


@dataclass(frozen=True)
class ReplayLine:
    """A line to which the replay can jump. `speaker` is None if it has none."""

    at: int
    speaker: Seat | None


@dataclass(frozen=True)
class RoleBelief:
    """The role that a player is believed to have, and the lines that led to it."""

    seat: Seat
    role: str = ""  # "" if not judged yet
    confidence: int = 0  # 5..10
    score: int = 0  # the reliability of the player's statements, 1..10
    evidence: list[ReplayLine] = field(default_factory=list)
    is_unchanged: bool = False  # judged before, but not again for this line


@dataclass(frozen=True)
class Trust:
    """One computer player's trust in the others.

    Attributes:
        has_ratings: It gave ratings for this line.
        has_failed: Its answer failed.
        believed: It believes the players with a score above this.
    """

    rows: list[RoleBelief]
    has_ratings: bool
    has_failed: bool
    believed: int


@dataclass(frozen=True)
class Scoring:
    """A judgement of the others, made for line `at`. 0: the time since the last judgement."""

    at: int
    day: int
    icon: str
    has_failed: bool = False


@dataclass(frozen=True)
class TrustCourseCell:
    """A player's score at one judgement, and their statements since the previous one."""

    score: HeatCell
    is_new: bool  # judged anew, not carried over
    spoken: list[ReplayLine]


@dataclass(frozen=True)
class TrustCourseRow:
    seat: Seat
    cells: list[TrustCourseCell]


@dataclass(frozen=True)
class TrustCourse:
    """The reliability scores that one player gave each of the others, over the game."""

    columns: list[Scoring]
    rows: list[TrustCourseRow]


@dataclass(frozen=True)
class PromptMessage:
    role: str
    text: str


@dataclass(frozen=True)
class RequestPanel:
    """One request to a backend, with the parts that may be shown."""

    step: str  # "answer/first" …: distinguishes requests of one window
    kind: str  # its name for readers
    is_preparation: bool  # before the round, not for this line
    backend: str
    model: str
    facts: list[tuple[str, str]]  # tokens, latency, retries …: (name, value)
    failure: str
    messages: list[PromptMessage]  # the prompt
    input_json: str  # JSON: the input of a backend without prompts
    answer: str
    is_redacted: bool  # the host removed text that it may repeat
    reason: str = ""  # the agent's reason for the choice, which the table did not see


@dataclass(frozen=True)
class MindPanel:
    """One computer player's mind at one line."""

    seat: Seat
    is_own_line: bool  # the line is its own: its retrieved memories and requests belong to it
    line: TranscriptLine | None
    bars: list[FactorScore]
    adjectives: str
    persona: str  # as in the backend's prompt
    judged: RoleProbabilities | None
    plan: str
    guesses: list[Guess]
    stance: list[tuple[str, str]]  # of the house player: (name, value)
    recalled: list[Recalled]
    requests: list[RequestPanel]
    parts: list[str] = field(default_factory=list)  # the columns of `weighed`
    weighed: list[VoteWeights] = field(default_factory=list)  # highest first
    trust: Trust | None = None
    course: TrustCourse | None = None
    weights: list[tuple[str, float]] = field(default_factory=list)  # of memory: (name, at most)
    notes: list[NotePart] = field(default_factory=list)  # of the contest agent
    summary: str = ""  # its main suspect and the reason for its vote, as sentences

    @property
    def most(self) -> float:
        """The highest possible score of a memory."""
        return sum(weight for _name, weight in self.weights)


@dataclass(frozen=True)
class MindsPanel:
    """The panel: all favors and trust, and one mind."""

    heats: list[Heat]
    mind: MindPanel | None


@dataclass(frozen=True)
class Replay:
    """A finished game at line `at` of `last`, from the view of `viewer_seat`."""

    game: str
    ruleset_title: str
    view_key: str  # key of the view
    viewer_seat: Seat | None  # None: the public, or the all-knowing
    at: int
    last: int
    announcement: str  # the present line as text, for screen readers
    phase: Phase
    seats: list[Seat]
    entries: list[TranscriptLine]  # up to the present line
    views: list[ReplayViewer]
    days: list[Chapter]  # of a game of several days; then `chapters` are those of the present one
    chapters: list[Chapter]
    minds: MindsPanel | None = None  # for viewers who may inspect any
    statement_key: tuple[int, str] = (0, "")  # (seat, window) of the present line's statement
    tally: list[TallyRow] = field(default_factory=list)  # the votes, while they are shown
    seats_out: list[int] = field(default_factory=list)  # the seats that these votes eliminated

    @property
    def previous(self) -> int:
        return max(1, self.at - 1)

    @property
    def next(self) -> int:
        return min(self.last, self.at + 1)
