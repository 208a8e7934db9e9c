"""Favor and trust in a replay: tables over all seats, and one mind's trust with its reasons.

Notes hold positions in the player's own view. `_line_at` converts them to lines of the displayed
transcript.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from django.utils.translation import gettext as _

from agents.favor_scale import INITIAL_FAVOR
from agents.mind import Mind, Note
from agents.packs import pack_of
from agents.recipe import Recipe
from agents.reliability_scale import FACULTY, ratings_in_note, reliability
from agents.reliability_scores import BELIEF_THRESHOLD, scores_after
from game.engine import visibility
from game.engine.events import Moment
from game.engine.forms import UNCERTAIN
from game.models import Player
from webapp.play.page.narrator import Narrator, role_name
from webapp.play.page.transcript_parts import Seat
from webapp.play.replay.replay_parts import (
    Heat,
    HeatCell,
    HeatRow,
    ReplayLine,
    ReplayStep,
    RoleBelief,
    Scoring,
    Trust,
    TrustCourse,
    TrustCourseCell,
    TrustCourseRow,
)
from webapp.play.replay.viewer_transcript import ReplayedGame, ReplayPoint, ViewerTranscript

FAVOR = "favor"
# The colour of a favor: points per step, and the steps on each side of INITIAL_FAVOR.
FAVOR_PER_STEP = 12.5
MAX_FAVOR_STEP = 4
MAX_TRUST_STEP = 4  # on the side of doubt; belief has as many steps as it has scores


class HeatMapBuilder:
    """Builds the tables of favor and trust at one line.

    Attributes:
        point: The line, with the view of the game at it.
        minds: The minds that the viewer may inspect, by seat.
    """

    def __init__(
        self,
        replayed: ReplayedGame,
        transcript: ViewerTranscript,
        point: ReplayPoint,
        seats: Mapping[int, Seat],
        minds: Mapping[int, Mind],
    ) -> None:
        self.replayed = replayed
        self.transcript = transcript
        self.point = point
        self.seats = seats
        self.minds = minds
        self.state = point.view.state
        self.hunted = pack_of(replayed.ruleset).hunted

    def favor(self, line_seat: int) -> Heat | None:
        """Build the table of favors. Its steps show each favor at the start of a round.

        A step counts the notes made at that start, because they prepare the round.

        Args:
            line_seat: The seat whose mind is open at the line; its row is marked.
        """
        steps = [
            (
                start,
                start,
                self.transcript.find_line_by_event_kind("phase_opened", start.phase_number),
            )
            for start in self._shown_rounds()
        ]
        text = _(
            "Each row shows how much that player likes the others, from 1 (hates) through "
            "50 (neutral) to 100 (loves)."
        )
        return self._build_heat(
            FAVOR, (_("Likes and dislikes"), text), self._favor_cells, steps, line_seat
        )

    def trust(self, line_seat: int) -> Heat | None:
        """Build the table of trust, None if no player has scores yet.

        Its steps show each score at the end of a round, and that of the present round so far. So a
        step counts no notes made at the start of the following round.
        """
        if not any(self.scores(seat) for seat in self.minds):
            return None
        rounds, ends = self._shown_rounds(), []
        for start, after in zip(rounds, [*rounds[1:], None], strict=False):
            line = (
                self.transcript.find_line_by_event_kind("phase_opened", after.phase_number) - 1
                if after
                else 0
            )
            ends.append((start, after, line or self.point.at))
        text = _(
            "Each row shows how far that player relies on what the others say, from 1 (not "
            "at all) to 10 (fully). Above {believed}, it believes them. An empty cell "
            "means: not judged yet."
        )
        title = _("Trust")
        return self._build_heat(
            FACULTY,
            (title, text.format(believed=BELIEF_THRESHOLD)),
            self._trust_cells,
            ends,
            line_seat,
        )

    def scores(self, seat: int, before: Moment | None = None) -> Mapping[int, int]:
        """Return the reliability scores that `seat` gives the others.

        Args:
            before: Use only notes made before that moment. None: all notes.
        """
        notes = [n.data for n in self.minds[seat].of(FACULTY) if not before or n.moment < before]
        return scores_after(notes, self.state.roles.get(seat, ""), self.hunted).by_seat

    # -- shared by both tables

    def _shown_rounds(self) -> Sequence[Moment]:
        return self.state.rounds if len(self.state.rounds) > 1 else ()

    def _build_heat(
        self,
        faculty: str,
        heading: tuple[str, str],
        cells: Callable[[int, Moment | None], list[HeatCell | None]],
        steps: Iterable[tuple[Moment, Moment | None, int]],
        line_seat: int,
    ) -> Heat | None:
        """Build a table, None if no seat has the faculty.

        Args:
            heading: The title and the explanation.
            cells: Returns a seat's row from the notes until a moment (None: all).
            steps: (the round, the moment until which notes count, the line that shows it).
        """
        shown_seats = [seat for seat in self.minds if self._has_faculty(faculty, seat)]
        if not shown_seats:
            return None
        rows = [HeatRow(self.seats[s], cells(s, None), s == line_seat) for s in shown_seats]
        steps_shown = [
            self._build_step(start, [cells(s, end) for s in shown_seats], at)
            for start, end, at in steps
        ]
        return Heat(faculty, *heading, list(self.seats.values()), rows, steps_shown)

    def _has_faculty(self, faculty: str, seat: int) -> bool:
        player = next(p for p in self.replayed.players if p.seat == seat)
        has_faculty = (
            player.kind == Player.AGENT and faculty in Recipe.of(player.recipe or {}).faculties
        )
        return has_faculty or any(n.data for n in self.minds[seat].of(faculty)[-1:])

    def _build_step(self, start: Moment, rows: list[list[HeatCell | None]], at: int) -> ReplayStep:
        text = _("Round {number}") if start.round else _("Day {number}")
        colours = [[cell.step if cell and cell.text else None for cell in row] for row in rows]
        step_text = text.format(number=start.round or start.day)
        return ReplayStep(step_text, at, colours, start == self.state.rounds[-1])

    def _favor_cells(self, seat: int, until: Moment | None) -> list[HeatCell | None]:
        notes = [n for n in self.minds[seat].of(FAVOR) if until is None or n.moment <= until]
        favors = notes[-1].data.get(FAVOR, {}) if notes else {}
        favor_cells: list[HeatCell | None] = []
        for other_seat in self.seats:
            favor = float(favors.get(str(other_seat), INITIAL_FAVOR))
            step = round((favor - INITIAL_FAVOR) / FAVOR_PER_STEP)
            step = max(-MAX_FAVOR_STEP, min(MAX_FAVOR_STEP, step))
            cell = HeatCell(str(round(favor)), step)
            favor_cells.append(None if other_seat == seat else cell)
        return favor_cells

    def _trust_cells(self, seat: int, before: Moment | None) -> list[HeatCell | None]:
        scores = self.scores(seat, before)
        return [
            None if other_seat == seat else trust_cell(scores.get(other_seat))
            for other_seat in self.seats
        ]


def trust_cell(score: int | None) -> HeatCell:
    """Build the cell of a score of 1 to 10: warm for belief, cold for doubt, empty for None."""
    if score is None:
        return HeatCell("", 0)
    step = score - BELIEF_THRESHOLD
    return HeatCell(str(score), step if step > 0 else max(-MAX_TRUST_STEP, step - 1))


class TrustPanel:
    """Builds the trust of one seat in the others at one line.

    Args:
        hunted: From the ruleset's pack.
    """

    def __init__(
        self,
        replayed: ReplayedGame,
        transcript: ViewerTranscript,
        point: ReplayPoint,
        seats: Mapping[int, Seat],
        seat: int,
        mind: Mind,
        hunted: tuple[str, ...],
    ) -> None:
        self.replayed, self.transcript, self.point = replayed, transcript, point
        self.seat, self.hunted = seat, hunted
        self.others = [other_seat for number, other_seat in seats.items() if number != seat]
        self.role = point.view.state.roles.get(seat, "")
        notes = mind.of(FACULTY)
        self.notes = [n for n in notes if n.data.get("standing") or n.data.get("failed")]

    def build_trust(self, window: str) -> Trust | None:
        """Build the player's present judgement of each of the others.

        Args:
            window: The line's window if the line is this player's, else "".
        """
        if not self.notes:
            return None
        here = next((n for n in self.notes if window and n.window == window), None)
        rows = [self._build_belief(other_seat, here) for other_seat in self.others]
        has_failed = bool(here and here.data.get("failed"))
        return Trust(
            rows, has_ratings=here is not None, has_failed=has_failed, believed=BELIEF_THRESHOLD
        )

    def _build_belief(self, other_seat: Seat, here: Note | None) -> RoleBelief:
        for note in reversed(self.notes):
            for rating, row in zip(
                ratings_in_note(note.data), note.data.get("ratings", ()), strict=True
            ):
                if rating.seat == other_seat.number:
                    return RoleBelief(
                        other_seat,
                        _("can’t tell")
                        if rating.role == UNCERTAIN
                        else role_name(self.replayed.ruleset.name, rating.role),
                        rating.confidence,
                        reliability(rating, self.role, self.hunted),
                        self._build_lines(row.get("evidence", ())),
                        is_unchanged=here is not None and note is not here,
                    )
        return RoleBelief(other_seat)

    def build_course(self) -> TrustCourse | None:
        """Build the scores after each judgement, and the others' statements in between."""
        if not any(n.data.get("standing") for n in self.notes):
            return None
        columns, cells, scores, seen_upto = [], [], dict[int, int](), 0
        for note in self.notes:
            new_scores = {
                r.seat: reliability(r, self.role, self.hunted) for r in ratings_in_note(note.data)
            }
            scores |= new_scores
            upto = int(note.data.get("upto") or self._opened_at(note) or seen_upto)
            cells.append(self._build_cells(scores, new_scores, seen_upto, upto))
            columns.append(self._build_scoring(note, upto))
            seen_upto = max(seen_upto, upto)
        after = self._build_cells({}, {}, seen_upto, len(self.own_transcript.view.events))
        if any(cell.spoken for cell in after):
            columns.append(Scoring(0, 0, ""))
            cells.append(after)
        rows = zip(self.others, zip(*cells, strict=True), strict=True)
        return TrustCourse(
            columns, [TrustCourseRow(other_seat, list(row)) for other_seat, row in rows]
        )

    def _build_cells(
        self, scores: Mapping[int, int], new_scores: Mapping[int, int], seen_upto: int, upto: int
    ) -> list[TrustCourseCell]:
        """Build a cell per player: the score, and the statements in (`seen_upto`, `upto`].

        Both are positions in the player's own view.
        """
        course_cells = []
        for other_seat in self.others:
            number = other_seat.number
            at = [p for p in self._statement_positions.get(number, ()) if seen_upto < p <= upto]
            lines = [line for line in self._build_lines(at) if line.at <= self.point.at]
            course_cells.append(
                TrustCourseCell(trust_cell(scores.get(number)), number in new_scores, lines)
            )
        return course_cells

    def _build_scoring(self, note: Note, upto: int) -> Scoring:
        """Build the head of a judgement. Its line is the answer that it was made for, if any."""
        events = enumerate(self.own_transcript.view.events[upto:], upto + 1)
        answer_positions = (
            p
            for p, e in events
            if e.data.get("window") == note.window and e.data.get("seat") == self.seat
        )
        at = min(self._line_at(next(answer_positions, upto)), self.point.at)
        icon = Narrator.of(self.point.view).icon(note.moment.phase)
        return Scoring(at, note.moment.day, icon, has_failed=bool(note.data.get("failed")))

    def _opened_at(self, note: Note) -> int:
        """Return the position in the player's view at which a note's window opened, or 0."""
        opened = self.own_transcript.view.positions_by_kind.get("window_opened", ())
        return next(
            (p for p in opened if self.own_transcript.view.events[p - 1]["key"] == note.window), 0
        )

    # -- from the player's own view to the lines of the displayed transcript

    @cached_property
    def own_transcript(self) -> ViewerTranscript:
        return self.replayed.transcript_of(visibility.seat(self.seat))

    @cached_property
    def _statement_positions(self) -> dict[int, list[int]]:
        """Each seat's statements, as positions in the player's own view."""
        positions_by_seat: dict[int, list[int]] = {}
        for turn in self.own_transcript.view.turns:
            positions_by_seat.setdefault(turn.seat, []).append(turn.position)
        return positions_by_seat

    @cached_property
    def _positions(self) -> tuple[list[int], list[int]]:
        """Positions in the whole log: of the player's events, and of the events that make lines."""
        shown_positions = self.replayed.log_positions(self.transcript.viewer)
        lines = [shown_positions[e.position - 1] for e in self.transcript.entries]
        return self.replayed.log_positions(self.own_transcript.viewer), lines

    def _line_at(self, position: int) -> int:
        """Return the line that shows the event at that position of the player's own view."""
        own_positions, line_positions = self._positions
        return max(1, bisect_right(line_positions, own_positions[position - 1]) if position else 1)

    def _build_lines(self, positions: list[int]) -> list[ReplayLine]:
        line_numbers = sorted(
            {self._line_at(p) for p in positions if 1 <= p <= len(self._positions[0])}
        )
        entries = self.transcript.entries
        return [ReplayLine(at, entries[at - 1].speaker) for at in line_numbers]
