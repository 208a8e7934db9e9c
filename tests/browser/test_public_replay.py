"""Tests of hindsight and the public replay in browsers."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.page_checks import at_both_widths, check_accessibility, check_no_overflow
from tests.browser.seats import open_table_for_guest, sit_down
from tests.browser.table import Person, get_game_code
from tests.live import Stack

HOST, GUEST = "Zsófia", "Annalou"
# Everybody answers, unless an agent has answered already, and names the people.
PLAY_TO_THE_END = """
from contextlib import suppress
from game import locked_game, selectors
from game.engine.events import say
from game.engine.forms import Illegal
from game.models import Game
from tests.game.table import any_answer
game = Game.objects.get(code="CODE")
while windows := selectors.open_windows(game):
    for found in windows:
        for seat in found.missing:
            answer = any_answer(found, seat)
            if found.window.kind == "statement":
                answer = say("I trust NAMES.")
            with suppress(Illegal):
                locked_game.record_answer(game.pk, seat, found.window.key, answer)
"""


@pytest.fixture
def stranger(chromium: Browser) -> Iterator[Person]:
    with chromium.new_context(viewport={"width": 1280, "height": 800}) as context:
        yield Person(context.new_page())


def play(stack: Stack, host: Page, guest: Page) -> None:
    """Play a game of the two from the invitation to the end page."""
    invitation = open_table_for_guest(host, stack.url)
    host.locator("#my-name").fill(HOST)
    host.keyboard.press("Enter")
    expect(host.locator("#lobby")).to_contain_text(HOST)
    sit_down(guest, invitation, GUEST)
    code = get_game_code(host.url)
    stack.shell(
        f"from game.models import Game; Game.objects.filter(code='{code}').update(pace='none')"
    )
    host.locator("#start").click()
    expect(host.locator("#transcript")).to_be_visible()
    stack.shell(PLAY_TO_THE_END.replace("CODE", code).replace("NAMES", f"{HOST} and {GUEST}"))
    for page in (host, guest):
        expect(page.locator("#end-title")).to_be_visible(timeout=60_000)
        page.reload()  # without the stepwise result


def test_two_people_publish_and_withdraw_their_replay(
    stack: Stack, desktop: BrowserContext, phone: BrowserContext, stranger: Person
) -> None:
    host, guest = Person(desktop.new_page()), Person(phone.new_page())
    play(stack, host.page, guest.page)

    host.page.locator("#hindsight a").click()
    hindsight = host.page.locator("#hindsight")
    expect(hindsight).to_contain_text(re.compile("See line|Nothing decided"), timeout=60_000)
    at_both_widths(host.page, check_no_overflow, check_accessibility)

    host.page.get_by_role("button", name="I agree to a public link").click()
    expect(guest.page.locator("#public_link")).to_contain_text(f"Still to agree: {GUEST}")
    guest.page.get_by_role("button", name="I agree to a public link").click()
    address = host.page.locator("#public-address")
    expect(address).to_have_value(re.compile(rf"^{stack.url}/replays/\w+/$"))
    at_both_widths(host.page, check_no_overflow, check_accessibility)

    page, link = stranger.page, address.input_value()
    page.goto(link)
    expect(page.locator("#roll")).to_be_visible()  # the scripts have started
    at_both_widths(page, check_no_overflow, check_accessibility)
    page.keyboard.press("End")
    expect(page.locator("#transcript")).to_contain_text("I trust ")
    for name in (HOST, GUEST):
        expect(page.locator("html")).not_to_contain_text(re.compile(name, re.IGNORECASE))
    expect(page).to_have_url(re.compile(rf"^{link}\?at=\d+&as=public$"))
    picture = page.locator("meta[property='og:image']").get_attribute("content")
    response = page.request.get(picture or "")
    assert (response.status, response.headers["content-type"]) == (200, "image/png")

    guest.page.get_by_role("button", name="Withdraw the link").click()
    expect(host.page.locator("#public_link")).to_contain_text("I agree to a public link")
    assert not stranger.errors
    with page.expect_response(link) as replay_response:
        page.goto(link)
    assert replay_response.value.status == 410
    expect(page.locator("main")).to_contain_text("has withdrawn the link")
    assert not host.errors
    assert not guest.errors
