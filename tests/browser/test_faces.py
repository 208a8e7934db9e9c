"""Tests of agents' faces and persona cards in a browser."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from tests.browser.page_checks import check_accessibility
from tests.browser.table import Person
from tests.live import Stack


def say_until_round_three(person: Person, text: str) -> None:
    """Say `text` in rounds one and two, and wait for the turn in round three."""
    send = person.page.locator("#say-send")
    for number in range(3):
        expect(send.or_(person.page.locator("#choose-send"))).to_be_visible(timeout=60_000)
        if not send.is_visible():
            person.choose()
            expect(send).to_be_visible(timeout=60_000)
        if number < 2:
            person.say(f"{text} I mean it, {number}.")
            expect(send).to_be_hidden()


def first_agent(page: Page) -> tuple[str, str]:
    """Return (number, name) of the first agent."""
    seat = page.locator("#seats li:not(.is-me)").first
    number = (seat.get_attribute("id") or "").removeprefix("seat-")
    return number, seat.locator(".seat-name").inner_text()


def test_face_falls_after_an_accusation(stack: Stack, chromium: Browser) -> None:
    with chromium.new_context(viewport={"width": 1280, "height": 800}) as context:
        person = Person(context.new_page())
        page = person.page
        person.open_table(stack.url)
        number, name = first_agent(page)
        face = page.locator(f"#seat-{number} .badge-face")
        expect(face).to_have_class(re.compile("face-3"))
        say_until_round_three(person, f"{name} is the werewolf. I vote for {name}.")
        expect(face).to_have_class(re.compile("face-[12]"))
        page.locator("#table-sheet > summary").click()
        card = page.locator(f"#mate-{number}")
        card.locator("summary").click()
        expect(card).to_contain_text("you accused them")
        expect(card.locator("meter")).to_have_count(5)
        check_accessibility(page)
        # A push must not close an open card.
        person.say("My vote stays where it was.")
        expect(card).to_have_attribute("open", "")
        assert not person.errors
