"""Tests of the replay in a browser: keys, slider, playback, history, minds and no scripts."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.page_checks import check_accessibility, check_width, set_width
from tests.live import Stack

TOP_OF_JUDGEMENTS = """() => {
    const part = document.getElementById("judged-title");
    part.scrollIntoView();
    return Math.round(part.getBoundingClientRect().top);
}"""


@pytest.fixture(scope="module")
def game(stack: Stack) -> str:
    """Return a finished game of agents that everyone may view."""
    options = ("--ruleset", "one-night", "--games", "1", "--seed", "21", "--method", "full")
    code = json.loads(stack.manage("simulate", *options))["game"]
    stack.shell(
        "from webapp.play.models import Table; from game.models import Game;"
        f"Table.objects.create(game=Game.objects.get(code='{code}'), spectators=True)"
    )
    return str(code)


def open_replay(
    stack: Stack, context: BrowserContext, game: str, query: str
) -> tuple[Page, list[str]]:
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.goto(f"{stack.url}/games/{game}/{query}")
    page.wait_for_load_state("load")
    return page, errors


def expect_line(page: Page, number: int, sight: str = "moderator") -> None:
    """Expect the page, slider, transcript and address at that line."""
    expect(page.locator("#now")).to_have_text(re.compile(rf"^\s*{number} of \d+\s*$"))
    expect(page.locator("#at")).to_have_value(str(number))
    expect(page.locator("#transcript > li")).to_have_count(number)
    expect(page.locator("#transcript > [aria-current]")).to_have_count(1)
    expect(page.locator("#transcript > li").last).to_be_in_viewport()
    expect(page.locator("#told")).to_have_text(re.compile(rf"^Line {number} of"))
    expect(page).to_have_url(re.compile(rf"at={number}&as={sight}$"))


@pytest.fixture(scope="module")
def long_game(stack: Stack) -> str:
    """Return a finished game of several days that everyone may view."""
    options = ("--ruleset", "sheriff", "--games", "1", "--seed", "S", "--method", "full")
    code = json.loads(stack.manage("simulate", *options))["game"]
    stack.shell(
        "from webapp.play.models import Table; from game.models import Game;"
        f"Table.objects.create(game=Game.objects.get(code='{code}'), spectators=True)"
    )
    return str(code)


def check_widths(page: Page) -> None:
    """Check the width on a desktop and then on a phone, whose size stays."""
    for width in (1280, 390):
        set_width(page, width)
        check_width(page)


def test_keys_buttons_slider_and_history_move_through_the_replay(
    stack: Stack, desktop: BrowserContext, game: str
) -> None:
    page, errors = open_replay(stack, desktop, game, "")
    page.locator("#end #replay").click()
    expect(page.locator("#roll")).to_be_visible()  # the scripts have started
    expect(page.locator("#now")).to_have_text(re.compile("1 of"))
    last = int(page.locator("#now").get_attribute("data-last") or 0)
    assert last > 40
    page.keyboard.press("ArrowRight")
    expect_line(page, 2)
    expect(page.locator("html")).to_have_attribute("data-light", "night")
    check_accessibility(page)
    page.keyboard.press("End")
    expect_line(page, last)
    expect(page.locator("html")).to_have_attribute("data-light", "day")
    expect(page.locator("#seats .is-out")).to_have_count(1)
    page.keyboard.press("ArrowLeft")
    expect_line(page, last - 1)
    page.go_back()  # moves by single lines add no history
    expect_line(page, 2)
    page.go_forward()
    expect_line(page, last - 1)
    page.keyboard.press("Home")
    expect_line(page, 1)
    page.locator("#go-next").click()
    expect_line(page, 2)
    page.keyboard.press("Enter")  # the focus stays on the button
    expect_line(page, 3)
    page.locator("#at").focus()
    page.keyboard.press("ArrowRight")
    expect_line(page, 4)
    expect(page.locator("#at")).to_be_focused()
    box = page.locator("#at").bounding_box()
    assert box
    page.mouse.move(box["x"] + 10, box["y"] + box["height"] / 2)
    page.mouse.down()
    for share in (0.2, 0.4, 0.5, 0.6):
        page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] / 2)
    page.mouse.up()
    expect(page.locator("#now")).not_to_have_attribute("data-at", "4")
    page.wait_for_timeout(400)
    line = int(page.locator("#at").input_value())
    assert line > last / 2
    expect_line(page, line)
    page.go_back()
    expect_line(page, 4)
    check_widths(page)
    assert not errors


def test_link_opens_at_its_line_and_each_view_has_its_own_lines(
    stack: Stack, phone: BrowserContext, game: str
) -> None:
    page, errors = open_replay(stack, phone, game, "replay?at=16&as=moderator")
    expect_line(page, 16)
    words = page.locator("#transcript > li").last.inner_text()
    expect(page.locator("#seats .badge-role")).to_have_count(8)
    page.locator("#sight-public").click()
    expect(page.locator("#seats .badge-role")).to_have_count(0)
    expect(page.locator("#minds")).to_be_hidden()
    assert page.locator("#transcript > li").last.inner_text() == words
    check_accessibility(page)
    page.locator("#sight-3").click()
    expect(page.locator("#transcript")).to_contain_text("Only Gamma saw this")
    expect(page.locator("#minds-title")).to_have_text(re.compile("Inside Gamma’s mind"))
    expect(page.locator(".grid-heat tbody tr")).to_have_count(1)
    page.reload()
    expect(page.locator("#sight-3")).to_have_attribute("aria-current", "true")
    check_widths(page)
    assert not errors


def test_mind_panels_stay_open_from_line_to_line(
    stack: Stack, desktop: BrowserContext, game: str
) -> None:
    page, errors = open_replay(stack, desktop, game, "replay?as=moderator")
    page.locator("#chapters a", has_text="Round 3").click()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#minds-title")).to_have_text(re.compile("Inside Alpha’s mind"))
    expect(page.locator(".grid-heat tbody tr")).to_have_count(8)
    expect(page.locator(".grid-judged .is-true")).to_have_count(8)
    expect(page.locator(".heat-steps li")).to_have_count(3)
    expect(page.locator(".memories > li")).to_have_count(10)
    request = page.locator(".asking").last
    request.locator("> summary").click()
    request.locator(".more", has_text="Input").locator("> summary").click()
    expect(request.locator(".long").first).to_contain_text('"judgement"')
    check_accessibility(page)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#minds-title")).to_have_text(re.compile("Inside Beta’s mind"))
    expect(page.locator(".asking").last).to_have_attribute("open", "")
    expect(page.locator(".asking").last.locator(".long").first).to_be_visible()
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY", (
        "the focus stays on the panel"
    )
    last_line = page.locator("#transcript > li").last
    page.locator("#chapters a", has_text="Round 2").click()
    expect(last_line).to_contain_text("Round 2 of 3")
    page.keyboard.press("ArrowLeft")
    expect(last_line).not_to_contain_text("Round 2 of 3")  # both lines have the same mind title
    expect(page.locator("#minds-title")).to_have_text(re.compile("Inside Eta’s mind"))
    top_before = page.evaluate(TOP_OF_JUDGEMENTS)
    page.keyboard.press("ArrowRight")
    expect(last_line).to_contain_text("Round 2 of 3")
    expect(page.locator("#minds-title")).to_have_text(re.compile("Inside Eta’s mind"))
    top_after = page.evaluate(TOP_OF_JUDGEMENTS.replace("part.scrollIntoView();", ""))
    assert abs(top_after - top_before) <= 2, "the panel does not move, except by rounding"
    page.locator(".heat-steps a").first.click()
    expect(last_line).to_contain_text("Round 1 of 3")
    check_widths(page)
    assert not errors


def test_replay_plays_until_the_reader_moves(
    stack: Stack, phone: BrowserContext, game: str
) -> None:
    page, errors = open_replay(stack, phone, game, "replay?at=1&as=public")
    page.locator("#roll").focus()
    page.keyboard.press("Space")
    expect(page.locator("#roll")).to_have_attribute("aria-pressed", "true")
    expect_line(page, 2, "public")  # the line is shown for seconds
    page.keyboard.press("ArrowRight")
    expect(page.locator("#roll")).to_have_attribute("aria-pressed", "false")
    page.locator("#pace select").select_option("4")
    page.locator("#roll").focus()
    last = int(page.locator("#now").get_attribute("data-last") or 0)
    page.keyboard.press("End")
    expect_line(page, last, "public")
    page.reload()
    expect(page.locator("#pace select")).to_have_value("4")  # the browser remembers the speed
    page.locator("#pace select").select_option("1")
    page.locator("#go-previous").click()
    expect_line(page, last - 1, "public")
    page.locator("#roll").click()
    expect(page.locator("#roll")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#roll")).to_have_attribute("aria-pressed", "false", timeout=60_000)
    expect_line(page, last, "public")
    assert not errors


def test_links_and_form_work_without_scripts(stack: Stack, chromium: Browser, game: str) -> None:
    with chromium.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{stack.url}/games/{game}/replay?at=16&as=moderator")
        page.locator("#go-next").click()
        expect(page).to_have_url(re.compile("at=17&as=moderator$"))
        expect(page.locator("#transcript > li")).to_have_count(17)
        expect(page.locator("#transcript > li").last).to_be_in_viewport()
        expect(page.locator("#roll")).to_be_hidden()
        page.locator("#at").press("ArrowRight")
        page.locator(".slide-go").click()
        expect(page).to_have_url(re.compile("at=18&as=moderator$"))
        page.locator("#sight-2").click()
        expect(page.locator("#minds-title")).to_contain_text("Beta")


def check_reel_visible(page: Page) -> None:
    reel = page.locator(".reel").bounding_box()
    assert reel
    assert reel["y"] + reel["height"] <= 844, "the complete reel is visible"


def test_game_of_several_days_is_navigated_by_day(
    stack: Stack, desktop: BrowserContext, long_game: str
) -> None:
    page, errors = open_replay(stack, desktop, long_game, "replay?as=moderator")
    expect(page.locator("#roll")).to_be_visible()  # the scripts have started
    days, chapters = page.locator("#chapters ol").first, page.locator("#chapters ol").last
    days.get_by_text("Day 1").click()
    chapters.get_by_text("The vote").click()
    expect(page.locator("#transcript > li").last).to_contain_text("The vote of day 1")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tally .tally-seat")).to_have_count(1)
    check_reel_visible(page)
    check_accessibility(page)
    check_widths(page)
    check_reel_visible(page)
    page.goto(f"{stack.url}/games/{long_game}/")
    expect(page.locator(".course-day").first).to_contain_text("Election")
    check_accessibility(page)
    check_widths(page)
    assert not errors
