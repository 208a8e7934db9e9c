"""Tests a new researcher's path to an open study of crossed factors in few clicks.

Then the levels are changed, and the study is previewed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.researcher import check_page
from tests.live import Stack

pytestmark = pytest.mark.browser

MAX_CLICKS = 15
ACCOUNT = """
import json
from django.contrib.auth.models import User
from tests.study.desk import sign_in
from webapp.study.design.stages import Design
from webapp.study.planning import studies
nora = User.objects.create_user("nora")
levels = [{"name": name, "table": {"backend": name}} for name in ("house", "owl-3")]
design = Design.from_json({"factors": [{"name": "backend", "levels": levels}]})
study = studies.create(nora, "Two models", design=design)
print(json.dumps([sign_in("nora").session.session_key, study.code]))
"""


@dataclass
class CountingHand:
    """Clicks, counts clicks, and checks every page that follows."""

    page: Page
    clicks: int = 0

    def click(self, element: Locator) -> None:
        self.clicks += 1
        element.click()
        self.page.wait_for_load_state()
        check_page(self.page)

    def link(self, name: str) -> None:
        self.click(self.page.get_by_role("link", name=name, exact=True))

    def button(self, name: str) -> None:
        self.click(self.page.get_by_role("button", name=name))


def compare_factor(hand: CountingHand, variable: str) -> None:
    hand.link(variable)
    hand.button("Compare these")


def set_level_of_two_settings(hand: CountingHand) -> None:
    """Give the level “off” of likes and dislikes a label and plain speech."""
    hand.page.goto(f"{hand.page.url.split('/setup')[0]}/setup/factors")
    hand.link("Edit Likes and dislikes")
    hand.page.select_option("#also", label="Plain speech")
    hand.button("Add setting")
    hand.page.get_by_label("Label").nth(1).fill("Coldly")
    hand.page.get_by_label("Plain speech").nth(1).select_option(label="on")
    hand.button("Save factor")
    expect(hand.page.locator("#plan")).to_contain_text("Personality: on, Coldly")


def preview(hand: CountingHand) -> None:
    """Check that the preview names conditions as readers know them."""
    page = hand.page
    page.get_by_role("link", name="Preview").click()
    expect(page.locator(".preview-mark")).to_contain_text("Nothing is stored.")
    conditions = page.locator("#preview-condition option")
    expect(conditions).to_have_text([
        f"Personality: {personality}, {second_level}"
        for personality in ("on", "off")
        for second_level in ("Likes and dislikes: on", "Coldly")
    ])  # fmt: skip
    page.get_by_role("button", name="I agree, start now").click()
    expect(page.locator("h1")).to_have_text("About you")
    check_page(page)


def test_first_study_opens_within_fifteen_clicks(stack: Stack, desktop: BrowserContext) -> None:
    session, incomplete_code = json.loads(stack.shell(ACCOUNT).splitlines()[-1])
    cookie = f"fabula_session_{stack.url.rsplit(':', 1)[1]}"
    desktop.add_cookies([{"name": cookie, "value": session, "url": stack.url}])
    page = desktop.new_page()
    hand = CountingHand(page, clicks=1)  # the sign-in button
    page.goto(stack.url)
    hand.link("For researchers: studies, ratings and data")
    hand.link("New study")
    hand.click(page.locator("[name=ready][value=who-is-human]"))
    hand.link("Factors")
    compare_factor(hand, "Personality")
    compare_factor(hand, "Likes and dislikes")
    hand.link("Overview")
    hand.link("Open the study")
    hand.button("Yes, open it")
    expect(page.locator(".notices")).to_contain_text("The study is open.")
    assert hand.clicks <= MAX_CLICKS, hand.clicks
    print(f"{hand.clicks} clicks")

    hand.link("Setup")
    page.get_by_text("Unlock").click()
    hand.button("Yes, make it a draft")
    set_level_of_two_settings(hand)
    page.goto(f"{page.url.split('/setup')[0]}/setup")
    preview(hand)

    page.goto(f"{stack.url}/study/studies/{incomplete_code}/setup/factors")
    expect(page.locator("#plan")).to_contain_text(
        "There is no model called “owl-3” here: add [owl-3] to the file of models"
    )
    check_page(page)
