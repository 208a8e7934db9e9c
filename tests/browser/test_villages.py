"""Whole games of the contest's villages: a Werewolf, a Seer, and three people at a blind table."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress

import pytest
from django.conf import settings
from playwright.sync_api import Browser, BrowserContext, Page, TimeoutError, expect

from tests.browser.table import Person, wait_for_draft
from tests.browser.test_comfort import at_width, no_wider
from tests.browser.test_one_night import LISTEN, check_accessibility
from tests.browser.test_sheriff import asked, look, sit_down, tab_to
from tests.live import Stack
from webapp.middleware import browser_name

pytestmark = pytest.mark.browser
SHORT = {"talk_per_agent": 2, "max_day": 2}
SECRET, OPEN_WORDS = "Let us attack the loudest one.", "I have seen nothing, and slept well."
NIGHT = 8  # seconds: where several people play, every night takes all of them
PLAN = "And next, whoever doubts us."  # written, and not said


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    with chromium.new_context(viewport={"width": 1280, "height": 800}) as context:
        yield context


def turn(page: Page) -> str:
    """The window in which the page can say something now, "" for none."""
    return str(
        page.evaluate("document.querySelector('#turn[data-open] input[name=window]')?.value ?? ''")
    )


def until_turn(person: Person, kind: str, seconds: float = 300) -> None:
    """Choose whatever is asked until the person is asked for words of that kind."""
    deadline = time.monotonic() + seconds
    while not (window := turn(person.page)).startswith(kind):
        assert time.monotonic() < deadline, person.page.locator("body").inner_text()
        assert not person.over()
        if asked(person.page):
            person.choose()
        elif window:
            done(person)
        person.page.wait_for_timeout(60)


def done(person: Person) -> None:
    """Say nothing more today."""
    with person.page.expect_response("**/answer") as answer:
        person.page.locator("#say-over").click()
    assert answer.value.status == 200, answer.value.text()


def say_to(person: Person, text: str) -> str:
    """Name a player by the list that an @ opens, and say something. Returns the name."""
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
    said = page.locator("#transcript .is-mine .addressed").last
    expect(said).to_have_text(f"to {name}")
    return name


def look_large(page: Page) -> None:
    """On a phone with text of twice the size nothing is wider, and one can still write."""
    at_width(page, 390)
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    no_wider(page)
    page.locator("#composer").scroll_into_view_if_needed()
    expect(page.locator("#composer")).to_be_in_viewport()
    page.evaluate("document.documentElement.style.fontSize = ''")
    at_width(page, 1280)


def check_passes(page: Page) -> None:
    """Nobody's silence has a line of its own."""
    expect(page.locator("#transcript .entry-statement.is-silent")).to_have_count(0)
    expect(page.locator("#transcript .entry-passed").first).to_contain_text(
        re.compile("done for today|Nobody|nothing")
    )


def test_a_werewolf_among_five_lies_attacks_and_sees_the_end(
    stack: Stack, context: BrowserContext
) -> None:
    person = sit_down(stack, context, "werewolf", SHORT, "aiwolf-5")
    page = person.page
    until_turn(person, "statement")
    expect(page.locator("#secret_talk")).to_be_hidden()  # a lone Werewolf has nobody to whisper to
    expect(page.locator("#progress")).to_contain_text("You can speak 2 more times.")
    look(page, 390, 1280)
    page.evaluate(LISTEN)
    say_to(person, "I am the Seer, and I wonder about you.")
    done(person)
    expect(page.locator("#progress")).to_contain_text("You have finished speaking.")
    while asked(page) != "attack" and not person.over():
        person.answer_once()
        page.wait_for_timeout(60)
    if not person.over():
        look(page, 390, 1280)
    person.play(person.over)
    told = page.locator("#transcript").inner_text()
    assert "Whispers" not in told
    assert "{" not in told
    check_passes(page)
    lines = [text for region, text in page.evaluate("heard") if region == "scroll"]
    passed = page.locator("#transcript .entry-passed").all_inner_texts()
    assert all(lines.count(" ".join(text.split())) <= 1 for text in passed), "each read once"
    expect(page.locator(".course-votes").first).to_be_visible()  # secret ballots, once it is over
    check_accessibility(page)
    at_width(page, 390)
    check_accessibility(page)
    assert not person.errors


def test_a_seer_among_thirteen_tells_a_result_and_counters_a_claim(
    stack: Stack, context: BrowserContext
) -> None:
    """Where characters are counted. A draft outlives a reload, and one key says it."""
    rules = {**SHORT, "talk_max_skip": 1, "count": "characters"}
    person = sit_down(stack, context, "seer", rules, "aiwolf-13")
    page, composer = person.page, person.page.locator("#composer")
    until_turn(person, "statement")
    look_large(page)
    with page.expect_response("**/answer"):
        page.locator("#say-skip").click()
    expect(page.locator("#progress")).to_contain_text("You can speak once more.")
    done_or_next(person)
    while asked(page) != "divination":
        person.answer_once()
        page.wait_for_timeout(60)
    look(page, 390, 1280)
    results = page.locator("#transcript .entry-private", has_text="You looked at")
    earlier = results.count()
    person.choose()
    expect(results).to_have_count(earlier + 1, timeout=60_000)
    seen = re.search(r"You looked at ([^:]+): (.*)", results.last.inner_text())
    assert seen
    expect(composer).to_be_visible(timeout=60_000)
    composer.fill(f"I am the Seer. {seen[1]} is {seen[2]}")
    expect(page.locator("#words")).to_contain_text(re.compile(r"\d+ of 125 characters"))
    wait_for_draft(page, f"I am the Seer. {seen[1]} is {seen[2]}")
    page.reload()
    expect(composer).to_have_value(f"I am the Seer. {seen[1]} is {seen[2]}")
    expect(page.locator("#turn[data-open]")).to_be_visible(timeout=60_000)
    composer.press("Enter")
    expect(page.locator("#transcript .is-mine").last).to_contain_text("I am the Seer.")
    until_turn(person, "statement")
    name = say_to(person, "you say you are the Seer, and I am: you lie.")
    expect(page.locator("#transcript .is-mine").last).to_contain_text(f"@{name}")
    person.play(person.over)
    check_passes(page)
    at_width(page, 390)
    check_accessibility(page)
    assert not person.errors


def done_or_next(person: Person) -> None:
    """Say nothing more, where one is asked again before the night."""
    page = person.page
    again = page.locator("#say-over").or_(page.locator("#choose-send"))
    expect(again.first).to_be_visible(timeout=60_000)
    if page.locator("#say-over").is_visible():
        done(person)


def test_what_is_written_for_a_whisper_is_never_offered_by_day(
    stack: Stack, context: BrowserContext
) -> None:
    """The whisper names who hears it, outlives a broken line, and keeps a draft of its own."""
    rules = {**SHORT, "whisper_per_agent": 3, "talk_per_agent": 1}
    person = sit_down(stack, context, "werewolf", rules, "aiwolf-13")
    page, composer = person.page, person.page.locator("#composer")
    until_turn(person, "whisper")
    mates = page.locator("#seats .seat:not(.is-me):has(.badge-role) .seat-name").all_inner_texts()
    assert len(mates) == 2
    for name in mates:
        expect(page.locator("#secret_talk")).to_contain_text(name)
    look(page, 390, 1280)
    look_large(page)
    context.set_offline(True)
    composer.fill(SECRET)
    composer.press("Enter")
    expect(page.locator("#refused")).to_contain_text("It is saved and will be sent")
    context.set_offline(False)
    person.errors.clear()  # the browser's own, of a line that is cut
    mine = page.locator("#transcript .is-whispered", has_text=SECRET)
    expect(mine).to_have_count(1, timeout=60_000)
    expect(composer).to_have_value("")
    composer.fill(PLAN)
    wait_for_draft(page, PLAN)
    until_turn(person, "statement")
    expect(page.locator("#secret_talk")).to_be_hidden()
    expect(composer).to_have_value("")
    composer.fill(OPEN_WORDS)
    wait_for_draft(page, OPEN_WORDS)
    page.reload()
    expect(composer).to_have_value(OPEN_WORDS)
    done(person)
    until_turn(person, "whisper")
    expect(composer).to_have_value(PLAN)
    page.reload()
    expect(composer).to_have_value(PLAN)
    expect(mine).to_have_count(1)
    assert not person.errors


TABLE = """
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
    session[visitors.KEY] = visitor.hex
    session.save()
    keys.append(session.session_key)
rules = {{"blind": True, "talk_per_agent": 1, "whisper_per_agent": 1, "max_day": 1}}
game = open_table(people[0], TableOptions(
    ruleset="aiwolf-13", guests=2, seed="three", settings=rules,
    limits={{"night": {night}, "statement": 60, "vote": 60}}))
Game.objects.filter(pk=game.pk).update(pace="instant")  # the pace itself: tests/webapp/test_blind
print(game.code, *keys)
"""


def by_keys(person: Person) -> None:
    """The person uses nothing but the keyboard."""
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
    """Answer what is asked; a night of a few seconds may be over before a slow machine has."""
    if not person.page.locator("#phase[data-light=night]").count():
        person.answer_once()
        return
    person.page.set_default_timeout(NIGHT * 1000)
    with suppress(AssertionError, TimeoutError):
        person.answer_once()
    person.page.set_default_timeout(30_000)


def test_three_people_and_ten_computer_players_at_a_blind_table(
    stack: Stack, chromium: Browser
) -> None:
    """One at a desk, one by the keyboard alone, one on a phone: nobody learns who is a person."""
    code, *keys = stack.shell(TABLE.format(night=NIGHT)).split()
    name = browser_name(settings.SESSION_COOKIE_NAME, stack.url)
    people, contexts = [], []
    for key, width in zip(keys, (1280, 1280, 390), strict=True):
        context = chromium.new_context(viewport={"width": width, "height": 800})
        context.add_cookies([{"name": name, "value": key, "url": stack.url}])
        contexts.append(context)
        people.append(Person(context.new_page(), f" {uuid.uuid4().hex[:6]}"))
    by_keys(people[1])
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
    while not all(person.over() for person in people):
        assert time.monotonic() < deadline, host.locator("body").inner_text()
        for person in people:
            answer_in_time(person)
            kinds = person.page.locator("#seats .seat:not(.is-me) .seat-kind")
            assert not kinds.count()
        host.wait_for_timeout(50)
    for person in people:
        page = person.page
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        told = page.locator("#transcript").inner_text()
        assert "computer" not in told
        assert "{" not in told
        check_accessibility(page)
        late = [error for error in person.errors if "409" in error]  # of a night that was over
        assert person.errors == late
    for context in contexts:
        context.close()
