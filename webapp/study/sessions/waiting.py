"""The queue for a game: who waits, since when, and their history with the others.

A participant waits from their arrival at a waiting step until their game begins. The queue is
ordered by that time, and participants who missed an offer come last.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import QuerySet

from webapp.study.design.stages import Design
from webapp.study.models import Participant, Seating, Study
from webapp.study.sessions.participant_steps import WAITING, Step, is_present, route


@dataclass(frozen=True)
class Waiter:
    """A participant in the queue.

    round: which of their games it is. waited: seconds. missed: how many offers they missed. played:
    conditions' ids. met: participants' ids. dealt: deals of their earlier games.
    """

    participant: Participant
    round: int
    waited: float
    missed: int
    played: frozenset[int] = field(default=frozenset())
    met: frozenset[int] = field(default=frozenset())
    dealt: frozenset[str] = field(default=frozenset())


def seconds_waited(participant: Participant, now: datetime) -> float:
    """Return seconds since the participant came to their waiting room."""
    since = participant.step_at or now
    return max((now - since).total_seconds(), 0.0)


def waiting_steps(design: Design) -> dict[int, Step]:
    """Return the waiting steps of the route, by index."""
    return {step.index: step for step in route(design) if step.kind == WAITING}


def without_offer(study: Study, design: Design) -> QuerySet[Participant]:
    """Return participants in a waiting room who hold no offer, in the order they came."""
    asked_seatings = Seating.objects.filter(
        slot__study=study, state__in=[Seating.HELD, Seating.READY]
    )
    waiting_people = Participant.objects.filter(
        study=study, exit="", step__in=list(waiting_steps(design))
    )
    return waiting_people.exclude(pk__in=asked_seatings.values("participant")).order_by(
        "step_at", "pk"
    )


def waiting_queue(study: Study, design: Design, now: datetime) -> list[Waiter]:
    """Return those who can be offered a seat now, in order. The caller holds the study's row."""
    rooms = waiting_steps(design)
    people = [p for p in without_offer(study, design) if is_present(p, now)]
    history = _History([p.pk for p in people])
    waiters = []
    for person in people:
        game, length = rooms[person.step].game, seconds_waited(person, now)
        if length < design.waiting.least or history.is_taken(person.pk, game):
            continue
        waiters.append(
            Waiter(
                person,
                game,
                length,
                history.missed[person.pk, game],
                frozenset(history.played[person.pk]),
                frozenset(history.met(person.pk)),
                frozenset(history.dealt[person.pk]),
            )
        )
    return sorted(waiters, key=lambda w: w.missed)


class _History:
    """History of these participants' seatings."""

    def __init__(self, participants: Sequence[int]) -> None:
        self.missed: Counter[tuple[int, int]] = Counter()
        self.played: defaultdict[int, set[int]] = defaultdict(set)
        self.dealt: defaultdict[int, set[str]] = defaultdict(set)
        self._slots: defaultdict[int, set[int]] = defaultdict(set)
        self._taken: set[tuple[int, int]] = set()
        rows = Seating.objects.filter(participant__in=participants).values_list(
            "participant", "round", "state", "slot", "slot__condition", "slot__deal"
        )
        for person, game, state, slot, condition, deal in rows:
            if state == Seating.MISSED:
                self.missed[person, game] += 1
            if state in (Seating.HELD, Seating.READY, Seating.SEATED):
                self._taken.add((person, game))
            if state == Seating.SEATED:
                self.played[person].add(condition)
            if state in (Seating.SEATED, Seating.OUT):
                self._slots[person].add(slot)
                self.dealt[person].add(deal)
        self._people: defaultdict[int, set[int]] = defaultdict(set)
        begun = set().union(*self._slots.values()) if self._slots else set()
        together = Seating.objects.filter(
            slot__in=begun, state__in=[Seating.SEATED, Seating.OUT]
        ).values_list("slot", "participant")
        for slot, person in together if begun else ():
            self._people[slot].add(person)

    def is_taken(self, person: int, game: int) -> bool:
        """Return whether the participant is asked, ready or seated already."""
        return (person, game) in self._taken

    def met(self, person: int) -> set[int]:
        return set().union(*(self._people[s] for s in self._slots[person])) - {person}
