"""Tests of a whole campaign in browsers: set up, rated by three, analysed, a rater erased."""

from __future__ import annotations

import csv
import random
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.keyboard import tab_to
from tests.browser.rating_pages import NEXT_PAGE_FETCHED, field_names, page_key, wait_until_saved
from tests.browser.researcher import (
    check_page,
    check_plan_counts,
    choose_games,
    create_account,
    draw_units,
    edit_questions,
    open_tab,
    open_to_raters,
    sign_out_and_in,
)
from tests.live import Stack

CODE = "C0MPLETE-7"
UNITS = 6


@dataclass
class ScriptedRater:
    """A rater at the keyboard, and every pressed value by (showing, item)."""

    number: int
    page: Page
    pressed_values: dict[tuple[str, str], int] = field(default_factory=dict)
    first: dict[tuple[str, str], int] = field(
        default_factory=dict
    )  # by (text, item), without repeats
    pages: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)

    def start(self, link: str) -> None:
        """Pass consent and the worked example by keyboard, up to the first page."""
        page = self.page
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(f"{link}?participant_label=person-{self.number}")
        tab_to(page, "input[name=experience]")
        for _ in range(self.number):
            page.keyboard.press("ArrowDown")
        tab_to(page, "main button[type=submit]")
        page.keyboard.press("Enter")
        expect(page.locator(".worked-row").first).to_be_visible()
        tab_to(page, "main button[type=submit]")
        page.keyboard.press("Enter")
        expect(page.locator("main[data-key]")).to_be_visible()

    def check_page(self) -> None:
        """Check that all text to rate is visible, and that nothing is wider than the window."""
        page = self.page
        hidden_height = page.locator(".rated-all").evaluate("e => e.scrollHeight - e.clientHeight")
        assert hidden_height <= 0, f"{hidden_height} px of the text are hidden"
        self.check_width()

    def check_width(self) -> None:
        widths = self.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert widths[0] <= widths[1], widths

    def rate_page(self) -> None:
        """Press a value for every question: the stated one for a check, else an opinion."""
        self.check_page()
        text = self.page.locator(".rate-talk").inner_text()
        is_check = not self.page.locator(".rated .speaker").count()
        for name in field_names(self.page):
            item = name.removeprefix("a/")
            value = self.opinion(text, item)
            if is_check:
                (value,) = map(int, re.findall(r"\d+", text))
            elif self.pages[text]:
                value = 6 - value  # another opinion of a repeated unit must not count
            else:
                self.first[text, item] = value
            question = self.page.locator(f"fieldset.ask[data-field='{name}']")
            if not question.evaluate("ask => ask.contains(document.activeElement)"):
                # The focus is not moved to a question that is not visible at first.
                tab_to(self.page, f"fieldset.ask[data-field='{name}'] input")
            self.page.keyboard.press(str(value))
            expect(question.locator(f"input[value='{value}']")).to_be_checked()
            self.pressed_values[page_key(self.page), item] = value
        if not is_check:
            self.pages[text] += 1

    def opinion(self, text: str, item: str) -> int:
        """Return the rater's opinion, near the common one."""
        common = random.Random(text + item).randint(1, 5)
        deviation = random.Random(f"{text}{item}{self.number}").choice([-1, 0, 0, 1])
        return min(5, max(1, common + deviation))

    def wait_until_saved(self) -> None:
        wait_until_saved(self.page)

    def turn_page(self) -> None:
        before = page_key(self.page)
        self.page.keyboard.press("ArrowRight")
        expect(self.page.locator(f"main[data-key='{before}']")).to_have_count(0)

    def rate_during_an_outage(self) -> None:
        """Rate two pages without a connection. All values are sent when it is back."""
        page, context = self.page, self.page.context
        page.wait_for_function(NEXT_PAGE_FETCHED)
        context.set_offline(True)
        self.rate_page()
        expect(page.locator("#saved")).to_contain_text("Not sent yet")
        self.turn_page()
        self.rate_page()
        expect(page.locator("#saved")).to_contain_text("Not sent yet")
        context.set_offline(False)
        self.wait_until_saved()
        page.reload()
        own_values = {
            name: v for (key, name), v in self.pressed_values.items() if key == page_key(page)
        }
        read_values = "all => Object.fromEntries(all.map((one) => [one.name.slice(2), +one.value]))"
        assert page.locator("fieldset.ask input:checked").evaluate_all(read_values) == own_values

    def rate_all_pages(self, *, with_outage: bool) -> None:
        """Rate from the first page to the end."""
        page = self.page
        if with_outage:
            self.rate_during_an_outage()
            self.turn_page()
        while True:
            self.rate_page()
            self.wait_until_saved()
            if page.locator("#next[data-last]").count():
                break
            self.turn_page()
        page.keyboard.press("ArrowRight")
        expect(page.locator(".hand-in button")).to_be_visible()
        tab_to(page, ".hand-in button")
        page.keyboard.press("Enter")
        expect(page.locator("#code")).to_have_value(CODE)
        self.check_width()
        assert not self.errors


def alpha(raters: list[ScriptedRater], item: str) -> float:
    """Return the ordinal alpha of the first pressed values, computed by the library."""
    units = sorted({unit for rater in raters for unit, key in rater.first if key == item})
    table = [[rater.first.get((unit, item), np.nan) for unit in units] for rater in raters]
    value: float = krippendorff.alpha(
        np.array(table, dtype=float), value_domain=range(1, 6), level_of_measurement="ordinal"
    )
    return value


def set_up_campaign(page: Page) -> str:
    """Set up a campaign by its pages, and open it. Return the shared link."""
    page.fill("[name=name]", "Alive or not?")
    page.get_by_role("button", name="Create").click()
    choose_games(page)
    check_plan_counts(page)
    settings = {
        "seed": "lamplight",
        "per_condition": UNITS // 2,
        "context": 3,
        "units_per_rater": UNITS,
        "raters_per_unit": 3,
        "repeats": 1,
        "attention": 1,
        "completed_code": CODE,
    }
    for name, value in settings.items():
        page.fill(f"[name={name}]", str(value))
    edit_questions(page)
    draw_units(page, UNITS)
    return open_to_raters(page)


def check_results(page: Page, raters: list[ScriptedRater]) -> None:
    """Check every item's n and alpha on the page against the values these raters pressed."""
    open_tab(page, "Results")
    summary = f"ratings of {UNITS} units from 2 games by {len(raters)} raters"
    expect(page.locator("#results [role=status]")).to_contain_text(summary, timeout=240_000)
    for item in ("individuality", "naturalness", "interest"):
        section = page.locator(f"section[aria-labelledby=item-{item}]")
        counts = section.locator("table").first.locator(
            "tbody tr:not(.is-published) td:nth-child(2)"
        )
        count = UNITS // 2 * len(raters)
        assert counts.all_inner_texts() == [str(count)] * 2
        measure = section.locator(".measures > div", has_text="alpha, ordinal")
        shown_alpha = measure.locator("dd").evaluate("dd => dd.firstChild.textContent.trim()")
        # Half a digit more, because 0.3625 may be rounded either way.
        assert float(shown_alpha.replace("−", "-")) == pytest.approx(
            alpha(raters, item), abs=0.00051
        )
        expect(measure).to_contain_text(f"{UNITS} units rated by two or more of {len(raters)}")


def download_long_csv(page: Page, folder: Path) -> list[dict[str, str]]:
    open_tab(page, "Export")
    with page.expect_download() as download:
        page.get_by_role("link", name="ratings_long.csv").click()
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    with file.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def answered_values(rows: list[dict[str, str]]) -> dict[tuple[str, str], int]:
    assert {row["status"] for row in rows} == {"answered"}
    values_by_key = {(row["assignment_id"], row["dimension"]): int(row["value"]) for row in rows}
    assert len(values_by_key) == len(rows)
    return values_by_key


def merge_values(raters: list[ScriptedRater]) -> dict[tuple[str, str], int]:
    return {key: value for rater in raters for key, value in rater.pressed_values.items()}


@pytest.fixture
def desk(chromium: Browser) -> BrowserContext:
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    return context


def test_campaign_from_setup_to_erasure_of_a_rater(
    two_games: Stack, chromium: Browser, desk: BrowserContext, tmp_path: Path
) -> None:
    page, errors = desk.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
    create_account(page, two_games)
    shared_link = set_up_campaign(page)

    sizes = ({"width": 1280, "height": 720}, {"width": 390, "height": 844})
    raters = [
        ScriptedRater(number, chromium.new_context(viewport=sizes[number == 3]).new_page())
        for number in (1, 2, 3)
    ]
    for rater in raters:
        rater.start(shared_link)
    for rater in raters:
        rater.rate_all_pages(with_outage=rater.number == 2)
    for rater in raters:
        assert rater.pages.keys() == raters[0].pages.keys(), "all rated the same units"
        assert sorted(rater.pages.values()) == [1] * (UNITS - 1) + [2], "one unit is repeated"

    check_results(page, raters)
    check_page(page)
    rows = download_long_csv(page, tmp_path)
    assert answered_values(rows) == merge_values(raters)
    assert {row["passed"] for row in rows if row["is_attention"] == "true"} == {"true"}
    keys_by_rater = defaultdict(set)
    for row in rows:
        keys_by_rater[row["rater_pseudonym"]].add(row["assignment_id"])

    erased, *remaining = raters
    (erased_name,) = (
        number
        for number, keys in keys_by_rater.items()
        if next(iter(erased.pressed_values))[0] in keys
    )
    open_tab(page, "Raters")
    row = page.locator(".row.rater", has=page.get_by_text(erased_name, exact=True))
    expect(row).to_contain_text("person-1")
    row.get_by_text("Erase", exact=True).click()
    row.get_by_role("button", name="Yes, erase them").click()
    expect(page.locator(".notices")).to_contain_text(f"The data of {erased_name} were erased")
    expect(page.locator("main")).not_to_contain_text("person-1")
    check_results(page, remaining)
    assert answered_values(download_long_csv(page, tmp_path)) == merge_values(remaining)
    erased.page.reload()
    expect(erased.page.locator("h1")).to_have_text("Your answers are deleted")
    sign_out_and_in(page, two_games)
    assert not errors
    for context in (desk, *(rater.page.context for rater in raters)):
        context.close()
