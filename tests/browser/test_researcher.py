"""A researcher's first quarter of an hour, in a real browser: from the link to open for raters."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.test_one_night import check_accessibility
from tests.live import Stack, wait_until

PASSWORD = "lamplight-and-paper"


def look(page: Page) -> None:
    """Nothing a screen reader trips over, nothing wider than the window, nothing refused."""
    check_accessibility(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]  # type: ignore[index]


def enter(page: Page, stack: Stack, name: str) -> None:
    """By the printed link the first time; signing in once that is used."""
    file = stack.data / "first_researcher"
    way = wait_until(lambda: file.exists() and file.read_text(), "the first link")
    page.goto(stack.url + str(way))
    if page.locator("h1").inner_text() == "This link opens nothing":
        page.goto(f"{stack.url}/study/sign-in")
        look(page)
        page.fill("[name=username]", name)
        page.fill("[name=password]", PASSWORD)
        page.get_by_role("button", name="Sign in").click()
    else:
        look(page)
        page.fill("[name=username]", name)
        page.fill("[name=password1]", PASSWORD)
        page.fill("[name=password2]", PASSWORD)
        page.get_by_role("button", name="Make the account").click()
    expect(page.locator("h1")).to_have_text("Your research")
    look(page)


def choose_games(page: Page) -> None:
    page.get_by_role("button", name="Choose games").click()
    look(page)
    page.wait_for_load_state()  # the script that ticks them all has started
    page.check("[data-all]")
    page.get_by_role("button", name="Add the ticked ones").click()
    expect(page.locator(".notices")).to_contain_text("2 games added.")
    look(page)
    page.get_by_role("link", name="Back to the set-up").click()


@pytest.mark.parametrize("width", [1280, 390])
def test_from_the_link_to_open_for_raters(two_games: Stack, chromium: Browser, width: int) -> None:
    context = chromium.new_context(viewport={"width": width, "height": 800})
    page, refused = context.new_page(), []
    page.on("console", lambda line: refused.append(line.text) if line.type == "error" else None)
    enter(page, two_games, "ada")
    refused.clear()  # the second time, the used link's 404
    page.fill("[name=name]", "Does a plan make them sound alive?")
    page.get_by_role("button", name="Set it up").click()
    expect(page.locator("#plan")).to_contain_text("Choose at least one finished game.")
    look(page)
    choose_games(page)

    # What one types is counted at once, before anything is saved.
    plan = page.locator("#plan")
    expect(plan).to_contain_text("48")
    page.locator("[name=pick][value=sample]").check(force=True)
    page.fill("[name=per_condition]", "5")
    expect(plan).not_to_contain_text("48")
    expect(plan).to_contain_text("There are only 10 units")
    page.fill("[name=units_per_rater]", "10")
    expect(plan).to_contain_text("units at most")  # the lines before one show the words of others
    page.fill("[name=context]", "0")
    expect(plan).not_to_contain_text("units at most")
    look(page)

    page.get_by_role("button", name="Read or change the questions").click()
    look(page)
    page.get_by_role("button", name="Add an item").click()
    page.get_by_role("button", name="Take out").last.click()
    page.get_by_role("button", name="Save the questions").click()
    expect(page.locator(".notices")).to_contain_text("The questions are saved.")

    for tab in ("What is rated", "Results", "Export", "Progress"):
        page.locator(".tabs").get_by_role("link", name=tab).click()
        look(page)
    page.locator(".tabs").get_by_role("link", name="What is rated").click()
    page.get_by_role("button", name="Draw").click()
    expect(page.locator(".unit")).to_have_count(10)
    look(page)
    page.locator(".unit-head a").first.click()
    look(page)

    page.locator(".tabs").get_by_role("link", name="Set-up").click()
    expect(page.locator("#plan")).not_to_contain_text("still being read")
    page.get_by_role("button", name="Save and open to raters").click()
    expect(page.locator(".notices")).to_contain_text("The campaign is open.")
    page.fill("[name=number]", "2")
    page.get_by_role("button", name="Make them").click()
    expect(page.locator(".link-copy")).to_have_count(2)
    look(page)
    assert not refused
    page.get_by_role("button", name="Sign out").click()
    page.goto(f"{two_games.url}/study/")
    expect(page.locator("h1")).to_have_text("Sign in")
    context.close()
