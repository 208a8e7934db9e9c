"""Tests of small comforts at a table: Back, focus, no scripts, marks, drafts and speech."""

from __future__ import annotations

import time

from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.page_checks import (
    at_both_widths,
    check_accessibility,
    check_height,
    check_no_overflow,
)
from tests.browser.seats import open_choice, sit_as
from tests.browser.table import Person, wait_for_draft
from tests.live import Stack

# The position of the first and the last visible line of the log.
VISIBLE_LINE = """
  (() => {
    const box = document.getElementById("scroll").getBoundingClientRect();
    const lines = [...document.querySelectorAll("#transcript > li")].map((line, at) => [at, line])
      .filter(([, line]) => {
        const { top, bottom } = line.getBoundingClientRect();
        return bottom > box.top && top < box.bottom;
      });
    return lines.at(%s)[0];
  })()
"""
# Ask the server for all parts, and wait until they are drawn.
PUSH_ALL_PARTS = """
  () => new Promise((drawn) => {
    document.addEventListener("fabula:frame", drawn, { once: true });
    document.dispatchEvent(new CustomEvent("fabula:behind"));
  }).then(() => {})
"""
FIRST_VISIBLE, LAST_VISIBLE = VISIBLE_LINE % "0", VISIBLE_LINE % "-1"


def go_back(page: Page) -> None:
    """Press Back. `page.go_back` would wait for a load, which does not happen."""
    page.evaluate("history.back()")


def test_back_button_closes_a_dialog_and_stays_at_the_table(
    stack: Stack, desktop: BrowserContext
) -> None:
    person = Person(desktop.new_page())
    page = person.page
    address = person.open_table(stack.url)
    rules = page.locator("#rules[open]")
    entries = page.evaluate("history.length")
    for _ in range(2):
        page.locator("#rules-link").click()
        expect(rules).to_be_visible()
        go_back(page)
        expect(rules).to_have_count(0)
        assert page.url == address
    # A dialog closed by its button or a reload leaves no history entry.
    page.locator("#rules-link").click()
    page.locator("#rules button").first.click()
    expect(rules).to_have_count(0)
    page.wait_for_function("!history.state?.dialog")
    page.locator("#rules-link").click()
    expect(rules).to_be_visible()
    page.reload()
    page.wait_for_function("!history.state?.dialog")
    expect(page.locator("#sound")).to_be_visible()
    assert page.evaluate("history.length") == entries + 1
    go_back(page)
    expect(page).not_to_have_url(address)
    assert not person.errors


def test_reload_on_the_own_turn_focuses_the_composer(stack: Stack, desktop: BrowserContext) -> None:
    person = Person(desktop.new_page())
    page, composer = person.page, person.page.locator("#composer")
    address = person.open_table(stack.url)
    person.play_until_turn()
    composer.press_sequentially("Half a thou", delay=5)
    wait_for_draft(page, "Half a thou")
    page.reload()
    expect(composer).to_be_focused()
    page.keyboard.type("ght")
    expect(composer).to_have_value("Half a thought")
    # A newly opened page is read from its beginning.
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator("#sound")).to_be_visible()  # the scripts have started
    expect(composer).not_to_be_focused()
    assert not person.errors


def test_reload_opens_no_keyboard_on_a_phone(stack: Stack, chromium: Browser) -> None:
    with chromium.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    ) as context:
        person = Person(context.new_page())
        page = person.page
        person.open_table(stack.url)
        person.play_until_turn()
        page.reload()
        expect(page.locator("#sound")).to_be_visible()  # the scripts have started
        expect(page.locator("#say-send")).to_be_visible()
        expect(page.locator("#composer")).not_to_be_focused()


def test_waiting_page_without_scripts_reloads_itself(stack: Stack, chromium: Browser) -> None:
    """The host has scripts, the guest has none."""
    with (
        chromium.new_context() as host_context,
        chromium.new_context(java_script_enabled=False) as guest_context,
    ):
        host, guest = host_context.new_page(), guest_context.new_page()
        host.goto(f"{stack.url}/tables/new?ruleset=one-night")
        host.locator("input[name=guests]").fill("1")
        host.locator("button:has-text('Open the table')").click()
        guest.goto(host.locator("#invitation").input_value())
        guest.locator("button:has-text('Sit down')").click()
        note = guest.locator("noscript p", has_text="loads again every 10 seconds")
        expect(note).to_be_visible()
        # A guest who writes can stop the reloads.
        guest.locator("noscript a", has_text="Stop this").click()
        expect(note).to_have_count(0)
        assert guest.locator("meta[http-equiv=refresh]").count() == 0
        guest.locator("noscript a", has_text="Let this page").click()
        expect(note).to_be_visible()
        # The game begins, and the guest's page follows without input.
        host.locator("#start").click()
        expect(guest.locator("#transcript > li").first).to_be_visible(timeout=60_000)


def test_night_choice_marks_oneself_and_the_partners(stack: Stack, desktop: BrowserContext) -> None:
    person = sit_as(stack, desktop, "werewolf", {"max_rounds": 2})
    page = person.page
    deadline = time.monotonic() + 60
    while open_choice(page) != "attack":
        assert time.monotonic() < deadline, page.locator("body").inner_text()
        person.answer_once()
        page.wait_for_timeout(60)
    cards = page.locator("#choose .ballot-card")
    own_name = page.locator("#seats .is-me .seat-name").inner_text()
    expect(cards.filter(has_text=own_name).locator(".ballot-word")).to_have_text("you")
    partner_names = page.locator(
        "#seats li:not(.is-me):has(.badge-role) .seat-name"
    ).all_inner_texts()
    partners = cards.filter(has=page.locator(".ballot-word", has_text="partner"))
    assert partner_names
    assert sorted(partners.locator(".ballot-name").all_inner_texts()) == sorted(partner_names)
    at_both_widths(page, check_accessibility, check_height, check_no_overflow)
    # The ballot by day has no marks.
    while open_choice(page) != "vote" and not person.is_over():
        person.answer_once()
        page.wait_for_timeout(60)
    expect(page.locator("#choose .ballot-word")).to_have_count(0)
    assert not person.errors


def test_push_of_the_same_question_loses_no_press(stack: Stack, desktop: BrowserContext) -> None:
    """The first push after a load has the whole page. A press that began before it still counts."""
    person = sit_as(stack, desktop, "werewolf", {"max_rounds": 2})
    page = person.page
    while not open_choice(page):
        person.answer_once()
    card = page.locator("#choose .ballot-card").first
    card.hover()
    page.mouse.down()
    page.evaluate(PUSH_ALL_PARTS)
    page.mouse.up()
    expect(card.locator("input")).to_be_checked()
    person.choose()
    assert not person.errors


def test_newer_draft_replaces_the_older_with_a_notice(
    stack: Stack, desktop: BrowserContext
) -> None:
    person = Person(desktop.new_page())
    address = person.open_table(stack.url)
    person.play_until_turn()
    other_tab = desktop.new_page()
    other_tab.goto(address)
    expect(other_tab.locator("#sound")).to_be_visible()  # the scripts have started
    older, newer = person.page.locator("#composer"), other_tab.locator("#composer")
    note = person.page.locator("#draft-elsewhere")
    older.press_sequentially("An older thought")
    expect(newer).to_have_value("An older thought")
    expect(other_tab.locator("#draft-elsewhere")).to_be_hidden()  # it had no draft of its own
    newer.fill("A newer thought")
    expect(older).to_have_value("A newer thought")
    expect(note).to_contain_text("newer draft from another tab")
    wait_for_draft(other_tab, "A newer thought")
    other_tab.reload()
    expect(newer).to_have_value("A newer thought")
    check_accessibility(person.page)
    # The replaced draft can be restored, and is the newest then.
    note.get_by_role("button").click()
    expect(older).to_have_value("An older thought")
    expect(note).to_be_hidden()
    expect(newer).to_have_value("An older thought")
    # When the newer one is sent, the older one returns.
    newer.fill("I say this first.")
    expect(note).to_be_visible()
    other_tab.locator("#say-send").click()
    expect(older).to_have_value("An older thought")
    expect(note).to_be_hidden()
    assert not person.errors


def test_lines_shown_together_are_read_from_the_first(stack: Stack, chromium: Browser) -> None:
    """At quick pace more lines arrive at once than a phone shows."""
    with chromium.new_context(viewport={"width": 390, "height": 700}) as context:
        person = Person(context.new_page())
        page = person.page
        person.open_table(stack.url, pace="quick")
        person.play_until_turn()
        person.answer_once()
        first = page.locator("#transcript li[data-new]")
        expect(first).to_have_count(1, timeout=60_000)
        expect(first).to_be_in_viewport()
        assert "New since you looked" in page.evaluate(
            "getComputedStyle(document.querySelector('li[data-new]'), '::before').content"
        )
        # The own statement is above it, and the newest line is below the window.
        own_line, first_new = page.locator("#transcript .is-mine").last, first
        numbers = [
            int(element.get_attribute("data-position") or 0) for element in (own_line, first_new)
        ]
        assert numbers == sorted(numbers)
        expect(page.locator("#transcript > li").last).not_to_be_in_viewport()
        button, lines = (page.locator(part).bounding_box() for part in ("#below", "#scroll"))
        assert button
        assert lines
        assert lines["y"] + lines["height"] <= button["y"], "the button covers no line"
        # Each press scrolls one screen and skips no line.
        while page.locator("#below").is_visible():
            last_visible = page.evaluate(LAST_VISIBLE)
            page.locator("#below").click()
            assert page.evaluate(FIRST_VISIBLE) <= last_visible + 1
        expect(page.locator("#transcript > li").last).to_be_in_viewport()
        expect(page.locator("#scroll")).to_be_focused()
        assert not person.errors


def test_eliminations_and_the_own_result_are_in_view(stack: Stack, chromium: Browser) -> None:
    """When many lines arrive together, the most important is shown without scrolling."""
    rules = {"talk_per_agent": 1, "max_day": 2}
    with chromium.new_context(viewport={"width": 390, "height": 700}) as context:
        person = sit_as(stack, context, "seer", rules, "aiwolf-13", "quick")
        page = person.page
        person.play(lambda: page.locator("#news li").count() > 0)
        news = page.locator("#news li").last
        expect(news).to_be_in_viewport()
        assert news.inner_text() in page.locator("#transcript").inner_text()
        page.set_viewport_size({"width": 390, "height": 560})  # a line may be higher than the log
        line = news.get_attribute("data-entry")
        page.locator(f"#{line}").scroll_into_view_if_needed()
        expect(page.locator(f"#news [data-entry={line}]")).to_have_count(0)


FAKE_SPEECH = """
  window.read = [];
  const voices = ["One", "Two", "Far"].map((name) => ({
    voiceURI: name, lang: "en-US", localService: name !== "Far",
  }));
  const speech = Object.assign(new EventTarget(), {
    getVoices: () => voices,
    speak: ({ text, voice, pitch, rate }) => window.read.push([text, voice.voiceURI, pitch, rate]),
    cancel: () => window.read.push(null),
  });
  Object.defineProperty(window, "speechSynthesis", { value: speech });
  window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
  window.SpeechRecognition = class extends EventTarget {
    start() { window.hear = (text) => this.dispatchEvent(
      Object.assign(new Event("result"), { results: [[{ transcript: text }]] })); }
    stop() { this.dispatchEvent(new Event("end")); }
    abort() { this.stop(); }
  };
"""


def test_lines_are_read_aloud_and_speech_becomes_a_draft(
    stack: Stack, desktop: BrowserContext
) -> None:
    """Headless Chromium has no voices and no microphone, so two objects replace them."""
    person = Person(desktop.new_page())
    page = person.page
    page.add_init_script(FAKE_SPEECH)
    person.open_table(stack.url)
    assert page.evaluate("read.filter(Boolean)") == []  # off by default
    page.locator("#voices").click()
    expect(page.locator("#voices")).to_have_attribute("aria-pressed", "true")
    person.play_until_turn()

    page.locator("#composer").fill("Listen:")
    page.get_by_role("button", name="Speak instead of writing").click()
    for recognised in ("I am", "I am a villager."):
        page.evaluate("heard => hear(heard)", recognised)
    expect(page.locator("#composer")).to_have_value("Listen: I am a villager.")
    expect(page.locator("#words")).to_contain_text("5 of")
    page.keyboard.press("Enter")
    own_line = page.locator("#transcript .is-mine .words", has_text="Listen: I am a villager.")
    expect(own_line).to_be_visible()
    expect(page.locator("#dictate")).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#composer")).to_have_value("")

    person.play_until_turn()
    spoken_rows = [row for row in page.evaluate("read") if row]
    lines = page.locator("#transcript .entry-statement:not(.is-mine)")
    names = lines.locator(".speaker").all_inner_texts()
    speakers = dict(zip(lines.locator(".words").all_inner_texts(), names, strict=True))
    assert {row[0] for row in spoken_rows} >= set(list(speakers)[-3:])
    assert "Listen: I am a villager." not in {row[0] for row in spoken_rows}
    manners = {(speakers[row[0]], *row[1:]) for row in spoken_rows}
    assert len(manners) == len({name for name, *_ in manners}) > 2  # each player has one manner
    assert {voice for _, voice, *_ in manners} <= {
        "One",
        "Two",
    }  # "Far" would send the text to a server
    page.locator("#voices").click()
    page.reload()
    expect(page.locator("#voices")).to_have_attribute("aria-pressed", "false")
    assert not person.errors
