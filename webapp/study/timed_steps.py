"""Applies the changes to studies that are due by time. The sweeper calls `run_timed_steps`.

All changes are idempotent and read from the database, so any number of sweepers may run.
"""

import logging
from collections.abc import Callable
from datetime import timedelta

from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from game.deadlines import HEARTBEAT_INTERVAL
from webapp.play.models import Desk
from webapp.rate_counters import ProcessRate
from webapp.study import interventions
from webapp.study.experiments import game_starts
from webapp.study.models import Participant, Seating, Slot, Study
from webapp.study.sessions import (
    dropouts,
    lifecycle,
    participant_state,
    seating,
    slot_games,
    slot_matching,
    slots,
    study_events,
)

logger = logging.getLogger(__name__)

STEP_INTERVAL_S, SLOW_STEP_INTERVAL_S = 1.0, 5.0
# The time for an open page to send typed text after its time has ended.
SEND_GRACE = timedelta(seconds=4)


class StudyClock:
    """Limits how often the changes of all studies are applied."""

    def __init__(self) -> None:
        self._steps = ProcessRate(1, STEP_INTERVAL_S)
        self._slow_steps = ProcessRate(1, SLOW_STEP_INTERVAL_S)

    def step(self, lost: timedelta = timedelta()) -> None:
        """Apply the changes that are due. Participants get back the time `lost` before."""
        if lost:
            restore_lost_time(lost)
        if self._steps.try_acquire(""):
            run_due_steps(with_slow_steps=self._slow_steps.try_acquire(""))


def run_due_steps(*, with_slow_steps: bool = True) -> None:
    """Apply all changes that are due now.

    An error in one step of one study does not stop the others. Slow steps are offers of slots,
    checks of missed questions and idle participants, starts of experiments' games, and closings.
    """
    _expire_stages()
    people = Participant.objects.exclude(consented_at=None).filter(study=OuterRef("pk"), exit="")
    active_slots = Slot.objects.filter(study=OuterRef("pk"), state__in=[Slot.PLAYING, Slot.FILLING])
    steps: list[Callable[[Study], object]] = [
        _settle_games,
        interventions.finish_stop,
        dropouts.update_absences,
        seating.expire_offers,
    ]
    if with_slow_steps:
        steps += [slot_matching.offer_slots, dropouts.act_on_missed_questions, _end_idle_visits]
    for study in Study.objects.filter(Exists(people) | Exists(active_slots)):
        for step in steps:
            try:
                step(study)
            except Exception:
                logger.exception("%s of study %s failed", step, study.pk)
    if with_slow_steps:
        game_starts.start_waiting_games()
        close_finished()


def _expire_stages() -> None:
    """Move participants whose stage is over, and submit what they have typed."""
    due = Participant.objects.filter(exit="", due_at__lt=timezone.now() - SEND_GRACE)
    for person in due.select_related("study"):
        try:
            lifecycle.advance(person, person.step, actor=study_events.CLOCK, if_due=True)
        except Exception:
            logger.exception("participant %s could not be moved", person.pk)


def _end_idle_visits(study: Study) -> None:
    """End the visits of participants who were idle for longer than their stage allows."""
    steps, now = participant_state.route(participant_state.design_of(study)), timezone.now()
    limited = [s.index for s in steps if participant_state.has_idle_limit(s)]
    for person in study.participants.filter(exit="", step__in=limited, consented_at__isnull=False):
        if participant_state.is_idle(person, steps[person.step], now):
            lifecycle.end_idle_visit(person)


def _settle_games(study: Study) -> None:
    """Finish the slots of ended games, and move participants to the step of their seating."""
    ended = Q(game=None) | Q(game__ended_at__isnull=False)
    for slot in study.slots.filter(ended, state=Slot.PLAYING):
        slot_games.finish_slot(slot)
    for row in slot_games.out_of_sync_seatings(study):
        slot_games.sync_step(row)


def restore_lost_time(lost: timedelta) -> None:
    """Postpone deadlines by the time without a sweeper, negative if the clock was set back.

    Pages work without a sweeper, so they may have written a time meanwhile. Such a time is not
    moved, because it would lie in the future.
    """
    offered_seatings = Seating.objects.filter(
        _written_before("participant__step_at", lost), state__in=slots.OFFERED_STATES
    )
    offered_seatings.update(held_until=F("held_until") + lost)
    people = Participant.objects.filter(_written_before("step_at", lost), exit="")
    people.update(step_at=F("step_at") + lost, due_at=F("due_at") + lost)
    on_time_without_pages(lost)


def on_time_without_pages(lost: timedelta, **_: object) -> None:
    """Subtract time without pages from absences (signal `time_without_pages`)."""
    people, in_play = Participant.objects.filter(exit=""), Q(slot__state=Slot.PLAYING)
    desks = Desk.objects.filter(player__seating__slot__state=Slot.PLAYING)
    for rows, field in (
        (people, "seen_at"),
        (people, "input_at"),
        (desks, "seen_at"),
        (Seating.objects.filter(in_play), "away_since"),
    ):
        rows.filter(_written_before(field, lost)).update(**{field: F(field) + lost})


def _written_before(field: str, lost: timedelta) -> Q:
    """Match fields written before the lost time, or by a clock that has been set back since."""
    now = timezone.now()
    if lost > timedelta():
        return Q(**{f"{field}__lte": now - lost})
    return ~Q(**{f"{field}__gt": now - HEARTBEAT_INTERVAL, f"{field}__lte": now})


def close_finished() -> None:
    """Close open studies whose games are all done and whose participants have all left."""
    open_states = [Slot.FREE, Slot.FILLING, Slot.PLAYING, Slot.FAILED]
    open_slots = Slot.objects.filter(state__in=open_states)
    people = Participant.objects.filter(exit="", consented_at__isnull=False)
    done_slots = Slot.objects.filter(study=OuterRef("pk"), state=Slot.DONE)
    finished = Study.objects.filter(Exists(done_slots), state=Study.OPEN).exclude(
        Q(pk__in=open_slots.values("study")) | Q(pk__in=people.values("study"))
    )
    for study in finished:
        still_open = Study.objects.filter(pk=study.pk, state=Study.OPEN)
        # Another sweeper may close it at the same time. Only one of them records the event.
        if still_open.update(state=Study.CLOSED, closed_at=timezone.now()):
            study_events.record_event(
                study, "closed", actor=study_events.CLOCK, reason="every game is done"
            )


run_timed_steps = StudyClock().step
