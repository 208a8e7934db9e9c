"""Tables of favor and trust: one coloured table for each, at a line and round by round."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from agents.favor_scale import START
from agents.mind import Mind, Note
from agents.packs import pack_of
from agents.recipe import Recipe
from agents.reliability_scale import FACULTY
from agents.reliability_scores import BELIEF_THRESHOLD, scores_after
from game.engine.moments import Moment
from game.models import Player
from webapp.play.page.transcript_parts import Seat
from webapp.play.replay.replay_parts import Heat, HeatCell, ReplayStep, Row
from webapp.play.replay.viewer_transcript import ReplayedGame, ReplayPoint, ViewerTranscript

FAVOR = "favor"
# The colour of a favor: points per step, and the steps on each side of START.
FAVOR_PER_STEP, MAX_FAVOR_STEP = 12.5, 4


class HeatTables:
    """Builds the tables at one line. minds: Those that the viewer may inspect, by seat."""

    def __init__(
        self,
        replayed: ReplayedGame,
        transcript: ViewerTranscript,
        moment: ReplayPoint,
        seats: Mapping[int, Seat],
        minds: Mapping[int, Mind],
    ) -> None:
        self.replayed, self.transcript = replayed, transcript
        self.moment, self.seats = moment, seats
        self.minds, self.state = minds, moment.view.state
        self.hunted = pack_of(replayed.ruleset).hunted

    def favor(self, line_seat: int) -> Heat | None:
        """Build the table of favors. Its steps show each favor at the start of a round.

        line_seat: The seat whose mind is open at the line; its row is marked.
        """
        steps = [
            (start, start, self.transcript.line_of("phase_opened", start.phase_number))
            for start in self._shown_rounds()
        ]
        text = _(
            "Read along a row: how much that player likes each of the others."
            " 1 is hatred, 50 neither, 100 love."
        )
        return self._build_heat(
            FAVOR, (_("Who likes whom"), text), self._favor_cells, steps, line_seat
        )

    def trust(self, line_seat: int) -> Heat | None:
        """Build the table of trust, None if no player has scores yet.

        Its steps show each score at the end of a round, and that of the present round so far.
        """
        if not any(self.scores(seat) for seat in self.minds):
            return None
        rounds, ends = self._shown_rounds(), []
        for start, after in zip(rounds, [*rounds[1:], None], strict=False):
            at = self.transcript.line_of("phase_opened", after.phase_number) - 1 if after else 0
            ends.append((start, after, at or self.moment.at))
        text = _(
            "Read along a row: how far that player relies on the words of each of the others,"
            " from 1, not at all, to 10, fully. Above {believed} it believes them. Empty: not"
            " judged yet."
        )
        title = _("Who believes whom")
        return self._build_heat(
            FACULTY,
            (title, text.format(believed=BELIEF_THRESHOLD)),
            self._trust_cells,
            ends,
            line_seat,
        )

    def scores(self, seat: int, before: Moment | None = None) -> Mapping[int, int]:
        """Return the reliability scores that `seat` gives the others.

        before: Use only notes made before that moment.
        """
        notes = [n.data for n in self.minds[seat].of(FACULTY) if not before or n.moment < before]
        return scores_after(notes, self.state.roles.get(seat, ""), self.hunted).by_seat

    # -- shared by both tables

    def _shown_rounds(self) -> Sequence[Moment]:
        return self.state.rounds if len(self.state.rounds) > 1 else ()

    def _build_heat(
        self,
        faculty: str,
        words: tuple[str, str],
        cells: Callable[[int, Moment | None], list[HeatCell | None]],
        steps: Iterable[tuple[Moment, Moment | None, int]],
        line_seat: int,
    ) -> Heat | None:
        """Build a table, None if no seat has the faculty.

        Args:
            words: The title and the explanation.
            cells: Returns a seat's row from the notes up to a moment (None: all).
            steps: (the round, the moment up to which notes count, the line that shows it).
        """
        shown_seats = [seat for seat in self.minds if self._has_faculty(faculty, seat)]
        if not shown_seats:
            return None
        rows = [Row(self.seats[s], cells(s, None), s == line_seat) for s in shown_seats]
        steps_shown = [
            self._build_step(start, [cells(s, end) for s in shown_seats], at)
            for start, end, at in steps
        ]
        return Heat(faculty, *words, list(self.seats.values()), rows, steps_shown)

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

    def _favor_cells(self, seat: int, upto: Moment | None) -> list[HeatCell | None]:
        notes = [n for n in self.minds[seat].of(FAVOR) if upto is None or n.moment <= upto]
        favors = _newest_data(notes).get(FAVOR, {})
        favor_cells: list[HeatCell | None] = []
        for other_seat in self.seats:
            favor = float(favors.get(str(other_seat), START))
            step = round((favor - START) / FAVOR_PER_STEP)
            step = max(-MAX_FAVOR_STEP, min(MAX_FAVOR_STEP, step))
            cell = HeatCell(str(round(favor)), step)
            favor_cells.append(None if other_seat == seat else cell)
        return favor_cells

    def _trust_cells(self, seat: int, before: Moment | None) -> list[HeatCell | None]:
        m = self.scores(seat, before)
        return [
            None if other_seat == seat else trust_cell(m.get(other_seat))
            for other_seat in self.seats
        ]


def trust_cell(m: int | None) -> HeatCell:
    """Build the cell of a score of 1 to 10: warm for belief, cold for doubt, empty for None."""
    if m is None:
        return HeatCell("", 0)
    return HeatCell(
        str(m), m - BELIEF_THRESHOLD if m > BELIEF_THRESHOLD else max(-4, m - BELIEF_THRESHOLD - 1)
    )


def _newest_data(notes: Sequence[Note]) -> Mapping[str, Any]:
    return notes[-1].data if notes else {}
