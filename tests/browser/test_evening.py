"""Tests of the pace and the end of a game of one person with agents, in a browser."""

from __future__ import annotations

from playwright.sync_api import Browser, Page, expect

from game.engine import rulesets
from tests.browser.page_checks import RECORD_ANNOUNCEMENTS, check_accessibility
from tests.browser.table import Person, get_game_code
from tests.live import Stack

# Everybody has answered except the person, whose vote ends the game. There is no pause.
PLAY_TO_LAST_VOTE = """
from game import game_actions, locked_game, selectors
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
                locked_game.record_answer(game.pk, seat, found.window.key, any_answer(found, seat))
Game.objects.filter(pk=game.pk).update(pace="natural")
game_actions.refresh_pages(game.pk)
"""


def test_single_player_can_bring_the_next_line(stack: Stack, chromium: Browser) -> None:
    """At the slowest pace, at which each line takes longer than the test waits for it."""
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
        deck_roles = page.locator("#deck-sheet .deck-roles > li")
        expect(deck_roles).to_have_count(len(set(deck)))
        check_accessibility(page)
        page.keyboard.press("Escape")
        page.locator("#rules-link").click()
        expect(page.locator("#rules[open] #rules-title")).to_be_visible()
        check_accessibility(page)
        page.keyboard.press("Escape")
        expect(page.locator("#rules-link")).to_be_focused()
        lines = page.locator("#transcript > li")
        for number in range(12):
            line_count = lines.count()
            if page.locator("#choose-send").is_visible():
                person.choose()
            if page.locator("#say-send").is_visible():
                person.say("I have nothing to hide.")
            elif number % 2:
                if page.locator("#composer").is_visible():
                    page.locator(
                        "#composer"
                    ).focus()  # the arrow key has no other use in an empty composer
                page.keyboard.press("ArrowRight")
            else:
                page.locator("#scroll").click(position={"x": 5, "y": 20})
            own_question = page.locator("#say-send, #choose-send").first
            expect(lines.nth(line_count).or_(own_question).first).to_be_visible(timeout=7_000)
        assert page.locator("#transcript > li.entry-statement").count() >= 7
        page.goto(f"{stack.url}/tables/new?ruleset=one-night")
        expect(page.locator("input[name=pace][value=slow]")).to_be_checked()
        page.locator("button:has-text('Open the table')").click()
        expect(page.locator("#slower")).to_be_disabled()  # the browser remembers the pace
        assert not person.errors


def test_single_player_can_skip_to_the_own_turn(stack: Stack, chromium: Browser) -> None:
    """At the slowest pace, at which the lines before a turn would take minutes."""
    with chromium.new_context(viewport={"width": 390, "height": 844}) as context:
        person = Person(context.new_page())
        page = person.page
        person.open_table(stack.url, pace="natural")
        expect(page.locator("#sound")).to_be_visible()  # the scripts have started
        page.locator("#slower").press("Enter")
        expect(page.locator("#slower")).to_be_disabled()
        own_question = page.locator("#say-send, #choose-send").first
        skipped_lines = {"by its button": 0, "by the keys": 0}
        for _ in range(12):
            if page.locator("#choose-send").is_visible():
                person.choose()
                continue
            if page.locator("#say-send").is_visible():
                person.say("I have nothing to hide.")
                continue
            line_count = page.locator("#transcript > li").count()
            method = min(skipped_lines, key=skipped_lines.__getitem__)
            if method == "by the keys":
                page.keyboard.press("Shift+ArrowRight")
            else:
                expect(page.locator("#skip")).to_have_text("To my turn")
                page.locator("#skip").click()
            expect(own_question).to_be_visible(timeout=60_000)
            skipped_lines[method] += page.locator("#transcript > li").count() - line_count
            if all(skipped_lines.values()):
                break
        assert all(skipped_lines.values()), skipped_lines
        check_accessibility(page)
        assert not person.errors


def open_last_vote(page: Page, address: str) -> None:
    """Open the game at its last vote, the person's, and record announcements."""
    page.goto(address)
    expect(page.locator("#choose-send")).to_be_visible()
    page.evaluate(RECORD_ANNOUNCEMENTS)


def read_result(page: Page) -> list[str]:
    """Return the announced result: the live region's text and the focused heading."""
    expect(page.locator("#end-title")).to_be_focused()
    return [page.locator("#verdict").inner_text(), page.locator("#end-title").inner_text()]


def check_stepwise_result(page: Page) -> None:
    """Check the result told over the table until it is skipped, announced once."""
    expect(page.locator("#vote-reveal-skip")).to_be_focused()
    expect(page.locator("#vote-reveal .vote-reveal-vote")).to_have_count(8)
    expect(page.locator("#vote-reveal-said")).to_contain_text("votes")
    expect(page.locator("#vote-reveal-said")).to_contain_text("is out.")
    page.keyboard.press("Space")
    expect(page.locator("#vote-reveal")).to_have_count(0)
    result, headline = read_result(page)
    assert result in ("You won.", "You lost.")
    expect(page).to_have_title(f"{result.rstrip('.')} – Fabula")
    announcements = page.evaluate("heard")
    assert not [text for region, text in announcements if region == "scroll"], (
        "lines are not announced as well"
    )
    regions = ("vote-reveal-said", "verdict")
    result_texts = [text for region, text in announcements if region in regions]
    assert len(set(result_texts)) == len(result_texts) >= 3
    expect(page.locator("#scroll")).to_have_attribute("aria-live", "polite")
    assert headline.endswith("wins.")
    check_accessibility(page)
    page.reload()
    expect(page.locator("#end-title")).to_be_visible()
    expect(page.locator("#vote-reveal")).to_have_count(0)
    expect(page.locator("#verdict")).to_be_empty()


def check_immediate_result(page: Page) -> None:
    assert read_result(page)[0] in ("You won.", "You lost.")
    lines = [text for region, text in page.evaluate("heard") if region == "scroll"]
    assert len(lines) >= 8, "without steps the lines are announced"
    expect(page.locator("#vote-reveal[open]")).to_have_count(0)


def test_result_is_told_step_by_step_or_at_once_with_reduced_motion(
    stack_without_worker: Stack, chromium: Browser
) -> None:
    """One person in two browsers, of which one has reduced motion."""
    with (
        chromium.new_context(
            viewport={"width": 390, "height": 844}, reduced_motion="no-preference"
        ) as moving_context,
        chromium.new_context() as still_context,
    ):
        person, other_page = Person(moving_context.new_page()), still_context.new_page()
        address = person.open_table(stack_without_worker.url, pace="natural")
        still_context.add_cookies(moving_context.cookies())
        code = get_game_code(address)
        stack_without_worker.shell(PLAY_TO_LAST_VOTE.replace("CODE", code))
        for page in (other_page, person.page):
            open_last_vote(page, address)
        person.choose()
        check_stepwise_result(person.page)
        check_immediate_result(other_page)
        assert not person.errors
