"""Tests of whole games in a browser, with web, worker, sweeper and Redis as processes."""

from __future__ import annotations

import re
from itertools import pairwise

from playwright.sync_api import Browser, expect

from game.engine.text_checks import count_characters, count_words, find_mention
from tests.browser.keyboard import tab_to
from tests.browser.page_checks import RECORD_ANNOUNCEMENTS, check_accessibility
from tests.browser.table import Person
from tests.live import Stack

REMOVED = "The host removed this text."


class KeyboardPlayer(Person):
    """A person who uses only Tab, arrows, Space and Enter, and never loses the focus."""

    def press(self, selector: str, focused: str) -> None:
        """Press Enter on the element. Then `focused` has the focus."""
        tab_to(self.page, selector)
        expect(self.page.locator("#table:not([data-sending])")).to_be_visible()  # one act at a time
        self.page.keyboard.press("Enter")
        expect(self.page.locator(focused)).to_be_focused()

    def remove_own_statement(self) -> None:
        """Pause the game as host, remove their statement, and resume."""
        page = self.page
        page.locator("#table-sheet > summary").focus()
        page.keyboard.press("Enter")
        self.press("#pause[value=pause]", "#pause[value=resume]")
        self.press("#words-out > summary", "#words-out > summary")
        self.press("#words-out .confirm > summary", "#words-out .confirm > summary")
        self.press("#words-out .confirm button", "#pause")  # no other statement can be removed
        expect(page.locator("#transcript")).to_contain_text(REMOVED)
        self.press("#pause[value=resume]", "#pause[value=pause]")
        page.locator(".skip-part").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#composer")).to_be_focused()

    def choose(self) -> None:
        page = self.page
        if self.said:
            expect(page.locator("#choice")).to_be_focused()  # the composer has disappeared
        window = page.locator("#choice").get_attribute("data-window")
        tab_to(self.page, "#choose input[name=target]")
        page.keyboard.press("Space")
        if page.locator("#choose input[type=checkbox]").count():
            page.keyboard.press("Tab")
            page.keyboard.press("Space")
        tab_to(self.page, "#choose-send")
        with page.expect_response("**/answer"):
            page.keyboard.press("Enter")
        self.wait_for_choice(window)

    def say(self, text: str) -> None:
        page = self.page
        tab_to(self.page, "#composer")
        page.keyboard.press("Control+A")
        page.keyboard.type(text)
        with page.expect_response("**/answer"):
            page.keyboard.press("Control+Enter")
        self.said.append(text)
        expect(page.locator("#transcript")).to_contain_text(text)
        expect(page.locator(":focus")).to_have_id(re.compile("^(composer|choice)$"))
        if len(self.said) == 1:
            self.remove_own_statement()


def check_announced_lines(announcements: list[tuple[str, str]], statements: list[str]) -> None:
    """Live regions announce every line once, as text alone."""
    lines = [text for region, text in announcements if region == "scroll"]
    assert sorted(set(lines)) == sorted(lines)
    assert all(any(text in line for line in lines) for text in statements)
    assert sum(REMOVED in line for line in lines) == 1
    assert not [text for _, text in announcements if "[button]" in text], "lines are text alone"


def check_announced_turns(announcements: list[tuple[str, str]]) -> None:
    """Live regions announce turns and the result, and no counts or repeated questions."""
    counts = [text for _, text in announcements if re.search(r"\d+ of \d+ are in", text)]
    assert not counts, "counts are not announced"
    # A slow page may get two turns at once. The lines between them are announced before the second.
    repeated = [a for a, b in pairwise(announcements) if a == b and a[0] == "dock-status"]
    assert not repeated
    picks = [text for _, text in announcements if text.startswith("Pick ")]
    assert not picks, "the question says it already"
    assert ("notice", "Ready.") in announcements
    # Agents use these words too. Their statements are in "scroll".
    turn_text = "your turn"
    turns = [region for region, text in announcements if turn_text in text and region != "scroll"]
    assert set(turns) == {"dock-status"}
    # A slow page may get several turns at once, and a turn before the pause is announced again.
    assert len(turns) <= 4
    results = [text for region, text in announcements if region == "verdict"]
    assert results in (["You won."], ["You lost."])


def test_game_is_playable_by_keyboard_and_announced_once(stack: Stack, chromium: Browser) -> None:
    """From the first page to the result, with a statement, its removal, and a vote."""
    viewport = {"width": 1280, "height": 800}
    context = chromium.new_context(viewport=viewport, reduced_motion="no-preference")
    page = context.new_page()
    player = KeyboardPlayer(page)
    player.open_table(stack.url)
    expect(page.locator("#sound")).to_be_visible()  # the scripts have started
    page.evaluate(RECORD_ANNOUNCEMENTS)
    player.play(player.is_over)
    assert len(player.said) == 3
    assert not player.errors
    expect(page.locator("#end-title")).to_be_focused()
    announcements = [(region, text) for region, text in page.evaluate("heard")]
    check_announced_lines(announcements, player.said)
    check_announced_turns(announcements)
    context.close()


def test_watched_game_runs_by_itself(stack: Stack, chromium: Browser) -> None:
    page = chromium.new_page()
    page.goto(stack.url)
    page.locator("button:has-text('Watch')").click()
    expect(page.locator("#transcript > li")).not_to_have_count(0)
    expect(page.locator("#composer")).to_have_count(0)
    expect(page.locator("#transcript")).to_contain_text(re.compile("Round 1"), timeout=60_000)
    expect(page.locator("#seats .is-speaking, #seats [data-speaking]")).to_have_count(1)
    check_accessibility(page)
    page.close()


def _counts_around_mention(text: str, names: list[str]) -> list[int]:
    start, end = find_mention(text, names)
    if start < 0:
        return [count_characters(text), 0]
    return [count_characters(text[:start]), count_characters(text[end:])]


def test_page_counts_words_and_characters_as_the_server_does(
    stack: Stack, chromium: Browser
) -> None:
    texts = [
        "",
        "one",
        " two  words ",
        "a\u00a0b\u3000c",
        "我是狼人。",
        "我是 Seer 吗",
        "สวัสดี",
        "안녕 하세요",
        "don't – stop",
        "x" * 300,
        "é́ ñ 👩‍👩‍👧 <3",
        "line\nbreak\ttab",
    ]
    page = chromium.new_page()
    page.goto(stack.url)
    word_counts = page.evaluate(
        "async ([url, texts]) => {"
        " const words = await import(url); return texts.map(t => words.countWords(t)); }",
        [f"{stack.url}/static/js/words.js", texts],
    )
    assert word_counts == [count_words(t) for t in texts]
    names = ["Ann", "Anna", "Zoë"]
    texts += ["hello @Anna and bye", "@Ann", "a b @Zoë c\u3000d @Ann e", "@everyone no", "＠Ann hi"]
    character_counts = page.evaluate(
        "async ([url, texts, names]) => { const words = await import(url);"
        " return texts.map(t => Object.values(words.countCharacters(t, names)).slice(0, 2)); }",
        [f"{stack.url}/static/js/words.js", texts, names],
    )
    assert character_counts == [_counts_around_mention(t, names) for t in texts]
    page.close()
