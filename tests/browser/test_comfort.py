"""Tests of the layout of a table: at any width, in forced colours and in any light."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from game.engine import rulesets
from tests.browser.page_checks import (
    at_both_widths,
    check_accessibility,
    check_badges_apart,
    check_height,
    check_names_unbroken,
    check_no_overflow,
    line_ids,
    set_width,
)
from tests.browser.table import Person, get_game_code, wait_for_draft
from tests.chromium import find
from tests.conftest import flags
from tests.live import Stack, wait_until

WIDTHS = (1280, 390, 320)
# Return whether this browser holds a copy of a draft with that text.
HAS_DRAFT_COPY = """text => Object.entries(localStorage).some(([key, value]) =>
    key.startsWith("fabula:draft:") && JSON.parse(value).text === text)"""

# Show news and the arrow to new lines, as transcript.js does while lines are out of sight.
SHOW_NEWS = """() => {
    document.getElementById("news").innerHTML =
        "<li>You looked at Loretta and Rosalind: neither is the Werewolf.</li>";
    document.getElementById("below").hidden = false;
}"""


def check_ballot_centred(page: Page) -> None:
    """Check that the face and name of each ballot card are centred."""
    offsets = page.locator("#choose .ballot-card").evaluate_all(
        """cards => cards.map(card => {
             const middle = box => box.left + box.width / 2;
             const name = card.querySelector(".ballot-name").getBoundingClientRect();
             return Math.abs(middle(card.getBoundingClientRect()) - middle(name));
           })"""
    )
    assert max(offsets) < 2, offsets


def check_vote_in_low_windows(page: Page) -> None:
    """Check that a vote is complete in a low window, or one enlarged to 200 %."""
    for width, height in ((640, 400), (320, 640)):
        page.set_viewport_size({"width": width, "height": height})
        check_height(page)
        for part in ("#choose-send", "#choose .ballot-card:last-child", ".mine summary >> nth=0"):
            expect(page.locator(part)).to_be_in_viewport(ratio=1)
        check_no_overflow(page)


def check_room_for_talk(page: Page) -> None:
    """Check that a vote on a phone shows all choices and leaves a third of it to the talk."""
    for height in (844, 664):
        page.set_viewport_size({"width": 390, "height": height})
        for card in page.locator("#choose .ballot-card").all():
            expect(card).to_be_in_viewport(ratio=1)
        expect(page.locator("#choose-send")).to_be_in_viewport(ratio=1)
        log, dock = page.locator("#scroll").bounding_box(), page.locator("#dock").bounding_box()
        assert log
        assert dock
        assert dock["y"] - log["y"] > 0.35 * height, (height, log, dock)


def check_forced_colours(page: Page) -> None:
    """Check replacements for shadows and colours that forced colours remove."""
    page.emulate_media(forced_colors="active")
    styles = page.evaluate(
        """() => [
             getComputedStyle(document.querySelector("#seats .is-me .portrait")).outlineStyle,
             ...[".sheet > summary", ".phase-title"].map((part) => {
               const icon = document.querySelector(`${part} .icon`);
               return getComputedStyle(icon).color === getComputedStyle(icon.parentElement).color;
             }),
           ]"""
    )
    assert styles == ["solid", True, True]
    page.emulate_media(forced_colors="none")


def continue_in_another_tab(context: BrowserContext, person: Person, address: str) -> Person:
    """Type half a sentence, close the page, and continue in another tab."""
    page, before = person.page, len(line_ids(person.page))
    page.locator("#composer").press_sequentially("Half a thought", delay=5)
    wait_for_draft(page, "Half a thought")
    page.close()
    second = Person(context.new_page())
    second.said = person.said
    second.page.goto(address)
    expect(second.page.locator("#composer")).to_have_value("Half a thought")
    assert len(line_ids(second.page)) >= before
    expect(second.page.locator("#transcript")).to_contain_text(person.said[0])
    return second


def check_end(page: Page) -> None:
    expect(page.locator("#end-title")).to_have_text(re.compile("wins\\.$"))
    ruleset = rulesets.get("one-night")
    expected_names = {role.key: role.name for role in ruleset.roles}
    role_names = page.locator("#end .reveal-role").all_inner_texts()
    assert sorted(role.strip() for role in role_names) == sorted(
        expected_names[key] for key in ruleset.deck
    )
    expect(page.locator("#end svg.vote-chart .vote-line")).to_have_count(8)
    check_accessibility(page)
    for width in WIDTHS:
        set_width(page, width)
        check_badges_apart(page)
        check_no_overflow(page)


def check_replay(page: Page) -> None:
    page.locator("#replay").click()
    expect(page.locator("#reel, .reel").first).to_be_visible()
    page.locator("#sights a[href*='moderator']").click()
    for width in WIDTHS:
        set_width(page, width)
        check_no_overflow(page)
    page.emulate_media(forced_colors="active")
    chosen_colour, other_colour = page.evaluate(
        """() => ["[aria-current]", ":not([aria-current])"].map(which =>
             getComputedStyle(document.querySelector(`#sights .chip${which}`)).backgroundColor)"""
    )
    assert chosen_colour != other_colour, "forced colours hide the chosen view"


def test_doubled_text_size_covers_nothing(stack: Stack, chromium: Browser) -> None:
    """On a phone the bar is one row, with the composer and its button above it."""
    chromium_path, text_size_flag = find() or "", "--blink-settings=defaultFontSize=32"
    with chromium.browser_type.launch(
        executable_path=chromium_path, args=[*flags(), text_size_flag]
    ) as browser:
        page = browser.new_page(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
        person = Person(page)
        page.goto(stack.url)
        page.locator(".hero-act button").click()
        person.play_until_turn()
        page.evaluate(SHOW_NEWS)
        check_no_overflow(page)
        tabs = page.locator(".mine > :not([hidden])").evaluate_all(
            "tabs => tabs.map(tab => tab.getBoundingClientRect().top)"
        )
        assert len(tabs) == 5
        assert len(set(tabs)) == 1, tabs
        for part in ("#composer", "#say-send"):
            expect(page.locator(part)).to_be_in_viewport(ratio=1)
            above = page.locator(part).evaluate("part => part.getBoundingClientRect().bottom")
            assert above <= tabs[0], part
        title = page.locator(".phase-title > span")
        assert title.evaluate("title => title.scrollWidth <= title.clientWidth + 1")
        assert not person.errors


def test_game_works_at_every_width_and_over_a_reload(stack: Stack, desktop: BrowserContext) -> None:
    first = Person(desktop.new_page())
    page = first.page
    page.goto(stack.url)
    check_accessibility(page)
    address = first.open_table(stack.url)
    for width in WIDTHS:
        set_width(page, width)
        check_names_unbroken(page)
        check_no_overflow(page)
    check_accessibility(page)
    first.play(lambda: len(first.said) == 1)
    at_both_widths(page, check_accessibility, check_height)
    person = continue_in_another_tab(desktop, first, address)
    page = person.page
    person.play(lambda: len(person.said) == 3)
    expect(page.locator("#choose")).to_be_visible(timeout=60_000)
    check_ballot_centred(page)
    check_forced_colours(page)
    check_vote_in_low_windows(page)
    check_room_for_talk(page)
    person.play(person.is_over)
    check_end(page)

    # The page shows exactly the lines of the log.
    ids = line_ids(page)
    assert len(ids) == len(set(ids))
    code = get_game_code(address)
    log = stack.manage("transcript", code, "--viewer", "public")
    assert log.count('"manner": "say"') == 24
    page.reload()
    assert line_ids(page) == ids
    check_replay(page)
    assert not first.errors + person.errors


def test_theme_transition_does_not_block_clicks(stack: Stack, desktop: BrowserContext) -> None:
    page = desktop.new_page()
    page.emulate_media(reduced_motion="no-preference")
    Person(page).open_table(stack.url, pace="natural")  # the natural pace keeps the night
    expect(page.locator("#phase")).to_have_attribute("data-light", "night")
    results = page.evaluate(
        """async () => {
             const paper = () => getComputedStyle(document.body).backgroundColor;
             const next = () => new Promise(done => requestAnimationFrame(done));
             const before = paper();
             for (let frames = 0; frames < 60 && paper() === before; frames += 1) {
               document.getElementById("phase").dataset.light = "day"; // also where a push drew it
               document.dispatchEvent(new CustomEvent("fabula:frame"));
               await next();
             }
             const button = document.querySelector("#lights > summary");
             const box = button.getBoundingClientRect();
             const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
             const changing = document.documentElement.getAnimations().length;
             return [button.contains(hit), changing, before !== paper()];
           }"""
    )
    assert results[0], "visible buttons can be clicked during the change"
    assert results[1] > 5, "the change is animated"
    assert results[2], "the theme changes"


def test_theme_is_kept_between_pages(stack: Stack, desktop: BrowserContext) -> None:
    person = Person(desktop.new_page())
    page = person.page
    person.open_table(stack.url)
    person.play(page.locator("#composer").is_visible)
    page.locator("#composer").fill("Not sent yet")
    page.locator("#lights > summary").click()
    page.get_by_role("button", name="Always dark").click()
    html = page.locator("html")
    expect(html).to_have_attribute("data-kept", "night")
    expect(page.locator("#composer")).to_have_value("Not sent yet")
    page.keyboard.press("Escape")
    expect(page.locator("#lights .lights")).to_be_hidden()
    page.goto(stack.url)
    expect(html).to_have_attribute("data-kept", "night")
    assert html.evaluate("e => getComputedStyle(e).colorScheme") == "dark"
    page.get_by_role("button", name="Always light").click()
    assert html.evaluate("e => getComputedStyle(e).colorScheme") == "light"


def test_sent_draft_disappears_from_the_other_tab(stack: Stack, desktop: BrowserContext) -> None:
    person = Person(desktop.new_page())
    address = person.open_table(stack.url)
    person.play_until_turn()
    person.page.locator("#composer").fill("I am a vill")
    other_tab = desktop.new_page()

    def has_draft() -> bool:
        other_tab.goto(address)
        expect(other_tab.locator("#sound")).to_be_visible()  # the scripts have started
        return other_tab.locator("#composer").input_value() == "I am a vill"

    wait_until(has_draft, "the draft is in the other tab")
    person.say("I am a villager, and that is all.")
    expect(other_tab.locator("#composer")).to_have_value("")

    # The other tab's own draft stays when this tab sends a statement.
    expect(person.page.locator("#say-send")).to_be_visible(timeout=60_000)
    other_tab.locator("#composer").press_sequentially("I am not so sure")
    expect(person.page.locator("#composer")).to_have_value(
        "I am not so sure"
    )  # the draft is synchronised
    person.say("That was all.")
    other_tab.wait_for_function(HAS_DRAFT_COPY, arg="I am not so sure")  # the copy is restored
    expect(other_tab.locator("#composer")).to_have_value("I am not so sure")
    other_tab.reload()
    expect(other_tab.locator("#composer")).to_have_value("I am not so sure")

    # Both tabs show that the game was called off by keyboard.
    for part in ("#table-sheet > summary", "#off > summary", "button[value=call_off]"):
        expect(person.page.locator(part)).to_be_visible()
        person.page.locator(part).focus()
        person.page.keyboard.press("Enter")
    for page in (person.page, other_tab):
        expect(page.locator("#awaited")).to_contain_text(re.compile("called .*off"))


def test_failed_statement_can_be_sent_again(stack: Stack, desktop: BrowserContext) -> None:
    """The retry button disappears, and the focus stays in the table."""
    is_broken = False
    person = Person(desktop.new_page())
    page = person.page
    # Set the route first: Chromium routes requests of an open page only after a delay.
    page.route("**/answer", lambda route: route.abort() if is_broken else route.continue_())
    person.open_table(stack.url)
    person.play_until_turn()
    is_broken = True
    page.locator("#composer").fill("I am a villager.")
    page.keyboard.press("Control+Enter")
    retry = page.get_by_role("button", name="Try now")
    expect(retry).to_be_visible()
    retry.focus()
    is_broken = False
    page.keyboard.press("Enter")
    expect(page.locator("#transcript")).to_contain_text("I am a villager.")
    expect(page.locator("#composer, #choice").locator("visible=true").first).to_be_focused()


@pytest.mark.parametrize("width", [1280, 390])
def test_seat_opens_its_card(stack: Stack, desktop: BrowserContext, width: int) -> None:
    person = Person(desktop.new_page())
    page = person.page
    set_width(page, width)
    person.open_table(stack.url)
    person.play_until_turn()  # a phone shows no seats during a choice at night
    seat = page.locator("#seats li:not(.is-me)").last
    number = (seat.get_attribute("id") or "").removeprefix("seat-")
    expect(page.locator(f"#mate-{number}")).to_be_hidden()
    seat.locator(".seat-open").click()
    card = page.locator(f"#mate-{number}")
    expect(card).to_have_attribute("open", "")
    expect(card.locator("summary")).to_be_focused()
    expect(page.locator(".legend")).to_contain_text("dislikes you")
    expect(seat.locator(".badge-face")).to_have_attribute("title", "Favor toward you: 50 of 100")
    # In one step, because a push may replace the seat between two.
    animation = page.evaluate(
        """number => {
             const badge = document.querySelector(`#seat-${number} .badge-face`);
             badge.dataset.favor = "31";
             document.dispatchEvent(new CustomEvent("fabula:frame"));
             return getComputedStyle(badge).animationName;
           }""",
        number,
    )
    assert animation == "moved"
    page.keyboard.press("Escape")
    expect(seat.locator(".seat-open")).to_be_focused()
    assert not person.errors
