"""Simulate fifty participants who arrive at once and confirm that they are ready.

Run by `tests.at_once`.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from django.db import connection

from tests.study import studies
from webapp.study import timed_steps
from webapp.study.models import Participant, Seating, Slot, Study
from webapp.study.sessions import lifecycle, seating

PEOPLE, PEOPLE_PER_TABLE = 50, 3
WORKERS = 24


def run_concurrently(work: object, participants: list[Participant]) -> None:
    """Run the work for each participant in threads and raise any exception here."""

    def one(person: Participant) -> None:
        try:
            work(person)  # type: ignore[operator]
        finally:
            connection.close()

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(one, participants))


def enter_waiting_room(person: Participant) -> None:
    lifecycle.advance(person, person.step)


def run_arrivals(study: Study) -> dict[str, object]:
    """Let everybody join and confirm while two clocks run, until no game can start."""
    people = studies.enrol(study, PEOPLE)
    stop = threading.Event()
    clocks = [threading.Thread(target=run_clock, args=(stop,)) for _ in range(2)]
    for thread in clocks:
        thread.start()
    began = time.monotonic()
    run_concurrently(enter_waiting_room, people)
    arrived = time.monotonic() - began
    while participants_with_offer := list(Participant.objects.filter(seatings__state=Seating.HELD)):
        run_concurrently(seating.confirm_ready, participants_with_offer)
        timed_steps.run_due_steps()
    stop.set()
    for thread in clocks:
        thread.join()
    return {"arrived": round(arrived, 1), "all": round(time.monotonic() - began, 1)}


def run_clock(stop: threading.Event) -> None:
    while not stop.wait(0.5):
        timed_steps.run_due_steps()
    connection.close()


def count_results(study: Study) -> dict[str, object]:
    seated = Seating.objects.filter(slot__study=study, state=Seating.SEATED)
    people = Counter(seated.values_list("participant", flat=True))
    seats = Counter(seated.values_list("slot", "seat"))
    playing = study.slots.filter(state=Slot.PLAYING)
    tables = [slot.game.players.filter(kind="person").count() for slot in playing if slot.game]
    steps = Counter(studies.stage_of(person) for person in study.participants.all())
    return {
        "seated": len(people),
        "most_seats_a_person": max(people.values()),
        "most_people_a_seat": max(seats.values()),
        "people_at_tables": sorted(set(tables)),
        "games": len(tables),
        "filling": study.slots.filter(state=Slot.FILLING).count(),
        "steps": dict(steps),
    }


def came_of_it() -> dict[str, object]:
    study = studies.create_study(stages=studies.STAGES_WITH_RULES, assignment={"games": 20})
    durations = run_arrivals(study)
    return {**durations, **count_results(study)}
