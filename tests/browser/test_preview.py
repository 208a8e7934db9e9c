"""Tests of a draft previewed on a phone as a participant, then opened and unlocked."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, FrameLocator, Page, expect

from tests.browser.page_checks import check_accessibility, check_width
from tests.live import Stack

pytestmark = pytest.mark.browser

CREATE_DRAFT = """
from django.contrib.auth.models import User
from webapp.study.planning import ready, studies
owner = User.objects.create_user("previewer", password="lamplight-and-paper")
design = ready.get("who-is-human").design
print(studies.create(owner, "Previewed", design=design).code)
"""


def sign_in(page: Page, stack: Stack) -> None:
    page.goto(f"{stack.url}/study/")
    page.fill("[name=username]", "previewer")
    page.fill("[name=password]", "lamplight-and-paper")
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("h1")).to_have_text("Your research")


def check_preview(page: Page) -> None:
    expect(page.locator(".preview-mark")).to_contain_text("Nothing is stored.")
    check_accessibility(page)
    check_width(page)


def preview_to_waiting_room(page: Page) -> None:
    """Go from the first page to the waiting room. The bar fills in the forms."""
    check_preview(page)
    page.get_by_role("button", name="I agree, start now").click()
    expect(page.locator("h1")).to_have_text("About you")
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("#errors")).to_be_visible()
    page.click("#preview-fill")
    check_preview(page)
    page.get_by_role("button", name="Continue").click()
    page.locator("#to-quiz").click()
    page.click("#preview-fill")  # with the right answers
    page.get_by_role("button", name="Submit answers").click()
    expect(page.locator("h1")).to_have_text("Practice game")
    page.get_by_role("button", name="Skip practice").click()
    expect(page.locator("h1")).to_have_text("Waiting room")


def preview_game(page: Page) -> None:
    """Go through the game to the guesses after it, by the bar."""
    page.locator("#preview-next").click()
    page.get_by_role("button", name="I am ready").click()
    expect(page.locator("#table")).to_be_visible()
    check_preview(page)
    page.locator("#preview-next").click()
    page.click("#preview-fill")
    page.get_by_role("button", name="Say it").click()
    expect(page.locator("#choice-title")).to_be_visible()
    page.select_option("#preview-stage", label="7. Who played at the other seats?")
    page.get_by_role("button", name="Show").click()
    page.click("#preview-fill")
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("h1")).to_have_text("How was the game?")
    check_preview(page)


def open_phone_view(page: Page) -> FrameLocator:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("link", name="Phone view").click()
    check_accessibility(page)
    frame = page.frame_locator("iframe")
    expect(frame.locator("h1")).to_have_text("How was the game?")
    assert frame.locator("html").evaluate("() => innerWidth") < 400
    return frame


def test_draft_is_previewed_on_a_phone(stack: Stack, phone: BrowserContext) -> None:
    code = stack.shell(CREATE_DRAFT).splitlines()[-1].strip()
    page = phone.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    sign_in(page, stack)
    page.goto(f"{stack.url}/study/studies/{code}/setup")
    page.get_by_role("link", name="Preview").click()
    preview_to_waiting_room(page)
    preview_game(page)
    open_phone_view(page).get_by_role("link", name="Desktop view").click()
    page.get_by_role("link", name="Back to setup").click()
    page.get_by_role("link", name="Open the study").click()
    check_accessibility(page)
    page.get_by_role("button", name="Yes, open it").click()
    expect(page.locator(".notices")).to_contain_text("The study is open.")
    page.goto(f"{stack.url}/study/studies/{code}/setup")
    page.get_by_text("Unlock").click()
    check_accessibility(page)
    page.get_by_role("button", name="Yes, make it a draft").click()
    expect(page.locator(".notices")).to_contain_text("The study is a draft again")
    assert not errors, errors
