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
    round: int  # number of the game they wait for, from 1
    waited_s: float
    missed_offers: int  # number of offers of that game that they missed
    earlier_conditions: frozenset[int]  # ids of the conditions of their earlier games
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
    """Return the participants who can get an offer, in order. The caller holds the study's row."""
    rooms = waiting_steps(design)
    people = [p for p in participants_without_offer(study, design) if is_present(p, now)]
    history = SeatingHistory([p.pk for p in people])
    entries = []
    for person in people:
        game, waited_s = rooms[person.step].game, seconds_waited(person, now)
        if waited_s < design.waiting.least or (person.pk, game) in history.occupied:
            continue
        entries.append(
            QueueEntry(
                person,
                game,
                waited_s,
                history.missed_offers[person.pk, game],
                frozenset(history.conditions[person.pk]),
                frozenset(history.people_met(person.pk)),
                frozenset(history.deals[person.pk]),
            )
        )
    return sorted(entries, key=lambda entry: entry.missed_offers)


class SeatingHistory:
    """The earlier seatings of some participants, by their ids."""

    def __init__(self, participants: Sequence[int]) -> None:
        # (participant, number of the game) -> number of missed offers
        self.missed_offers: Counter[tuple[int, int]] = Counter()
        self.conditions: defaultdict[int, set[int]] = defaultdict(set)  # ids
        self.deals: defaultdict[int, set[str]] = defaultdict(set)
        self._slots: defaultdict[int, set[int]] = defaultdict(set)
        # (participant, number of the game) with an offer or a seat
        self.occupied: set[tuple[int, int]] = set()
        rows = Seating.objects.filter(participant__in=participants).values_list(
            "participant", "round", "state", "slot", "slot__condition", "slot__deal"
        )
        for person, game, state, slot, condition, deal in rows:
            if state == Seating.MISSED:
                self.missed_offers[person, game] += 1
            if state in slots.OCCUPIED_STATES:
                self.occupied.add((person, game))
            if state == Seating.SEATED:
                self.conditions[person].add(condition)
            if state in slots.PLAYED_STATES:
                self._slots[person].add(slot)
                self.deals[person].add(deal)

    @cached_property
    def _people_by_slot(self) -> defaultdict[int, set[int]]:
        people: defaultdict[int, set[int]] = defaultdict(set)
        seatings = Seating.objects.filter(
            slot__in=set[int]().union(*self._slots.values()), state__in=slots.PLAYED_STATES
        )
        for slot, person in seatings.values_list("slot", "participant"):
            people[slot].add(person)
        return people

    def people_met(self, person: int) -> set[int]:
        return set().union(*(self._people_by_slot[s] for s in self._slots[person])) - {person}
