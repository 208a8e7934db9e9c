"""Tests of a game of the two-days ruleset on the usual pages.

It has an election, a badge, ratings, whispers and a kill. Eliminated people watch.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.page_checks import at_both_widths, check_accessibility, set_width
from tests.browser.table import Person
from tests.live import Stack

pytestmark = pytest.mark.browser


def test_two_days_game_is_played_to_the_end(stack: Stack, desktop: BrowserContext) -> None:
    """The first day on a phone, the second at a desk."""
    person = Person(desktop.new_page())
    page = person.page
    set_width(page, 390)
    person.open_table(stack.url, ruleset="two-days")
    expect(page.locator("#phase")).to_contain_text("The election")
    person.play(lambda: person.is_over() or "Night 1" in page.locator("#transcript").inner_text())
    set_width(page, 1280)
    person.play(person.is_over)
    own_name = page.locator("#seats .is-me .seat-name").inner_text()
    transcript = page.locator("#transcript").inner_text()
    for text in ("The lots for mayor fell", "as mayor.", "the mayor now.", "begin.", "Night 1"):
        assert text in transcript, (text, transcript)
    assert "{" not in transcript
    assert f"{own_name} wants".upper() in transcript.upper()  # names are shown in capitals
    expect(page.locator("#end")).to_contain_text("Two days are over.")
    at_both_widths(page, check_accessibility)
    page.goto(f"{page.url.rstrip('/')}/replay?as=moderator&at=1")
    expect(page.locator("#transcript")).to_contain_text("The roles are dealt.")
    assert not person.errors
