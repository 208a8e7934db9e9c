"""Favor and trust in a replay: how each player rates each of the others, and one player's trust.

The notes of a player's mind hold positions in the player's own view. `TrustPanel._line_at` converts
them to lines of the transcript on the page.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from django.utils.translation import gettext as _

from agents.decision import Mind, Note
from agents.faculties.reliability import BELIEF_THRESHOLD, scores_after
from agents.favor_scale import INITIAL_FAVOR
from agents.packs import pack_of
from agents.recipe import Recipe
from agents.reliability_scale import FACULTY, ratings_in_note, reliability
from game.engine import visibility
from game.engine.events import UNCERTAIN, Moment
from game.models import Player
from webapp.play.page.narrator import Narrator, role_name
from webapp.play.page.transcript_parts import Seat
from webapp.play.replay.replay_parts import (
    HeatCell,
    HeatRow,
    HeatTable,
    Judgement,
    ReplayLine,
    ReplayStep,
    RoleBelief,
    TrustCourse,
    TrustCourseCell,
    TrustCourseRow,
    TrustTable,
)
from webapp.play.replay.viewer_transcript import ReplayPoint, ViewerTranscript

FAVOR = "favor"
# The colours of a table have steps on each side of a neutral one.
FAVOR_PER_STEP = 12.5  # this many points of favor change the colour by one step
MAX_FAVOR_STEP = 4
MAX_DOUBT_STEP = 4  # Trust has this many steps. Belief has as many as it has scores.


class _Step(NamedTuple):
    """A step of a table: its cells in one round."""

    start: Moment  # when the round began
    until: Moment | None  # only notes until then count, None: all
    at: int  # the line to jump to


@dataclass(frozen=True)
class HeatMapBuilder:
    """Builds the tables of favor and trust at one line."""

    point: ReplayPoint  # the line, with the view of the game at it
    minds: Mapping[int, Mind]  # seat -> its mind, for the seats whose minds the viewer may inspect
    line_seat: int  # whose mind is open at the line: its rows are marked

    def favor(self) -> HeatTable | None:
        """Build the table of favors. Its steps show the favors at the start of each round.

        A step includes the notes made at that start, because they prepare the round.
        """
        find_line = self.point.transcript.find_line_by_phase
        rounds = self._shown_rounds()
        steps = [_Step(start, start, find_line(start.phase_number)) for start in rounds]
        text = _(
            "Each row shows how much that player likes the others, from 1 (hates) through "
            "50 (neutral) to 100 (loves)."
        )
        return self._build_table(FAVOR, _("Likes and dislikes"), text, self._favor_cells, steps)

    def trust(self) -> HeatTable | None:
        """Build the table of trust, None if no player has scores yet.

        Its steps show the scores at the end of each round, and the present ones. So a step excludes
        the notes made at the start of the next round.
        """
        if not any(self.scores(seat) for seat in self.minds):
            return None
        find_line = self.point.transcript.find_line_by_phase
        rounds, steps = self._shown_rounds(), []
        for start, next_start in zip(rounds, [*rounds[1:], None], strict=False):
            last_line = find_line(next_start.phase_number) - 1 if next_start else 0
            steps.append(_Step(start, next_start, last_line or self.point.at))
        text = _(
            "Each row shows how far that player relies on what the others say, from 1 (not "
            "at all) to 10 (fully). Above {believed}, it believes them. An empty cell "
            "means: not judged yet."
        )
        text = text.format(believed=BELIEF_THRESHOLD)
        return self._build_table(FACULTY, _("Trust"), text, self._trust_cells, steps)

    def scores(self, seat: int, before: Moment | None = None) -> Mapping[int, int]:
        """Return the scores that `seat` gives the others, by its notes before a moment or all."""
        notes = [n.data for n in self.minds[seat].of(FACULTY) if not before or n.moment < before]
        role = self.point.view.state.roles.get(seat, "")
        return scores_after(notes, role, pack_of(self.point.replayed.ruleset).hunted).by_seat

    # -- shared by both tables

    def _shown_rounds(self) -> Sequence[Moment]:
        """Return the starts of the rounds so far, [] for a single round."""
        rounds = self.point.view.state.rounds
        return rounds if len(rounds) > 1 else ()

    def _build_table(
        self,
        faculty: str,
        title: str,
        text: str,
        cells: Callable[[int, Moment | None], list[HeatCell | None]],
        steps: Iterable[_Step],
    ) -> HeatTable | None:
        """Build a table, None if no seat has the faculty.

        `cells` returns a seat's row from the notes until a moment (None: all).
        """
        shown_seats = [seat for seat in self.minds if self._has_faculty(faculty, seat)]
        if not shown_seats:
            return None
        seats = self.point.seats
        rows = [HeatRow(seats[s], cells(s, None), s == self.line_seat) for s in shown_seats]
        replay_steps = [
            self._build_step(step, [cells(s, step.until) for s in shown_seats]) for step in steps
        ]
        return HeatTable(faculty, title, text, list(self.point.seats.values()), rows, replay_steps)

    def _has_faculty(self, faculty: str, seat: int) -> bool:
        """Return whether the player, or a computer player as its stand-in, has the faculty."""
        player = next(p for p in self.point.replayed.players if p.seat == seat)
        is_agent = player.kind == Player.AGENT
        has_faculty = is_agent and faculty in Recipe.of(player.recipe or {}).faculties
        return has_faculty or any(n.data for n in self.minds[seat].of(faculty)[-1:])

    def _build_step(self, step: _Step, rows: list[list[HeatCell | None]]) -> ReplayStep:
        start = step.start
        title = _("Round {number}") if start.round else _("Day {number}")
        title = title.format(number=start.round or start.day)
        colour_rows = [[c.colour_level if c and c.text else None for c in row] for row in rows]
        is_current = start == self.point.view.state.rounds[-1]
        return ReplayStep(title, step.at, colour_rows, is_current)

    def _favor_cells(self, seat: int, until: Moment | None) -> list[HeatCell | None]:
        notes = [n for n in self.minds[seat].of(FAVOR) if until is None or n.moment <= until]
        favors = notes[-1].data.get(FAVOR, {}) if notes else {}
        favor_cells: list[HeatCell | None] = []
        for other_seat in self.point.seats:
            favor = float(favors.get(str(other_seat), INITIAL_FAVOR))
            level = round((favor - INITIAL_FAVOR) / FAVOR_PER_STEP)
            cell = HeatCell(str(round(favor)), max(-MAX_FAVOR_STEP, min(MAX_FAVOR_STEP, level)))
            favor_cells.append(None if other_seat == seat else cell)
        return favor_cells

    def _trust_cells(self, seat: int, before: Moment | None) -> list[HeatCell | None]:
        scores, rated_seats = self.scores(seat, before), self.point.seats
        return [None if rated == seat else trust_cell(scores.get(rated)) for rated in rated_seats]


def trust_cell(score: int | None) -> HeatCell:
    """Build the cell of a score from 1 to 10: warm for belief, cold for doubt, empty for None."""
    if score is None:
        return HeatCell("", 0)
    level = score - BELIEF_THRESHOLD
    return HeatCell(str(score), level if level > 0 else max(-MAX_DOUBT_STEP, level - 1))


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
            lines = [line for line in self._build_lines(at) if line.at <= self.point.at]
            cell = trust_cell(scores.get(number))
            cells.append(TrustCourseCell(cell, number in new_scores, lines))
        return cells

    def _build_judgement(self, note: Note, upto: int) -> Judgement:
        """Build the head of a judgement. Its line is the answer that it was made for, if any."""
        events = enumerate(self.own_transcript.view.events[upto:], upto + 1)
        key = (note.window, self.seat)
        answers = (p for p, e in events if (e.data.get("window"), e.data.get("seat")) == key)
        at = min(self._line_at(next(answers, upto)), self.point.at)
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
