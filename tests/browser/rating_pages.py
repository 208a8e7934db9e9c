"""A rater at the pages of a campaign, and the stored ratings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from tests.browser.page_checks import check_height
from tests.live import Stack

READ_RATINGS = """
import json
from tests.study import rating
from webapp.study.models import Rater
rater = Rater.objects.get(key="KEY")
pages = rater.assignments.all()
print(json.dumps([[str(page.key), *rating.stored_rating(page), page.state] for page in pages]))
"""
NEXT_PAGE_FETCHED = """() => performance.getEntriesByType("resource")
    .some((entry) => entry.name.endsWith(document.getElementById("next").dataset.to))"""
ALL_SENT = "() => !Object.keys(localStorage).some((name) => name.startsWith('fabula:rate:'))"


def open_watched_page(context: BrowserContext) -> tuple[Page, list[str]]:
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    return page, errors


def open_first_page(page: Page, link: str) -> str:
    """Go from the link to the first page by mouse. Return the key of the personal link."""
    page.goto(link)
    page.locator("input[name=experience][value='2']").check(force=True)
    page.locator("main .button-main[type=submit]").click()
    key = page.url.split("/rate/as/")[1].split("/")[0]
    page.locator("main .button-main[type=submit]").click()
    expect(page.locator("main[data-key]")).to_be_visible()
    page.wait_for_load_state("load")
    return key


@contextmanager
def scripts_held(page: Page) -> Iterator[None]:
    """Reload the page, and let its scripts load at the end of the block."""
    routes: list[Route] = []
    page.route("**/rate_sheet*.js", lambda route: routes.append(route))
    page.reload(wait_until="commit")
    yield
    while not routes:
        page.wait_for_timeout(20)
    routes[0].continue_()


def stored_ratings(stack: Stack, key: str) -> dict[str, tuple[dict[str, int], str, str]]:
    rows = json.loads(stack.shell(READ_RATINGS.replace("KEY", key)).splitlines()[-1])
    return {name: (values, skip, state) for name, values, skip, state in rows}


def wait_until_saved(page: Page) -> None:
    """Wait until the server has all values.

    The text does not show that: a request of less than half a second shows no text, and "Saved" may
    be of earlier values.
    """
    page.wait_for_function(ALL_SENT)
    expect(page.locator("#saved")).to_have_text("Saved")


def tap(choice: Locator) -> None:
    """Tap a value until it is chosen, because the browser makes a click of it later."""
    choice.tap()
    expect(choice.locator("input")).to_be_checked()


def field_names(page: Page) -> list[str]:
    return page.locator("fieldset.ask").evaluate_all("all => all.map(a => a.dataset.field)")


def page_key(page: Page) -> str:
    return str(page.locator("main").get_attribute("data-key"))


def check_no_scrolling(page: Page) -> None:
    """Check that neither the page nor the questions scroll."""
    check_height(page)
    heights = page.locator(".rate-answers").evaluate("e => [e.scrollHeight, e.clientHeight]")
    assert heights[0] <= heights[1], heights
