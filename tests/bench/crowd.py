"""Many concurrent games, and many spectators of one: latency, errors, memory."""

from __future__ import annotations

import asyncio
import json
import resource
import time
from collections.abc import Iterable

import psutil

from tests.bench.figures import spread
from tests.clients import Robot
from tests.live import Stack

TABLES, FRIENDS = 50, 3
SPECTATORS = 200
# Commit times of all lines: code -> seat (0: spectators) -> seconds since 1970, line by line.
TIMES = """
import json
from game.engine.events import Audience
from game.engine.visibility import PUBLIC, seat
from game.models import Event, Game
games = {}
for game in Game.objects.all():
    rows = [(Audience.parse(e.audience), e.at.timestamp()) for e in Event.objects.filter(game=game)]
    games[game.code] = [
        [at for audience, at in rows if viewer.can_see(audience)]
        for viewer in (PUBLIC, *map(seat, range(1, 9)))
    ]
print(json.dumps(games))
"""


class Memory:
    """Peak resident memory (MB) and processor time of each process."""

    def __init__(self, stack: Stack, names: Iterable[str]) -> None:
        self.processes = {name: psutil.Process(stack.pid(name)) for name in names}
        self.most = dict.fromkeys(self.processes, 0.0)
        self.seconds = dict.fromkeys(self.processes, 0.0)  # of processor time

    async def watch(self) -> None:
        while True:
            for name, process in self.processes.items():
                self.most[name] = max(self.most[name], process.memory_info().rss / 2**20)
                times = process.cpu_times()
                self.seconds[name] = times.user + times.system
            await asyncio.sleep(1)

    def __str__(self) -> str:
        peaks = self.most.items()
        return ", ".join(f"{n} {m:.0f} MB, {self.seconds[n]:.0f} s" for n, m in peaks)


async def gather_table(url: str, number: int) -> list[Robot]:
    host = await Robot.host(url, FRIENDS, pace="natural")
    table = [host, *[await Robot.join(host, f"Anna {number} {n}") for n in range(FRIENDS)]]
    for robot in table:
        robot.thinks = (1.0, 4.0)
    return table


async def play_all(stack: Stack, robots: list[Robot], hosts: list[Robot]) -> Memory:
    memory = Memory(stack, ("web", "worker", "sweeper", "redis"))
    watching = asyncio.create_task(memory.watch())
    playing = [asyncio.create_task(robot.play()) for robot in robots]
    for host in hosts:
        await host.start()
    await asyncio.gather(*playing)
    watching.cancel()
    return memory


def frame_latencies(stack: Stack, robots: list[Robot]) -> list[float]:
    """Return milliseconds from each event's commit to its frame at each robot."""
    times = json.loads(stack.shell(TIMES).splitlines()[-1])
    return [
        (visible_at - times[robot.game][robot.seat][line - 1]) * 1000
        for robot in robots
        for line, visible_at in robot.seen.items()
    ]


def report(stack: Stack, robots: list[Robot], memory: Memory, began: float) -> None:
    print(f"commit → visible: {spread(frame_latencies(stack, robots), 'ms')}")
    print(
        f"{len(robots)} sockets: {sum(not r.over for r in robots)} unfinished,"
        f" {sum(r.breaks for r in robots)} broken lines,"
        f" {sum(len(r.refused) for r in robots)} refused posts,"
        f" {sum(r.repeats for r in robots)} repeated lines; {time.monotonic() - began:.0f} s"
    )
    print(f"most memory and processor time: {memory}")
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(f"the robots themselves: {usage.ru_utime + usage.ru_stime:.0f} s of processor time")


def main() -> None:
    """Run many games of four people and four house players on this machine."""

    async def run(stack: Stack) -> tuple[list[Robot], Memory]:
        tables = [await gather_table(stack.url, number) for number in range(TABLES)]
        robots = [robot for table in tables for robot in table]
        memory = await play_all(stack, robots, [table[0] for table in tables])
        for robot in robots:
            await robot.close()
        return robots, memory

    for webs in (1, 2):
        with Stack(webs=webs) as stack:
            began = time.monotonic()
            print(f"web processes: {webs}")
            report(stack, *asyncio.run(run(stack)), began)


def spectators() -> None:
    """Run one game of two people with many spectators."""

    async def run(stack: Stack) -> tuple[list[Robot], Memory]:
        host = await Robot.host(stack.url, 1, pace="natural", spectators="on")
        anna = await Robot.join(host, "Anna")
        crowd = [Robot.watch(stack.url, host.game) for _ in range(SPECTATORS)]
        robots = [host, anna, *crowd]
        memory = await play_all(stack, robots, [host])
        for robot in robots:
            await robot.close()
        return robots, memory

    with Stack(env={"FABULA_CROWD": str(SPECTATORS)}) as stack:
        began = time.monotonic()
        report(stack, *asyncio.run(run(stack)), began)
