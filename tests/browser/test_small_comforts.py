"""Small comforts of a table: Back, the focus, pages without scripts, marks, drafts, contrast."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.table import Person
from tests.live import Stack


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    with chromium.new_context(viewport={"width": 1280, "height": 800}) as context:
        yield context


def go_back(page: Page) -> None:
    """Press Back. `page.go_back` would wait for a load, which does not come."""
    page.evaluate("history.back()")


def test_back_closes_a_dialog_and_stays_at_the_table(stack: Stack, context: BrowserContext) -> None:
    person = Person(context.new_page())
    page = person.page
    address = person.open_table(stack.url)
    rules = page.locator("#rules[open]")
    entries = page.evaluate("history.length")
    for _ in range(2):
        page.locator("#rules-link").click()
        expect(rules).to_be_visible()
        go_back(page)
        expect(rules).to_have_count(0)
        assert page.url == address
    # A dialog that is closed by its button, or by a reload, leaves no entry to go back to.
    page.locator("#rules-link").click()
    page.locator("#rules button").first.click()
    expect(rules).to_have_count(0)
    page.wait_for_function("!history.state?.dialog")
    page.locator("#rules-link").click()
    expect(rules).to_be_visible()
    page.reload()
    page.wait_for_function("!history.state?.dialog")
    expect(page.locator("#sound")).to_be_visible()
    assert page.evaluate("history.length") == entries + 1
    go_back(page)
    expect(page).not_to_have_url(address)
    assert not person.errors
