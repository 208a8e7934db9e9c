"""Tests of the contest's villages: a Werewolf, a Seer, and three people at a blind table."""

from __future__ import annotations

import re
import time
import uuid
from contextlib import suppress

import pytest
from django.conf import settings
from playwright.sync_api import Browser, BrowserContext, Page, TimeoutError, expect

from tests.browser.keyboard import tab_to
from tests.browser.page_checks import (
    RECORD_ANNOUNCEMENTS,
    check_accessibility,
    check_no_overflow,
    check_table,
    set_width,
)
from tests.browser.seats import open_choice, sit_as
from tests.browser.table import Person, wait_for_draft
from tests.live import Stack
from webapp.middleware import browser_cookie_name

pytestmark = pytest.mark.browser
SHORT_RULES = {"talk_per_agent": 2, "max_day": 2}
WHISPER, STATEMENT = "Let us attack the loudest one.", "I have seen nothing, and slept well."
NIGHT_S = 8  # With several people every night takes its full time.
WHISPER_DRAFT = "And next, whoever doubts us."  # not sent


def open_turn(page: Page) -> str:
    """Return the key of the window that waits for the page's statement, "" for none."""
    return str(
        page.evaluate("document.querySelector('#turn[data-open] input[name=window]')?.value ?? ''")
    )


def play_until_turn(person: Person, kind: str, seconds: float = 300) -> None:
    """Make every choice until a statement of that kind is due."""
    deadline = time.monotonic() + seconds
    while not (window := open_turn(person.page)).startswith(kind):
        assert time.monotonic() < deadline, person.page.locator("body").inner_text()
        assert not person.is_over()
        if open_choice(person.page):
            person.choose()
        elif window:
            say_over(person)
        person.page.wait_for_timeout(60)


def say_over(person: Person) -> None:
    """Say nothing more on this day."""
    with person.page.expect_response("**/answer") as response:
        person.page.locator("#say-over").click()
    assert response.value.status == 200, response.value.text()


def mention_and_say(person: Person, text: str) -> str:
    """Mention a player by the list that an @ opens, and make a statement. Return the name."""
    page = person.page
    composer, names = page.locator("#composer"), page.locator("#mentions [role=option]")
    composer.fill("")
    composer.press_sequentially("@")
    expect(names.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    name = names.nth(1).inner_text()
    expect(composer).to_have_attribute("aria-activedescendant", "mention-1")
    page.keyboard.press("Enter")
    expect(composer).to_have_value(f"@{name} ")
    page.keyboard.type(text)
    with page.expect_response("**/answer"):
        page.keyboard.press("Enter")
    addressed = page.locator("#transcript .is-mine .addressed").last
    expect(addressed).to_have_text(f"to {name}")
    return name


def check_large_text(page: Page) -> None:
    """Check a phone with double text size: nothing overflows, and the composer is usable."""
    set_width(page, 390)
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    check_no_overflow(page)
    page.locator("#composer").scroll_into_view_if_needed()
    expect(page.locator("#composer")).to_be_in_viewport()
    page.evaluate("document.documentElement.style.fontSize = ''")
    set_width(page, 1280)


def check_passes(page: Page) -> None:
    """Check that silence of a single player has no line of its own."""
    expect(page.locator("#transcript .entry-statement.is-silent")).to_have_count(0)
    expect(page.locator("#transcript .entry-passed").first).to_contain_text(
        re.compile("done for today|Nobody|nothing")
    )


def test_werewolf_in_the_small_village_plays_to_the_end(
    stack: Stack, desktop: BrowserContext
) -> None:
    person = sit_as(stack, desktop, "werewolf", SHORT_RULES, "aiwolf-5")
    page = person.page
    play_until_turn(person, "statement")
    expect(page.locator("#secret_talk")).to_be_hidden()  # a lone Werewolf cannot whisper
    expect(page.locator("#progress")).to_contain_text("You can speak 2 more times.")
    check_table(page, 390, 1280)
    page.evaluate(RECORD_ANNOUNCEMENTS)
    mention_and_say(person, "I am the Seer, and I wonder about you.")
    say_over(person)
    # If all others had finished, too, the next day begins at once.
    finished = re.compile(r"You have finished speaking\.|You can speak 2 more times\.")
    expect(page.locator("#progress")).to_contain_text(finished)
    while open_choice(page) != "attack" and not person.is_over():
        person.answer_once()
        page.wait_for_timeout(60)
    if not person.is_over():
        check_table(page, 390, 1280)
    person.play(person.is_over)
    transcript = page.locator("#transcript").inner_text()
    assert "Whispers" not in transcript
    assert "{" not in transcript
    check_passes(page)
    lines = [text for region, text in page.evaluate("heard") if region == "scroll"]
    pass_lines = page.locator("#transcript .entry-passed").all_inner_texts()
    assert all(lines.count(" ".join(text.split())) <= 1 for text in pass_lines), (
        "each is announced once"
    )
    expect(page.locator(".course-votes").first).to_be_visible()  # secret ballots, once it is over
    check_accessibility(page)
    set_width(page, 390)
    check_accessibility(page)
    assert not person.errors


def test_seer_in_the_large_village_reports_and_counters(
    stack: Stack, desktop: BrowserContext
) -> None:
    """Length is counted in characters. A draft survives a reload, and Enter sends it."""
    rules = {**SHORT_RULES, "talk_max_skip": 1, "count": "characters"}
    person = sit_as(stack, desktop, "seer", rules, "aiwolf-13")
    page, composer = person.page, person.page.locator("#composer")
    play_until_turn(person, "statement")
    check_large_text(page)
    with page.expect_response("**/answer"):
        page.locator("#say-skip").click()
    expect(page.locator("#progress")).to_contain_text("You can speak once more.")
    say_over_if_asked(person)
    while open_choice(page) != "divination":
        person.answer_once()
        page.wait_for_timeout(60)
    check_table(page, 390, 1280)
    results = page.locator("#transcript .entry-private", has_text="You looked at")
    earlier = results.count()
    person.choose()
    expect(results).to_have_count(earlier + 1, timeout=60_000)
    result = re.search(r"You looked at ([^:]+): (.*)", results.last.inner_text())
    assert result
    expect(composer).to_be_visible(timeout=60_000)
    composer.fill(f"I am the Seer. {result[1]} is {result[2]}")
    expect(page.locator("#words")).to_contain_text(re.compile(r"\d+ of 125 characters"))
    wait_for_draft(page, f"I am the Seer. {result[1]} is {result[2]}")
    page.reload()
    expect(composer).to_have_value(f"I am the Seer. {result[1]} is {result[2]}")
    expect(page.locator("#turn[data-open]")).to_be_visible(timeout=60_000)
    composer.press("Enter")
    expect(page.locator("#transcript .is-mine").last).to_contain_text("I am the Seer.")
    play_until_turn(person, "statement")
    name = mention_and_say(person, "you say you are the Seer, and I am: you lie.")
    expect(page.locator("#transcript .is-mine").last).to_contain_text(f"@{name}")
    person.play(person.is_over)
    check_passes(page)
    set_width(page, 390)
    check_accessibility(page)
    assert not person.errors


def say_over_if_asked(person: Person) -> None:
    """Say nothing more, if the page asks again before the night."""
    page = person.page
    control = page.locator("#say-over").or_(page.locator("#choose-send"))
    expect(control.first).to_be_visible(timeout=60_000)
    if page.locator("#say-over").is_visible():
        say_over(person)


def test_whisper_draft_is_not_offered_by_day(stack: Stack, desktop: BrowserContext) -> None:
    """A whisper names its listeners, survives a lost connection, and keeps its own draft."""
    rules = {**SHORT_RULES, "whisper_per_agent": 3, "talk_per_agent": 1}
    person = sit_as(stack, desktop, "werewolf", rules, "aiwolf-13")
    page, composer = person.page, person.page.locator("#composer")
    play_until_turn(person, "whisper")
    partner_names = page.locator(
        "#seats .seat:not(.is-me):has(.badge-role) .seat-name"
    ).all_inner_texts()
    assert len(partner_names) == 2
    for name in partner_names:
        expect(page.locator("#secret_talk")).to_contain_text(name)
    check_table(page, 390, 1280)
    check_large_text(page)
    desktop.set_offline(True)
    composer.fill(WHISPER)
    composer.press("Enter")
    expect(page.locator("#refused")).to_contain_text("It is saved and will be sent")
    desktop.set_offline(False)
    person.errors.clear()  # the browser reports the cut connection
    own_whisper = page.locator("#transcript .is-whispered", has_text=WHISPER)
    expect(own_whisper).to_have_count(1, timeout=60_000)
    expect(composer).to_have_value("")
    composer.fill(WHISPER_DRAFT)
    wait_for_draft(page, WHISPER_DRAFT)
    play_until_turn(person, "statement")
    expect(page.locator("#secret_talk")).to_be_hidden()
    expect(composer).to_have_value("")
    composer.fill(STATEMENT)
    wait_for_draft(page, STATEMENT)
    page.reload()
    expect(composer).to_have_value(STATEMENT)
    say_over(person)
    play_until_turn(person, "whisper")
    expect(composer).to_have_value(WHISPER_DRAFT)
    page.reload()
    expect(composer).to_have_value(WHISPER_DRAFT)
    expect(own_whisper).to_have_count(1)
    assert not person.errors


OPEN_TABLE = """
import uuid
from django.contrib.sessions.backends.db import SessionStore
from game import lobby
from game.models import Game, Player
from webapp.play import visitors
from webapp.play.tables.opening import TableOptions, open_table
people = [uuid.uuid4() for _ in range(3)]
keys = []
for visitor in people:
    session = SessionStore()
    session[visitors.VISITOR_KEY] = visitor.hex
    session.save()
    keys.append(session.session_key)
rules = {{"blind": True, "talk_per_agent": 1, "max_day": 1}}
game = open_table(people[0], TableOptions(
    ruleset="aiwolf-5", guests=2, seed="three", settings=rules,
    limits={{"night": {night}, "statement": 60, "vote": 60}}))
Game.objects.filter(pk=game.pk).update(pace="instant")  # the pace itself: tests/webapp/test_blind
print(game.code, *keys)
"""


def use_keyboard_only(person: Person) -> None:
    """Let the person use only the keyboard."""
    page = person.page

    def choose() -> None:
        tab_to(page, "#choose input[name=target]")
        page.keyboard.press("Space")
        tab_to(page, "#choose-send")
        with page.expect_response("**/answer"):
            page.keyboard.press("Enter")

    def say(text: str) -> None:
        tab_to(page, "#composer")
        page.keyboard.press("Control+A")
        page.keyboard.type(text)
        with page.expect_response("**/answer"):
            page.keyboard.press("Enter")
        person.said.append(text)

    person.choose, person.say = choose, say  # type: ignore[method-assign]


def answer_in_time(person: Person) -> None:
    """Answer the question. A short night may end before a slow machine has answered."""
    if not person.page.locator("#phase[data-light=night]").count():
        person.answer_once()
        return
    person.page.set_default_timeout(NIGHT_S * 1000)
    with suppress(AssertionError, TimeoutError):
        person.answer_once()
    person.page.set_default_timeout(30_000)


def test_three_people_and_two_agents_play_a_blind_table(stack: Stack, chromium: Browser) -> None:
    """One at a desktop, one by keyboard, one on a phone. No page shows who is a person.

    Other tests show the village of thirteen seats.
    """
    code, *keys = stack.shell(OPEN_TABLE.format(night=NIGHT_S)).split()
    name = browser_cookie_name(settings.SESSION_COOKIE_NAME, stack.url)
    people, contexts = [], []
    for key, width in zip(keys, (1280, 1280, 390), strict=True):
        context = chromium.new_context(viewport={"width": width, "height": 800})
        context.add_cookies([{"name": name, "value": key, "url": stack.url}])
        contexts.append(context)
        people.append(Person(context.new_page(), f" {uuid.uuid4().hex[:6]}"))
    use_keyboard_only(people[1])
    host = people[0].page
    host.goto(f"{stack.url}/games/{code}/")
    invitation = host.locator("#invitation").input_value()
    for person in people[1:]:
        person.page.goto(invitation)
        person.page.locator("button:has-text('Sit down')").press("Enter")
    host.locator("#start").click()
    for person in people:
        expect(person.page.locator("#sound")).to_be_visible(timeout=60_000)  # the scripts run
    deadline = time.monotonic() + 400
    while not all(person.is_over() for person in people):
        assert time.monotonic() < deadline, host.locator("body").inner_text()
        for person in people:
            answer_in_time(person)
            kinds = person.page.locator("#seats .seat:not(.is-me) .seat-kind")
            assert not kinds.count()
        host.wait_for_timeout(50)
    for person in people:
        page = person.page
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        transcript = page.locator("#transcript").inner_text()
        assert "computer" not in transcript
        assert "{" not in transcript
        check_accessibility(page)
        late_errors = [
            error for error in person.errors if "409" in error
        ]  # answers after the end of a night
        assert person.errors == late_errors
    for context in contexts:
        context.close()
