"""Tables of favor and trust: one coloured table for each, at a line and round by round."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from django.utils.translation import gettext as _

from agents.favor_scale import START
from agents.mind import Mind
from agents.packs import pack_of
from agents.recipe import Recipe
from agents.reliability_scale import FACULTY
from agents.reliability_scores import BELIEF_THRESHOLD, scores_after
from game.engine.events import Moment
from game.models import Player
from webapp.play.page.transcript_parts import Seat
from webapp.play.replay.replay_parts import Heat, HeatCell, HeatRow, ReplayStep
from webapp.play.replay.viewer_transcript import ReplayedGame, ReplayPoint, ViewerTranscript

FAVOR = "favor"
# The colour of a favor: points per step, and the steps on each side of START.
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
            (start, start, self.transcript.line_of("phase_opened", start.phase_number))
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
            line = self.transcript.line_of("phase_opened", after.phase_number) - 1 if after else 0
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
            favor = float(favors.get(str(other_seat), START))
            step = round((favor - START) / FAVOR_PER_STEP)
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
