"""Whole games with a Sheriff in a real browser.

As the Sheriff, and as a Werewolf with the keyboard alone on a phone.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Browser, BrowserContext, Page, expect

from game.engine import rulesets
from game.engine.seeded_random import SeededRandom
from tests.browser.table import Person
from tests.browser.test_comfort import apart, at_width, no_wider, whole_names
from tests.browser.test_one_night import check_accessibility, check_height
from tests.live import Stack
from webapp.middleware import browser_name

pytestmark = pytest.mark.browser
RULESET = rulesets.get("sheriff")
OPEN = """
import uuid
from django.contrib.sessions.backends.db import SessionStore
from webapp.play.tables.opening import TableOptions, open_table
from webapp.play.visitors import KEY
session = SessionStore()
session[KEY] = {visitor!r}
session.save()
game = open_table(uuid.UUID({visitor!r}), TableOptions(
    ruleset={ruleset!r}, pace={pace!r}, seed={seed!r}, settings={rules!r}))
print(session.session_key, game.code)
"""
DRAWN = {"election": False, "first_sheriff": "person", "max_rounds": 2}
CONFESSED = "I am a Werewolf. I am a Werewolf: vote for me, all of you."
SPOKEN = "I am a villager, and I listen before I decide."


def seed_for(role: str, deck: Sequence[str]) -> str:
    """A seed that deals `role` to the seat that the person is given."""
    for number in range(200):
        drawn = SeededRandom(seed := f"browser/{number}")
        mine = drawn.shuffled("who sits where", range(len(deck)))[0]
        if drawn.shuffled("deal", deck)[mine] == role:
            return seed
    raise AssertionError(role)


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    """Without motion: colours that are still changing have no contrast to be measured."""
    wide = {"width": 1280, "height": 800}
    with chromium.new_context(viewport=wide, reduced_motion="reduce") as context:
        yield context


def sit_down(
    stack: Stack,
    context: BrowserContext,
    role: str,
    rules: dict[str, Any],
    ruleset: str = RULESET.name,
    pace: str = "instant",
) -> Person:
    """A person with that role at a table of built-in players."""
    seed = seed_for(role, rulesets.get(ruleset).deck)
    visitor = uuid.uuid4().hex
    made = OPEN.format(visitor=visitor, seed=seed, rules=rules, ruleset=ruleset, pace=pace)
    key, code = stack.shell(made).split()
    name = browser_name(settings.SESSION_COOKIE_NAME, stack.url)
    context.add_cookies([{"name": name, "value": key, "url": stack.url}])
    person = Person(context.new_page())
    person.page.goto(f"{stack.url}/games/{code}/")
    expect(person.page.locator("#sound")).to_be_visible()  # the scripts have started
    return person


def look(page: Page, *widths: int) -> None:
    """Nothing is broken on the page as it is, at any of the widths; the last one stays."""
    check_accessibility(page)
    for width in widths:
        at_width(page, width)
        whole_names(page)
        no_wider(page)
        apart(page)
        check_height(page)


def asked(page: Page) -> str:
    """The kind of choice that the page asks for now, "" for none."""
    form = page.locator("#choice:not(.choice-guess):not(:has(.choice-in))")
    found = re.search(r"choice-(\w+)$", form.get_attribute("class") or "") if form.count() else None
    return found[1] if found else ""


def test_a_whole_game_as_a_sheriff_who_is_voted_out_and_watches(
    stack: Stack, context: BrowserContext
) -> None:
    """The Guard, who protects themselves and so is certain to be the Sheriff on the first day."""
    person = sit_down(stack, context, "guard", DRAWN)
    page, seats = person.page, person.page.locator("#seats")
    me = seats.locator(".is-me .seat-name").inner_text().strip()
    say = person.say
    person.say = lambda text: say(CONFESSED)  # type: ignore[method-assign]
    person.choose = lambda: choose(person, me)  # type: ignore[method-assign]
    until_asked(person, "first_side")
    expect(seats.locator(".badge-held")).to_have_count(1)
    expect(seats.locator(".is-me")).to_contain_text(", Sheriff")
    expect(seats.locator(".badge-role")).to_have_count(1)  # nobody else's role is seen
    expect(page.locator("#transcript")).to_contain_text("you are the Sheriff now.")
    expect(page.locator("#choose .ballot-card .portrait")).to_have_count(2)  # who sits there
    look(page, 390, 1280)
    until_asked(person, "heir")
    heir = page.locator("#choose .ballot-name").last.inner_text().strip()
    stack.pause("worker")  # the others think, so that one can look round
    choose(person, heir)
    expect(page.locator("#gone")).to_contain_text("You can see everyone’s role now.")
    expect(seats.locator(".badge-role")).to_have_count(len(RULESET.deck))
    expect(seats.locator(".badge-held")).to_have_count(1)
    expect(seats.locator(".seat", has_text=heir)).to_contain_text(", Sheriff")
    expect(seats.locator(".is-me")).to_contain_text("out of the game")
    expect(page.locator("#composer")).to_be_hidden()
    expect(page.locator("#choose")).to_have_count(0)
    look(page, 390, 1280)
    stack.resume("worker")
    page.reload()
    expect(seats.locator(".badge-role")).to_have_count(len(RULESET.deck))
    person.play(person.over)
    told = page.locator("#transcript").inner_text()
    assert f"You hand the badge to {heir}." in told
    assert "{" not in told
    assert not person.errors


def until_asked(person: Person, kind: str) -> None:
    """Play on until the page asks for that choice, and leave it to the test."""
    choose_other = person.choose

    def choose_unless() -> None:
        if asked(person.page) != kind:
            choose_other()

    person.choose = choose_unless  # type: ignore[method-assign]
    person.play(lambda: asked(person.page) == kind)
    person.choose = choose_other  # type: ignore[method-assign]


def choose(person: Person, name: str) -> None:
    """Choose that player, or the first where it can't be chosen."""
    page = person.page
    wanted = page.locator("#choose .ballot-card", has_text=name)
    (wanted if wanted.count() else page.locator("#choose .ballot-card")).first.click()
    with page.expect_response("**/answer") as answer:
        page.locator("#choose-send").click()
    assert answer.value.status < 400, answer.value.text()


def test_a_whole_game_as_a_werewolf_by_the_keyboard_alone_on_a_phone(
    stack: Stack, context: BrowserContext
) -> None:
    person = sit_down(stack, context, "werewolf", {"max_rounds": 2})
    page = person.page
    at_width(page, 390)
    hunted: list[str] = []

    def pick_by_keys() -> None:
        """The other Werewolf's choice where there is one, else the first."""
        kind, told = asked(page), page.locator(".choice-told")
        wanted = ""
        if kind == "attack" and told.count():
            wanted = told.inner_text().split("attack ")[1].rstrip(".").strip()
            hunted.append(wanted)
        tab_to(page, "#choose input[name=target]")
        page.keyboard.press("Space")
        card = page.locator("#choose .ballot-card:has(:checked) .ballot-name")
        for _ in range(8):
            if card.inner_text().strip() == wanted or not wanted:
                break
            page.keyboard.press("ArrowRight")
        tab_to(page, "#choose-send")
        with page.expect_response("**/answer") as answer:
            page.keyboard.press("Enter")
        assert answer.value.status == 200, answer.value.text()

    person.choose = pick_by_keys  # type: ignore[method-assign]
    person.say = lambda text: say_by_keys(person)  # type: ignore[method-assign]
    until_asked(person, "attack")
    partner = page.locator("#seats .seat:not(.is-me):has(.badge-role)")
    expect(partner).to_have_count(1)
    expect(partner).to_contain_text(", Werewolf")
    name = partner.locator(".seat-name").inner_text().strip()
    expect(page.locator("#transcript")).to_contain_text(f"{name} is the other Werewolf.")
    expect(page.locator(".choice-told")).to_have_text(re.compile(f"{name} wants to attack"))
    look(page, 390)
    person.play(person.over)
    told = page.locator("#transcript").inner_text()
    assert hunted
    assert re.search(f"{hunted[0]} was killed in the night|nobody died in the night", told)
    for words in ("The lots are drawn.", "as Sheriff.", "is pinned to", "begin.", "Night 2"):
        assert words in told, words
    assert page.locator("#transcript .tally").count() >= 2
    assert "{" not in told
    assert not person.errors


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until what `selector` finds has the focus."""
    for _ in range(80):
        if page.evaluate("s => document.activeElement?.matches(s)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never comes to {selector}")


def say_by_keys(person: Person) -> None:
    page = person.page
    tab_to(page, "#composer")
    page.keyboard.press("Control+A")
    page.keyboard.type(SPOKEN)
    with page.expect_response("**/answer") as answer:
        page.keyboard.press("Control+Enter")
    assert answer.value.status == 200, answer.value.text()
    person.said.append(SPOKEN)
