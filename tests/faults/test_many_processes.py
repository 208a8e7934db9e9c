"""Two web processes, two workers, two sweepers on PostgreSQL, all of them killed in turn."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator

import pytest

from tests.clients import Robot, together
from tests.live import Stack

TABLES = 4
PROCESSES = ["web", "web2", "worker", "worker2", "sweeper", "sweeper2"]
KILLS = [["web2"], ["worker"], ["sweeper2"], ["redis"], ["web", "worker2", "sweeper"]]


@pytest.fixture(scope="module")
def many(postgres: str) -> Iterator[Stack]:
    with Stack(webs=2, workers=2, sweepers=2, database_url=postgres) as running:
        yield running


async def gather_table(url: str, number: int) -> list[Robot]:
    """A table of two people who have started, and somebody who watches."""
    host = await Robot.host(url, friends=1, spectators="on")
    host.name = f"Host {number}"
    friend = await Robot.join(host, f"Friend {number}")
    await host.start()
    for robot in (host, friend):
        robot.thinks = (0.2, 0.8)
    return [host, friend, Robot.watch(url, host.game)]


async def kill_in_turn(stack: Stack, games: asyncio.Future[list[None]]) -> int:
    """Kill and restart until all is killed; gives how many kills fell while people played."""
    during = 0
    for names in KILLS:
        await asyncio.sleep(0.5)
        during += not games.done()
        await asyncio.to_thread(stack.fell, names)
    return during


async def run(stack: Stack) -> tuple[list[Robot], int]:
    tables = [await gather_table(stack.url, number) for number in range(TABLES)]
    robots = [robot for table in tables for robot in table]
    games = asyncio.gather(*(robot.play() for robot in robots))
    during = await kill_in_turn(stack, games)
    await asyncio.wait_for(games, 120)
    return robots, during


async def check_page(robot: Robot) -> None:
    """What came through the socket is what a fresh page shows: no gap, no repetition."""
    page = (await robot.http.get(f"/games/{robot.game}/")).text
    assert 'id="end-title"' in page
    assert sorted(robot.seen) == sorted(map(int, re.findall(r'<li id="e(\d+)"', page)))
    await robot.close()


def check_log(stack: Stack, robots: list[Robot]) -> None:
    lines = stack.manage("transcript", robots[0].game, "--viewer", "moderator").splitlines()
    log = [json.loads(line) for line in lines]
    statements = [e["data"] for e in log if e["kind"] == "statement"]
    assert [s["seat"] for s in statements] == [*range(1, 9)] * 3
    texts = [s.get("text", "") for s in statements]
    for robot in robots:
        assert [texts.count(text) for text in robot.said] == [1] * len(robot.said)
        assert len(robot.said) == (3 if robot.invitation or robot.name != "Spectator" else 0)
        assert not robot.refused
    assert not [e for e in log if e["labels"]], "nobody needed a stand-in"


def test_every_process_twice_and_each_is_killed(many: Stack) -> None:
    async def all_of_it() -> tuple[list[Robot], int]:
        robots, during = await run(many)
        for robot in robots:
            await check_page(robot)
        return robots, during

    robots, during = together(all_of_it())
    assert during >= 3, "the games were over before the processes died"
    assert sum(robot.breaks for robot in robots) > 0
    for number in range(0, len(robots), 3):
        check_log(many, robots[number : number + 3])
