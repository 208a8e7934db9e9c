"""The pace of a game alone with computer players, and its end, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from game.engine import rulesets
from tests.browser.table import Person
from tests.browser.test_one_night import LISTEN, check_accessibility
from tests.live import Stack

# Everybody has answered but the person, whose vote ends the game; without waiting for the pace.
TO_THE_VOTE = """
from game import host_actions, selectors, services
from game.models import Game, Player
from tests.game.table import any_answer
game = Game.objects.get(code="CODE")
Game.objects.filter(pk=game.pk).update(pace="none")
mine = game.players.get(kind=Player.PERSON).seat
done = False
while not done:
    for found in selectors.open_windows(game):
        done = done or found.window.kind == "vote"
        for seat in found.missing:
            if not (found.window.kind == "vote" and seat == mine):
                services.answer(game.pk, seat, found.window.key, any_answer(found, seat))
Game.objects.filter(pk=game.pk).update(pace="natural")
host_actions.refresh_pages(game.pk)
"""


@pytest.fixture(scope="module")
def quiet(stack: Stack) -> Iterator[Stack]:
    """Without the worker: the test alone answers for the computer players."""
    stack.kill("worker")
    yield stack
    stack.revive()


def test_single_player_can_bring_the_next_line(stack: Stack, chromium: Browser) -> None:
    """At the slowest pace, at which every line takes longer than the test waits for it."""
    with chromium.new_context(viewport={"width": 390, "height": 844}) as context:
        person = Person(context.new_page())
        page = person.page
        person.open_table(stack.url, pace="natural")
        expect(page.locator("#sound")).to_be_visible()  # the scripts have started
        page.locator("#slower").press("Enter")
        expect(page.locator("#slower")).to_be_disabled()
        expect(page.locator("#faster")).to_be_focused()
        page.locator("#deck-sheet > summary").click()
        deck = rulesets.get("one-night").deck
        shown = page.locator("#deck-sheet .deck-roles > li")
        expect(shown).to_have_count(len(set(deck)))
        check_accessibility(page)
        page.keyboard.press("Escape")
        page.locator("#rules-link").click()
        expect(page.locator("#rules[open] #rules-title")).to_be_visible()
        check_accessibility(page)
        page.keyboard.press("Escape")
        expect(page.locator("#rules-link")).to_be_focused()
        lines = page.locator("#transcript > li")
        for number in range(12):
            told = lines.count()
            if page.locator("#choose-send").is_visible():
                person.choose()
            if page.locator("#say-send").is_visible():
                person.say("I have nothing to hide.")
            elif number % 2:
                if page.locator("#composer").is_visible():
                    page.locator("#composer").focus()  # empty: the arrow has no other use there
                page.keyboard.press("ArrowRight")
            else:
                page.locator("#scroll").click(position={"x": 5, "y": 20})
            mine = page.locator("#say-send, #choose-send").first
            expect(lines.nth(told).or_(mine).first).to_be_visible(timeout=7_000)
        assert page.locator("#transcript > li.entry-statement").count() >= 7
        page.goto(f"{stack.url}/tables/new?ruleset=one-night")
        expect(page.locator("input[name=pace][value=slow]")).to_be_checked()
        page.locator("button:has-text('Open the table')").click()
        expect(page.locator("#slower")).to_be_disabled()  # this browser likes it slow
        assert not person.errors


def test_single_player_can_skip_to_the_own_turn(stack: Stack, chromium: Browser) -> None:
    """At the slowest pace, at which the lines up to a turn would take minutes."""
    with chromium.new_context(viewport={"width": 390, "height": 844}) as context:
        person = Person(context.new_page())
        page = person.page
        person.open_table(stack.url, pace="natural")
        expect(page.locator("#sound")).to_be_visible()  # the scripts have started
        page.locator("#slower").press("Enter")
        expect(page.locator("#slower")).to_be_disabled()
        mine = page.locator("#say-send, #choose-send").first
        skipped = {"by its button": 0, "by the keys": 0}
        for _ in range(12):
            if page.locator("#choose-send").is_visible():
                person.choose()
                continue
            if page.locator("#say-send").is_visible():
                person.say("I have nothing to hide.")
                continue
            before = page.locator("#transcript > li").count()
            way = min(skipped, key=skipped.__getitem__)
            if way == "by the keys":
                page.keyboard.press("Shift+ArrowRight")
            else:
                expect(page.locator("#skip")).to_have_text("To my turn")
                page.locator("#skip").click()
            expect(mine).to_be_visible(timeout=60_000)
            skipped[way] += page.locator("#transcript > li").count() - before
            if all(skipped.values()):
                break
        assert all(skipped.values()), skipped
        check_accessibility(page)
        assert not person.errors


def at_the_last_vote(page: Page, address: str) -> None:
    """The game is at its last vote, the person's; what the page says is listened to."""
    page.goto(address)
    expect(page.locator("#choose-send")).to_be_visible()
    page.evaluate(LISTEN)


def told(page: Page) -> list[str]:
    """What the end says aloud: what the live region holds, and what has the focus."""
    expect(page.locator("#end-title")).to_be_focused()
    return [page.locator("#verdict").inner_text(), page.locator("#end-title").inner_text()]


def check_told_step_by_step(page: Page) -> None:
    """Over the table, until it is skipped; once, not twice."""
    expect(page.locator("#telling-skip")).to_be_focused()
    expect(page.locator("#telling .telling-vote")).to_have_count(8)
    expect(page.locator("#telling-said")).to_contain_text("votes")
    expect(page.locator("#telling-said")).to_contain_text("is out.")
    page.keyboard.press("Space")
    expect(page.locator("#telling")).to_have_count(0)
    said, headline = told(page)
    assert said in ("You won.", "You lost.")
    expect(page).to_have_title(f"{said.rstrip('.')} – Fabula")
    heard = page.evaluate("heard")
    assert not [text for region, text in heard if region == "scroll"], "told once, not twice"
    told_here = [text for region, text in heard if region in ("telling-said", "verdict")]
    assert len(set(told_here)) == len(told_here) >= 3
    expect(page.locator("#scroll")).to_have_attribute("aria-live", "polite")
    assert headline.endswith("wins.")
    check_accessibility(page)
    page.reload()
    expect(page.locator("#end-title")).to_be_visible()
    expect(page.locator("#telling")).to_have_count(0)
    expect(page.locator("#verdict")).to_be_empty()


def check_told_at_once(page: Page) -> None:
    assert told(page)[0] in ("You won.", "You lost.")
    lines = [text for region, text in page.evaluate("heard") if region == "scroll"]
    assert len(lines) >= 8, "where nothing is told over the table, the lines are"
    expect(page.locator("#telling[open]")).to_have_count(0)


def test_result_is_told_step_by_step_or_at_once_with_reduced_motion(
    quiet: Stack, chromium: Browser
) -> None:
    """One person in two browsers, of which one has reduced motion."""
    with (
        chromium.new_context(
            viewport={"width": 390, "height": 844}, reduced_motion="no-preference"
        ) as phone,
        chromium.new_context() as still,
    ):
        person, other = Person(phone.new_page()), still.new_page()
        address = person.open_table(quiet.url, pace="natural")
        still.add_cookies(phone.cookies())
        code = urlsplit(address).path.rstrip("/").rsplit("/", 1)[1]
        quiet.shell(TO_THE_VOTE.replace("CODE", code))
        for page in (other, person.page):
            at_the_last_vote(page, address)
        person.choose()
        check_told_step_by_step(person.page)
        check_told_at_once(other)
        assert not person.errors
