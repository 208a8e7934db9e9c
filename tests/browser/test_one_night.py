"""Whole games in a real browser, through web, worker, sweeper and Redis as separate processes."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from game.engine.text_checks import count_characters, count_words, find_mention
from tests.browser.table import Person
from tests.live import Stack

SERIOUS = ("serious", "critical")
# Nothing that passes is described, no rule runs whose violations are never more than moderate and
# which takes a tenth of the time, and what only such rules read is not loaded: style sheets, media.
AXE_OPTIONS = {
    "resultTypes": ["violations"], "preload": False, "rules": {"region": {"enabled": False}},
}  # fmt: skip
REMOVED = "The host removed this text."
# What is read aloud from now on, in order, as [region, text], in `heard`: what is put into live
# regions, the whole of it where a region is atomic; " [button]" for a control that is read with it.
LISTEN = """() => {
    const regions = "[aria-live], [role=log], [role=status], [role=alert]";
    const silent = "[aria-hidden=true], [hidden], template";
    const words = (node) => {
        const copy = node.cloneNode(true);
        if (copy.nodeType !== 1) return copy.textContent.trim();
        for (const part of copy.querySelectorAll(silent)) part.remove();
        const text = copy.textContent.trim().replace(/\\s+/g, " ");
        return copy.querySelector("button, summary") ? `${text} [button]` : text;
    };
    window.heard = [];
    new MutationObserver((records) => {
        const told = new Set();
        for (const { type, target, addedNodes } of records)
            for (const node of type === "childList" ? addedNodes : [target]) {
                const at = node.nodeType === 1 ? node : node.parentElement;
                const region = node.isConnected && at?.closest(regions);
                if (!region || at.closest(silent)) continue;
                if (region.getAttribute("aria-live") === "off") continue;
                if (type !== "childList" && region.ariaRelevant === "additions") continue;
                const atomic = region.matches("[role=status], [role=alert]");
                if (atomic && told.has(region)) continue;
                told.add(region);
                const text = words(atomic ? region : node);
                if (text) heard.push([region.id || region.className, text]);
            }
    }).observe(document.body, {
        childList: true, subtree: true, characterData: true, attributeFilter: ["hidden"],
    });
}"""


def check_height(page: Page) -> None:
    """A running game's page is as high as the window: it never scrolls away as a whole."""
    sizes = page.evaluate("[document.documentElement.scrollHeight, innerHeight]")
    assert sizes[0] <= sizes[1], sizes


def check_accessibility(page: Page) -> None:
    """Colours that are still changing have no contrast to be measured, so changes are ended."""
    page.evaluate(
        "document.getAnimations().forEach(a => { try { a.finish() } catch { /* endless */ } })"
    )
    page.evaluate(Axe().axe_script)
    found = page.evaluate("options => axe.run(options).then(it => it.violations)", AXE_OPTIONS)
    worse = [v for v in found if v["impact"] in SERIOUS or v["id"] == "landmark-unique"]
    bad = [(v["id"], [n["html"] for n in v["nodes"]]) for v in worse]
    assert not bad, (page.url, bad)


def at_both_widths(page: Page, *checks: Callable[[Page], None]) -> None:
    """The checks on a phone's window and on a desk's, as which it stays."""
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        for check in checks:
            check(page)


def test_game_is_playable_by_keyboard_and_announced_once(stack: Stack, chromium: Browser) -> None:
    """Tab, arrows, Space, Enter: from the first page to a statement made and a vote cast.

    The focus is never lost, and live regions say everything once.
    """
    wide = {"width": 1280, "height": 800}
    context = chromium.new_context(viewport=wide, reduced_motion="no-preference")
    page = context.new_page()
    person = Person(page)
    person.open_table(stack.url)
    expect(page.locator("#sound")).to_be_visible()  # the scripts have started
    page.evaluate(LISTEN)

    def tab_to(selector: str) -> None:
        for _ in range(80):
            if page.evaluate("s => document.activeElement?.matches(s)", selector):
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"Tab never comes to {selector}")

    def press(selector: str, then: str) -> None:
        """Enter on what `selector` finds; afterwards `then` has the focus."""
        tab_to(selector)
        expect(page.locator("#table:not([data-sending])")).to_be_visible()  # one act at a time
        page.keyboard.press("Enter")
        expect(page.locator(then)).to_be_focused()

    def take_out() -> None:
        """The host pauses, takes their own words out, and goes on."""
        page.locator("#table-sheet > summary").focus()
        page.keyboard.press("Enter")
        press("#pause[value=pause]", "#pause[value=resume]")
        press("#words-out > summary", "#words-out > summary")
        press("#words-out .confirm > summary", "#words-out .confirm > summary")
        press("#words-out .confirm button", "#pause")  # there is no more to take out
        expect(page.locator("#transcript")).to_contain_text(REMOVED)
        press("#pause[value=resume]", "#pause[value=pause]")
        page.locator(".skip-part").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#composer")).to_be_focused()

    def choose() -> None:
        if person.said:
            expect(page.locator("#choice")).to_be_focused()  # the composer has gone
        window = page.locator("#choice").get_attribute("data-window")
        tab_to("#choose input[name=target]")
        page.keyboard.press("Space")
        if page.locator("#choose input[type=checkbox]").count():
            page.keyboard.press("Tab")
            page.keyboard.press("Space")
        tab_to("#choose-send")
        with page.expect_response("**/answer"):
            page.keyboard.press("Enter")
        person.taken(window)

    def say(text: str) -> None:
        tab_to("#composer")
        page.keyboard.press("Control+A")
        page.keyboard.type(text)
        with page.expect_response("**/answer"):
            page.keyboard.press("Control+Enter")
        person.said.append(text)
        expect(page.locator("#transcript")).to_contain_text(text)
        expect(page.locator(":focus")).to_have_id(re.compile("^(composer|choice)$"))
        if len(person.said) == 1:
            take_out()

    person.choose, person.say = choose, say  # type: ignore[method-assign]
    person.play(person.over)
    assert len(person.said) == 3
    assert not person.errors
    expect(page.locator("#end-title")).to_be_focused()
    heard = [(region, text) for region, text in page.evaluate("heard")]
    lines = [text for region, text in heard if region == "scroll"]
    assert sorted(set(lines)) == sorted(lines)
    assert all(any(text in line for line in lines) for text in person.said)
    assert sum(REMOVED in line for line in lines) == 1
    assert not [text for _, text in heard if "[button]" in text], "lines are words alone"
    counts = [text for _, text in heard if re.search(r"\d+ of \d+ are in", text)]
    assert not counts, "counted in silence"
    # A slow page may get two turns at once; the lines between them are told before the second.
    assert not [one for one, other in pairwise(heard) if one == other and one[0] == "dock-status"]
    assert not [text for _, text in heard if text.startswith("Pick ")], "the question says it"
    assert ("notice", "Ready.") in heard
    said = "your turn"  # computer players use the words as well: what they say is in "scroll"
    turns = [region for region, text in heard if said in text and region != "scroll"]
    assert set(turns) == {"dock-status"}
    # What a slow page gets at once is told at once; a turn that had come before the host paused is
    # told once more as the game goes on.
    assert len(turns) <= 4
    assert [text for region, text in heard if region == "verdict"] in (["You won."], ["You lost."])
    context.close()


def test_outsider_in_another_browser_sees_nothing(stack: Stack, chromium: Browser) -> None:
    mine, other = chromium.new_context(), chromium.new_context()
    address = Person(mine.new_page()).open_table(stack.url)
    page = other.new_page()
    answer = page.goto(address)
    assert answer
    assert answer.status == 403
    expect(page.locator("h1")).to_contain_text("another player’s table")
    mine.close()
    other.close()


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


def _before_and_behind(text: str, names: list[str]) -> list[int]:
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
    counted = page.evaluate(
        "async ([url, texts]) => {"
        " const words = await import(url); return texts.map(t => words.countWords(t)); }",
        [f"{stack.url}/static/js/words.js", texts],
    )
    assert counted == [count_words(t) for t in texts]
    names = ["Ann", "Anna", "Zoë"]
    texts += ["hello @Anna and bye", "@Ann", "a b @Zoë c\u3000d @Ann e", "@everyone no", "＠Ann hi"]
    characters = page.evaluate(
        "async ([url, texts, names]) => { const words = await import(url);"
        " return texts.map(t => Object.values(words.countCharacters(t, names)).slice(0, 2)); }",
        [f"{stack.url}/static/js/words.js", texts, names],
    )
    assert characters == [_before_and_behind(t, names) for t in texts]
    page.close()
