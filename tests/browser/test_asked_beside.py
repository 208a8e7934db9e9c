"""Tests of study questions during play, by keyboard: ratings and vote reasons.

One day of a game with a Sheriff, on a wide page and on a phone.
"""

from __future__ import annotations

import json
import time

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.keyboard import tab_to
from tests.browser.page_checks import (
    check_accessibility,
    check_height,
    check_no_overflow,
    set_width,
)
from tests.browser.seats import open_choice, sit_as
from tests.live import Stack

pytestmark = pytest.mark.browser
RULES = {"rate_people": True, "ask_why": True, "election": False, "max_rounds": 1}
REASON = "Their story changed."


def check_page(page: Page) -> None:
    """Check the page on a wide screen and then on a phone, whose size stays."""
    check_accessibility(page)
    for width in (1280, 390):
        set_width(page, width)
        check_no_overflow(page)
        check_height(page)


def answer_by_enter(page: Page, selector: str) -> None:
    tab_to(page, selector)
    with page.expect_response("**/answer") as response:
        page.keyboard.press("Enter")
    assert response.value.status == 200, response.value.text()


def window_key(page: Page) -> str:
    return page.locator("#choice").get_attribute("data-window") or ""


def test_ratings_and_vote_reason_are_given_by_keyboard(stack: Stack, chromium: Browser) -> None:
    with chromium.new_context(
        viewport={"width": 1280, "height": 800}, reduced_motion="reduce"
    ) as context:
        person = sit_as(stack, context, "villager", RULES)
        page, form_count, statement_count = person.page, 0, 0
        deadline = time.monotonic() + 400
        while (kind := open_choice(page)) != "vote":
            assert time.monotonic() < deadline, page.locator("body").inner_text()
            if kind == "reliability":
                fill_in_ratings(page, is_first=form_count == 0)
                form_count += 1
            elif kind:
                person.choose()
            elif page.locator("#say-send").is_visible():
                person.say("I am a villager, and I listen before I decide.")
                statement_count += 1
            page.wait_for_timeout(60)
        assert statement_count, "the person spoke"
        assert form_count >= 2, "before speaking and before voting"
        vote_with_reason(page)
        expect(page.locator("#end")).to_be_visible(timeout=60_000)
        assert REASON not in page.content(), "no player sees the reason, even at the end"
        transcript = stack.manage("transcript", page.url.split("/")[-2], "--viewer", "moderator")
        lines = [json.loads(line) for line in transcript.splitlines()]
        assert [x["data"]["text"] for x in lines if x["kind"] == "vote_reason"] == [REASON]
        (*_, last) = [x["data"] for x in lines if x["kind"] == "reliability"]
        assert last["ratings"] == [], "the last form reports no change"
        assert not [error for error in person.errors if "422" not in error]


def fill_in_ratings(page: Page, *, is_first: bool) -> None:
    """Rate two players in the first form, and report no change in later ones.

    Unsent ratings survive a reload.
    """
    before = window_key(page)
    role, confidence = (
        page.locator(f"#choose .rating >> nth=0 >> select >> nth={i}") for i in (0, 1)
    )
    if is_first:
        expect(page.locator("#choose-unchanged")).to_have_text("I can’t tell yet")
        tab_to(page, "#choose .rating:first-child select")
        page.keyboard.type("Werewolf")
        page.keyboard.press("Tab")
        page.keyboard.type("8")
        expect(page.locator("#choose-unchanged")).to_be_disabled()
        page.reload()
        expect(page.locator("#sound")).to_be_visible()
        check_page(page)
    expect(role.locator(":checked")).to_have_text("Werewolf")
    expect(confidence).to_have_value("8")
    if is_first:
        answer_by_enter(page, "#choose-send")
    else:
        expect(page.locator("#choose-unchanged")).to_have_text("Nothing has changed")
        answer_by_enter(page, "#choose-unchanged")
    expect(page.locator(f'#choice[data-window="{before}"]')).to_have_count(0)


def vote_with_reason(page: Page) -> None:
    """Try a reason that is too long, which stays over a reload. Then give a short one."""
    tab_to(page, "#choose input[name=target]")
    page.keyboard.press("Space")
    tab_to(page, "#choose [name=why]")
    page.keyboard.type("a b c d e f g h i j " * 5)
    reason_field = page.locator("#choose [name=why]")
    with page.expect_response("**/answer") as response:
        page.keyboard.press("Enter")
    assert response.value.status == 422
    expect(page.locator("#refused")).to_contain_text("Shorten it to 40 words.")
    page.reload()
    expect(page.locator("#sound")).to_be_visible()
    expect(reason_field).to_have_value("a b c d e f g h i j " * 5)
    expect(page.locator("#choose :checked")).to_have_count(1)
    check_page(page)
    reason_field.fill(REASON)
    answer_by_enter(page, "#choose-send")
