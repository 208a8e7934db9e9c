"""Killed processes: a game goes on by itself, nothing is doubled, nobody speaks twice."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.table import Person
from tests.live import Stack, wait_until

EACH = [["worker"], ["sweeper"], ["redis"], ["web"], ["web", "worker", "sweeper", "redis"]]


def check_log(stack: Stack, code: str, said: list[str]) -> None:
    lines = stack.manage("transcript", code, "--viewer", "moderator").splitlines()
    log = [json.loads(line) for line in lines]
    statements = [e["data"] for e in log if e["kind"] == "statement"]
    assert [s["seat"] for s in statements] == [*range(1, 9)] * 3
    assert len({s["window"] for s in statements}) == 24
    texts = [s.get("text", "") for s in statements]
    assert [texts.count(t) for t in said] == [1] * len(said)
    assert not [e for e in log if e["label"]], "nobody needed a stand-in"


def test_a_game_survives_the_death_of_each_process_and_of_all(
    stack: Stack, chromium: Browser
) -> None:
    context = chromium.new_context()
    page = context.new_page()
    person = Person(page)
    address = person.open_table(stack.url)
    for number, names in enumerate(EACH):
        reached = 3 + 4 * number
        person.play(lambda n=reached: page.locator("#transcript > li").count() > n or person.over())
        for name in names:
            stack.kill(name)
        for name in sorted(names, key=lambda n: n != "redis"):
            stack.start(name)
        stack.wait_healthy()
        page.goto(address)
    person.play(person.over)
    expect(page.locator("#end-title")).to_have_text(re.compile("wins"))
    check_log(stack, address.rstrip("/").rsplit("/", 1)[1], person.said)
    context.close()


def test_posts_are_taken_while_redis_is_away(stack: Stack, chromium: Browser) -> None:
    context = chromium.new_context()
    page = context.new_page()
    person = Person(page)
    person.open_table(stack.url)
    person.play(lambda: page.locator("#say-send").is_visible())
    stack.kill("redis")
    try:
        person.say("Redis is away, I am not.")
    finally:
        stack.start("redis")
    wait_until(lambda: stack.health()[0] == 200, "healthy again", 30)
    person.play(lambda: len(person.said) == 2, seconds=120)
    context.close()


@pytest.fixture(autouse=True)
def _all_alive(stack: Stack):
    """Whatever a test has killed lives again for the next one."""
    yield
    for name in ("redis", "web", "worker", "sweeper"):
        if not stack.alive(name):
            stack.start(name)
