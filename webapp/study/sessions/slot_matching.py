"""The queue for a game, and its matching with slots: participants get offers of seats.

A participant waits from their arrival at a waiting step until their game begins. The queue is
ordered by arrival, with participants who missed an offer at the end. A slot begins short of
participants if its game starts with agents in the open seats.
"""

import threading
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from django.db.models import QuerySet
from django.utils import timezone

from webapp.study.design.stages import Design
from webapp.study.models import Participant, Seating, Slot, Study
from webapp.study.sessions import participant_state, slots, study_events
from webapp.study.sessions.participant_state import WAITING, Step, is_present, route

SHORT_KEY = "short"  # Marks, in a slot's deviations, that it will begin short of participants.
EXTRA_SLOTS = 3  # slots tried per condition, beyond those whose deals a participant may know
_waiting_lock = threading.Lock()
_waiting_study_ids: set[int] = set()  # studies for whose row a thread of this process waits


@dataclass(frozen=True)
class QueueEntry:
    """A participant in the queue."""

    participant: Participant
    game_number: int  # number of the game they wait for, from 1
    waited_s: float
    missed_offers: int  # number of offers of that game that they missed
    earlier_conditions: frozenset[int]  # ids of the conditions that they played to the end
    earlier_people: frozenset[int]  # ids of the participants in their earlier games
    earlier_deals: frozenset[str]  # deals of their earlier games


def seconds_waited(participant: Participant, now: datetime) -> float:
    """Return the seconds since the participant came to their waiting room."""
    arrived_at = participant.step_at or now
    return max((now - arrived_at).total_seconds(), 0.0)


def waiting_steps(design: Design) -> dict[int, Step]:
    """Return the waiting steps of the route, by index."""
    return {step.index: step for step in route(design) if step.kind == WAITING}


def participants_without_offer(study: Study, design: Design) -> QuerySet[Participant]:
    """Return participants in a waiting room without an offer, in the order of arrival."""
    offered_seatings = Seating.objects.filter(slot__study=study, state__in=slots.OFFERED_STATES)
    waiting_people = study.participants.filter(exit="", step__in=list(waiting_steps(design)))
    without_offer = waiting_people.exclude(pk__in=offered_seatings.values("participant"))
    return without_offer.order_by("step_at", "pk")


def waiting_queue(study: Study, design: Design, now: datetime) -> list[QueueEntry]:
    """Return the participants who can get an offer, in order. The caller has locked the study."""
    steps_by_index = waiting_steps(design)
    participants = [p for p in participants_without_offer(study, design) if is_present(p, now)]
    history = SeatingHistory([p.pk for p in participants])
    entries = []
    for participant in participants:
        pk, game_number = participant.pk, steps_by_index[participant.step].game
        waited_s = seconds_waited(participant, now)
        if waited_s < design.waiting.least or (pk, game_number) in history.occupied:
            continue
        entries.append(
            QueueEntry(
                participant,
                game_number,
                waited_s,
                history.missed_offers[pk, game_number],
                frozenset(history.conditions[pk]),
                frozenset(history.people_met(pk)),
                frozenset(history.deals[pk]),
            )
        )
    # The sort is stable: participants with as many missed offers stay in order of arrival.
    return sorted(entries, key=lambda entry: entry.missed_offers)


class SeatingHistory:
    """The earlier seatings of some participants, by their ids."""

    def __init__(self, participant_ids: Sequence[int]) -> None:
        # (participant id, number of the game) -> number of missed offers
        self.missed_offers: Counter[tuple[int, int]] = Counter()
        # Each of these three maps a participant's id to what their earlier seatings have.
        self.conditions: defaultdict[int, set[int]] = defaultdict(set)  # ids
        self.deals: defaultdict[int, set[str]] = defaultdict(set)
        self._slots: defaultdict[int, set[int]] = defaultdict(set)
        # (participant id, number of the game) with an offer or a seat
        self.occupied: set[tuple[int, int]] = set()
        rows = Seating.objects.filter(participant__in=participant_ids).values_list(
            "participant", "round", "state", "slot", "slot__condition", "slot__deal"
        )
        for participant_id, game_number, state, slot, condition, deal in rows:
            if state == Seating.MISSED:
                self.missed_offers[participant_id, game_number] += 1
            if state in slots.OCCUPIED_STATES:
                self.occupied.add((participant_id, game_number))
            # A game that was left or cancelled (`Seating.OUT`) does not count for its condition,
            # which the participant may play again. But they have met its people and know its deal.
            if state == Seating.SEATED:
                self.conditions[participant_id].add(condition)
            if state in slots.PLAYED_STATES:
                self._slots[participant_id].add(slot)
                self.deals[participant_id].add(deal)

    @cached_property
    def _people_by_slot(self) -> defaultdict[int, set[int]]:
        people: defaultdict[int, set[int]] = defaultdict(set)
        seatings = Seating.objects.filter(
            slot__in=set[int]().union(*self._slots.values()), state__in=slots.PLAYED_STATES
        )
        for slot, participant_id in seatings.values_list("slot", "participant"):
            people[slot].add(participant_id)
        return people

    def people_met(self, participant_id: int) -> set[int]:
        groups = [self._people_by_slot[slot] for slot in self._slots[participant_id]]
        return set().union(*groups) - {participant_id}


class Matching:
    """One pass over the queue and the open slots. The caller holds the study's row."""

    def __init__(self, study: Study, design: Design, now: datetime) -> None:
        self._study, self._design, self._now = study, design, now
        self._queue = waiting_queue(study, design, now)
        self.offered: list[int] = []  # ids of the participants who got an offer
        self.released: list[int] = []  # ids of the participants whose seating was released
        self._pending = pending_seatings(study)
        # Released participants whose confirmation is still valid -> until when.
        self._ready_until = dict[int, datetime | None]()

    def run(self) -> None:
        """Offer slots to waiting participants: first partly filled slots, then free ones."""
        if not self._queue and not self._pending:
            return
        filling = self._filling_slots()
        for slot in filling:
            self._fill(slot)
        self._merge_incomplete_slots(filling)
        self._fill_free()
        if self._design.waiting.at_most == "begin":
            self._begin_overdue_slots()

    def _filling_slots(self) -> list[Slot]:
        return list(self._study.slots.filter(state=Slot.FILLING).order_by("block", "index"))

    def _fill_free(self) -> None:
        """Fill the free slots in their order, each completely or not at all."""
        free = self._study.slots.filter(state=Slot.FREE).order_by("block", "index")
        exhausted = set[int]()  # ids of conditions that too few participants can play
        per_condition = EXTRA_SLOTS + self._design.assignment.games_each
        limit = len(self._queue) + per_condition * self._study.conditions.count()
        for slot in free[:limit] if self._queue else ():
            if not self._queue:
                return
            if slot.condition_id in exhausted or self._fill(slot):
                continue
            # Another slot of the condition may fit only if this slot's deal was the obstacle.
            if not any(slot.deal in entry.earlier_deals for entry in self._queue):
                exhausted.add(slot.condition_id)

    def _fill(self, slot: Slot, *, is_short: bool = False) -> bool:
        """Offer the slot's open seats. Return whether any was offered.

        If not enough participants fit, some seats are offered with `is_short`, else none.
        """
        pending = self._pending[slot.pk]
        seats = sorted(set(slot.seats) - {row.seat for row in pending}, key=slot.seats.index)
        if not seats or (len(self._queue) < len(seats) and not is_short):
            return False
        chosen = self._find_fitting(slot, len(seats), {row.participant_id for row in pending})
        if not chosen or (len(chosen) < len(seats) and not is_short):
            return False
        until = self._now + timedelta(seconds=self._design.waiting.ready)
        for seat, entry in zip(seats, chosen, strict=False):
            self._offer_seat(slot, seat, entry, until)
        slot.state = Slot.FILLING
        slot.save(update_fields=["state"])
        return True

    def _offer_seat(self, slot: Slot, seat: int, entry: QueueEntry, until: datetime) -> None:
        """Offer the seat to a participant, who is ready at once if their confirmation is valid."""
        person = entry.participant
        is_ready = person.pk in self._ready_until
        row = Seating.objects.create(
            slot=slot,
            participant=person,
            round=entry.game_number,
            seat=seat,
            state=Seating.READY if is_ready else Seating.HELD,
            held_until=self._ready_until.get(person.pk, until),
        )
        self._queue.remove(entry)
        self.offered.append(person.pk)
        self._pending[slot.pk].append(row)

    def _find_fitting(self, slot: Slot, limit: int, players: Collection[int]) -> list[QueueEntry]:
        """Return up to `limit` entries that may play this slot together with `players` (ids)."""
        rules, entries = self._design.assignment, list[QueueEntry]()
        company = set(players)
        for entry in self._queue:
            if len(entries) == limit:
                break
            if slot.deal in entry.earlier_deals:
                continue
            if rules.distinct_conditions and slot.condition_id in entry.earlier_conditions:
                continue
            if rules.meet_once and (
                entry.earlier_people & company
                or any(entry.participant.pk in e.earlier_people for e in entries)
            ):
                continue
            entries.append(entry)
            company.add(entry.participant.pk)
        return entries

    def _merge_incomplete_slots(self, filling: Sequence[Slot]) -> None:
        """Move participants from the last incomplete slots to the first ones, until one is left.

        Otherwise two games would wait for each other's participants.
        """
        incomplete = [
            slot
            for slot in filling
            if len(self._pending[slot.pk]) < len(slot.seats) and not slot.deviations.get(SHORT_KEY)
        ]
        while len(incomplete) > 1:
            last = incomplete.pop()
            for row in self._pending.pop(last.pk):
                self._release(row)
            mark_free(last)
            self._queue = waiting_queue(self._study, self._design, self._now)
            incomplete = [slot for slot in incomplete if not self._fill(slot)]

    def _release(self, row: Seating) -> None:
        """Release a seating. A participant who was ready is ready for the next offer."""
        if row.state == Seating.READY:
            self._ready_until[row.participant_id] = row.held_until
        Seating.objects.filter(pk=row.pk).update(state=Seating.RELEASED)
        self.released.append(row.participant_id)

    def _begin_overdue_slots(self) -> None:
        """Let slots begin short whose participants have waited for the maximum time."""
        max_wait_s = self._design.waiting.most
        came_before = self._now - timedelta(seconds=max_wait_s)
        for slot in self._filling_slots():
            arrivals = [row.participant.step_at for row in self._pending[slot.pk]]
            if any(at and at <= came_before for at in arrivals):
                self._fill_short(slot)
        while overdue := [
            e for e in self._queue if e.waited_s >= max_wait_s and not e.missed_offers
        ]:
            first = overdue[0]
            self._queue.remove(first)  # ends the loop if no slot is free
            if free := self._find_free_slot(first):
                self._queue.insert(0, first)  # so that this participant gets one of its seats
                self._fill_short(free)

    def begin_short(self, only: Slot | None = None) -> list[Slot]:
        """Let slots, or `only` one, begin short with all waiting participants. Return them."""
        if only:
            return [only] if self._try_begin_short(only) else []
        short_slots = [slot for slot in self._filling_slots() if self._try_begin_short(slot)]
        for entry in list(self._queue):
            if entry in self._queue and (slot := self._find_free_slot(entry)):
                self._queue.remove(entry)
                self._queue.insert(0, entry)
                short_slots += [slot] if self._try_begin_short(slot) else []
        return short_slots

    def _try_begin_short(self, slot: Slot) -> bool:
        """Let the slot begin short, unless it does already or has no participant."""
        if slot.deviations.get(SHORT_KEY):
            return False
        if not self._pending[slot.pk] and not self._find_fitting(slot, 1, ()):
            return False
        self._fill_short(slot)
        return True

    def _find_free_slot(self, entry: QueueEntry) -> Slot | None:
        """Return the first free slot that the participant may play, as in `_find_fitting`."""
        open_slots = self._study.slots.filter(state=Slot.FREE).order_by("block", "index")
        open_slots = open_slots.exclude(deal__in=entry.earlier_deals)
        if self._design.assignment.distinct_conditions:
            open_slots = open_slots.exclude(condition__in=entry.earlier_conditions)
        return open_slots.first()

    def _fill_short(self, slot: Slot) -> None:
        slot.deviations = {**slot.deviations, SHORT_KEY: True}
        slot.save(update_fields=["deviations"])
        self._fill(slot, is_short=True)


def offered_seatings(slot: Slot) -> list[Seating]:
    """Return the slot's seatings that are held or ready."""
    rows = Seating.objects.filter(slot=slot, state__in=slots.OFFERED_STATES)
    return list(rows.select_related("participant"))


def pending_seatings(study: Study) -> defaultdict[int, list[Seating]]:
    """Return slot's id -> its seatings, for all slots that are being filled, in one query."""
    seatings_by_slot = defaultdict[int, list[Seating]](list)
    rows = Seating.objects.filter(slot__study=study, slot__state=Slot.FILLING)
    rows = rows.filter(state__in=slots.OFFERED_STATES).select_related("participant")
    for row in rows.only("slot", "seat", "state", "held_until", "participant__step_at"):
        seatings_by_slot[row.slot_id].append(row)
    return seatings_by_slot


def mark_free(slot: Slot) -> None:
    """Make a slot free whose seats are neither offered nor occupied."""
    slot.state = Slot.FREE
    slot.deviations = {k: v for k, v in slot.deviations.items() if k != SHORT_KEY}
    slot.save(update_fields=["state", "deviations"])


def offer_slots(study: Study) -> int:
    """Offer slots to waiting participants if the study is open. Return the number of offers.

    If another thread of this process already waits for the study's row, this call returns 0 at
    once, because that thread will see the same queue.
    """
    with _waiting_lock:
        if study.pk in _waiting_study_ids:
            return 0
        _waiting_study_ids.add(study.pk)
    try:
        return _offer_slots(study)
    except BaseException:
        _waiting_study_ids.discard(study.pk)
        raise


def _offer_slots(study: Study) -> int:
    with slots.locked_study(study) as row:
        # From now on, an arrival may be too late for this pass and needs a pass of its own.
        _waiting_study_ids.discard(study.pk)
        if row.state != Study.OPEN:
            return 0
        matching = Matching(row, participant_state.design_of(row), timezone.now())
        matching.run()
        study_events.refresh_pages_on_commit([*matching.offered, *matching.released])
        return len(matching.offered)
