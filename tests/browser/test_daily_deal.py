"""Tests of the daily deal in a browser: played on a phone, shared and listed."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from game.engine import rulesets
from tests.browser.page_checks import at_both_widths, check_accessibility, check_width
from tests.browser.table import Person
from tests.live import Stack
from webapp.play import daily_deal


def open_deal(stack: Stack, page: Page) -> tuple[str, str]:
    """Begin today's deal on the front page. Return the player's name and role."""
    page.goto(stack.url)
    page.locator(".daily button").click()
    expect(page.locator("#sound")).to_be_visible()  # the scripts have started
    name = page.locator("#seats li.is-me .seat-name").inner_text()
    return name, page.locator("#me .sheet-title strong").inner_text()


def test_daily_deal_is_played_shared_and_listed(stack: Stack, chromium: Browser) -> None:
    """Another browser gets the same seat and role. The private link brings the same games."""
    phone = chromium.new_context(viewport={"width": 390, "height": 844})
    page = phone.new_page()
    person = Person(page)
    name_and_role = open_deal(stack, page)
    expect(page.locator("#share")).to_have_count(0)
    while page.locator("#faster").is_enabled():
        pace = page.locator("#faster").get_attribute("value") or ""
        page.locator("#faster").click()
        expect(page.locator("#faster")).not_to_have_attribute("value", pace)
    person.play(person.is_over)
    shared_text = page.locator("#share").input_value()
    assert re.match(r"Fabula, daily game of \d+ \w+ \d{4}: ", shared_text)
    ruleset = rulesets.get(daily_deal.RULESET)
    names = (*ruleset.seat_names, *(role.name for role in ruleset.roles))
    assert not [name for name in names if name in shared_text]
    assert shared_text.endswith(f" {stack.url}/")
    is_cut_off = page.locator("#share").evaluate(
        "({ scrollHeight: high, clientHeight, scrollWidth: wide, clientWidth }) =>"
        " high > clientHeight || wide > clientWidth"
    )
    assert not is_cut_off, "a phone shows the complete text"
    page.locator("[data-copy=share]").click()
    expect(page.locator("[data-copy=share]")).to_have_text(re.compile("Copied"))
    page.locator("#end a:has-text('Your games')").click()
    expect(page.locator(".games .game")).to_have_count(1)
    expect(page.locator(".games")).to_contain_text("daily game")
    at_both_widths(page, check_width, check_accessibility)
    link = page.locator("#own-link").input_value()
    desk = chromium.new_context()
    other_page = desk.new_page()
    assert open_deal(stack, other_page) == name_and_role
    expect(other_page.locator("#share")).to_have_count(0)
    other_page.goto(link)
    other_page.locator("button:has-text('Yes, continue as')").click()
    expect(other_page.locator("#end-title")).to_be_visible()
    other_page.goto(f"{stack.url}/your-games")
    expect(other_page.locator(".games .game")).to_have_count(1)
    assert not person.errors
    phone.close()
    desk.close()
