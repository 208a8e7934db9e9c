"""From an empty list to a finished experiment, by keyboard, in a real Fabula with its workers."""

from __future__ import annotations

import os

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.researcher import look, make_the_account, tab
from tests.browser.test_rating import tab_to
from tests.live import Stack

pytestmark = pytest.mark.browser

GAMES = 2
PICTURES = os.environ.get("FABULA_PICTURES", "")  # a folder, to look at the pages


def picture(page: Page, name: str) -> None:
    if PICTURES:
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 900})
            page.screenshot(path=f"{PICTURES}/{name}-{width}.png", full_page=True)
        page.set_viewport_size({"width": 1280, "height": 900})


def press(page: Page, selector: str) -> None:
    """Go to it by the Tab key and press Enter."""
    tab_to(page, selector)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def test_five_methods_are_compared_by_keyboard(chromium: Browser) -> None:
    with Stack() as stack, chromium.new_context() as context:
        page = context.new_page()
        make_the_account(page, stack)
        press(page, "a[href='/study/studies/new']")
        look(page)
        picture(page, "new")
        press(page, "button[value='humanized-methods']")
        picture(page, "setup")
        look(page)
        expect(page.locator("#plan")).to_contain_text("500")
        press(page, "a[href$='/setup/experiment']")
        look(page)
        picture(page, "games")
        tab_to(page, "[name=games]")
        page.keyboard.press("Control+A")
        page.keyboard.type(str(GAMES))
        expect(page.locator("#plan")).to_contain_text("10")
        press(page, "button[value=save]")
        press(page, ".parts a[href$='/setup']")
        press(page, "a[href$='/open']")
        expect(page.get_by_role("heading", name="Start the experiment?")).to_be_visible()
        look(page)
        press(page, "button[value=open]")
        expect(page.locator(".tabs [aria-current]")).to_have_text("Progress")
        expect(page.locator("#monitor-counts")).to_contain_text(
            f"{5 * GAMES} of {5 * GAMES} games played", timeout=120_000
        )
        look(page)
        picture(page, "progress")
        code = page.url.split("/studies/")[1].split("/")[0]
        tab(page, "Results")
        expect(page.locator("#table-humanized-7")).to_be_visible(timeout=60_000)
        look(page)
        picture(page, "results")
        for name in ("Data", "Set-up"):
            tab(page, name)
            look(page)
            picture(page, name.lower())
        page.goto(f"{stack.url}/study/studies/{code}/monitor/games/1")
        look(page)
        picture(page, "game")
        page.goto(f"{stack.url}/study/")
        look(page)
        picture(page, "list")
