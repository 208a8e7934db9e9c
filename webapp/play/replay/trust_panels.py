"""One computer player's trust in the others at a line, and its reasons (SPEC 2.6).

Notes hold positions in the player's own view. The page shows lines of the displayed transcript
(`_line`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from functools import cached_property

from django.utils.translation import gettext as _

from agents.mind import Mind, Note
from agents.reliability_scale import FACULTY, reliability, scores_of
from agents.reliability_scores import BELIEF_THRESHOLD
from game.engine import visibility
from game.engine.forms import UNCERTAIN
from webapp.play.page.narrator import Narrator
from webapp.play.page.sentences import role_name
from webapp.play.page.transcript_parts import Seat
from webapp.play.replay.heat_panels import trust_cell
from webapp.play.replay.replay_parts import (
    Course,
    CourseCell,
    CourseRow,
    Line,
    RoleBelief,
    Scoring,
    Trust,
)
from webapp.play.replay.viewer_transcript import ReplayedGame, ReplayPoint, ViewerTranscript


class TrustPanel:
    """The reliability scores of one seat at one line. hunted: from the ruleset's pack."""

    def __init__(
        self,
        replayed: ReplayedGame,
        transcript: ViewerTranscript,
        moment: ReplayPoint,
        seats: Mapping[int, Seat],
        seat: int,
        mind: Mind,
        hunted: tuple[str, ...],
    ) -> None:
        self.replayed, self.told, self.moment = replayed, transcript, moment
        self.seat, self.hunted = seat, hunted
        self.others = [other_seat for number, other_seat in seats.items() if number != seat]
        self.role = moment.view.state.roles.get(seat, "")
        notes = mind.of(FACULTY)
        self.notes = [n for n in notes if n.data.get("standing") or n.data.get("failed")]

    def now(self, window: str) -> Trust | None:
        """Return its present judgement of each of the others.

        window: the line's own, if the line is this player's.
        """
        if not self.notes:
            return None
        here = next((n for n in self.notes if window and n.window == window), None)
        rows = [self._trusted(other_seat, here) for other_seat in self.others]
        lost = bool(here and here.data.get("failed"))
        return Trust(rows, asked=here is not None, lost=lost, believed=BELIEF_THRESHOLD)

    def _trusted(self, other_seat: Seat, here: Note | None) -> RoleBelief:
        for note in reversed(self.notes):
            for rating, row in zip(scores_of(note.data), note.data.get("ratings", ()), strict=True):
                if rating.seat == other_seat.number:
                    return RoleBelief(
                        other_seat,
                        self._role(rating.role),
                        rating.confidence,
                        reliability(rating, self.role, self.hunted),
                        self._lines(row.get("evidence", ())),
                        unchanged=here is not None and note is not here,
                    )
        return RoleBelief(other_seat)

    def _role(self, key: str) -> str:
        return _("can’t tell") if key == UNCERTAIN else role_name(self.replayed.ruleset.name, key)

    def course(self) -> Course | None:
        """Return the scores after each judgement, and the others' statements in between."""
        if not any(n.data.get("standing") for n in self.notes):
            return None
        columns, cells, m, seen_upto = [], [], dict[int, int](), 0
        for note in self.notes:
            new_scores = {
                r.seat: reliability(r, self.role, self.hunted) for r in scores_of(note.data)
            }
            m |= new_scores
            upto = int(note.data.get("upto") or self._asked_at(note) or seen_upto)
            cells.append(self._cells(m, new_scores, seen_upto, upto))
            columns.append(self._scoring(note, upto))
            seen_upto = max(seen_upto, upto)
        after = self._cells({}, {}, seen_upto, len(self.own.view.events))
        if any(cell.spoken for cell in after):
            columns.append(Scoring(0, 0, ""))
            cells.append(after)
        rows = zip(self.others, zip(*cells, strict=True), strict=True)
        return Course(columns, [CourseRow(other_seat, list(row)) for other_seat, row in rows])

    def _cells(
        self, m: Mapping[int, int], new_scores: Mapping[int, int], seen_upto: int, upto: int
    ) -> list[CourseCell]:
        """Return a cell per player: the score, and the statements in (`seen_upto`, `upto`].

        Both are positions in its own view.
        """
        course_cells = []
        for other_seat in self.others:
            number = other_seat.number
            at = [p for p in self._spoken.get(number, ()) if seen_upto < p <= upto]
            lines = [line for line in self._lines(at) if line.at <= self.moment.at]
            course_cells.append(CourseCell(trust_cell(m.get(number)), number in new_scores, lines))
        return course_cells

    def _scoring(self, note: Note, upto: int) -> Scoring:
        """Return the line of the answer for which it judged, or of what it had seen by then."""
        events = enumerate(self.own.view.events[upto:], upto + 1)
        own = (
            p
            for p, e in events
            if e.data.get("window") == note.window and e.data.get("seat") == self.seat
        )
        at = min(self._line(next(own, upto)), self.moment.at)
        icon = Narrator.of(self.moment.view).icon(note.moment.phase)
        return Scoring(at, note.moment.day, icon, lost=bool(note.data.get("failed")))

    def _asked_at(self, note: Note) -> int:
        """Return the position in its own view at which a note's window opened, 0 for none."""
        opened = self.own.view.positions_by_kind.get("window_opened", ())
        return next((p for p in opened if self.own.view.events[p - 1]["key"] == note.window), 0)

    # -- from its own view to the lines of the displayed transcript

    @cached_property
    def own(self) -> ViewerTranscript:
        return self.replayed.transcript_of(visibility.seat(self.seat))

    @cached_property
    def _spoken(self) -> dict[int, list[int]]:
        """Return each seat's positions of statements in its own view."""
        positions_by_seat: dict[int, list[int]] = {}
        for turn in self.own.view.turns:
            positions_by_seat.setdefault(turn.seat, []).append(turn.position)
        return positions_by_seat

    @cached_property
    def _positions(self) -> tuple[list[int], list[int]]:
        """Return the positions in the whole log of its own events, and of the events that begin
        lines.
        """
        shown_positions = self.replayed.log_positions(self.told.viewer)
        lines = [shown_positions[e.position - 1] for e in self.told.entries]
        return self.replayed.log_positions(self.own.viewer), lines

    def _line(self, position: int) -> int:
        """Return the line that shows the event at that position of its own view."""
        own, lines = self._positions
        return max(1, bisect_right(lines, own[position - 1]) if position else 1)

    def _lines(self, positions: list[int]) -> list[Line]:
        line_numbers = sorted(
            {self._line(p) for p in positions if 1 <= p <= len(self._positions[0])}
        )
        entries = self.told.entries
        return [Line(at, entries[at - 1].speaker) for at in line_numbers]
