"""The active participants of a running study, as the monitor shows them."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from django.utils.translation import gettext as _

from webapp.play.models import Desk
from webapp.study.design.stages import Design
from webapp.study.models import Participant, Seating, Slot, Study
from webapp.study.monitor.durations import format_age, format_duration
from webapp.study.sessions import dropouts, participant_state
from webapp.study.sessions.participant_state import ABSENT_AFTER, route, step_name

QUIET_AFTER = timedelta(minutes=1)  # shorter times without input are not shown


@dataclass(frozen=True)
class ActiveParticipant:
    """An active participant. Times are durations as text."""

    pseudonym: str
    stage: str
    time_at_step: str
    time_away: str  # time without an open page, "" if one is open
    time_without_input: str  # "" for less than QUIET_AFTER
    missed_count: int  # number of questions missed in a row in their game
    game_number: int  # index of the slot of their game or offer, 0 for none
    seating_state: str  # state of their seating in a game or an offer, "" without one


@dataclass(frozen=True)
class StageCount:
    """How many participants are at a stage, and how long they have been there."""

    name: str
    participant_count: int
    longest_stay: str = ""  # as text, "" without participants
    median_stay: str = ""  # as text, "" without participants


class ActiveParticipants:
    """All active participants of a study, read in five queries."""

    def __init__(self, study: Study, design: Design, now: datetime) -> None:
        self.games_each, self.now = design.assignment.games_each, now
        self.steps = list(route(design))
        self.unused_link_count = 0
        self.participants: list[Participant] = []
        fields = ("pseudonym", "step", "step_at", "seen_at", "input_at", "consented_at", "study_id")
        for participant in study.participants.filter(exit="").only(*fields):
            if participant.consented_at is None:
                self.unused_link_count += 1
            else:
                self.participants.append(participant)
        self.seatings = find_seatings(study)
        self._seating_by_participant = {s.participant_id: s for s in self.seatings}
        # After a game, its page stays open until the participant continues.
        ended = Desk.objects.filter(
            player__seating__slot__study=study, player__seating__slot__state=Slot.DONE
        )
        end_pages = ended.order_by("seen_at").values_list("player__seating__participant", "seen_at")
        self._end_page_seen_at = dict(end_pages)
        self._answer_records = dropouts.read_answer_records(study)

    def list_participants(self) -> list[ActiveParticipant]:
        """Return the participants, ordered by step and by the time of their arrival there."""
        ordered = sorted(self.participants, key=lambda p: (p.step, p.step_at or self.now, p.pk))
        return [self.build_participant(participant) for participant in ordered]

    def build_participant(self, participant: Participant) -> ActiveParticipant:
        step = self.steps[min(participant.step, len(self.steps) - 1)]
        seating = self._seating_by_participant.get(participant.pk)
        record = self._answer_records.get(seating.pk if seating else 0, dropouts.AnswerRecord())
        times = (record.last_at, participant_state.last_input(participant))
        last_input_at = max((t for t in times if t), default=None)
        is_quiet = last_input_at is not None and self.now - last_input_at > QUIET_AFTER
        return ActiveParticipant(
            pseudonym=participant.pseudonym,
            stage=step_name(step, self.games_each),
            time_at_step=format_age(participant.step_at, self.now),
            time_away=self.time_away(participant),
            time_without_input=format_age(last_input_at, self.now) if is_quiet else "",
            missed_count=record.missed,
            game_number=seating.slot.index if seating else 0,
            seating_state=seating.state if seating else "",
        )

    def time_away(self, participant: Participant) -> str:
        """Return the duration without an open page as text, "" if one is open."""
        seating = self._seating_by_participant.get(participant.pk)
        if seating and seating.state == Seating.SEATED:
            return format_age(seating.away_since, self.now)
        times = (participant.seen_at, participant.step_at,
                 self._end_page_seen_at.get(participant.pk))  # fmt: skip
        last = max((t for t in times if t), default=None)
        is_absent = last is not None and self.now - last > ABSENT_AFTER
        return format_age(last, self.now) if is_absent else ""

    def count_stages(self) -> list[StageCount]:
        """Return the counts of unused links and of each stage after the consent."""
        seconds_by_step = defaultdict[int, list[float]](list)
        for participant in self.participants:
            arrived_at = participant.step_at or self.now
            stay_s = max((self.now - arrived_at).total_seconds(), 0)
            seconds_by_step[participant.step].append(stay_s)
        counts = [StageCount(_("links not used yet"), self.unused_link_count)]
        for step in self.steps[1:]:  # nothing is stored about visitors before consent
            name, seconds = step_name(step, self.games_each), seconds_by_step[step.index]
            if seconds:
                stays = (format_duration(max(seconds)), format_duration(median(seconds)))
                counts.append(StageCount(name, len(seconds), *stays))
            else:
                counts.append(StageCount(name, 0))
        return counts


def find_seatings(study: Study) -> list[Seating]:
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
