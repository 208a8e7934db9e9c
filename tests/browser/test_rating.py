"""Tests of raters in browsers: by keyboard, offline, by touch and without scripts."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.keyboard import tab_to
from tests.browser.page_checks import check_accessibility
from tests.browser.rating_pages import (
    NEXT_PAGE_FETCHED,
    check_no_scrolling,
    field_names,
    open_first_page,
    open_watched_page,
    page_key,
    scripts_held,
    stored_ratings,
    tap,
    wait_until_saved,
)
from tests.live import Stack

CREATE_CAMPAIGNS = """
import json
from tests.study import rating
from webapp.play.live import notifier
from webapp.study.rating import campaigns
RIVAL = {"backend": "house", "method": "full"}
with notifier.diverted(lambda game, opened: None):
    single = rating.open_campaign("1", "2", units_per_rater=3, repeats=1, attention=1,
        raters_per_unit=9, least_experience=1,
        exits={"completed": {"code": "C0DE", "url": "URL/healthz?cc=C0DE"},
               "screened_out": {"code": "S0RRY"}})
    pair = rating.open_campaign("3", units_per_rater=2, raters_per_unit=9, rival=RIVAL,
        rival_condition="rival")
    pair.units.update(situations=["called_werewolf", "closing"])
    print(json.dumps({"single": single.study.key, "pair": pair.study.key}))
"""

# Each runs in one step, because a requested page may arrive at any moment.
CHOOSE_VALUE = """([part, value]) => {
  const asks = [...document.querySelectorAll("fieldset.ask")];
  const ask = asks[Math.floor(part * asks.length)];
  ask.querySelector(`input[value="${value}"]`).click();
  return [document.querySelector("main").dataset.key, ask.dataset.field];
}"""
SKIP_PAGE = """() => {
  const { key } = document.querySelector("main").dataset;
  if (document.querySelector("#next[data-last]")) return null; // it would leave the pages
  document.getElementById("leave-out").open = true;
  document.querySelector("#skip button").click();
  return key;
}"""
TURN_PAGE = """(key) => {
  if (key === "ArrowRight" && document.querySelector("#next[data-last]")) return;
  const main = document.querySelector("main");
  main.focus();
  main.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
}"""


@pytest.fixture(scope="module")
def links(stack: Stack) -> dict[str, str]:
    keys = json.loads(stack.shell(CREATE_CAMPAIGNS.replace("URL", stack.url)).splitlines()[-1])
    return {name: f"{stack.url}/rate/{key}/" for name, key in keys.items()}


@pytest.fixture
def phone(chromium: Browser) -> Iterator[BrowserContext]:
    with chromium.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, color_scheme="dark"
    ) as context:
        yield context


class KeyboardRater:
    """A rater at the keyboard, and the pressed values by page and question."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.expected: dict[str, dict[str, int]] = {}

    def press_enter_on(self, selector: str) -> None:
        tab_to(self.page, selector)
        self.page.keyboard.press("Enter")

    def start(self, link: str) -> str:
        """Go from the link to the first page. Return the key of the personal link."""
        page = self.page
        page.goto(f"{link}?PROLIFIC_PID=abc&STUDY_ID=s1&SESSION_ID=x9")
        check_accessibility(page)
        tab_to(page, "input[name=experience]")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        self.press_enter_on("main button[type=submit]")
        expect(page.locator(".worked-row").first).to_be_visible()
        assert "PROLIFIC" not in page.url, "the address has no identifiers"
        key = page.url.split("/rate/as/")[1].split("/")[0]
        check_accessibility(page)
        self.press_enter_on("main button[type=submit]")
        expect(page.locator("main[data-key]")).to_be_visible()
        page.wait_for_load_state("load")
        check_accessibility(page)
        check_no_scrolling(page)
        return key

    def rate(self, value: int) -> None:
        names = field_names(self.page)
        tab_to(self.page, "fieldset.ask, fieldset.ask input")  # focused already in a new page
        for _ in names:
            self.page.keyboard.press(str(value))
        self.expected[page_key(self.page)] = dict.fromkeys(names, value)

    def turn_page(self, arrow: str = "ArrowRight") -> None:
        key_before = page_key(self.page)
        self.page.keyboard.press(arrow)
        expect(self.page.locator(f"main[data-key='{key_before}']")).to_have_count(0)

    def rate_two_pages_offline(self, stack: Stack, key: str) -> str:
        """Rate pages two and three without a connection. Return the key of page three."""
        page = self.page
        page.wait_for_function(NEXT_PAGE_FETCHED)
        page.context.set_offline(True)
        self.rate(2)
        expect(page.locator("#saved")).to_contain_text("Not sent yet")
        self.turn_page()
        self.rate(5)
        third = page_key(page)
        check_accessibility(page)
        page.context.set_offline(False)
        wait_until_saved(page)
        assert stored_ratings(stack, key)[third][0] == self.expected[third]
        return third

    def reload_unsent_ratings(self, stack: Stack, key: str) -> None:
        """Change page two offline and reload. The unsent values are kept and sent."""
        page, third = self.page, page_key(self.page)
        page.context.set_offline(True)
        self.turn_page("ArrowLeft")
        self.rate(1)
        second = page_key(page)
        assert second != third
        page.context.set_offline(False)
        page.reload()
        wait_until_saved(page)
        assert stored_ratings(stack, key)[second][0] == self.expected[second]
        expect(page.locator("fieldset.ask input:checked").first).to_have_value("1")

    def rate_to_the_end(self) -> str:
        """Rate the last page and leave page four open, which the overview names."""
        page = self.page
        self.turn_page()
        fourth = page_key(page)
        self.turn_page()
        self.rate(3)
        page.keyboard.press("ArrowRight")
        expect(page.locator(".all-pages .is-open")).to_contain_text("4")
        check_accessibility(page)
        return fourth

    def skip_page(self, skipped: str, reason: str) -> None:
        """Open the unrated page from the overview, and skip it with a reason."""
        page = self.page
        self.press_enter_on(".hand-in a")
        expect(page.locator(f"main[data-key='{skipped}']")).to_be_visible()
        page.wait_for_load_state("load")
        self.press_enter_on("#leave-out summary")
        check_accessibility(page)
        tab_to(page, "#reason-text")
        page.keyboard.type(reason)
        page.keyboard.press("Enter")
        expect(page.locator(f"main[data-key='{skipped}']")).to_have_count(0)
        page.keyboard.press("ArrowRight")
        expect(page.locator(".hand-in button")).to_be_visible()

    def submit(self, stack: Stack) -> None:
        page = self.page
        self.press_enter_on(".hand-in button")
        expect(page.locator("#code")).to_have_value("C0DE")
        expect(page.locator("#go-back")).to_have_attribute("href", f"{stack.url}/healthz?cc=C0DE")
        check_accessibility(page)
        self.press_enter_on("#stay")


def test_rating_by_keyboard_survives_a_lost_connection(
    stack: Stack, links: dict[str, str], laptop: BrowserContext
) -> None:
    """From the shared link to the completion code."""
    page, errors = open_watched_page(laptop)
    rater = KeyboardRater(page)
    key = rater.start(links["single"])
    rater.rate(4)
    wait_until_saved(page)
    rater.turn_page()
    expect(page.locator("#place")).to_contain_text("2 of 5")
    third = rater.rate_two_pages_offline(stack, key)
    rater.reload_unsent_ratings(stack, key)
    page.keyboard.press("ArrowRight")
    expect(page.locator(f"main[data-key='{third}']")).to_be_visible()
    fourth = rater.rate_to_the_end()
    rater.skip_page(fourth, "12345 is no reason")
    rater.submit(stack)
    rows = stored_ratings(stack, key)
    assert rows.pop(fourth) == ({}, "12345 is no reason", "skipped")
    assert {k: row[0] for k, row in rows.items()} == rater.expected
    assert {row[2] for row in rows.values()} == {"answered"}
    page.go_back()
    expect(page.locator("#code, main[data-key], .all-pages").first).to_be_visible()
    page.goto(f"{stack.url}/rate/as/{key}/")
    expect(page.locator("#code")).to_be_visible()
    assert not errors


def test_truncated_reply_counts_as_no_reply(
    stack: Stack, links: dict[str, str], laptop: BrowserContext
) -> None:
    page, errors = open_watched_page(laptop)
    # Set the route first: Chromium routes requests of an open page only after a delay.
    page.route("**/rate/item/**", lambda route: route.fulfill(status=200, body='{"revision": 1'))
    open_first_page(page, links["single"])
    page.keyboard.press("4")
    expect(page.locator("#saved")).to_contain_text("Not sent yet")
    page.unroute("**/rate/item/**")
    wait_until_saved(page)
    page.reload()
    expect(page.locator("fieldset.ask input:checked")).to_have_value("4")
    assert not errors


def test_value_chosen_before_the_scripts_ran_is_saved(
    stack: Stack, links: dict[str, str], laptop: BrowserContext
) -> None:
    page, errors = open_watched_page(laptop)
    key = open_first_page(page, links["single"])
    with scripts_held(page):
        page.locator("fieldset.ask").first.locator("label").nth(1).click()
    wait_until_saved(page)
    assert list(stored_ratings(stack, key)[page_key(page)][0].values()) == [2]
    expect(page.locator("fieldset.ask input:checked")).to_have_value("2")
    assert not errors


def test_pairs_are_side_by_side_and_fit_the_window(
    stack: Stack, links: dict[str, str], laptop: BrowserContext
) -> None:
    page, errors = open_watched_page(laptop)
    key = open_first_page(page, links["pair"])
    expect(page.locator(".rated")).to_have_count(2)
    left, right = (page.locator(".rated").nth(n).bounding_box() for n in (0, 1))
    assert left
    assert right
    assert left["y"] == right["y"]
    assert left["x"] < right["x"]
    assert len(field_names(page)) == 10
    check_no_scrolling(page)
    check_accessibility(page)
    for n in range(10):
        page.keyboard.press(str(1 + n % 5))
    wait_until_saved(page)
    values = stored_ratings(stack, key)[page_key(page)][0]
    assert [values[name] for name in field_names(page)] == [1, 2, 3, 4, 5] * 2
    assert not errors


def test_rating_works_by_touch_and_on_a_second_device(
    stack: Stack, links: dict[str, str], phone: BrowserContext, laptop: BrowserContext
) -> None:
    page, errors = open_watched_page(phone)
    key = open_first_page(page, links["single"])
    check_accessibility(page)
    widths = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1], "nothing overflows"
    for question in page.locator("fieldset.ask").all():
        tap(question.locator("label").nth(2))
    wait_until_saved(page)
    first_page = page_key(page)
    page.locator("#next").tap()
    expect(page.locator(f"main[data-key='{first_page}']")).to_have_count(0)

    # The own link moves the rater to another device, and back again.
    laptop_page, _ = open_watched_page(laptop)
    laptop_page.goto(f"{stack.url}/rate/as/{key}/")
    laptop_page.locator("button[name=change]").click()
    expect(laptop_page.locator("main[data-key]")).to_be_visible()
    laptop_page.wait_for_load_state()  # its script handles the keys
    assert page_key(laptop_page) == page_key(page)
    laptop_page.keyboard.press("5")
    wait_until_saved(laptop_page)
    page.goto(f"{stack.url}/rate/as/{key}/")
    page.locator("button[name=change]").click()
    expect(page.locator("main[data-key]")).to_be_visible()
    page.wait_for_load_state()
    tap(page.locator("fieldset.ask").nth(1).locator("label").nth(1))
    wait_until_saved(page)
    names = field_names(page)
    expect(page.locator("fieldset.ask").first.locator("input:checked")).to_have_value("5")
    values = stored_ratings(stack, key)[page_key(page)][0]
    assert values == {names[0]: 5, names[1]: 2}
    assert not errors


def test_rating_works_without_scripts(
    stack: Stack, links: dict[str, str], chromium: Browser
) -> None:
    with chromium.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        key = open_first_page(page, links["pair"])
        for _ in range(2):
            for label in page.locator("fieldset.ask label:nth-child(4)").all():
                label.click()
            page.locator("#next").click()
        page.locator(".hand-in button").click()
        expect(page.locator("h1")).to_contain_text("Thank you")
        rows = stored_ratings(stack, key).values()
        assert {v for values, _, _ in rows for v in values.values()} == {4}


@pytest.mark.parametrize("seed", [1])
def test_last_statement_is_stored_after_random_actions(
    stack: Stack, links: dict[str, str], laptop: BrowserContext, seed: int
) -> None:
    """Values, skips, page turns, reloads and outages in random order."""
    page, errors = open_watched_page(laptop)
    key = open_first_page(page, links["single"])
    random_source, expected = random.Random(seed), {}
    is_offline = False

    def choose_value() -> None:
        share, value = random_source.random(), random_source.randint(1, 5)
        chosen, name = page.evaluate(CHOOSE_VALUE, [share, value])
        values, _ = expected.get(chosen, ({}, ""))
        expected[chosen] = ({**values, name: value}, "")

    def skip_page() -> None:
        if skipped_key := page.evaluate(SKIP_PAGE):
            expected[skipped_key] = ({}, "I don’t understand the words")
        page.wait_for_timeout(50)

    def turn_page() -> None:
        page.evaluate(TURN_PAGE, random_source.choice(["ArrowLeft", "ArrowRight"]))
        page.wait_for_timeout(random_source.choice([0, 30, 150]))

    def toggle_connection() -> None:
        nonlocal is_offline
        is_offline = not is_offline
        laptop.set_offline(is_offline)
        page.wait_for_timeout(700)  # a requested page opens

    def reload() -> None:
        if not is_offline:
            page.reload()

    for _ in range(50):
        actions: list[Any] = (
            [choose_value] * 5 + [turn_page] * 3 + [skip_page, toggle_connection, reload]
        )
        random_source.choice(actions)()
    if is_offline:
        toggle_connection()
    wait_until_saved(page)
    rows = stored_ratings(stack, key)
    assert {k: rows[k][:2] for k in expected} == expected
    assert not errors
