"""Tests of pages after a long absence: a cut connection, a sleeping phone, a Back button."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.page_checks import line_ids
from tests.browser.table import Person, get_game_code
from tests.chromium import find
from tests.conftest import flags
from tests.line import Line
from tests.live import Stack

# Statements of maximum length in letters of three bytes: 150 kB, far more than the 65,536 bytes of
# one frame.
PLAY_LONG_STATEMENTS = """
from game import locked_game, selectors
from game.engine.events import say
from game.models import Game
from tests.game.table import any_answer
game = Game.objects.get(code="CODE")
words = " ".join(["\u1230\u120b\u121d" * 6 + "\u1362"] * 110)
while windows := selectors.open_windows(game):
    for found in windows:
        for seat in found.missing:
            speech = found.window.legal.name == "speech"
            action = say(words) if speech else any_answer(found, seat)
            locked_game.record_answer(game.pk, seat, found.window.key, action)
"""

# More than five days with 47 lines a day, without notifications.
PLAY_MANY_DAYS = """
from game import game_actions, locked_game, selectors
from game.models import Event, Game
from tests.game.table import any_answer
from webapp.play.live import notifier
game = Game.objects.get(code="CODE")
with notifier.diverted(lambda game, opened: None):
    while Event.objects.filter(game=game).count() < 670:
        asked = [(o, seat) for o in selectors.open_windows(game) for seat in o.missing]
        for found, seat in asked:
            locked_game.record_answer(game.pk, seat, found.window.key, any_answer(found, seat))
        if not asked:
            game_actions.end_pauses(game.pk)  # waits for the pace
"""

TOP_PX = "line => line.getBoundingClientRect().top"  # px


@pytest.fixture
def browser_with_page_cache(chromium: Browser) -> Iterator[Browser]:
    """Start a browser with the back/forward cache, which Playwright switches off."""
    browser = chromium.browser_type.launch(
        executable_path=find(), args=flags(), ignore_default_args=["--disable-back-forward-cache"]
    )
    yield browser
    browser.close()


def play_without_page(stack: Stack, address: str, code: str = PLAY_LONG_STATEMENTS) -> None:
    """Continue the game without the page: to its end, or by other code."""
    stack.shell(code.replace("CODE", get_game_code(address)))


def check_end(page: Page) -> None:
    """Check that the page shows the end, and every line that a reloaded page shows."""
    expect(page.locator("#end-title")).to_be_visible(timeout=60_000)
    expect(page.locator("#turn")).not_to_contain_text("your turn")
    before = line_ids(page)
    assert len(before) > 24
    page.reload()
    expect(page.locator("#end-title")).to_be_visible()
    assert line_ids(page) == before


def test_page_far_behind_gets_all_missed_lines(
    stack_without_worker: Stack, line: Line, chromium: Browser
) -> None:
    with chromium.new_context(viewport={"width": 390, "height": 844}) as phone:
        person, frames = Person(phone.new_page()), list[object]()
        record = lambda data: frames.append(data)  # noqa: E731
        person.page.on("websocket", lambda socket: socket.on("framereceived", record))
        address = person.open_table(line.url)
        while not frames:
            person.page.wait_for_timeout(50)  # until the socket is connected
        line.cut()
        expect(person.page.locator("#link")).to_be_visible()
        play_without_page(stack_without_worker, address)
        line.mend()
        check_end(person.page)


def test_back_button_shows_the_current_game_state(
    stack_without_worker: Stack, chromium: Browser, browser_with_page_cache: Browser
) -> None:
    """The same person in two browsers, with and without that cache."""
    with (
        chromium.new_context() as plain_context,
        browser_with_page_cache.new_context() as caching_context,
    ):
        pages = [plain_context.new_page(), caching_context.new_page()]
        address = Person(pages[0]).open_table(stack_without_worker.url)
        caching_context.add_cookies(plain_context.cookies())
        pages[1].goto(address)
        expect(pages[1].locator("#sound")).to_be_visible()  # the scripts have started
        for page in pages:
            page.goto(f"{stack_without_worker.url}/rules/one-night/")
        play_without_page(stack_without_worker, address)
        for page in pages:
            page.go_back()
            check_end(page)


def test_earlier_lines_are_added_without_moving_the_text(
    stack_without_worker: Stack, line: Line, chromium: Browser
) -> None:
    with chromium.new_context(viewport={"width": 390, "height": 844}) as phone:
        page = phone.new_page()
        address = Person(page).open_table(line.url, ruleset="long-talk")
        play_without_page(stack_without_worker, address, PLAY_MANY_DAYS)
        page.reload()
        expect(page.locator("#sound")).to_be_visible()
        latest = line_ids(page)
        first_line = page.locator(f"#{latest[0]}")
        page.locator("#scroll").focus()
        page.keyboard.press("Tab")
        expect(page.locator("#earlier-link")).to_be_focused()
        line.cut()
        page.keyboard.press("Enter")
        expect(page.locator(".earlier-failed")).to_be_visible()
        line.mend()
        expect(page.locator("#link")).to_be_hidden(timeout=60_000)
        top_before = first_line.evaluate(TOP_PX)
        page.keyboard.press("Enter")
        expect(page.locator("#notice")).to_contain_text("This is the beginning.")
        assert abs(first_line.evaluate(TOP_PX) - top_before) < 2
        expect(page.locator("#earlier")).to_be_hidden()
        expect(page.locator("#scroll")).to_be_focused()
        all_lines = line_ids(page)
        assert all_lines[-len(latest) :] == latest
        assert 40 < len(all_lines) - len(latest) == len(set(all_lines)) - len(latest)
        assert all_lines == sorted(all_lines, key=lambda line: int(line[1:]))
