"""A researcher at the pages of a campaign, from the printed link to open for raters."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.page_checks import at_both_widths, check_accessibility, check_width
from tests.live import Stack, wait_until

NAME, PASSWORD = "ada", "lamplight-and-paper"


def check_page(page: Page) -> None:
    """Check accessibility, and the width on a phone and a desktop."""
    check_accessibility(page)
    at_both_widths(page, check_width)


def create_account(page: Page, stack: Stack) -> None:
    """Create the first account by the printed link."""
    file = stack.data / "first_researcher"
    path = wait_until(lambda: file.exists() and file.read_text(), "the first link")
    page.goto(stack.url + str(path))
    check_page(page)
    page.fill("[name=username]", NAME)
    page.fill("[name=password1]", PASSWORD)
    page.fill("[name=password2]", PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page.locator("h1")).to_have_text("Your research")
    check_page(page)


def sign_out_and_in(page: Page, stack: Stack) -> None:
    page.get_by_role("button", name="Sign out").click()
    page.goto(f"{stack.url}/study/")
    expect(page.locator("h1")).to_have_text("Sign in")
    check_page(page)
    page.fill("[name=username]", NAME)
    page.fill("[name=password]", PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("h1")).to_have_text("Your research")


def choose_games(page: Page) -> None:
    expect(page.locator("#plan")).to_contain_text("Choose at least one finished game.")
    check_page(page)
    page.get_by_role("button", name="Select games").click()
    check_page(page)
    page.wait_for_load_state()  # the script that selects all has started
    page.check("[data-all]")
    page.get_by_role("button", name="Add selected games").click()
    expect(page.locator(".notices")).to_contain_text("2 games added.")
    check_page(page)
    page.get_by_role("link", name="Back to the setup").click()


def check_plan_counts(page: Page) -> None:
    """Check that the plan counts typed values at once, before anything is saved."""
    plan = page.locator("#plan")
    expect(plan).to_contain_text("48")
    page.locator("[name=pick][value=sample]").check(force=True)
    page.fill("[name=per_condition]", "5")
    expect(plan).not_to_contain_text("48")
    expect(plan).to_contain_text("There are only 10 units")
    page.fill("[name=units_per_rater]", "10")
    expect(plan).to_contain_text("may be shown before")  # context lines show other units
    page.fill("[name=context]", "0")
    expect(plan).not_to_contain_text("may be shown before")
    check_page(page)


def edit_questions(page: Page) -> None:
    page.get_by_role("button", name="View or edit the questions").click()
    check_page(page)
    page.get_by_role("button", name="Add item").click()
    page.get_by_role("button", name="Remove").last.click()
    page.get_by_role("button", name="Save questions").click()
    expect(page.locator(".notices")).to_contain_text("The questions were saved.")


def draw_units(page: Page, units: int) -> None:
    """Check every tab before the draw. Then draw the units and open one of them."""
    for name in ("Units", "Results", "Export", "Progress", "Units"):
        open_tab(page, name)
        check_page(page)
    page.get_by_role("button", name="Draw").click()
    expect(page.locator(".unit")).to_have_count(units)
    check_page(page)
    page.locator(".unit-head a").first.click()
    check_page(page)
    page.locator(".tabs").get_by_role("link", name="Setup").click()


def open_to_raters(page: Page) -> str:
    """Open the campaign for raters. Return the shared link as copied."""
    expect(page.locator("#plan")).not_to_contain_text("still being analysed")
    page.get_by_role("button", name="Save and open to raters").click()
    expect(page.get_by_role("heading", name="Open the study?")).to_be_visible()
    check_page(page)
    page.get_by_role("button", name="Yes, open it").click()
    expect(page.locator(".notices")).to_contain_text("The study is open.")
    page.fill("[name=number]", "2")
    page.get_by_role("button", name="Create links").click()
    expect(page.locator(".link-copy")).to_have_count(2)
    check_page(page)
    copy = page.locator("[data-copy=shared]")
    copy.click()
    expect(copy).to_contain_text("Copied")
    return str(page.evaluate("navigator.clipboard.readText()"))


def open_tab(page: Page, name: str) -> None:
    page.locator(".tabs").get_by_role("link", name=name, exact=True).click()
    expect(page.locator(".tabs [aria-current]")).to_have_text(name)
