"""Killed processes, seen from an open page: it goes on by itself, nothing is lost or doubled."""

from __future__ import annotations

import json
import re
import time

from playwright.sync_api import Browser, expect

from tests.browser.table import Person
from tests.live import Stack, wait_until

AWAY = 12.0  # seconds
SAID_ALONE = "Redis is away, I am not."


def code_of(address: str) -> str:
    return address.rstrip("/").rsplit("/", 1)[1]


def check_log(stack: Stack, code: str, said: list[str]) -> None:
    lines = stack.manage("transcript", code, "--viewer", "moderator").splitlines()
    log = [json.loads(line) for line in lines]
    statements = [e["data"] for e in log if e["kind"] == "statement"]
    assert [s["seat"] for s in statements] == [*range(1, 9)] * 3
    assert len({s["window"] for s in statements}) == 24
    texts = [s.get("text", "") for s in statements]
    assert [texts.count(t) for t in said] == [1] * len(said)
    assert not [e for e in log if e["labels"]], "nobody needed a stand-in"


def power_cut(stack: Stack, person: Person) -> None:
    """All die at once, in the middle of a sentence."""
    expect(person.page.locator("#say-send")).to_be_visible(timeout=90_000)
    person.page.locator("#composer").fill("Half a thou")
    stack.fell(["web", "worker", "sweeper", "redis"])
    expect(person.page.locator("#link")).to_be_hidden(
        timeout=90_000
    )  # it has found the table again
    expect(person.page.locator("#composer")).to_have_value("Half a thou")


def without_redis(stack: Stack, person: Person) -> None:
    """Away for longer than any lease, time-out or sign of life lasts."""
    expect(person.page.locator("#say-send")).to_be_visible(timeout=90_000)
    stack.kill("redis")
    try:
        wait_until(lambda: stack.health()[0] == 503, "healthz knows that Redis is away")
        person.say(SAID_ALONE)
        time.sleep(AWAY)
        assert SAID_ALONE in stack.manage("transcript", code_of(person.page.url))
    finally:
        stack.start("redis")
    stack.wait_healthy()


def test_open_pages_continue_after_a_power_cut_and_during_a_redis_outage(
    stack: Stack, chromium: Browser
) -> None:
    context = chromium.new_context()
    person, other = Person(context.new_page()), context.new_page()
    address = person.open_table(stack.url)
    other.goto(address)
    person.play(lambda: len(person.said) == 1)
    power_cut(stack, person)
    person.play(lambda: len(person.said) == 2)
    without_redis(stack, person)
    expect(other.locator("#transcript")).to_contain_text(SAID_ALONE, timeout=60_000)
    person.play(person.over)
    expect(other.locator("#end")).to_be_visible()
    expect(person.page.locator("#end-title")).to_have_text(re.compile("wins"))
    check_log(stack, code_of(address), person.said)
    context.close()
