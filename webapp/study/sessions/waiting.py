"""The queue for a game: waiting participants, their waiting times and their earlier games.

A participant waits from their arrival at a waiting step until their game begins. The queue is
ordered by arrival, with participants who missed an offer at the end.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.db.models import QuerySet

from webapp.study.design.stages import Design
from webapp.study.models import Participant, Seating, Study
from webapp.study.sessions import slots
from webapp.study.sessions.participant_state import WAITING, Step, is_present, route


@dataclass(frozen=True)
class QueueEntry:
    """A participant in the queue."""

    participant: Participant
    game_number: int  # of the game they wait for, from 1
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
        # By participant id.
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
