"""Killed processes, seen from an open page: it goes on by itself, nothing is lost or doubled."""

from __future__ import annotations

import json
import re
import time

from playwright.sync_api import Browser, expect

from tests.browser.table import Person
from tests.live import Stack, wait_until

AWAY = 12.0  # seconds


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


def test_an_open_page_goes_on_after_a_power_cut(stack: Stack, chromium: Browser) -> None:
    context = chromium.new_context()
    page = context.new_page()
    person = Person(page)
    address = person.open_table(stack.url)
    person.play(lambda: len(person.said) == 1)
    expect(page.locator("#say-send")).to_be_visible(timeout=30_000)
    page.locator("#composer").fill("Half a thou")
    stack.fell(["web", "worker", "sweeper", "redis"])
    expect(page.locator("#link")).to_be_hidden(timeout=30_000)  # the page has found the table again
    expect(page.locator("#composer")).to_have_value("Half a thou")
    person.play(person.over)
    expect(page.locator("#end-title")).to_have_text(re.compile("wins"))
    check_log(stack, code_of(address), person.said)
    context.close()


def test_posts_are_taken_while_redis_is_away(stack: Stack, chromium: Browser) -> None:
    """Away for longer than any lease, time-out or sign of life lasts."""
    context = chromium.new_context()
    person, other = Person(context.new_page()), context.new_page()
    address = person.open_table(stack.url)
    other.goto(address)
    person.play(lambda: len(person.said) == 1)
    expect(person.page.locator("#say-send")).to_be_visible(timeout=30_000)
    stack.kill("redis")
    try:
        wait_until(lambda: stack.health()[0] == 503, "healthz knows that Redis is away")
        person.say("Redis is away, I am not.")
        time.sleep(AWAY)
        assert "Redis is away, I am not." in stack.manage("transcript", code_of(address))
    finally:
        stack.start("redis")
    stack.wait_healthy()
    expect(other.locator("#transcript")).to_contain_text("Redis is away, I am not.", timeout=15_000)
    person.play(person.over)
    expect(other.locator("#end")).to_be_visible()
    check_log(stack, code_of(address), person.said)
    context.close()
