"""A person who uses a page by keyboard."""

from __future__ import annotations

from playwright.sync_api import Page


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until the element has the focus."""
    for _ in range(200):  # a push may draw the page anew, and then Tab starts from its top
        if page.evaluate("s => document.activeElement?.matches(s)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never comes to {selector}")


def press_enter(page: Page, selector: str) -> None:
    """Go to the element by the Tab key and press Enter."""
    tab_to(page, selector)
    with page.expect_navigation():
        page.keyboard.press("Enter")
