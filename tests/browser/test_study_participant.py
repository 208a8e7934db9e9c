"""Tests of a study's pages for participants in a browser. Axe checks each page.

One participant goes from consent to the code. Another participant is idle at an open page.
"""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from tests.browser.page_checks import check_accessibility
from tests.browser.table import Person
from tests.live import Stack, wait_until

FITS = "document.documentElement.scrollWidth <= innerWidth"

OPEN_STUDY = """
from django.contrib.auth.models import User
from webapp.study.models import Study
from webapp.study.sessions import slots
from webapp.study.design.stages import Design

stages = [
    {"kind": "consent", "text": "We want to know how people play."},
    {"kind": "game"},
    {"kind": "debriefing", "text": "Some players were computers."},
]
design = Design.from_json({
    "table": {"people": 1, "pace": "none", "blind": False},
    "stages": stages,
    "exits": {"completed": {"code_kind": "own", "url": "https://example.org/back"}},
    "assignment": {"games": 4},
})
owner, _new = User.objects.get_or_create(username="owner")
study = Study.objects.create(
    owner=owner, name="A study", seed="s", design=design.to_json(), state=Study.OPEN
)
slots.draw_slots(study)
print(study.key)
"""


OVERFLOWING_ELEMENTS = """() => [...document.querySelectorAll("body *")]
    .filter((e) => e.getBoundingClientRect().right > innerWidth + 0.5)
    .map((e) => `${e.tagName}#${e.id}.${e.className} ${e.getBoundingClientRect().right}`)
    .slice(0, 30)"""


def check_page(page: Page) -> None:
    """Check with axe, and the width on a desktop and then a phone, whose size stays."""
    check_accessibility(page)
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        # Seats get their layout after pictures and fonts are loaded.
        try:
            wait_until(lambda: page.evaluate(FITS), f"{page.url} fits its window", 20)
        except AssertionError as error:
            raise AssertionError(f"{error}: {page.evaluate(OVERFLOWING_ELEMENTS)}") from None


def check_idle_question(page: Page) -> None:
    """Check the question before an idle page ends. A key answers it and counts as input."""
    page.clock.install()
    page.reload()
    dialog = page.get_by_role("dialog", name="Are you still there?")
    page.clock.fast_forward("28:50")
    expect(dialog).to_be_hidden()
    page.clock.fast_forward("00:15")
    expect(dialog).to_be_visible()
    check_page(page)
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(page).to_have_title(re.compile("About this study"))
    page.clock.resume()


def test_participant_goes_from_consent_to_the_code(stack: Stack, chromium: Browser) -> None:
    key = stack.shell(OPEN_STUDY).strip()
    context = chromium.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    person = Person(page)
    page.goto(f"{stack.url}/take/{key}/?PROLIFIC_PID=p1&SESSION_ID=x")
    expect(page.locator("#connection-status")).to_have_text("The live connection works.")
    check_page(page)
    page.get_by_role("button", name="I agree, start now").click()

    expect(page.get_by_role("button", name="I am ready")).to_be_focused()
    expect(page).to_have_title(re.compile("Are you ready"))
    check_page(page)
    own_address = page.url
    page.keyboard.press("Enter")

    expect(page.locator(".progress-bar-text")).to_contain_text("2 of 3: The game")
    check_page(page)
    page.goto(own_address)  # the participant's address leads back to the table
    expect(page.locator(".progress-bar-text")).to_be_visible()
    person.play(lambda: page.locator("#continue").count() > 0)
    expect(page.locator("#vote-reveal")).to_have_count(0, timeout=60_000)
    check_page(page)
    page.locator("#continue").click()

    expect(page.locator("h1")).to_have_text("About this study")
    expect(page.locator("#progress")).to_contain_text("3 of 3: About this study")
    check_page(page)
    check_idle_question(page)
    page.locator(".stage-footer").get_by_text("Leave the study").click()
    expect(page.locator("h1")).to_have_text("Do you want to leave?")
    check_page(page)
    page.get_by_role("link", name="Stay and continue").click()
    page.locator("main form[method=post] button[type=submit]").first.click()
    expect(page.locator("#code")).to_have_value(re.compile("[0-9A-F]{8}"))
    check_page(page)
    code = page.locator("#code").input_value()

    other_page = chromium.new_context(viewport={"width": 390, "height": 800}).new_page()
    # The same participant as p1: IDs ignore case.
    other_page.goto(f"{stack.url}/take/{key}/?PROLIFIC_PID=P1&SESSION_ID=x")
    check_page(other_page)
    other_page.get_by_role("button", name="Yes, continue here").click()
    expect(other_page.locator("#code")).to_have_value(code)
    assert not person.errors, person.errors
    page.reload()
    expect(page.get_by_role("button", name="Yes, continue here")).to_be_visible()


OPEN_IDLE_STUDY = """
from django.contrib.auth.models import User
from webapp.study.design.stages import Design
from webapp.study.planning import studies
owner, _new = User.objects.get_or_create(username="owner")
study = studies.create(owner, "Idle", seed="s", design=Design.from_json({
    "table": {
        "people": 1, "blind": False, "pace": "instant",
        "limits": {"statement": 5, "vote": 5, "night": 5},
    },
    "assignment": {"games": 1},
    "dropout": {"missed": 1},
    "stages": [
        {"kind": "consent", "text": "We want to know how people play. Ask ada@example.org."},
        {"kind": "game"},
        {"kind": "background", "idle_minutes": 1},
    ],
}).to_json())
studies.open(study)
print(study.key)
"""
MAKE_IDLE = """
from datetime import timedelta
from webapp.study.models import AuditEvent, Participant
participant = Participant.objects.get(study__key="KEY")
for field in ("input_at", "step_at"):
    setattr(participant, field, getattr(participant, field) - timedelta(minutes=2))
participant.save()
print(AuditEvent.objects.filter(participant=participant, what="stand_in", actor="dropouts").count())
"""


def test_idle_participant_gets_a_stand_in_and_then_exits(stack: Stack, chromium: Browser) -> None:
    key = stack.shell(OPEN_IDLE_STUDY).split()[-1]
    page = chromium.new_context(viewport={"width": 390, "height": 800}).new_page()
    page.goto(f"{stack.url}/take/{key}/")
    page.get_by_role("button", name="I agree, start now").click()
    page.get_by_role("button", name="I am ready").click()
    back = page.get_by_role("button", name="Take my seat back")
    back.click(timeout=60_000)  # after the first missed question
    expect(back).to_be_hidden()
    check_page(page)
    expect(page.locator("#continue")).to_be_visible(timeout=240_000)  # played by the stand-in
    page.locator("#continue").click()
    expect(page.locator("h1")).to_have_text("About you")
    stand_ins = int(stack.shell(MAKE_IDLE.replace("KEY", key)).split()[-1])
    expect(page.locator("h1")).to_have_text("Your participation has ended", timeout=60_000)
    check_page(page)
    assert stand_ins == 2, "the policy acts again after renewed idleness"
