"""Raters in real browsers.

By keyboard alone, through a lost connection, on a phone, without scripts.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect

from tests.browser.test_one_night import check_accessibility, check_height
from tests.live import Stack

SEED = """
import json
from tests.study import rating
from webapp.play.live import dispatch
from webapp.study.rating import campaigns
RIVAL = {"backend": "house", "method": "full"}
with dispatch.diverted(lambda game, opened: None):
    single = rating.open_campaign("1", "2", units_per_rater=3, repeats=1, attention=1,
        raters_per_unit=9, least_experience=1,
        exits={"completed": {"code": "C0DE", "url": "URL/healthz?cc=C0DE"},
               "screened_out": {"code": "S0RRY"}})
    pair = rating.open_campaign("3", units_per_rater=2, raters_per_unit=9, rival=RIVAL,
        rival_condition="rival")
    pair.units.update(situations=["called_werewolf", "closing"])
    print(json.dumps({"single": single.study.key, "pair": pair.study.key}))
"""
STORED = """
import json
from tests.study import rating
from webapp.study.models import Rater
rater = Rater.objects.get(key="KEY")
pages = rater.assignments.all()
print(json.dumps([[str(page.key), *rating.stored_rating(page), page.state] for page in pages]))
"""

# In one step each: a page that was asked for before may come at any moment.
CHOOSE = """([part, value]) => {
  const asks = [...document.querySelectorAll("fieldset.ask")];
  const ask = asks[Math.floor(part * asks.length)];
  ask.querySelector(`input[value="${value}"]`).click();
  return [document.querySelector("main").dataset.key, ask.dataset.field];
}"""
LEAVE_OUT = """() => {
  const { key } = document.querySelector("main").dataset;
  if (document.querySelector("#next[data-last]")) return null; // it would lead off the pages
  document.getElementById("leave-out").open = true;
  document.querySelector("#skip button").click();
  return key;
}"""
FETCHED = """() => performance.getEntriesByType("resource")
    .some((entry) => entry.name.endsWith(document.getElementById("next").dataset.to))"""
ALL_SENT = "() => !Object.keys(localStorage).some((name) => name.startsWith('fabula:rate:'))"
TURN = """(key) => {
  if (key === "ArrowRight" && document.querySelector("#next[data-last]")) return;
  const main = document.querySelector("main");
  main.focus();
  main.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
}"""


@pytest.fixture(scope="module")
def links(stack: Stack) -> dict[str, str]:
    found = json.loads(stack.shell(SEED.replace("URL", stack.url)).splitlines()[-1])
    return {name: f"{stack.url}/rate/{key}/" for name, key in found.items()}


@pytest.fixture
def laptop(chromium: Browser) -> Iterator[BrowserContext]:
    with chromium.new_context(viewport={"width": 1280, "height": 720}) as context:
        yield context


@pytest.fixture
def phone(chromium: Browser) -> Iterator[BrowserContext]:
    with chromium.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, color_scheme="dark"
    ) as context:
        yield context


def watched(context: BrowserContext) -> tuple[Page, list[str]]:
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    return page, errors


def tab_to(page: Page, selector: str) -> None:
    for _ in range(120):
        if page.evaluate("s => document.activeElement?.matches(s)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never comes to {selector}")


def begin(page: Page, link: str) -> str:
    """From the link to the first page with its scripts, by mouse; gives the key of the own link."""
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
    """Reload the page; its scripts come at the end."""
    held: list[Route] = []
    page.route("**/rate_sheet*.js", lambda route: held.append(route))
    page.reload(wait_until="commit")
    yield
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()


def stored(stack: Stack, key: str) -> dict[str, tuple[dict[str, int], str, str]]:
    rows = json.loads(stack.shell(STORED.replace("KEY", key)).splitlines()[-1])
    return {name: (values, skip, state) for name, values, skip, state in rows}


def all_saved(page: Page) -> None:
    """The server has all that was stated.

    The text alone does not say so: what has been under way for less than half a second is not worth
    a word, and "Saved" is of what was stated before.
    """
    page.wait_for_function(ALL_SENT)
    expect(page.locator("#saved")).to_have_text("Saved")


def tap(choice: Locator) -> None:
    """Tap a value, until it is chosen: the browser makes a click of it in its own time."""
    choice.tap()
    expect(choice.locator("input")).to_be_checked()


def names_on(page: Page) -> list[str]:
    return page.locator("fieldset.ask").evaluate_all("all => all.map(a => a.dataset.field)")


def here(page: Page) -> str:
    return str(page.locator("main").get_attribute("data-key"))


def fits(page: Page) -> None:
    """Neither the page nor the questions scroll."""
    check_height(page)
    inner = page.locator(".rate-answers").evaluate("e => [e.scrollHeight, e.clientHeight]")
    assert inner[0] <= inner[1], inner


def test_from_the_link_to_the_code_by_keyboard_and_through_a_lost_line(
    stack: Stack, links: dict[str, str], laptop: BrowserContext
) -> None:
    page, errors = watched(laptop)
    page.goto(f"{links['single']}?PROLIFIC_PID=abc&STUDY_ID=s1&SESSION_ID=x9")
    check_accessibility(page)
    tab_to(page, "input[name=experience]")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    tab_to(page, "main button[type=submit]")
    page.keyboard.press("Enter")
    expect(page.locator(".worked-row").first).to_be_visible()
    assert "PROLIFIC" not in page.url, "the address is clean"
    key = page.url.split("/rate/as/")[1].split("/")[0]
    check_accessibility(page)
    tab_to(page, "main button[type=submit]")
    page.keyboard.press("Enter")
    expect(page.locator("main[data-key]")).to_be_visible()
    page.wait_for_load_state("load")
    check_accessibility(page)
    fits(page)

    expected: dict[str, dict[str, int]] = {}

    def rate(value: int) -> None:
        names = names_on(page)
        tab_to(page, "fieldset.ask, fieldset.ask input")  # there already unless all is answered
        for _ in names:
            page.keyboard.press(str(value))
        expected[here(page)] = dict.fromkeys(names, value)

    def onward() -> None:
        before = here(page)
        page.keyboard.press("ArrowRight")
        expect(page.locator(f"main[data-key='{before}']")).to_have_count(0)

    rate(4)
    all_saved(page)
    onward()
    expect(page.locator("#place")).to_contain_text("2 of 5")

    # The line is lost in the middle; two pages are rated without it.
    page.wait_for_function(FETCHED)
    laptop.set_offline(True)
    rate(2)
    expect(page.locator("#saved")).to_contain_text("Not sent yet")
    onward()
    rate(5)
    third = here(page)
    check_accessibility(page)
    laptop.set_offline(False)
    all_saved(page)
    assert stored(stack, key)[third][0] == expected[third]

    # What the server never got outlives a reload.
    laptop.set_offline(True)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(f"main[data-key='{third}']")).to_have_count(0)
    rate(1)
    second = here(page)
    assert second != third
    laptop.set_offline(False)
    page.reload()
    all_saved(page)
    assert stored(stack, key)[second][0] == expected[second]
    expect(page.locator("fieldset.ask input:checked").first).to_have_value("1")

    # On to the end, with one page left open that is named there.
    page.keyboard.press("ArrowRight")
    expect(page.locator(f"main[data-key='{third}']")).to_be_visible()
    onward()
    fourth = here(page)
    onward()
    rate(3)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".all-pages .is-open")).to_contain_text("4")
    check_accessibility(page)
    tab_to(page, ".hand-in a")
    page.keyboard.press("Enter")
    expect(page.locator(f"main[data-key='{fourth}']")).to_be_visible()
    page.wait_for_load_state("load")
    tab_to(page, "#leave-out summary")
    page.keyboard.press("Enter")
    check_accessibility(page)
    tab_to(page, "#reason-text")
    page.keyboard.type("12345 is no reason")
    page.keyboard.press("Enter")
    expect(page.locator(f"main[data-key='{fourth}']")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".hand-in button")).to_be_visible()
    tab_to(page, ".hand-in button")
    page.keyboard.press("Enter")
    expect(page.locator("#code")).to_have_value("C0DE")
    expect(page.locator("#go-back")).to_have_attribute("href", f"{stack.url}/healthz?cc=C0DE")
    check_accessibility(page)
    tab_to(page, "#stay")
    page.keyboard.press("Enter")
    rows = stored(stack, key)
    assert rows.pop(fourth) == ({}, "12345 is no reason", "skipped")
    assert {k: row[0] for k, row in rows.items()} == expected
    assert {row[2] for row in rows.values()} == {"answered"}
    page.go_back()
    expect(page.locator("#code, main[data-key], .all-pages").first).to_be_visible()
    page.goto(f"{stack.url}/rate/as/{key}/")
    expect(page.locator("#code")).to_be_visible()
    assert not errors


def test_a_reply_that_breaks_off_is_no_reply(
    stack: Stack, links: dict[str, str], laptop: BrowserContext
) -> None:
    page, errors = watched(laptop)
    # Before the page is opened: Chromium routes the requests of an open page only a moment later.
    page.route("**/rate/item/**", lambda route: route.fulfill(status=200, body='{"revision": 1'))
    begin(page, links["single"])
    page.keyboard.press("4")
    expect(page.locator("#saved")).to_contain_text("Not sent yet")
    page.unroute("**/rate/item/**")
    all_saved(page)
    page.reload()
    expect(page.locator("fieldset.ask input:checked")).to_have_value("4")
    assert not errors


def test_a_value_chosen_before_the_scripts_ran_is_saved(
    stack: Stack, links: dict[str, str], laptop: BrowserContext
) -> None:
    page, errors = watched(laptop)
    key = begin(page, links["single"])
    with scripts_held(page):
        page.locator("fieldset.ask").first.locator("label").nth(1).click()
    all_saved(page)
    assert list(stored(stack, key)[here(page)][0].values()) == [2]
    expect(page.locator("fieldset.ask input:checked")).to_have_value("2")
    assert not errors


def test_pairs_stand_side_by_side_and_fit_the_window(
    stack: Stack, links: dict[str, str], laptop: BrowserContext
) -> None:
    page, errors = watched(laptop)
    key = begin(page, links["pair"])
    expect(page.locator(".rated")).to_have_count(2)
    left, right = (page.locator(".rated").nth(n).bounding_box() for n in (0, 1))
    assert left
    assert right
    assert left["y"] == right["y"]
    assert left["x"] < right["x"]
    assert len(names_on(page)) == 10
    fits(page)
    check_accessibility(page)
    for n in range(10):
        page.keyboard.press(str(1 + n % 5))
    all_saved(page)
    values = stored(stack, key)[here(page)][0]
    assert [values[name] for name in names_on(page)] == [1, 2, 3, 4, 5] * 2
    assert not errors


def test_a_phone_by_touch_and_a_second_device(
    stack: Stack, links: dict[str, str], phone: BrowserContext, laptop: BrowserContext
) -> None:
    page, errors = watched(phone)
    key = begin(page, links["single"])
    check_accessibility(page)
    wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1], "nothing sticks out"
    for ask in page.locator("fieldset.ask").all():
        tap(ask.locator("label").nth(2))
    all_saved(page)
    first = here(page)
    page.locator("#next").tap()
    expect(page.locator(f"main[data-key='{first}']")).to_have_count(0)

    # The own link moves the same pages to another device, and back again.
    other, _ = watched(laptop)
    other.goto(f"{stack.url}/rate/as/{key}/")
    other.locator("button[name=change]").click()
    expect(other.locator("main[data-key]")).to_be_visible()
    other.wait_for_load_state()  # its script hears the keys
    assert here(other) == here(page)
    other.keyboard.press("5")
    all_saved(other)
    page.goto(f"{stack.url}/rate/as/{key}/")
    page.locator("button[name=change]").click()
    expect(page.locator("main[data-key]")).to_be_visible()
    page.wait_for_load_state()
    tap(page.locator("fieldset.ask").nth(1).locator("label").nth(1))
    all_saved(page)
    names = names_on(page)
    expect(page.locator("fieldset.ask").first.locator("input:checked")).to_have_value("5")
    values = stored(stack, key)[here(page)][0]
    assert values == {names[0]: 5, names[1]: 2}
    assert not errors


def test_without_scripts_everything_works(
    stack: Stack, links: dict[str, str], chromium: Browser
) -> None:
    with chromium.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        key = begin(page, links["pair"])
        for _ in range(2):
            for label in page.locator("fieldset.ask label:nth-child(4)").all():
                label.click()
            page.locator("#next").click()
        page.locator(".hand-in button").click()
        expect(page.locator("h1")).to_contain_text("Thank you")
        rows = stored(stack, key).values()
        assert {v for values, _, _ in rows for v in values.values()} == {4}


@pytest.mark.parametrize("seed", [1])
def test_whatever_happens_in_between_the_last_statement_stands(
    stack: Stack, links: dict[str, str], laptop: BrowserContext, seed: int
) -> None:
    """Chosen, left out, turned back and forth, loaded anew, without a line for a while."""
    page, errors = watched(laptop)
    key = begin(page, links["single"])
    draws, last = random.Random(seed), {}
    offline = False

    def choose() -> None:
        part, value = draws.random(), draws.randint(1, 5)
        chosen, name = page.evaluate(CHOOSE, [part, value])
        values, _ = last.get(chosen, ({}, ""))
        last[chosen] = ({**values, name: value}, "")

    def leave_out() -> None:
        if left := page.evaluate(LEAVE_OUT):
            last[left] = ({}, "I don’t understand the words")
        page.wait_for_timeout(50)

    def turn() -> None:
        page.evaluate(TURN, draws.choice(["ArrowLeft", "ArrowRight"]))
        page.wait_for_timeout(draws.choice([0, 30, 150]))

    def line() -> None:
        nonlocal offline
        offline = not offline
        laptop.set_offline(offline)
        page.wait_for_timeout(700)  # a page that was waited for opens

    def load() -> None:
        if not offline:
            page.reload()

    for _ in range(50):
        acts: list[Any] = [choose] * 5 + [turn] * 3 + [leave_out, line, load]
        draws.choice(acts)()
    if offline:
        line()
    all_saved(page)
    rows = stored(stack, key)
    assert {k: rows[k][:2] for k in last} == last
    assert not errors
