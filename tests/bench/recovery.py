"""Seconds after a kill -9 until games continue and all pages are up to date."""

from __future__ import annotations

import asyncio
import time

from tests.bench.figures import spread
from tests.clients import Robot
from tests.live import Stack

TABLES = 4
KILLS = [["worker"], ["sweeper"], ["redis"], ["web"], ["web", "worker", "sweeper", "redis"]]


async def wait_for_progress(robots: list[Robot], since: float) -> float:
    """Return seconds from `since` until every page has three more lines, from two players."""
    while not all(r.over or sorted(r.seen.values())[-3] > since for r in robots):
        await asyncio.sleep(0.02)
    return time.time() - since


async def one_kill(stack: Stack, names: list[str]) -> None:
    """Kill these processes during games of two people, in the middle of the talk."""
    robots = []
    for number in range(TABLES):
        host = await Robot.host(stack.url, 1)
        robots += [host, await Robot.join(host, f"Anna {number}")]
        await host.start()
    playing = [asyncio.create_task(robot.play()) for robot in robots]
    for robot in robots:
        robot.thinks = (0.3, 0.6)
    await asyncio.sleep(2.5)
    for name in names:
        stack.kill(name)
    killed_at = time.time()
    await asyncio.to_thread(restart, stack, names)
    restart_s = time.time() - killed_at
    seconds = await asyncio.wait_for(wait_for_progress(robots, killed_at), 60)
    await asyncio.gather(*playing)
    rejoin_times = [1000 * s for robot in robots for s in robot.rejoined]
    print(
        f"{' '.join(names)}: started again in {restart_s:.1f} s; "
        f"three lines more in {seconds:.1f} s"
    )
    if rejoin_times:
        print(f"  pages back: {spread(rejoin_times, 'ms')}")
    for robot in robots:
        await robot.close()


def restart(stack: Stack, names: list[str]) -> None:
    for name in sorted(names, key=lambda n: n != "redis"):
        stack.start(name)
    stack.wait_until_healthy()


async def rejoin(stack: Stack, times: int = 20) -> None:
    """Measure how long a reconnecting page needs to receive all missed lines."""
    host = await Robot.host(stack.url, 0)
    waits = []
    for _ in range(times):
        began = time.time()
        robot = Robot.watch(stack.url, host.game)
        robot.http.cookies = host.http.cookies
        playing = asyncio.create_task(robot.play())
        while not robot.seen:
            await asyncio.sleep(0.002)
        waits.append((time.time() - began) * 1000)
        playing.cancel()
        await robot.close()
    print(f"rejoining, socket and all that was missed: {spread(waits, 'ms')}")
    await host.close()


async def run(stack: Stack) -> None:
    for names in KILLS:
        await one_kill(stack, names)
    await rejoin(stack)


def main() -> None:
    with Stack() as stack:
        asyncio.run(run(stack))
