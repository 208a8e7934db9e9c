"""Tests of studies that play and studies that only rate, and of people of an old database."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import fresh_database
from tests.browser.keyboard import press_enter, tab_to
from tests.browser.page_checks import check_width
from tests.browser.rating_pages import tap, wait_until_saved
from tests.live import Stack
from tests.upgrade import database

pytestmark = pytest.mark.browser

OLD_REVISION = "c2281fe"
READ_KEYS = """
import json
from webapp.study.models import Participant, Rater
facts = FACTS
rater = Rater.objects.get(campaign__code=facts["campaign"], finished_at=None, left_as="")
person = Participant.objects.get(study__code=facts["study"], pseudonym="P001")
print(json.dumps([rater.key, person.key]))
"""
CREATE_ACCOUNT = """
from django.contrib.auth.models import User
User.objects.create_user("keyed", password="lamplight-and-paper")
"""


def move_to_this_browser(page: Page) -> None:
    """Press the button of the personal link, which moves the person to this browser."""
    page.locator("button[name=change]").click()


def rate_to_the_end(page: Page) -> None:
    """Rate from the current page to the last one, by touch."""
    while True:
        expect(page.locator("main[data-key], .hand-in button").first).to_be_visible()
        if page.locator(".hand-in button").count():
            page.locator(".hand-in button").tap()
            return
        for question in page.locator("fieldset.ask").all():
            tap(question.locator("label").nth(2))
        wait_until_saved(page)
        key_before = page.locator("main").get_attribute("data-key")
        page.locator("#next").tap()
        expect(page.locator(f"main[data-key='{key_before}']")).to_have_count(0)


def test_people_of_an_old_database_reach_the_end(chromium: Browser, tmp_path: Path) -> None:
    database.unpack(OLD_REVISION, tmp_path / fresh_database.DATABASE_NAME)
    facts = database.facts(OLD_REVISION)
    codes = {
        "campaign": facts["campaigns"]["single"]["code"],
        "study": facts["studies"]["half_way"],
    }
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
    with Stack(tmp_path) as old_stack:
        output = old_stack.shell(READ_KEYS.replace("FACTS", repr(codes)))
        rater, participant = json.loads(output.splitlines()[-1])
        with chromium.new_context(**phone) as context:
            page = context.new_page()
            page.goto(f"{old_stack.url}/rate/as/{rater}/")  # the address of old links
            move_to_this_browser(page)
            rate_to_the_end(page)
            expect(page.locator("h1")).to_have_text("Thank you. Everything is saved.")
        with chromium.new_context(**phone) as context:
            page = context.new_page()
            page.goto(f"{old_stack.url}/take/as/{participant}/")
            move_to_this_browser(page)
            page.get_by_role("button", name="Continue rating").tap()
            rate_to_the_end(page)
            page.locator("form[action=''] .button-main").tap()  # the debriefing
            expect(page.locator("h1")).to_have_text("Thank you. Everything is saved.")


def type_in(page: Page, selector: str, text: str) -> None:
    tab_to(page, selector)
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type(text)


def set_up_the_ratings(page: Page) -> None:
    """Check and save the page on which all ratings are set up."""
    expect(page.get_by_role("heading", name="Number of ratings")).to_be_visible()
    check_width(page)
    type_in(page, "[name=units_per_rater]", "7")
    press_enter(page, "button[name=do][value=save]")
    expect(page.locator(".notices")).to_contain_text("Saved.")
    expect(page.locator("[name=units_per_rater]")).to_have_value("7")


def test_playing_and_rating_studies_share_setup_pages(stack: Stack, chromium: Browser) -> None:
    stack.shell(CREATE_ACCOUNT)
    with chromium.new_context(viewport={"width": 390, "height": 844}) as context:
        page = context.new_page()
        page.goto(f"{stack.url}/study/")
        type_in(page, "[name=username]", "keyed")
        type_in(page, "[name=password]", "lamplight-and-paper")
        press_enter(page, "form[action*='sign-in'] [type=submit]")
        expect(page.locator("h1")).to_have_text("Your research")
        type_in(page, "[name=name]", "Only ratings")
        press_enter(page, ".new-campaign [type=submit]")
        set_up_the_ratings(page)
        press_enter(page, ".parts a:nth-of-type(3)")  # exits, and pay
        expect(page.get_by_role("heading", name="Exits and pay")).to_be_visible()
        check_width(page)
        page.goto(f"{stack.url}/study/studies/new")
        press_enter(page, "button[name=ready]")
        press_enter(page, "a[href$='/setup/stages']")
        page.select_option("#id_kind", "ratings")
        press_enter(page, "button[name=do][value=add]")
        check_width(page)
        press_enter(page, "form[action$='/ratings'] button")
        set_up_the_ratings(page)
        check_width(page)
