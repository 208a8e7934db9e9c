"""The participants of a study for the monitor: active ones, exits and visits to stages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import Any

from django.utils.translation import gettext as _

from webapp.play.models import Desk
from webapp.study.design.exits import EXITS
from webapp.study.design.stages import Design
from webapp.study.models import Participant, Seating, Slot, Study
from webapp.study.monitor import duration_text
from webapp.study.sessions import dropouts, participant_state
from webapp.study.sessions.participant_state import ABSENT_AFTER, WAITING, Step, route

QUIET_AFTER = timedelta(minutes=1)  # shorter times without input are not shown


@dataclass(frozen=True)
class ActiveParticipant:
    """An active participant. Durations are text."""

    pseudonym: str
    stage: str
    since: str  # duration at this stage
    away: str  # duration without an open page, "" if one is open
    quiet: str  # duration without input, "" for less than QUIET_AFTER
    missed: int  # number of questions missed in a row in their game
    game: int  # index of the slot of their game or offer, 0 for none
    offer: str  # state of their seating, "" without one


def step_name(step: Step, games_each: int) -> str:
    """Return the name of a step for readers, with its game's number if there are several."""
    kinds = {WAITING: _("The waiting room"), "game": _("The game")}
    name = kinds.get(step.kind) or step.stage.label
    return f"{name} {step.game}" if step.game and games_each > 1 else name


class ActiveParticipants:
    """All active participants of a study, read in five queries."""

    def __init__(self, study: Study, design: Design, now: datetime) -> None:
        self.design, self.now = design, now
        self.steps = list(route(design))
        self.unused_links = 0
        self.rows: list[Participant] = []
        fields = ("pseudonym", "step", "step_at", "seen_at", "input_at", "consented_at", "study_id")
        for row in study.participants.filter(exit="").only(*fields):
            if row.consented_at is None:
                self.unused_links += 1
            else:
                self.rows.append(row)
        self.seats = find_seats(study)
        self._seat_by_participant = {s.participant_id: s for s in self.seats}
        # After a game, its page stays open until the participant continues.
        ended = Desk.objects.filter(
            player__seating__slot__study=study, player__seating__slot__state=Slot.DONE
        )
        end_pages = ended.order_by("seen_at").values_list("player__seating__participant", "seen_at")
        self._end_page_seen_at = dict(end_pages)
        self._answer_records = dropouts.read_answer_records(study)

    def list_participants(self) -> list[ActiveParticipant]:
        """Return the participants, ordered by step and by the time of their arrival there."""
        rows = sorted(self.rows, key=lambda p: (p.step, p.step_at or self.now, p.pk))
        return [self.build_participant(row) for row in rows]

    def build_participant(self, row: Participant) -> ActiveParticipant:
        step = self.steps[min(row.step, len(self.steps) - 1)]
        seat = self._seat_by_participant.get(row.pk)
        record = self._answer_records.get(seat.pk if seat else 0, dropouts.AnswerRecord())
        times = (record.last_at, participant_state.last_input(row))
        quiet_since = max((t for t in times if t), default=None)
        is_quiet = quiet_since is not None and self.now - quiet_since > QUIET_AFTER
        return ActiveParticipant(
            pseudonym=row.pseudonym,
            stage=step_name(step, self.design.assignment.games_each),
            since=duration_text.format_age(row.step_at, self.now),
            away=self._format_absence(row, seat),
            quiet=duration_text.format_age(quiet_since, self.now) if is_quiet else "",
            missed=record.missed,
            game=seat.slot.index if seat else 0,
            offer=seat.state if seat else "",
        )

    def _format_absence(self, row: Participant, seat: Seating | None) -> str:
        """Return the duration without an open page, "" if one is open."""
        if seat and seat.state == Seating.SEATED:
            return duration_text.format_age(seat.away_since, self.now)
        times = (row.seen_at, row.step_at, self._end_page_seen_at.get(row.pk))
        last = max((t for t in times if t), default=None)
        is_absent = last is not None and self.now - last > ABSENT_AFTER
        return duration_text.format_age(last, self.now) if is_absent else ""

    def count_stages(self) -> list[tuple[str, int, str, str]]:
        """Return (name, participants, longest and median stay) of unused links and each stage."""
        times_by_step = defaultdict[int, list[float]](list)
        for row in self.rows:
            since = row.step_at or self.now
            times_by_step[row.step].append(max((self.now - since).total_seconds(), 0))
        games_each = self.design.assignment.games_each
        stage_counts = [(_("links not used yet"), self.unused_links, "", "")]
        for step in self.steps[1:]:  # nothing is stored about visitors before consent
            times = times_by_step[step.index]
            longest, typical = (
                duration_text.format_duration(statistic(times)) if times else ""
                for statistic in (max, median)
            )
            stage_counts.append((step_name(step, games_each), len(times), longest, typical))
        return stage_counts


def find_seats(study: Study) -> list[Seating]:
    """Return the seatings of running and filling games, with participants and players."""
    rows = Seating.objects.filter(
        slot__study=study,
        slot__state__in=[Slot.FILLING, Slot.PLAYING],
        state__in=[Seating.HELD, Seating.READY, Seating.SEATED],
    )
    rows = rows.select_related("participant", "player", "slot").order_by("seat")
    return list(
        rows.only(
            "state", "seat", "away_since", "participant__pseudonym", "participant__exit",
            "player__name", "player__stand_in", "player__left_at", "slot__index", "slot__state",
        )
    )  # fmt: skip


def exit_rows(counts: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return {"name", "n"} of each exit in `counts`."""
    return [{"name": EXITS[kind], "n": counts[kind]} for kind in EXITS if kind in counts]


def visit_rows(row: Participant, steps: Sequence[Step], games_each: int) -> list[dict[str, Any]]:
    """Return {"name", "came", "went", "by"} of each visit to a stage, with times as datetimes."""
    names = {step.key: step_name(step, games_each) for step in steps}
    return [
        {
            "name": names.get(visit["step"], visit["step"]),
            "came": datetime.fromisoformat(visit["came"]),
            "went": datetime.fromisoformat(visit["went"]) if visit["went"] else None,
            "by": visit["by"],
        }
        for visit in row.visits
    ]
