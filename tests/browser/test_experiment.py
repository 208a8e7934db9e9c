"""Tests of an experiment by keyboard, from an empty list to results, with real workers."""

from __future__ import annotations

import os

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.keyboard import press_enter, tab_to
from tests.browser.researcher import check_page, create_account, open_tab
from tests.endpoint import Endpoint
from tests.live import Stack

pytestmark = pytest.mark.browser

GAMES = 2
PICTURE_FOLDER = os.environ.get("FABULA_PICTURES", "")  # folder for screenshots, "" for none


def take_picture(page: Page, name: str) -> None:
    if PICTURE_FOLDER:
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 900})
            page.screenshot(path=f"{PICTURE_FOLDER}/{name}-{width}.png", full_page=True)
        page.set_viewport_size({"width": 1280, "height": 900})


def judge_the_games(page: Page) -> None:
    """Add a judge and let it score every game. Its scores reach the results."""
    open_tab(page, "Judges")
    page.fill("[name=name]", "Critics")
    page.locator("[name=mode][value=paper_talk]").check(force=True)
    page.get_by_role("button", name="Add judge").click()
    check_page(page)
    page.locator("button[value=start]").click()
    progress = page.locator("#judges progress")
    expect(progress).to_have_attribute("value", str(3 * 5 * GAMES), timeout=240_000)
    check_page(page)
    take_picture(page, "judges")
    open_tab(page, "Results")
    expect(page.locator("#judge-J01")).to_be_visible(timeout=240_000)
    check_page(page)
    take_picture(page, "judged")


def generate_alternatives(page: Page, stack: Stack, code: str) -> None:
    """Generate two systems' statements in place of a speaker in a game's replay."""
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
    check_page(page)
    take_picture(page, "continue")


def try_a_style(page: Page, stack: Stack) -> None:
    """Try the example style in the form of a new table."""
    page.goto(f"{stack.url}/tables/new?ruleset=aiwolf-5")
    seat = page.locator(".own-style").first
    seat.evaluate(
        "e => { for (; e; e = e.parentElement) if (e.localName == 'details') e.open = 1 }"
    )
    seat.locator("textarea").fill(seat.locator(".style-example").text_content() or "")
    seat.get_by_role("button", name="Try this style").click()
    expect(seat.locator(".style-tried tbody th[scope=row]")).to_have_count(14, timeout=60_000)
    expect(seat.locator(".style-tried")).to_contain_text("Pip pip, hello all!")
    check_page(page)
    take_picture(page, "style")


def test_experiment_with_five_methods_is_run_by_keyboard(chromium: Browser) -> None:
    with (
        Endpoint(models=["m"]) as endpoint,
        Stack(env={"OPENAI_API_KEY": "any", "OPENAI_BASE_URL": endpoint.url, "OPENAI_MODEL": "m"})
        as stack,
        chromium.new_context() as context,
    ):  # fmt: skip
        page = context.new_page()
        create_account(page, stack)
        press_enter(page, "a[href='/study/studies/new']")
        check_page(page)
        take_picture(page, "new")
        press_enter(page, "button[value='humanized-methods']")
        take_picture(page, "setup")
        check_page(page)
        expect(page.locator("#plan")).to_contain_text("500")
        press_enter(page, "a[href$='/setup/experiment']")
        check_page(page)
        take_picture(page, "games")
        tab_to(page, "[name=games]")
        page.keyboard.press("Control+A")
        page.keyboard.type(str(GAMES))
        expect(page.locator("#plan")).to_contain_text("10")
        press_enter(page, "button[value=save]")
        press_enter(page, ".parts a[href$='/setup']")
        press_enter(page, "a[href$='/open']")
        expect(page.get_by_role("heading", name="Start the experiment?")).to_be_visible()
        check_page(page)
        press_enter(page, "button[value=open]")
        expect(page.locator(".tabs [aria-current]")).to_have_text("Progress")
        expect(page.locator("#monitor-counts")).to_contain_text(
            f"{5 * GAMES} of {5 * GAMES} games played", timeout=240_000
        )
        check_page(page)
        take_picture(page, "progress")
        code = page.url.split("/studies/")[1].split("/")[0]
        open_tab(page, "Results")
        expect(page.locator("#table-humanized-7")).to_be_visible(timeout=240_000)
        check_page(page)
        take_picture(page, "results")
        for name in ("Data", "Setup"):
            open_tab(page, name)
            check_page(page)
            take_picture(page, name.lower())
        judge_the_games(page)
        generate_alternatives(page, stack, code)
        try_a_style(page, stack)
        page.goto(f"{stack.url}/study/studies/{code}/monitor/games/1")
        check_page(page)
        take_picture(page, "game")
        page.goto(f"{stack.url}/study/")
        check_page(page)
        take_picture(page, "list")
