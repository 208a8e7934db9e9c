"""Matching of waiting participants with slots, one slot after the other."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from webapp.study.design.stages import Design
from webapp.study.models import Participant, Seating, Slot, Study
from webapp.study.sessions import notices, participant_steps, slots
from webapp.study.sessions.participant_steps import record_presence
from webapp.study.sessions.waiting import Waiter, waiting_queue

SHORT_KEY = "short"  # in the deviations of a slot that will begin without all its people
EXTRA_SLOTS = 3  # per condition, tried beyond those whose deals participants know
_waiting_lock = threading.Lock()
_waiting_study_ids: set[int] = set()  # studies for whose row a thread of this process waits


class PendingSeating(NamedTuple):
    """A seating of a slot that is being filled, with ids in place of rows.

    Attributes:
        since: When its participant came to the waiting room.
    """

    seating: int
    slot: int
    seat: int
    participant: int
    state: str
    held_until: datetime | None
    since: datetime | None


class Matching:
    """One pass over the queue and the open slots. The caller holds the study's row."""

    def __init__(self, study: Study, design: Design, now: datetime) -> None:
        self._study, self._design, self._now = study, design, now
        self._queue = waiting_queue(study, design, now)
        self.offered: list[int] = []  # ids of participants
        self.released: list[int] = []  # ids of participants
        self._pending = pending_seatings(study)
        # Released participants whose confirmation is still valid -> until when.
        self._ready_until = dict[int, datetime | None]()

    def run(self) -> None:
        """Offer slots to waiting participants: first partly filled slots, then free ones."""
        if not self._queue and not self._pending:
            return
        filling = self._filling()
        for slot in filling:
            self._fill(slot)
        self._dissolve_all_but_one(filling)
        self._fill_free()
        if self._design.waiting.at_most == "begin":
            self._begin_short()

    def _filling(self) -> list[Slot]:
        return list(self._study.slots.filter(state=Slot.FILLING).order_by("block", "index"))

    def _fill_free(self) -> None:
        """Fill the free slots in their order, each completely or not at all."""
        free = self._study.slots.filter(state=Slot.FREE).order_by("block", "index")
        exhausted = set[int]()  # ids of conditions for which there are not enough people
        known_deals = self._design.assignment.games_each  # of one participant, at most
        per_condition = EXTRA_SLOTS + known_deals
        limit = len(self._queue) + per_condition * self._study.conditions.count()
        for slot in free[:limit] if self._queue else ():
            if not self._queue:
                return
            if slot.condition_id in exhausted or self._fill(slot):
                continue
            if not any(slot.deal in waiter.dealt for waiter in self._queue):
                exhausted.add(slot.condition_id)

    def _fill(self, slot: Slot, *, is_short: bool = False) -> bool:
        """Offer the slot's open seats to participants. Return whether it did.

        Nothing is offered if there are fewer participants than open seats, unless `is_short`.
        """
        pending = self._pending[slot.pk]
        seats = sorted(set(slot.seats) - {row.seat for row in pending}, key=slot.seats.index)
        if not seats or (len(self._queue) < len(seats) and not is_short):
            return False
        chosen = self._find_fitting(slot, len(seats), {row.participant for row in pending})
        if not chosen or (len(chosen) < len(seats) and not is_short):
            return False
        until = self._now + timedelta(seconds=self._design.waiting.ready)
        for seat, waiter in zip(seats, chosen, strict=False):
            self._offer_seat(slot, seat, waiter, until)
        slot.state = Slot.FILLING
        slot.save(update_fields=["state"])
        return True

    def _offer_seat(self, slot: Slot, seat: int, waiter: Waiter, until: datetime) -> None:
        """Offer the seat to a participant. Those who confirmed a moment ago are ready at once."""
        person = waiter.participant
        is_ready = person.pk in self._ready_until
        row = Seating.objects.create(
            slot=slot,
            participant=person,
            round=waiter.round,
            seat=seat,
            state=Seating.READY if is_ready else Seating.HELD,
            held_until=self._ready_until.get(person.pk, until),
        )
        self._queue.remove(waiter)
        self.offered.append(person.pk)
        self._pending[slot.pk].append(
            PendingSeating(
                row.pk, slot.pk, seat, person.pk, row.state, row.held_until, person.step_at
            )
        )

    def _find_fitting(self, slot: Slot, most: int, players: Collection[int]) -> list[Waiter]:
        """Return up to `most` waiters who may play this slot together with `players` (ids)."""
        rules, waiters = self._design.assignment, list[Waiter]()
        company = set(players)
        for waiter in self._queue:
            if len(waiters) == most:
                break
            if slot.deal in waiter.dealt:
                continue
            if rules.distinct_conditions and slot.condition_id in waiter.played:
                continue
            if rules.meet_once and (
                waiter.met & company or any(waiter.participant.pk in w.met for w in waiters)
            ):
                continue
            waiters.append(waiter)
            company.add(waiter.participant.pk)
        return waiters

    def _dissolve_all_but_one(self, filling: Sequence[Slot]) -> None:
        """Move participants from the last incomplete slots to the first, until one is left.

        Otherwise two games would wait for each other's participants.
        """
        incomplete = [slot for slot in filling if self._is_incomplete(slot)]
        while len(incomplete) > 1:
            last = incomplete.pop()
            for row in self._pending.pop(last.pk):
                self._release(row)
            free_slot(last)
            self._queue = waiting_queue(self._study, self._design, self._now)
            incomplete = [slot for slot in incomplete if not self._fill(slot)]

    def _is_incomplete(self, slot: Slot) -> bool:
        return len(self._pending[slot.pk]) < len(slot.seats) and not slot.deviations.get(SHORT_KEY)

    def _release(self, row: PendingSeating) -> None:
        """Release a seating. A participant who was ready stays ready."""
        if row.state == Seating.READY:
            self._ready_until[row.participant] = row.held_until
        Seating.objects.filter(pk=row.seating).update(state=Seating.RELEASED)
        self.released.append(row.participant)

    def _begin_short(self) -> None:
        """Seat those who have waited longest, with computer players in open seats."""
        max_wait_s = self._design.waiting.most
        came_before = self._now - timedelta(seconds=max_wait_s)
        for slot in self._filling():
            if any(row.since and row.since <= came_before for row in self._pending[slot.pk]):
                self._mark_short(slot)
                self._fill(slot, is_short=True)
        while overdue := [w for w in self._queue if w.waited >= max_wait_s and not w.missed]:
            first = overdue[0]
            self._queue.remove(first)
            if free_slot_ := self._find_free_slot(first):
                self._queue.insert(0, first)
                self._mark_short(free_slot_)
                self._fill(free_slot_, is_short=True)

    def begin_short(self, only: Slot | None = None) -> list[Slot]:
        """Seat waiting participants now, with computer players in open seats.

        Args:
            only: The one slot that may begin so; None for all.

        Returns:
            The slots that begin short.
        """
        if only:
            return [only] if self._begin_short_now(only) else []
        shortened = [slot for slot in self._filling() if self._begin_short_now(slot)]
        for waiter in list(self._queue):
            if waiter in self._queue and (slot := self._find_free_slot(waiter)):
                self._queue.remove(waiter)
                self._queue.insert(0, waiter)
                shortened += [slot] if self._begin_short_now(slot) else []
        return shortened

    def _begin_short_now(self, slot: Slot) -> bool:
        if slot.deviations.get(SHORT_KEY):
            return False
        if not self._pending[slot.pk] and not self._find_fitting(slot, 1, ()):
            return False
        self._mark_short(slot)
        self._fill(slot, is_short=True)
        return True

    def _find_free_slot(self, waiter: Waiter) -> Slot | None:
        """Return the first free slot whose deal is new to the waiter.

        With distinct conditions, its condition has to be new as well.
        """
        open_slots = self._study.slots.filter(state=Slot.FREE).order_by("block", "index")
        open_slots = open_slots.exclude(deal__in=waiter.dealt)
        if self._design.assignment.distinct_conditions:
            open_slots = open_slots.exclude(condition__in=waiter.played)
        return open_slots.first()

    def _mark_short(self, slot: Slot) -> None:
        slot.deviations = {**slot.deviations, SHORT_KEY: True}
        slot.save(update_fields=["deviations"])


def active_seatings(slot: Slot) -> list[Seating]:
    """Return the slot's seatings that are held or ready."""
    rows = Seating.objects.filter(slot=slot, state__in=slots.OFFERED_STATES)
    return list(rows.select_related("participant"))


def pending_seatings(study: Study) -> defaultdict[int, list[PendingSeating]]:
    """Return slot's id -> its seatings, of all slots that are being filled, in one query."""
    seatings_by_slot = defaultdict[int, list[PendingSeating]](list)
    rows = Seating.objects.filter(
        slot__study=study, slot__state=Slot.FILLING, state__in=slots.OFFERED_STATES
    ).order_by()
    names = ("pk", "slot", "seat", "participant", "state", "held_until", "participant__step_at")
    for row in map(PendingSeating._make, rows.values_list(*names)):
        seatings_by_slot[row.slot].append(row)
    return seatings_by_slot


def free_slot(slot: Slot) -> None:
    """Mark the slot as free: none of its seats is offered or occupied."""
    slot.state = Slot.FREE
    slot.deviations = {k: v for k, v in slot.deviations.items() if k != SHORT_KEY}
    slot.save(update_fields=["state", "deviations"])


def join_queue(participant: Participant) -> None:
    """Run the matching after a participant has come to a waiting room."""
    record_presence(participant)
    match(participant.study)


def match(study: Study) -> int:
    """Offer seats to waiting participants if the study is open. Return the number of offers.

    If another thread of this process waits for the study's row, this call returns 0 at once,
    because that thread will see the same queue.
    """
    with _waiting_lock:
        if study.pk in _waiting_study_ids:
            return 0
        _waiting_study_ids.add(study.pk)
    try:
        return _match(study)
    except BaseException:
        _waiting_study_ids.discard(study.pk)
        raise


def _match(study: Study) -> int:
    with transaction.atomic():
        row = slots.lock_study(study)
        # From now on, an arrival may be too late for this pass and needs a pass of its own.
        _waiting_study_ids.discard(study.pk)
        if row.state != Study.OPEN:
            return 0
        matching = Matching(row, participant_steps.design_of(row), timezone.now())
        matching.run()
        notices.refresh_pages([*matching.offered, *matching.released])
        return len(matching.offered)
