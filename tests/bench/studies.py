"""A study of forty people in eight games, and two hundred concurrent arrivals in another study.

A third study has its processes killed (`killed_study`). Exit status 1 if that did harm.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
import time
from collections.abc import Sequence
from typing import Any

import psutil

from tests.bench import killed_study
from tests.bench.crowd import Memory
from tests.bench.figures import spread
from tests.bench.study_people import Meter, Participant, TimedTransport
from tests.live import Stack

PEOPLE, AT_A_TABLE = 40, 5
ARRIVALS = 200
ARRIVAL_SPAN_S = 10.0  # seconds within which the forty open the link
MATCHED_WITHIN = 7.0  # seconds: the clock's matching (`clock.MATCH_EVERY`), and some
REQUESTS = 30  # requests of each page to measure its processor time
SERVERS = ("web", "worker", "sweeper", "redis")
KINDS = (
    "first page", "consent post", "stage page", "stage post", "save", "waiting-room news",
    "ready post", "ready → begins", "table page", "answer post",
)  # fmt: skip

STAGES = [
    {"kind": "consent", "text": "You play one game and answer a few questions."},
    {"kind": "background", "minutes": 5},
    {"kind": "rules", "quiz": {"questions": 5, "tries": 1, "then": "go_on"}},
    {"kind": "game"},
    {"kind": "questionnaire", "instruments": ["who-is-human"], "minutes": 10, "each_game": True},
    {"kind": "debriefing"},
]
OPEN = """
import json
from django.contrib.auth.models import User
from webapp.study.planning import studies
from webapp.study.design.stages import Design
owner = User.objects.get_or_create(username="bench")[0]
study = studies.create(owner, "Bench", seed="bench", design=Design.from_json({design!r}).to_json())
studies.open(study)
print(json.dumps(study.key))
"""
VISITS_QUERY = """
import json
from collections import Counter
from webapp.study.models import Seating, Study
study = Study.objects.get(key={key!r})
people = study.participants.all()
rows = Seating.objects.filter(slot__study=study)
taken = rows.filter(state__in=["held", "ready", "seated"])
def most(*names):
    return max(Counter(taken.values_list(*names)).values(), default=0)
print(json.dumps({{
    "participants": people.count(),
    "with a seat": taken.values("participant").distinct().count(),
    "most seats a person": most("participant"),
    "most people a seat": most("slot", "seat"),
    "slots": dict(Counter(study.slots.values_list("state", flat=True))),
    "ways out": dict(Counter(people.values_list("exit", flat=True))),
}}))
"""


def open_study(stack: Stack, stages: Sequence[dict[str, Any]], games: int) -> str:
    """Open a study of games without a pace. Returns: the key of its shared link."""
    design = {
        "table": {"people": AT_A_TABLE, "pace": "none"},
        "stages": list(stages),
        "assignment": {"games": games},
        "waiting": {"ready": 60},
    }
    return str(json.loads(stack.shell(OPEN.format(design=design)).splitlines()[-1]))


def arrival_counts(stack: Stack, key: str) -> dict[str, Any]:
    counts: dict[str, Any] = json.loads(stack.shell(VISITS_QUERY.format(key=key)).splitlines()[-1])
    return counts


async def run_whole_study(stack: Stack, key: str, meter: Meter) -> Memory:
    memory, transport = Memory(stack, SERVERS), TimedTransport(meter)
    watching = asyncio.create_task(memory.watch())
    people = [Participant(stack.url, meter, transport) for _ in range(PEOPLE)]

    async def take_part(person: Participant, after: float) -> None:
        await asyncio.sleep(after)
        await person.open_link(key)
        await person.think()
        await person.agree()
        await person.go_through_study()

    arrivals = (take_part(p, n * ARRIVAL_SPAN_S / PEOPLE) for n, p in enumerate(people))
    results = await asyncio.gather(*arrivals, return_exceptions=True)
    meter.errors += [repr(error) for error in results if error]
    await asyncio.sleep(1.1)  # a last sample of the processes
    watching.cancel()
    await transport.aclose()
    return memory


async def arrive(stack: Stack, key: str, meter: Meter) -> tuple[float, float]:
    """Let all people consent at once and open the waiting room.

    Returns: seconds until the last one has it, and processor seconds of the web process.
    """
    web = psutil.Process(stack.pid("web"))
    transport = TimedTransport(meter)
    people = [Participant(stack.url, meter, transport) for _ in range(ARRIVALS)]
    for person in people:
        await person.open_link(key)

    async def agree_and_wait(person: Participant) -> None:
        await person.agree()
        await person.get("waiting room", person.own)

    began, before = time.perf_counter(), _processor_s(web)
    results = await asyncio.gather(*map(agree_and_wait, people), return_exceptions=True)
    meter.errors += [repr(error) for error in results if error]
    seconds, spent = time.perf_counter() - began, _processor_s(web) - before
    await transport.aclose()
    return seconds, spent


def _processor_s(process: psutil.Process) -> float:
    """Return the processor seconds so far."""
    times = process.cpu_times()
    return times.user + times.system


async def single_person_times(stack: Stack, key: str) -> dict[str, float]:
    """Return the processor milliseconds of the web process per request, with a single person."""
    web, meter = psutil.Process(stack.pid("web")), Meter()
    transport = TimedTransport(meter)
    person = Participant(stack.url, meter, transport)
    milliseconds = dict[str, float]()

    async def measure(kind: str, path: str) -> None:
        before = _processor_s(web)
        for _ in range(REQUESTS):
            await person.get(kind, path)
        milliseconds[kind] = (_processor_s(web) - before) * 1000 / REQUESTS

    await measure("first page", f"/take/{key}/")
    await person.open_link(key)
    await person.agree()
    await measure("stage page", person.own)
    await person.answer((await person.get("stage page", person.own)).text)
    await measure("rules", person.own)
    await measure("questions on the rules", f"{person.own}?quiz=1")
    for _ in range(2):  # answer them, go on
        await person.answer((await person.get("stage page", person.own)).text)
    await asyncio.sleep(10)  # requests are rate-limited
    await measure("waiting room", person.own)
    await measure("waiting-room news", f"{person.own}news")
    await transport.aclose()
    assert not meter.errors, meter.errors
    return milliseconds


def report(meter: Meter, kinds: Sequence[str]) -> None:
    for kind in kinds:
        if times := meter.times[kind]:
            print(f"{kind}: {spread(times, 'ms')}")
    print(f"errors: {len(meter.errors)} {meter.errors[:5]}")


def _own_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _load() -> str:
    return "load " + " ".join(f"{load:.1f}" for load in os.getloadavg())


def main() -> None:
    """Run all parts on this machine, and print its load."""
    print(f"{_load()} on {os.cpu_count()} cores")
    with Stack(env={"FABULA_CROWD": str(ARRIVALS)}) as stack:
        key = open_study(stack, STAGES, 1)
        print("processor time a request, one person alone:")
        for kind, spent in asyncio.run(single_person_times(stack, key)).items():
            print(f"  {kind}: {spent:.1f} ms")
    with Stack(env={"FABULA_CROWD": str(ARRIVALS)}) as stack:
        key, meter = open_study(stack, STAGES, PEOPLE // AT_A_TABLE), Meter()
        began, before = time.monotonic(), _own_seconds()
        memory = asyncio.run(run_whole_study(stack, key, meter))
        meter.note_beginnings()
        print(f"{PEOPLE} people at {PEOPLE // AT_A_TABLE} tables,", end=" ")
        print(f"{time.monotonic() - began:.0f} s; {_load()}")
        report(meter, KINDS)
        requests = sum(map(len, meter.times.values()))
        print(
            f"most memory and processor time: {memory}; the people {_own_seconds() - before:.0f} s"
        )
        print(
            f"web: {memory.seconds['web'] * 1000 / requests:.1f} ms a request, {requests} of them"
        )
        print(arrival_counts(stack, key))
    with Stack(env={"FABULA_CROWD": str(ARRIVALS)}) as stack:
        key, meter = open_study(stack, [STAGES[0], STAGES[3]], ARRIVALS // AT_A_TABLE), Meter()
        seconds, spent = asyncio.run(arrive(stack, key, meter))
        print(f"{ARRIVALS} arrivals: all are in after {seconds:.1f} s,", end=" ")
        print(f"{spent:.1f} s of them the web's processor time; {_load()}")
        report(meter, ("consent post", "waiting room"))
        time.sleep(MATCHED_WITHIN)
        print(arrival_counts(stack, key))
    if not killed_study.main():
        sys.exit(1)
