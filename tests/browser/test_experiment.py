"""From an empty list to a finished experiment, by keyboard, in a real Fabula with its workers."""

from __future__ import annotations

import os

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.researcher import look, make_the_account, tab
from tests.browser.test_rating import tab_to
from tests.endpoint import Endpoint
from tests.live import Stack

pytestmark = pytest.mark.browser

GAMES = 2
PICTURES = os.environ.get("FABULA_PICTURES", "")  # a folder, to look at the pages


def picture(page: Page, name: str) -> None:
    if PICTURES:
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 900})
            page.screenshot(path=f"{PICTURES}/{name}-{width}.png", full_page=True)
        page.set_viewport_size({"width": 1280, "height": 900})


def press(page: Page, selector: str) -> None:
    """Go to it by the Tab key and press Enter."""
    tab_to(page, selector)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def judge_the_games(page: Page) -> None:
    """Add a judge and let it score every game; its scores reach the results and the export."""
    tab(page, "Judges")
    page.fill("[name=name]", "Critics")
    page.locator("[name=mode][value=paper_talk]").check(force=True)
    page.get_by_role("button", name="Add judge").click()
    look(page)
    page.locator("button[value=start]").click()
    progress = page.locator("#judges progress")
    expect(progress).to_have_attribute("value", str(3 * 5 * GAMES), timeout=240_000)
    look(page)
    picture(page, "judges")
    tab(page, "Results")
    expect(page.locator("#judge-J01")).to_be_visible(timeout=240_000)
    look(page)
    picture(page, "judged")


def let_others_speak(page: Page, stack: Stack, code: str) -> None:
    """From a game's replay to what two systems say in place of its first speaker."""
    game = stack.shell(f"""
from webapp.study.models import Slot
print(Slot.objects.filter(study__code={code!r}, state="done").first().game.code)
""").splitlines()[-1]
    page.goto(f"{stack.url}/games/{game}/replay")
    expect(page.locator("#roll")).to_be_visible()  # the scripts have started
    page.locator("#chapters a", has_text="Round 2").click()
    page.keyboard.press("ArrowRight")
    page.get_by_role("link", name="What would other systems have said here?").click()
    page.fill("[name=systems]", "openai/vanilla\nhouse/b5p")
    page.get_by_role("button", name="Generate statements").click()
    answers = page.locator("#answers td:nth-of-type(1)")
    expect(answers).to_have_count(3)
    expect(page.locator("#answers[hx-get]")).to_have_count(0, timeout=60_000)
    assert all(len(text.split()) > 2 for text in answers.all_inner_texts())
    look(page)
    picture(page, "continue")


def try_a_style(page: Page, stack: Stack) -> None:
    """The example beside the field, tried while the table is set up."""
    page.goto(f"{stack.url}/tables/new?ruleset=aiwolf-5")
    seat = page.locator(".own-style").first
    seat.evaluate(
        "e => { for (; e; e = e.parentElement) if (e.localName == 'details') e.open = 1 }"
    )
    seat.locator("textarea").fill(seat.locator(".style-example").text_content() or "")
    seat.get_by_role("button", name="Try this style").click()
    expect(seat.locator(".style-tried tbody th[scope=row]")).to_have_count(14, timeout=60_000)
    expect(seat.locator(".style-tried")).to_contain_text("Pip pip, hello all!")
    look(page)
    picture(page, "style")


def test_experiment_with_five_methods_is_run_by_keyboard(chromium: Browser) -> None:
    with (
        Endpoint(models=["m"]) as endpoint,
        Stack(env={"OPENAI_API_KEY": "any", "OPENAI_BASE_URL": endpoint.url, "OPENAI_MODEL": "m"})
        as stack,
        chromium.new_context() as context,
    ):  # fmt: skip
        page = context.new_page()
        make_the_account(page, stack)
        press(page, "a[href='/study/studies/new']")
        look(page)
        picture(page, "new")
        press(page, "button[value='humanized-methods']")
        picture(page, "setup")
        look(page)
        expect(page.locator("#plan")).to_contain_text("500")
        press(page, "a[href$='/setup/experiment']")
        look(page)
        picture(page, "games")
        tab_to(page, "[name=games]")
        page.keyboard.press("Control+A")
        page.keyboard.type(str(GAMES))
        expect(page.locator("#plan")).to_contain_text("10")
        press(page, "button[value=save]")
        press(page, ".parts a[href$='/setup']")
        press(page, "a[href$='/open']")
        expect(page.get_by_role("heading", name="Start the experiment?")).to_be_visible()
        look(page)
        press(page, "button[value=open]")
        expect(page.locator(".tabs [aria-current]")).to_have_text("Progress")
        expect(page.locator("#monitor-counts")).to_contain_text(
            f"{5 * GAMES} of {5 * GAMES} games played", timeout=240_000
        )
        look(page)
        picture(page, "progress")
        code = page.url.split("/studies/")[1].split("/")[0]
        tab(page, "Results")
        expect(page.locator("#table-humanized-7")).to_be_visible(timeout=240_000)
        look(page)
        picture(page, "results")
        for name in ("Data", "Setup"):
            tab(page, name)
            look(page)
            picture(page, name.lower())
        judge_the_games(page)
        let_others_speak(page, stack, code)
        try_a_style(page, stack)
        page.goto(f"{stack.url}/study/studies/{code}/monitor/games/1")
        look(page)
        picture(page, "game")
        page.goto(f"{stack.url}/study/")
        look(page)
        picture(page, "list")
