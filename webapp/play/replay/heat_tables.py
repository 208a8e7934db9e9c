"""The tables of favor and trust in a replay: how each player rates each of the others."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

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
from webapp.play.replay.viewer_transcript import ReplayPoint

FAVOR = "favor"
# The colours of a table have steps on each side of a neutral one.
FAVOR_PER_STEP = 12.5  # this many points of favor change the colour by one step
MAX_FAVOR_STEP = 4
MAX_DOUBT_STEP = 4  # Trust has this many steps. Belief has as many as it has scores.


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
            steps.append(_Step(start, next_start, last_line or self.point.line_number))
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
