"""Transfer size of the play page on the first and on repeated visits."""

from __future__ import annotations

from playwright.sync_api import Page, sync_playwright

from tests.browser.table import Person
from tests.chromium import find
from tests.conftest import FLAGS
from tests.live import Stack


def weigh(page: Page, address: str) -> tuple[float, int]:
    """Open `address`. Returns: kilobytes received, number of non-empty responses."""
    sizes: list[int] = []
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.loadingFinished", lambda e: sizes.append(int(e["encodedDataLength"])))
    page.goto(address)
    page.wait_for_load_state("networkidle")
    session.detach()
    return sum(sizes) / 1024, sum(size > 0 for size in sizes)


def main() -> None:
    with Stack() as stack, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=[*FLAGS, "--no-sandbox"])
        sitting = browser.new_context()
        person = Person(sitting.new_page())
        address = person.open_table(stack.url)
        person.play_until_turn()
        fresh = browser.new_context(storage_state=sitting.storage_state())
        page = fresh.new_page()
        for visit in ("first", "repeated"):
            size, requests = weigh(page, address)
            print(f"play page, {visit} visit: {size:.0f} KB in {requests} answers")
        browser.close()
