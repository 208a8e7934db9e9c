"""Favor and trust tables: one coloured table for each faculty, now and round by round."""

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


class Heats:
    """The tables at one line.

    minds: of the seats that the viewer may inspect. now: the seat of the line.
    """

    def __init__(
        self,
        replayed: ReplayedGame,
        transcript: ViewerTranscript,
        moment: ReplayPoint,
        seats: Mapping[int, Seat],
        minds: Mapping[int, Mind],
    ) -> None:
        self.replayed, self.told, self.moment, self.seats = replayed, transcript, moment, seats
        self.minds, self.state = minds, moment.view.state
        self.hunted = pack_of(replayed.ruleset).hunted

    def favor(self, now: int) -> Heat | None:
        """Build the table of favors. Its steps show each favor at the start of the round."""
        steps = [
            (when, when, self.told.line_of("phase_opened", when.phase_number))
            for when in self._rounds()
        ]
        text = _(
            "Read along a row: how much that player likes each of the others."
            " 1 is hatred, 50 neither, 100 love."
        )
        return self._heat(FAVOR, (_("Who likes whom"), text), self._favors, steps, now)

    def trust(self, now: int) -> Heat | None:
        """Build the table of trust, None if no player has scores yet.

        Its steps show each score at the end of the round, or the present one.
        """
        if not any(self.scores(seat) for seat in self.minds):
            return None
        rounds, ends = self._rounds(), []
        for when, after in zip(rounds, [*rounds[1:], None], strict=False):
            at = self.told.line_of("phase_opened", after.phase_number) - 1 if after else 0
            ends.append((when, after, at or self.moment.at))
        text = _(
            "Read along a row: how far that player relies on the words of each of the others,"
            " from 1, not at all, to 10, fully. Above {believed} it believes them. Empty: not"
            " judged yet."
        )
        title = _("Who believes whom")
        return self._heat(
            FACULTY, (title, text.format(believed=BELIEF_THRESHOLD)), self._trusts, ends, now
        )

    def scores(self, seat: int, before: Moment | None = None) -> Mapping[int, int]:
        """Return the reliability scores that `seat` gives the others.

        before: only notes made before that moment count.
        """
        notes = [n.data for n in self.minds[seat].of(FACULTY) if not before or n.moment < before]
        return scores_after(notes, self.state.roles.get(seat, ""), self.hunted).m

    # -- shared by both tables

    def _rounds(self) -> Sequence[Moment]:
        return self.state.rounds if len(self.state.rounds) > 1 else ()

    def _heat(
        self,
        faculty: str,
        words: tuple[str, str],
        cells: Callable[[int, Moment | None], list[HeatCell | None]],
        steps: Iterable[tuple[Moment, Moment | None, int]],
        now: int,
    ) -> Heat | None:
        """Build a table, None if no seat has the faculty.

        steps: (the round, the moment up to which notes count, the line that shows it).
        """
        shown_seats = [seat for seat in self.minds if self._has_faculty(faculty, seat)]
        if not shown_seats:
            return None
        rows = [Row(self.seats[s], cells(s, None), s == now) for s in shown_seats]
        steps_shown = [
            self._step(when, [cells(s, end) for s in shown_seats], at) for when, end, at in steps
        ]
        return Heat(faculty, *words, list(self.seats.values()), rows, steps_shown)

    def _has_faculty(self, faculty: str, seat: int) -> bool:
        player = next(p for p in self.replayed.players if p.seat == seat)
        has_faculty = (
            player.kind == Player.AGENT and faculty in Recipe.of(player.recipe or {}).faculties
        )
        return has_faculty or any(n.data for n in self.minds[seat].of(faculty)[-1:])

    def _step(self, when: Moment, rows: list[list[HeatCell | None]], at: int) -> ReplayStep:
        text = _("Round {number}") if when.round else _("Day {number}")
        colours = [[cell.step if cell and cell.text else None for cell in row] for row in rows]
        step_text = text.format(number=when.round or when.day)
        return ReplayStep(step_text, at, colours, when == self.state.rounds[-1])

    def _favors(self, seat: int, upto: Moment | None) -> list[HeatCell | None]:
        notes = [n for n in self.minds[seat].of(FAVOR) if upto is None or n.moment <= upto]
        kept_favor = _newest(notes).get(FAVOR, {})
        favor_cells: list[HeatCell | None] = []
        for other_seat in self.seats:
            favor = float(kept_favor.get(str(other_seat), START))
            cell = HeatCell(str(round(favor)), max(-4, min(4, round((favor - START) / 12.5))))
            favor_cells.append(None if other_seat == seat else cell)
        return favor_cells

    def _trusts(self, seat: int, before: Moment | None) -> list[HeatCell | None]:
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


def _newest(notes: Sequence[Note]) -> Mapping[str, Any]:
    return notes[-1].data if notes else {}
