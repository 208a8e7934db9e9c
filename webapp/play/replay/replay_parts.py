"""The parts of the replay's page as plain data, which `templates/play/replay/` renders.

A line is counted from 1 in the transcript of the present view. Fields named `at` are such numbers.
"""

from dataclasses import dataclass, field
from itertools import accumulate

from agents.faculties.memory import SCORE_WEIGHTS
from webapp.play.page.transcript_parts import Seat


@dataclass(frozen=True)
class ReplayViewer:
    key: str  # value in the address: "public", "moderator", or a seat's number
    name: str
    at: int  # the line that shows this viewer the present moment
    is_current: bool


@dataclass(frozen=True)
class Chapter:
    """A phase, a whole day or a deciding event to which the replay can jump."""

    title: str
    at: int
    is_current: bool


@dataclass(frozen=True)
class HeatCell:
    text: str  # the figure, "" if unknown
    colour_level: int  # -4..4 for a favor or a trust score, 0..8 for a probability
    is_true: bool = False  # the role is the player's real one


@dataclass(frozen=True)
class HeatRow:
    """One player's cells. The cell about itself is None."""

    seat: Seat
    cells: list[HeatCell | None]
    is_current: bool  # the row of the current speaker


@dataclass(frozen=True)
class ReplayStep:
    """A table in one round, in colours alone."""

    title: str
    at: int  # the line that shows this state
    rows: list[list[int | None]]  # `HeatCell.colour_level`, None for cells without a figure
    is_current: bool


@dataclass(frozen=True)
class HeatTable:
    """A table of favor or trust: the player of each row rates the player of each column."""

    key: str  # key of the faculty whose notes it shows
    title: str
    text: str  # an explanation of the table
    columns: list[Seat]
    rows: list[HeatRow]
    steps: list[ReplayStep]


@dataclass(frozen=True)
class RoleProbabilities:
    roles: list[tuple[str, str]]  # (key, name)
    rows: list[HeatRow]
    is_of_round: bool  # the judgement was made at the start of the round; no later answer had one


@dataclass(frozen=True)
class RoleGuess:
    seat: Seat
    role: str
    side: str  # "teammate" | "opponent" | ""


@dataclass(frozen=True)
class RecalledStatement:
    """A statement that a mind recalled, with three figures from 0 to 1 that explain why."""

    turn: int  # number of the statement among the turns
    speaker: Seat
    text: str  # "" if the host removed it
    at: int  # the line with the statement
    recency: float
    importance: float
    fondness: float
    score: float  # the weighted sum of the figures

    @property
    def parts(self) -> list[float]:
        """The figures times their weights, with two digits."""
        figures = (self.recency, self.importance, self.fondness)
        return [round(w * x, 2) for w, x in zip(SCORE_WEIGHTS, figures, strict=True)]

    @property
    def total(self) -> float:
        return sum(self.parts)

    @property
    def bars(self) -> list[tuple[float, float]]:
        """The (start, length) of each part's bar. A bar starts where the one before ends."""
        ends = list(accumulate(self.parts))
        return [(end - part, part) for end, part in zip(ends, self.parts, strict=True)]


@dataclass(frozen=True)
class VoteWeights:
    """How much a built-in player wanted to vote for a player, in percentage points."""

    seat: Seat
    parts: list[float]  # points by `mind_panels.VOTE_PART_LABELS`, with one decimal
    is_chosen: bool

    @property
    def total(self) -> float:
        return sum(self.parts)


@dataclass(frozen=True)
class ReplayLine:
    at: int
    speaker: Seat | None  # None if the line has none


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
class TrustTable:
    rows: list[RoleBelief]
    has_ratings: bool  # the player gave ratings for this line
    has_failed: bool  # the answer with the ratings failed
    belief_threshold: int  # the player believes statements of players with a higher score


@dataclass(frozen=True)
class Judgement:
    """A judgement of the others. The last column is no judgement, but the time since."""

    at: int  # the line that it was made for; 0 in the last column
    day: int
    icon: str  # icon of the phase in which it was made
    has_failed: bool = False


@dataclass(frozen=True)
class TrustCourseCell:
    """A player's score at one judgement, and their statements since the previous one."""

    score: HeatCell
    is_new: bool  # the score was judged anew, not carried over
    spoken: list[ReplayLine]


@dataclass(frozen=True)
class TrustCourseRow:
    seat: Seat
    cells: list[TrustCourseCell]


@dataclass(frozen=True)
class TrustCourse:
    """The reliability scores that one player gave each of the others, over the game."""

    judgements: list[Judgement]  # one for each column
    rows: list[TrustCourseRow]
