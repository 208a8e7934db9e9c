"""Tests of whole games with a Sheriff in a browser.

One as the Sheriff, and one as a Werewolf by keyboard on a phone.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.keyboard import tab_to
from tests.browser.page_checks import check_table, set_width
from tests.browser.seats import RULESET, open_choice, sit_as
from tests.browser.table import Person
from tests.live import Stack

pytestmark = pytest.mark.browser
SHERIFF_RULES = {"election": False, "first_sheriff": "person", "max_rounds": 2}
CONFESSION = "I am a Werewolf. I am a Werewolf: vote for me, all of you."
STATEMENT = "I am a villager, and I listen before I decide."


def test_sheriff_is_voted_out_and_watches_to_the_end(stack: Stack, desktop: BrowserContext) -> None:
    """The Guard protects themselves, and so is certain to be the Sheriff on the first day."""
    person = sit_as(stack, desktop, "guard", SHERIFF_RULES)
    page, seats = person.page, person.page.locator("#seats")
    own_name = seats.locator(".is-me .seat-name").inner_text().strip()
    say = person.say
    person.say = lambda text: say(CONFESSION)  # type: ignore[method-assign]
    person.choose = lambda: choose_player(person, own_name)  # type: ignore[method-assign]
    play_until_choice(person, "first_side")
    expect(seats.locator(".badge-held")).to_have_count(1)
    expect(seats.locator(".is-me")).to_contain_text(", Sheriff")
    expect(seats.locator(".badge-role")).to_have_count(1)  # other roles are hidden
    expect(page.locator("#transcript")).to_contain_text("you are the Sheriff now.")
    expect(page.locator("#choose .ballot-card .portrait")).to_have_count(2)  # the neighbours
    check_table(page, 390, 1280)
    play_until_choice(person, "heir")
    heir = page.locator("#choose .ballot-name").last.inner_text().strip()
    stack.pause("worker")  # the game waits during the checks
    choose_player(person, heir)
    expect(page.locator("#gone")).to_contain_text("You can see everyone’s role now.")
    expect(seats.locator(".badge-role")).to_have_count(len(RULESET.deck))
    expect(seats.locator(".badge-held")).to_have_count(1)
    expect(seats.locator(".seat", has_text=heir)).to_contain_text(", Sheriff")
    expect(seats.locator(".is-me")).to_contain_text("out of the game")
    expect(page.locator("#composer")).to_be_hidden()
    expect(page.locator("#choose")).to_have_count(0)
    check_table(page, 390, 1280)
    stack.resume("worker")
    page.reload()
    expect(seats.locator(".badge-role")).to_have_count(len(RULESET.deck))
    person.play(person.is_over)
    transcript = page.locator("#transcript").inner_text()
    assert f"You hand the badge to {heir}." in transcript
    assert "{" not in transcript
    assert not person.errors


def play_until_choice(person: Person, kind: str) -> None:
    """Play until the page asks for that choice, and leave it to the test."""
    choose_other = person.choose

    def choose_unless() -> None:
        if open_choice(person.page) != kind:
            choose_other()

    person.choose = choose_unless  # type: ignore[method-assign]
    person.play(lambda: open_choice(person.page) == kind)
    person.choose = choose_other  # type: ignore[method-assign]


def choose_player(person: Person, name: str) -> None:
    """Choose that player, or the first option if it is not offered."""
    page = person.page
    card = page.locator("#choose .ballot-card", has_text=name)
    (card if card.count() else page.locator("#choose .ballot-card")).first.click()
    with page.expect_response("**/answer") as response:
        page.locator("#choose-send").click()
    assert response.value.status < 400, response.value.text()


def test_werewolf_plays_a_game_by_keyboard_on_a_phone(
    stack: Stack, desktop: BrowserContext
) -> None:
    person = sit_as(stack, desktop, "werewolf", {"max_rounds": 2})
    page = person.page
    set_width(page, 390)
    targets: list[str] = []

    def choose_by_keyboard() -> None:
        """Choose the target of the other Werewolf, or else the first option."""
        kind, partner_choice = open_choice(page), page.locator(".choice-told")
        target = ""
        if kind == "attack" and partner_choice.count():
            target = partner_choice.inner_text().split("attack ")[1].rstrip(".").strip()
            targets.append(target)
        tab_to(page, "#choose input[name=target]")
        page.keyboard.press("Space")
        card = page.locator("#choose .ballot-card:has(:checked) .ballot-name")
        for _ in range(8):
            if card.inner_text().strip() == target or not target:
                break
            page.keyboard.press("ArrowRight")
        tab_to(page, "#choose-send")
        with page.expect_response("**/answer") as response:
            page.keyboard.press("Enter")
        assert response.value.status == 200, response.value.text()

    person.choose = choose_by_keyboard  # type: ignore[method-assign]
    person.say = lambda text: say_by_keyboard(person)  # type: ignore[method-assign]
    play_until_choice(person, "attack")
    partner = page.locator("#seats .seat:not(.is-me):has(.badge-role)")
    expect(partner).to_have_count(1)
    expect(partner).to_contain_text(", Werewolf")
    partner_name = partner.locator(".seat-name").inner_text().strip()
    expect(page.locator("#transcript")).to_contain_text(f"{partner_name} is the other Werewolf.")
    expect(page.locator(".choice-told")).to_have_text(re.compile(f"{partner_name} wants to attack"))
    check_table(page, 390)
    person.play(person.is_over)
    transcript = page.locator("#transcript").inner_text()
    assert targets
    assert re.search(f"{targets[0]} was killed in the night|nobody died in the night", transcript)
    for words in ("The lots are drawn.", "as Sheriff.", "is pinned to", "begin.", "Night 2"):
        assert words in transcript, words
    assert page.locator("#transcript .tally").count() >= 2
    assert "{" not in transcript
    assert not person.errors


def say_by_keyboard(person: Person) -> None:
    page = person.page
    tab_to(page, "#composer")
    page.keyboard.press("Control+A")
    page.keyboard.type(STATEMENT)
    with page.expect_response("**/answer") as response:
        page.keyboard.press("Control+Enter")
    assert response.value.status == 200, response.value.text()
    person.said.append(STATEMENT)
