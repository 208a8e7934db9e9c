"""Cost of repetitive statements in the understanding, and their effect on other games."""

from __future__ import annotations

import asyncio
import time

from tests.agents.test_understanding_cost import repetitive_statements, statement_cost
from tests.bench.crowd import Memory, play_all, report
from tests.bench.figures import spread
from tests.clients import Robot
from tests.live import Stack

TEXTS = 14_000
TABLES = 8
STATEMENTS = ("I'm " * 40, "trash really " * 40, "obvious thats " * 40)


def main() -> None:
    """Read many repetitive statements, then attack some games while others run."""
    texts = repetitive_statements(TEXTS, seed=0)
    costs = [statement_cost(text, number % 2) for number, text in enumerate(texts)]
    worst = max(zip(costs, texts, strict=True))
    print(f"processor time of {TEXTS} statements: {spread([c * 1000 for c in costs], 'ms')}")
    print(f"the costliest: {worst[0] * 1000:.0f} ms: {worst[1][:60]!r}")
    with Stack() as stack:
        started_at = time.monotonic()
        attackers, other_robots, memory = asyncio.run(_play(stack))
        print(f"{len(attackers)} attacked tables: {sum(a.over for a in attackers)} ended")
        print(f"{len(other_robots)} other tables:")
        report(stack, other_robots, memory, started_at)


async def _play(stack: Stack) -> tuple[list[Robot], list[Robot], Memory]:
    robots = [await Robot.host(stack.url, 0, pace="natural") for _ in range(TABLES)]
    for robot, text in zip(robots, STATEMENTS, strict=False):
        robot.text = text
    memory = await play_all(stack, robots, robots[:0])
    for robot in robots:
        await robot.close()
    attacker_count = len(STATEMENTS)
    return robots[:attacker_count], robots[attacker_count:], memory
