"""Matching of waiting participants with slots. One game is filled after the other."""

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

SHORT = "short"  # key in a slot's deviations while it fills: it begins without all its people
_turns = threading.Lock()
_about_to_match: set[int] = set()  # ids of studies for whose row a thread of this process waits


class PendingSeating(NamedTuple):
    """A seating of a slot that is being filled, with the ids of its rows.

    since: when its participant came to the waiting room.
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
        self.asked: list[int] = []  # ids of participants
        self.released: list[int] = []
        self._asked = pending_seatings(study)
        self._said = dict[int, datetime | None]()  # participants who are still ready -> until when

    def run(self) -> None:
        """Offer slots to waiting participants: first partly filled slots, then free ones."""
        if not self._queue and not self._asked:
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
        tried = set[int]()  # ids of conditions for which there are not enough people
        # A participant knows at most this many deals already.
        each = self._design.assignment.games_each
        many = len(self._queue) + (3 + each) * self._study.conditions.count()
        for slot in free[:many] if self._queue else ():
            if not self._queue:
                return
            if slot.condition_id in tried or self._fill(slot):
                continue
            if not any(slot.deal in waiter.dealt for waiter in self._queue):
                tried.add(slot.condition_id)

    def _fill(self, slot: Slot, *, is_short: bool = False) -> bool:
        """Offer the slot's open seats to participants. Return whether it did.

        Nothing is offered if there are fewer participants than open seats, unless `is_short`.
        """
        seats_taken = self._asked[slot.pk]
        seats = sorted(set(slot.seats) - {row.seat for row in seats_taken}, key=slot.seats.index)
        if not seats or (len(self._queue) < len(seats) and not is_short):
            return False
        chosen = self._fitting(slot, len(seats), {row.participant for row in seats_taken})
        if not chosen or (len(chosen) < len(seats) and not is_short):
            return False
        until = self._now + timedelta(seconds=self._design.waiting.ready)
        for seat, waiter in zip(seats, chosen, strict=False):
            self._ask(slot, seat, waiter, until)
        slot.state = Slot.FILLING
        slot.save(update_fields=["state"])
        return True

    def _ask(self, slot: Slot, seat: int, waiter: Waiter, until: datetime) -> None:
        """Hold the seat for a participant and ask whether they are ready.

        Participants who confirmed a moment ago are not asked again.
        """
        person = waiter.participant
        has_said = person.pk in self._said
        row = Seating.objects.create(
            slot=slot,
            participant=person,
            round=waiter.round,
            seat=seat,
            state=Seating.READY if has_said else Seating.HELD,
            held_until=self._said.get(person.pk, until),
        )
        self._queue.remove(waiter)
        self.asked.append(person.pk)
        self._asked[slot.pk].append(
            PendingSeating(
                row.pk, slot.pk, seat, person.pk, row.state, row.held_until, person.step_at
            )
        )

    def _fitting(self, slot: Slot, most: int, players: Collection[int]) -> list[Waiter]:
        """Return up to `most` waiters who may play this slot together with `players`."""
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
        """Give the participants of the last incomplete slots to the first, until one is left.

        Otherwise two games would wait for each other's participants.
        """
        lacking = [slot for slot in filling if self._lacks(slot)]
        while len(lacking) > 1:
            last = lacking.pop()
            for row in self._asked.pop(last.pk):
                self._release(row)
            free_slot(last)
            self._queue = waiting_queue(self._study, self._design, self._now)
            lacking = [slot for slot in lacking if not self._fill(slot)]

    def _lacks(self, slot: Slot) -> bool:
        return len(self._asked[slot.pk]) < len(slot.seats) and not slot.deviations.get(SHORT)

    def _release(self, row: PendingSeating) -> None:
        """Release a seating. A participant who was ready stays ready."""
        if row.state == Seating.READY:
            self._said[row.participant] = row.held_until
        Seating.objects.filter(pk=row.seating).update(state=Seating.RELEASED)
        self.released.append(row.participant)

    def _begin_short(self) -> None:
        """Seat those who have waited longest, with computer players in open seats."""
        most = self._design.waiting.most
        early = self._now - timedelta(seconds=most)
        for slot in self._filling():
            if any(row.since and row.since <= early for row in self._asked[slot.pk]):
                self._shorten(slot)
                self._fill(slot, is_short=True)
        while overdue := [w for w in self._queue if w.waited >= most and not w.missed]:
            first = overdue[0]
            self._queue.remove(first)
            if free_waiters := self._free_for(first):
                self._queue.insert(0, first)
                self._shorten(free_waiters)
                self._fill(free_waiters, is_short=True)

    def begin_short(self, only: Slot | None = None) -> list[Slot]:
        """Seat waiting participants now, with computer players in open seats.

        only: the one slot to begin so. Returns the slots that were shortened.
        """
        if only:
            return [only] if self._shorten_now(only) else []
        shortened = [slot for slot in self._filling() if self._shorten_now(slot)]
        for waiter in list(self._queue):
            if waiter in self._queue and (slot := self._free_for(waiter)):
                self._queue.remove(waiter)
                self._queue.insert(0, waiter)
                shortened += [slot] if self._shorten_now(slot) else []
        return shortened

    def _shorten_now(self, slot: Slot) -> bool:
        if slot.deviations.get(SHORT):
            return False
        if not self._asked[slot.pk] and not self._fitting(slot, 1, ()):
            return False
        self._shorten(slot)
        self._fill(slot, is_short=True)
        return True

    def _free_for(self, waiter: Waiter) -> Slot | None:
        """Return the first free slot whose deal is new to the waiter.

        Its condition has to be new as well if the design asks for distinct conditions.
        """
        open_slots = self._study.slots.filter(state=Slot.FREE).order_by("block", "index")
        open_slots = open_slots.exclude(deal__in=waiter.dealt)
        if self._design.assignment.distinct_conditions:
            open_slots = open_slots.exclude(condition__in=waiter.played)
        return open_slots.first()

    def _shorten(self, slot: Slot) -> None:
        slot.deviations = {**slot.deviations, SHORT: True}
        slot.save(update_fields=["deviations"])


def active_seatings(slot: Slot) -> list[Seating]:
    """Return the seatings of a slot that is being filled: held or ready."""
    rows = Seating.objects.filter(slot=slot, state__in=[Seating.HELD, Seating.READY])
    return list(rows.select_related("participant"))


def pending_seatings(study: Study) -> defaultdict[int, list[PendingSeating]]:
    """Return the seatings of all slots of a study that are being filled, by slot.

    They are read in one query.
    """
    asked_by_slot = defaultdict[int, list[PendingSeating]](list)
    rows = Seating.objects.filter(
        slot__study=study, slot__state=Slot.FILLING, state__in=[Seating.HELD, Seating.READY]
    ).order_by()
    names = ("pk", "slot", "seat", "participant", "state", "held_until", "participant__step_at")
    for row in map(PendingSeating._make, rows.values_list(*names)):
        asked_by_slot[row.slot].append(row)
    return asked_by_slot


def free_slot(slot: Slot) -> None:
    """Mark the slot as free: its seats are offered to nobody."""
    slot.state = Slot.FREE
    slot.deviations = {k: v for k, v in slot.deviations.items() if k != SHORT}
    slot.save(update_fields=["state", "deviations"])


def join_queue(participant: Participant) -> None:
    """Run the matching after a participant has come to a waiting room."""
    record_presence(participant)
    match(participant.study)


def match(study: Study) -> int:
    """Offer seats to waiting participants, if the study is open. Return how many were asked.

    A thread that waits for the study's row already will see the same queue. In that case this call
    returns 0 at once.
    """
    with _turns:
        if study.pk in _about_to_match:
            return 0
        _about_to_match.add(study.pk)
    try:
        return _match(study)
    except BaseException:
        _about_to_match.discard(study.pk)
        raise


def _match(study: Study) -> int:
    with transaction.atomic():
        row = slots.lock_study(study)
        # Participants who arrive from now on may be too late for this pass.
        _about_to_match.discard(study.pk)
        if row.state != Study.OPEN:
            return 0
        matching = Matching(row, participant_steps.design_of(row), timezone.now())
        matching.run()
        notices.refresh_pages([*matching.asked, *matching.released])
        return len(matching.asked)
