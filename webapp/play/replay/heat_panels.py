"""The tables of favor and trust in a replay: how each player rates each of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from agents.decision import Mind
from agents.faculties.reliability import BELIEF_THRESHOLD, scores_after
from agents.favor_scale import INITIAL_FAVOR
from agents.packs import pack_of
from agents.recipe import Recipe
from agents.reliability_scale import FACULTY
from game.engine.events import Moment
from game.models import Player
from webapp.play.page.transcript_parts import Seat
from webapp.play.replay.replay_parts import HeatCell, HeatRow, HeatTable, ReplayStep
from webapp.play.replay.viewer_transcript import ReplayedGame, ReplayPoint, ViewerTranscript

FAVOR = "favor"
# The colours of a table have steps on each side of a neutral one.
FAVOR_PER_STEP = 12.5  # points of favor
MAX_FAVOR_STEP = 4
MAX_DOUBT_STEP = 4  # Trust has this many steps. Belief has as many as it has scores.


@dataclass(frozen=True)
class HeatMapBuilder:
    """Builds the tables of favor and trust at one line."""

    replayed: ReplayedGame
    transcript: ViewerTranscript  # of the present view
    point: ReplayPoint  # the line, with the view of the game at it
    seats: Mapping[int, Seat]
    minds: Mapping[int, Mind]  # by seat; those that the viewer may inspect

    def favor(self, line_seat: int) -> HeatTable | None:
        """Build the table of favors. Its steps show the favors at the start of each round.

        A step includes the notes made at that start, because they prepare the round.

        Args:
            line_seat: The seat whose mind is open at the line; its row is marked.
        """
        steps = [(start, start, self._opening_line(start)) for start in self._shown_rounds()]
        text = _(
            "Each row shows how much that player likes the others, from 1 (hates) through "
            "50 (neutral) to 100 (loves)."
        )
        heading = (_("Likes and dislikes"), text)
        return self._build_table(FAVOR, heading, self._favor_cells, steps, line_seat)

    def trust(self, line_seat: int) -> HeatTable | None:
        """Build the table of trust, None if no player has scores yet.

        Its steps show the scores at the end of each round, and the present ones. So a step excludes
        the notes made at the start of the next round.
        """
        if not any(self.scores(seat) for seat in self.minds):
            return None
        rounds, steps = self._shown_rounds(), []
        for start, next_start in zip(rounds, [*rounds[1:], None], strict=False):
            last_line = self._opening_line(next_start) - 1 if next_start else 0
            steps.append((start, next_start, last_line or self.point.at))
        text = _(
            "Each row shows how far that player relies on what the others say, from 1 (not "
            "at all) to 10 (fully). Above {believed}, it believes them. An empty cell "
            "means: not judged yet."
        )
        heading = (_("Trust"), text.format(believed=BELIEF_THRESHOLD))
        return self._build_table(FACULTY, heading, self._trust_cells, steps, line_seat)

    def scores(self, seat: int, before: Moment | None = None) -> Mapping[int, int]:
        """Return the reliability scores that `seat` gives the others.

        Args:
            before: Use only notes made before that moment. None: all notes.
        """
        notes = [n.data for n in self.minds[seat].of(FACULTY) if not before or n.moment < before]
        role = self.point.view.state.roles.get(seat, "")
        return scores_after(notes, role, pack_of(self.replayed.ruleset).hunted).by_seat

    # -- shared by both tables

    def _shown_rounds(self) -> Sequence[Moment]:
        """Return the starts of the rounds so far, [] for a single round."""
        rounds = self.point.view.state.rounds
        return rounds if len(rounds) > 1 else ()

    def _opening_line(self, start: Moment) -> int:
        """Return the line at which the phase of that moment opens."""
        return self.transcript.find_line_by_event_kind("phase_opened", start.phase_number)

    def _build_table(
        self,
        faculty: str,
        heading: tuple[str, str],
        cells: Callable[[int, Moment | None], list[HeatCell | None]],
        steps: Iterable[tuple[Moment, Moment | None, int]],
        line_seat: int,
    ) -> HeatTable | None:
        """Build a table, None if no seat has the faculty.

        Args:
            heading: The title and the explanation.
            cells: Returns a seat's row from the notes until a moment (None: all).
            steps: (start of the round, the moment until which notes count, the line to jump to).
        """
        shown_seats = [seat for seat in self.minds if self._has_faculty(faculty, seat)]
        if not shown_seats:
            return None
        rows = [HeatRow(self.seats[s], cells(s, None), s == line_seat) for s in shown_seats]
        steps_shown = [
            self._build_step(start, [cells(s, end) for s in shown_seats], at)
            for start, end, at in steps
        ]
        return HeatTable(faculty, *heading, list(self.seats.values()), rows, steps_shown)

    def _has_faculty(self, faculty: str, seat: int) -> bool:
        """Return whether the player, or a computer player as its stand-in, has the faculty."""
        player = next(p for p in self.replayed.players if p.seat == seat)
        has_faculty = (
            player.kind == Player.AGENT and faculty in Recipe.of(player.recipe or {}).faculties
        )
        return has_faculty or any(n.data for n in self.minds[seat].of(faculty)[-1:])

    def _build_step(self, start: Moment, rows: list[list[HeatCell | None]], at: int) -> ReplayStep:
        title = _("Round {number}") if start.round else _("Day {number}")
        title = title.format(number=start.round or start.day)
        colours = [[cell.step if cell and cell.text else None for cell in row] for row in rows]
        return ReplayStep(title, at, colours, is_current=start == self.point.view.state.rounds[-1])

    def _favor_cells(self, seat: int, until: Moment | None) -> list[HeatCell | None]:
        notes = [n for n in self.minds[seat].of(FAVOR) if until is None or n.moment <= until]
        favors = notes[-1].data.get(FAVOR, {}) if notes else {}
        favor_cells: list[HeatCell | None] = []
        for other_seat in self.seats:
            favor = float(favors.get(str(other_seat), INITIAL_FAVOR))
            step = round((favor - INITIAL_FAVOR) / FAVOR_PER_STEP)
            cell = HeatCell(str(round(favor)), max(-MAX_FAVOR_STEP, min(MAX_FAVOR_STEP, step)))
            favor_cells.append(None if other_seat == seat else cell)
        return favor_cells

    def _trust_cells(self, seat: int, before: Moment | None) -> list[HeatCell | None]:
        scores = self.scores(seat, before)
        return [
            None if other_seat == seat else trust_cell(scores.get(other_seat))
            for other_seat in self.seats
        ]


def trust_cell(score: int | None) -> HeatCell:
    """Build the cell of a score from 1 to 10: warm for belief, cold for doubt, empty for None."""
    if score is None:
        return HeatCell("", 0)
    step = score - BELIEF_THRESHOLD
    return HeatCell(str(score), step if step > 0 else max(-MAX_DOUBT_STEP, step - 1))
