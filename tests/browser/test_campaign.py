"""A whole campaign in real browsers: set up, rated by three, read off the page, one erased."""

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

from tests.browser.researcher import (
    choose_games,
    draw,
    go_through_the_questions,
    look,
    make_the_account,
    open_it,
    see_the_plan_count,
    sign_out_and_in,
    tab,
)
from tests.browser.test_rating import FETCHED, all_saved, here, names_on, tab_to
from tests.live import Stack

CODE = "C0MPLETE-7"
UNITS = 6


@dataclass
class Someone:
    """A rater at the keyboard, and everything that was pressed: showing and item -> value."""

    number: int
    page: Page
    pressed: dict[tuple[str, str], int] = field(default_factory=dict)
    first: dict[tuple[str, str], int] = field(default_factory=dict)  # by what was shown
    pages: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)

    def come(self, link: str) -> None:
        """Consent and the worked example, by keyboard, up to the first page."""
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

    def look(self) -> None:
        """The words to rate are there to the last one, and nothing is wider than the window."""
        page = self.page
        cut = page.locator(".rated-all").evaluate("e => e.scrollHeight - e.clientHeight")
        assert cut <= 0, f"{cut} px of the words are out of sight"
        self.fits()

    def fits(self) -> None:
        wide = self.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide[0] <= wide[1], wide

    def rate(self) -> None:
        """Press a value for every question of the page: checks right, the rest as one thinks."""
        self.look()
        told = self.page.locator(".rate-talk").inner_text()
        is_check = not self.page.locator(".rated .speaker").count()
        for name in names_on(self.page):
            item = name.removeprefix("a/")
            value = self.thinks(told, item)
            if is_check:
                (value,) = map(int, re.findall(r"\d+", told))
            elif self.pages[told]:
                value = 6 - value  # a second time one thinks otherwise: it must not count
            else:
                self.first[told, item] = value
            ask = self.page.locator(f"fieldset.ask[data-field='{name}']")
            if not ask.evaluate("ask => ask.contains(document.activeElement)"):
                # Where the question is not in sight at first, the focus is not brought to it.
                tab_to(self.page, f"fieldset.ask[data-field='{name}'] input")
            self.page.keyboard.press(str(value))
            expect(ask.locator(f"input[value='{value}']")).to_be_checked()
            self.pressed[here(self.page), item] = value
        if not is_check:
            self.pages[told] += 1

    def thinks(self, told: str, item: str) -> int:
        """Near what everybody thinks of it."""
        common = random.Random(told + item).randint(1, 5)
        step = random.Random(f"{told}{item}{self.number}").choice([-1, 0, 0, 1])
        return min(5, max(1, common + step))

    def saved(self) -> None:
        all_saved(self.page)

    def turn(self) -> None:
        before = here(self.page)
        self.page.keyboard.press("ArrowRight")
        expect(self.page.locator(f"main[data-key='{before}']")).to_have_count(0)

    def lose_the_line(self) -> None:
        """Two pages without a connection; everything comes in when it is back."""
        page, line = self.page, self.page.context
        page.wait_for_function(FETCHED)
        line.set_offline(True)
        self.rate()
        expect(page.locator("#saved")).to_contain_text("Not sent yet")
        self.turn()
        self.rate()
        expect(page.locator("#saved")).to_contain_text("Not sent yet")
        line.set_offline(False)
        self.saved()
        page.reload()
        mine = {name: v for (key, name), v in self.pressed.items() if key == here(page)}
        chosen = "all => Object.fromEntries(all.map((one) => [one.name.slice(2), +one.value]))"
        assert page.locator("fieldset.ask input:checked").evaluate_all(chosen) == mine

    def rate_all(self, *, losing: bool) -> None:
        """From the first page to the last press."""
        page = self.page
        if losing:
            self.lose_the_line()
            self.turn()
        while True:
            self.rate()
            self.saved()
            if page.locator("#next[data-last]").count():
                break
            self.turn()
        page.keyboard.press("ArrowRight")
        expect(page.locator(".hand-in button")).to_be_visible()
        tab_to(page, ".hand-in button")
        page.keyboard.press("Enter")
        expect(page.locator("#code")).to_have_value(CODE)
        self.fits()
        assert not self.errors


def alpha(raters: list[Someone], item: str) -> float:
    """Return the ordinal alpha of what was pressed first, by the library."""
    things = sorted({thing for one in raters for thing, key in one.first if key == item})
    table = [[one.first.get((thing, item), np.nan) for thing in things] for one in raters]
    value: float = krippendorff.alpha(
        np.array(table, dtype=float), value_domain=range(1, 6), level_of_measurement="ordinal"
    )
    return value


def set_up(page: Page) -> str:
    """A campaign by its pages, open; gives the shared link."""
    page.fill("[name=name]", "Alive or not?")
    page.get_by_role("button", name="Create").click()
    choose_games(page)
    see_the_plan_count(page)
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
    go_through_the_questions(page)
    draw(page, UNITS)
    return open_it(page)


def check_results(page: Page, raters: list[Someone]) -> None:
    """Every item's n and alpha on the page are those of what these raters pressed."""
    tab(page, "Results")
    told = f"ratings of {UNITS} units from 2 games by {len(raters)} raters"
    expect(page.locator("#results [role=status]")).to_contain_text(told, timeout=240_000)
    for item in ("individuality", "naturalness", "interest"):
        section = page.locator(f"section[aria-labelledby=item-{item}]")
        counts = section.locator("table").first.locator(
            "tbody tr:not(.is-published) td:nth-child(2)"
        )
        n = UNITS // 2 * len(raters)
        assert counts.all_inner_texts() == [str(n)] * 2
        measure = section.locator(".measures > div", has_text="alpha, ordinal")
        shown = measure.locator("dd").evaluate("dd => dd.firstChild.textContent.trim()")
        # Half a digit more: 0.3625 is rounded either way by how it was summed up.
        assert float(shown.replace("−", "-")) == pytest.approx(alpha(raters, item), abs=0.00051)
        expect(measure).to_contain_text(f"{UNITS} units rated by two or more of {len(raters)}")


def long_csv(page: Page, folder: Path) -> list[dict[str, str]]:
    tab(page, "Export")
    with page.expect_download() as found:
        page.get_by_role("link", name="ratings_long.csv").click()
    file = folder / found.value.suggested_filename
    found.value.save_as(file)
    with file.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def values(rows: list[dict[str, str]]) -> dict[tuple[str, str], int]:
    assert {row["status"] for row in rows} == {"answered"}
    found = {(row["assignment_id"], row["dimension"]): int(row["value"]) for row in rows}
    assert len(found) == len(rows)
    return found


def pressed(raters: list[Someone]) -> dict[tuple[str, str], int]:
    return {key: value for one in raters for key, value in one.pressed.items()}


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
    make_the_account(page, two_games)
    link = set_up(page)

    sizes = ({"width": 1280, "height": 720}, {"width": 390, "height": 844})
    raters = [
        Someone(n, chromium.new_context(viewport=sizes[n == 3]).new_page()) for n in (1, 2, 3)
    ]
    for one in raters:
        one.come(link)
    for one in raters:
        one.rate_all(losing=one.number == 2)
    for one in raters:
        assert one.pages.keys() == raters[0].pages.keys(), "all have rated the same"
        assert sorted(one.pages.values()) == [1] * (UNITS - 1) + [2], "one of them twice"

    check_results(page, raters)
    look(page)
    rows = long_csv(page, tmp_path)
    assert values(rows) == pressed(raters)
    assert {row["passed"] for row in rows if row["is_attention"] == "true"} == {"true"}
    names = defaultdict(set)
    for row in rows:
        names[row["rater_pseudonym"]].add(row["assignment_id"])

    gone, *left = raters
    (name,) = (n for n, keys in names.items() if next(iter(gone.pressed))[0] in keys)
    tab(page, "Raters")
    row = page.locator(".row.rater", has=page.get_by_text(name, exact=True))
    expect(row).to_contain_text("person-1")
    row.get_by_text("Erase", exact=True).click()
    row.get_by_role("button", name="Yes, erase them").click()
    expect(page.locator(".notices")).to_contain_text(f"The data of {name} were erased")
    expect(page.locator("main")).not_to_contain_text("person-1")
    check_results(page, left)
    assert values(long_csv(page, tmp_path)) == pressed(left)
    gone.page.reload()
    expect(gone.page.locator("h1")).to_have_text("Your answers are deleted")
    sign_out_and_in(page, two_games)
    assert not errors
    for context in (desk, *(one.page.context for one in raters)):
        context.close()
