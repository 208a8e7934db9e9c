"""One player's trust in the others in a replay: the judgement at a line, and its course.

The notes of a player's mind hold positions in the player's own view. `TrustPanel._line_at` converts
them to lines of the transcript on the page.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from django.utils.translation import gettext as _

from agents.decision import Mind, Note
from agents.faculties.reliability import BELIEF_THRESHOLD
from agents.packs import pack_of
from agents.reliability_scale import FACULTY, ratings_in_note, reliability
from game.engine import visibility
from game.engine.events import UNCERTAIN
from webapp.play.page.narrator import Narrator, role_name
from webapp.play.page.transcript_parts import Seat
from webapp.play.replay.heat_tables import HeatCell, trust_cell
from webapp.play.replay.viewer_transcript import ReplayPoint, ViewerTranscript


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


class TrustPanel:
    """Builds the trust of the player in `seat` in the others at one line."""

    def __init__(self, point: ReplayPoint, seat: int, mind: Mind) -> None:
        self.point, self.transcript, self.seat = point, point.transcript, seat
        self.ruleset_name = point.replayed.ruleset.name
        self.hunted = pack_of(point.replayed.ruleset).hunted
        self.others = [other_seat for number, other_seat in point.seats.items() if number != seat]
        self.role = point.view.state.roles.get(seat, "")
        notes = mind.of(FACULTY)
        self.notes = [n for n in notes if n.data.get("standing") or n.data.get("failed")]

    def build_trust(self, window: str) -> TrustTable | None:
        """Build the player's present judgement of each of the others.

        `window` is the line's window if the line is this player's, else "".
        """
        if not self.notes:
            return None
        of_line = next((n for n in self.notes if window and n.window == window), None)
        return TrustTable(
            rows=[self._build_belief(other_seat, of_line) for other_seat in self.others],
            has_ratings=of_line is not None,
            has_failed=bool(of_line and of_line.data.get("failed")),
            belief_threshold=BELIEF_THRESHOLD,
        )

    def _build_belief(self, other_seat: Seat, of_line: Note | None) -> RoleBelief:
        """Build the newest judgement of a player. `of_line` is the judgement for the line."""
        for note in reversed(self.notes):
            ratings, rows = ratings_in_note(note.data), note.data.get("ratings", ())
            for rating, row in zip(ratings, rows, strict=True):
                if rating.seat == other_seat.number:
                    is_uncertain = rating.role == UNCERTAIN
                    name = "" if is_uncertain else role_name(self.ruleset_name, rating.role)
                    return RoleBelief(
                        other_seat,
                        name or _("can’t tell"),
                        rating.confidence,
                        reliability(rating, self.role, self.hunted),
                        self._build_lines(row.get("evidence", ())),
                        is_unchanged=of_line is not None and note is not of_line,
                    )
        return RoleBelief(other_seat)

    def build_course(self) -> TrustCourse | None:
        """Build the scores after each judgement, and the others' statements in between."""
        if not any(n.data.get("standing") for n in self.notes):
            return None
        judgements, columns = [], []
        scores: dict[int, int] = {}  # seat -> its latest score
        seen_upto = 0  # the position up to which the statements are in a column
        for note in self.notes:
            new_scores = {
                r.seat: reliability(r, self.role, self.hunted) for r in ratings_in_note(note.data)
            }
            scores |= new_scores
            upto = int(note.data.get("upto") or self._opened_at(note) or seen_upto)
            columns.append(self._build_column(scores, new_scores, seen_upto, upto))
            judgements.append(self._build_judgement(note, upto))
            seen_upto = max(seen_upto, upto)
        last_column = self._build_column({}, {}, seen_upto, len(self.own_transcript.view.events))
        if any(cell.spoken for cell in last_column):
            judgements.append(Judgement(0, 0, ""))
            columns.append(last_column)
        rows = zip(self.others, zip(*columns, strict=True), strict=True)
        return TrustCourse(judgements, [TrustCourseRow(seat, list(cells)) for seat, cells in rows])

    def _build_column(
        self, scores: Mapping[int, int], new_scores: Mapping[int, int], seen_upto: int, upto: int
    ) -> list[TrustCourseCell]:
        """Build a cell per player: the score, and the statements in (`seen_upto`, `upto`].

        Both are positions in the player's own view.
        """
        cells = []
        for other_seat in self.others:
            number = other_seat.number
            at = [p for p in self._statement_positions.get(number, ()) if seen_upto < p <= upto]
            lines = [line for line in self._build_lines(at) if line.at <= self.point.line_number]
            cell = trust_cell(scores.get(number))
            cells.append(TrustCourseCell(cell, number in new_scores, lines))
        return cells

    def _build_judgement(self, note: Note, upto: int) -> Judgement:
        """Build the head of a judgement. Its line is the answer that it was made for, if any."""
        events = enumerate(self.own_transcript.view.events[upto:], upto + 1)
        key = (note.window, self.seat)
        answers = (p for p, e in events if (e.data.get("window"), e.data.get("seat")) == key)
        at = min(self._line_at(next(answers, upto)), self.point.line_number)
        icon = Narrator.of(self.point.view).phase_icon(note.moment.phase)
        return Judgement(at, note.moment.day, icon, has_failed=bool(note.data.get("failed")))

    def _opened_at(self, note: Note) -> int:
        """Return the position in the player's view at which a note's window opened, or 0."""
        view = self.own_transcript.view
        opened = view.positions_by_kind.get("window_opened", ())
        return next((p for p in opened if view.events[p - 1]["key"] == note.window), 0)

    # -- from the player's own view to the lines of the displayed transcript

    @cached_property
    def own_transcript(self) -> ViewerTranscript:
        return self.point.replayed.transcript_of(visibility.seat(self.seat))

    @cached_property
    def _statement_positions(self) -> dict[int, list[int]]:
        """Each seat's statements, as positions in the player's own view."""
        positions_by_seat: dict[int, list[int]] = {}
        for turn in self.own_transcript.view.turns:
            positions_by_seat.setdefault(turn.seat, []).append(turn.position)
        return positions_by_seat

    @cached_property
    def _own_log_positions(self) -> list[int]:
        """The positions of the player's events in the whole log."""
        return self.point.replayed.log_positions(self.own_transcript.viewer)

    @cached_property
    def _line_log_positions(self) -> list[int]:
        """The positions of the lines' events in the whole log."""
        positions = self.point.replayed.log_positions(self.transcript.viewer)
        return [positions[e.position - 1] for e in self.transcript.entries]

    def _line_at(self, position: int) -> int:
        """Return the line that shows the event at that position of the player's own view."""
        if not position:
            return 1
        return max(1, bisect_right(self._line_log_positions, self._own_log_positions[position - 1]))

    def _build_lines(self, positions: list[int]) -> list[ReplayLine]:
        entries, count = self.transcript.entries, len(self._own_log_positions)
        line_numbers = {self._line_at(p) for p in positions if 1 <= p <= count}
        return [ReplayLine(at, entries[at - 1].speaker) for at in sorted(line_numbers)]
