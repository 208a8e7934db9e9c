"""A researcher at the pages of a campaign: from the printed link to open for raters."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.test_one_night import at_both_widths, check_accessibility
from tests.live import Stack, wait_until

NAME, PASSWORD = "ada", "lamplight-and-paper"


def look(page: Page) -> None:
    """Nothing a screen reader trips over; nothing wider than the window, on a phone neither."""
    check_accessibility(page)
    at_both_widths(page, no_wider)


def no_wider(page: Page) -> None:
    wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1], (page.url, wide)


def make_the_account(page: Page, stack: Stack) -> None:
    """By the printed link."""
    file = stack.data / "first_researcher"
    way = wait_until(lambda: file.exists() and file.read_text(), "the first link")
    page.goto(stack.url + str(way))
    look(page)
    page.fill("[name=username]", NAME)
    page.fill("[name=password1]", PASSWORD)
    page.fill("[name=password2]", PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page.locator("h1")).to_have_text("Your research")
    look(page)


def sign_out_and_in(page: Page, stack: Stack) -> None:
    page.get_by_role("button", name="Sign out").click()
    page.goto(f"{stack.url}/study/")
    expect(page.locator("h1")).to_have_text("Sign in")
    look(page)
    page.fill("[name=username]", NAME)
    page.fill("[name=password]", PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("h1")).to_have_text("Your research")


def choose_games(page: Page) -> None:
    expect(page.locator("#plan")).to_contain_text("Choose at least one finished game.")
    look(page)
    page.get_by_role("button", name="Select games").click()
    look(page)
    page.wait_for_load_state()  # the script that ticks them all has started
    page.check("[data-all]")
    page.get_by_role("button", name="Add selected games").click()
    expect(page.locator(".notices")).to_contain_text("2 games added.")
    look(page)
    page.get_by_role("link", name="Back to the setup").click()


def see_the_plan_count(page: Page) -> None:
    """What one types is counted at once, before anything is saved."""
    plan = page.locator("#plan")
    expect(plan).to_contain_text("48")
    page.locator("[name=pick][value=sample]").check(force=True)
    page.fill("[name=per_condition]", "5")
    expect(plan).not_to_contain_text("48")
    expect(plan).to_contain_text("There are only 10 units")
    page.fill("[name=units_per_rater]", "10")
    expect(plan).to_contain_text(
        "may be shown before"
    )  # the lines before one show the words of others
    page.fill("[name=context]", "0")
    expect(plan).not_to_contain_text("may be shown before")
    look(page)


def go_through_the_questions(page: Page) -> None:
    page.get_by_role("button", name="View or edit the questions").click()
    look(page)
    page.get_by_role("button", name="Add item").click()
    page.get_by_role("button", name="Remove").last.click()
    page.get_by_role("button", name="Save questions").click()
    expect(page.locator(".notices")).to_contain_text("The questions were saved.")


def draw(page: Page, units: int) -> None:
    """Every tab is looked at before anything is drawn; then the units and one of them."""
    for name in ("Units", "Results", "Export", "Progress", "Units"):
        tab(page, name)
        look(page)
    page.get_by_role("button", name="Draw").click()
    expect(page.locator(".unit")).to_have_count(units)
    look(page)
    page.locator(".unit-head a").first.click()
    look(page)
    page.locator(".tabs").get_by_role("link", name="Setup").click()


def open_it(page: Page) -> str:
    """Open for raters; gives the shared link as it is copied."""
    expect(page.locator("#plan")).not_to_contain_text("still being analysed")
    page.get_by_role("button", name="Save and open to raters").click()
    expect(page.get_by_role("heading", name="Open the study?")).to_be_visible()
    look(page)
    page.get_by_role("button", name="Yes, open it").click()
    expect(page.locator(".notices")).to_contain_text("The study is open.")
    page.fill("[name=number]", "2")
    page.get_by_role("button", name="Create links").click()
    expect(page.locator(".link-copy")).to_have_count(2)
    look(page)
    copy = page.locator("[data-copy=shared]")
    copy.click()
    expect(copy).to_contain_text("Copied")
    return str(page.evaluate("navigator.clipboard.readText()"))


def tab(page: Page, name: str) -> None:
    page.locator(".tabs").get_by_role("link", name=name, exact=True).click()
    expect(page.locator(".tabs [aria-current]")).to_have_text(name)
