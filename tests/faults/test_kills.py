"""Tests of killed processes as an open page sees them: recovery without loss or repeats."""

from __future__ import annotations

import json
import re
import time

from playwright.sync_api import Browser, expect

from tests.browser.table import Person, get_game_code
from tests.live import Stack, wait_until

OUTAGE_S = 12.0
STATEMENT_IN_OUTAGE = "Redis is away, I am not."


def check_log(stack: Stack, code: str, statements: list[str]) -> None:
    lines = stack.manage("transcript", code, "--viewer", "moderator").splitlines()
    log = [json.loads(line) for line in lines]
    statement_data = [e["data"] for e in log if e["kind"] == "statement"]
    assert [s["seat"] for s in statement_data] == [*range(1, 9)] * 3
    assert len({s["window"] for s in statement_data}) == 24
    texts = [s.get("text", "") for s in statement_data]
    assert [texts.count(t) for t in statements] == [1] * len(statements)
    assert not [e for e in log if e["labels"]], "some answers were not the players' own"


def cut_power(stack: Stack, person: Person) -> None:
    """Kill all processes at once, in the middle of a sentence."""
    expect(person.page.locator("#say-send")).to_be_visible(timeout=90_000)
    person.page.locator("#composer").fill("Half a thou")
    stack.kill_and_restart(["web", "worker", "sweeper", "redis"])
    expect(person.page.locator("#link")).to_be_hidden(timeout=90_000)  # the page has reconnected
    expect(person.page.locator("#composer")).to_have_value("Half a thou")


def stop_redis_for_a_while(stack: Stack, person: Person) -> None:
    """Stop Redis for longer than any lease, timeout or heartbeat lasts."""
    expect(person.page.locator("#say-send")).to_be_visible(timeout=90_000)
    stack.kill("redis")
    try:
        wait_until(lambda: stack.health()[0] == 503, "healthz reports that Redis is down")
        person.say(STATEMENT_IN_OUTAGE)
        time.sleep(OUTAGE_S)
        assert STATEMENT_IN_OUTAGE in stack.manage("transcript", get_game_code(person.page.url))
    finally:
        stack.start("redis")
    stack.wait_until_healthy()


def test_open_pages_continue_after_a_power_cut_and_during_a_redis_outage(
    stack: Stack, chromium: Browser
) -> None:
    context = chromium.new_context()
    person, other_page = Person(context.new_page()), context.new_page()
    address = person.open_table(stack.url)
    other_page.goto(address)
    person.play(lambda: len(person.said) == 1)
    cut_power(stack, person)
    person.play(lambda: len(person.said) == 2)
    stop_redis_for_a_while(stack, person)
    expect(other_page.locator("#transcript")).to_contain_text(STATEMENT_IN_OUTAGE, timeout=60_000)
    person.play(person.is_over)
    expect(other_page.locator("#end")).to_be_visible()
    expect(person.page.locator("#end-title")).to_have_text(re.compile("wins"))
    check_log(stack, get_game_code(address), person.said)
    context.close()
