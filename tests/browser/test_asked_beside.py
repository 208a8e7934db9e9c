"""What a study asks people while they play, by the keyboard alone.

Ratings before each act, a line of why beside a vote. A day of a game with a Sheriff, on a wide page
and on a phone.
"""

from __future__ import annotations

import json
import time

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.test_comfort import at_width, no_wider
from tests.browser.test_one_night import check_accessibility, check_height
from tests.browser.test_sheriff import asked, sit_down, tab_to
from tests.live import Stack

pytestmark = pytest.mark.browser
RULES = {"rate_people": True, "ask_why": True, "election": False, "max_rounds": 1}
WHY = "Their story changed."


def look(page: Page) -> None:
    """On a wide page and on a phone, as which it stays."""
    check_accessibility(page)
    for width in (1280, 390):
        at_width(page, width)
        no_wider(page)
        check_height(page)


def press(page: Page, selector: str) -> None:
    tab_to(page, selector)
    with page.expect_response("**/answer") as answer:
        page.keyboard.press("Enter")
    assert answer.value.status == 200, answer.value.text()


def window(page: Page) -> str:
    return page.locator("#choice").get_attribute("data-window") or ""


def test_ratings_and_vote_reason_are_given_by_keyboard(stack: Stack, chromium: Browser) -> None:
    with chromium.new_context(
        viewport={"width": 1280, "height": 800}, reduced_motion="reduce"
    ) as context:
        person = sit_down(stack, context, "villager", RULES)
        page, forms, said = person.page, 0, 0
        deadline = time.monotonic() + 400
        while (kind := asked(page)) != "vote":
            assert time.monotonic() < deadline, page.locator("body").inner_text()
            if kind == "reliability":
                rate(page, first=forms == 0)
                forms += 1
            elif kind:
                person.choose()
            elif page.locator("#say-send").is_visible():
                person.say("I am a villager, and I listen before I decide.")
                said += 1
            page.wait_for_timeout(60)
        assert said, "the person spoke"
        assert forms >= 2, "before speaking and before voting"
        vote(page)
        expect(page.locator("#end")).to_be_visible(timeout=60_000)
        assert WHY not in page.content(), "no player sees it, at the end neither"
        told = stack.manage("transcript", page.url.split("/")[-2], "--viewer", "moderator")
        lines = [json.loads(line) for line in told.splitlines()]
        assert [x["data"]["text"] for x in lines if x["kind"] == "vote_reason"] == [WHY]
        (*_, last) = [x["data"] for x in lines if x["kind"] == "reliability"]
        assert last["ratings"] == [], "one press: nothing has changed"
        assert not [e for e in person.errors if "422" not in e]


def rate(page: Page, *, first: bool) -> None:
    """The first time two players, then one press. What is not sent yet outlives a reload."""
    before = window(page)
    role, sure = (page.locator(f"#choose .rating >> nth=0 >> select >> nth={i}") for i in (0, 1))
    if first:
        expect(page.locator("#choose-unchanged")).to_have_text("I can’t tell yet")
        tab_to(page, "#choose .rating:first-child select")
        page.keyboard.type("Werewolf")
        page.keyboard.press("Tab")
        page.keyboard.type("8")
        expect(page.locator("#choose-unchanged")).to_be_disabled()
        page.reload()
        expect(page.locator("#sound")).to_be_visible()
        look(page)
    expect(role.locator(":checked")).to_have_text("Werewolf")
    expect(sure).to_have_value("8")
    if first:
        press(page, "#choose-send")
    else:
        expect(page.locator("#choose-unchanged")).to_have_text("Nothing has changed")
        press(page, "#choose-unchanged")
    expect(page.locator(f'#choice[data-window="{before}"]')).to_have_count(0)


def vote(page: Page) -> None:
    """A line that is too long is refused and stays, over a reload too; a short one is taken."""
    tab_to(page, "#choose input[name=target]")
    page.keyboard.press("Space")
    tab_to(page, "#choose [name=why]")
    page.keyboard.type("a b c d e f g h i j " * 5)
    long = page.locator("#choose [name=why]")
    with page.expect_response("**/answer") as answer:
        page.keyboard.press("Enter")
    assert answer.value.status == 422
    expect(page.locator("#refused")).to_contain_text("Shorten it to 40 words.")
    page.reload()
    expect(page.locator("#sound")).to_be_visible()
    expect(long).to_have_value("a b c d e f g h i j " * 5)
    expect(page.locator("#choose :checked")).to_have_count(1)
    look(page)
    long.fill(WHY)
    press(page, "#choose-send")
