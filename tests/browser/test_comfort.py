"""What makes a table pleasant: nothing broken at any width, in forced colours, in any light."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from game.engine import rulesets
from tests.browser.table import Person, wait_for_draft
from tests.browser.test_one_night import at_both_widths, check_accessibility, check_height
from tests.chromium import find
from tests.conftest import flags
from tests.live import Stack, wait_until

WIDTHS = (1280, 390, 320)
# Whether this browser holds a copy of a draft with that text.
COPIES = """text => Object.entries(localStorage).some(([key, value]) =>
    key.startsWith("fabula:draft:") && JSON.parse(value).text === text)"""


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    with chromium.new_context(viewport={"width": 1280, "height": 800}) as context:
        yield context


def at_width(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})


def no_wider(page: Page) -> None:
    """The page as a whole is no wider than the window, nor are the papers beside the table."""
    wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1], (page.url, wide)
    for part in page.locator(".mine, #scroll").all():
        wide = part.evaluate("part => [part.scrollWidth, part.clientWidth]")
        assert wide[0] <= wide[1], (page.url, part, wide)


def whole_names(page: Page) -> None:
    """No seat's name is broken inside a word."""
    broken = page.locator("#seats .seat-name").evaluate_all(
        """names => names.filter(name => {
             const range = document.createRange();
             range.selectNodeContents(name);
             const lines = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
             return lines.size > name.textContent.trim().split(/\\s+/).length
                 || name.scrollWidth > name.clientWidth + 1;
           }).map(name => name.textContent)"""
    )
    assert not broken, (page.viewport_size, broken)


def apart(page: Page) -> None:
    """No badge lies on another seat's."""
    hits = page.locator("#seats .badge").evaluate_all(
        """badges => {
             const boxes = badges.map(badge => badge.getBoundingClientRect());
             return boxes.flatMap((a, i) => boxes.slice(i + 1).filter(b =>
               a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom));
           }"""
    )
    assert not hits, (page.viewport_size, len(hits))


def centred(page: Page) -> None:
    """A ballot's face and name stand in the middle of it."""
    off = page.locator("#choose .ballot-card").evaluate_all(
        """cards => cards.map(card => {
             const middle = box => box.left + box.width / 2;
             const name = card.querySelector(".ballot-name").getBoundingClientRect();
             return Math.abs(middle(card.getBoundingClientRect()) - middle(name));
           })"""
    )
    assert max(off) < 2, off


def everything_in_reach(page: Page) -> None:
    """In a low window, or one enlarged to 200 %, nothing of a vote is cut off or hidden."""
    for width, height in ((640, 400), (320, 640)):
        page.set_viewport_size({"width": width, "height": height})
        check_height(page)
        for part in ("#choose-send", "#choose .ballot-card:last-child", ".mine summary >> nth=0"):
            expect(page.locator(part)).to_be_in_viewport(ratio=1)
        no_wider(page)


def talk_keeps_room(page: Page) -> None:
    """A vote on a phone shows every choice and leaves a good third of the window to the talk."""
    for height in (844, 664):
        page.set_viewport_size({"width": 390, "height": height})
        for card in page.locator("#choose .ballot-card").all():
            expect(card).to_be_in_viewport(ratio=1)
        expect(page.locator("#choose-send")).to_be_in_viewport(ratio=1)
        log, dock = page.locator("#scroll").bounding_box(), page.locator("#dock").bounding_box()
        assert log
        assert dock
        assert dock["y"] - log["y"] > 0.35 * height, (height, log, dock)


def lines_stand_for_the_lamp(page: Page) -> None:
    """Forced colours take grounds and shadows away; icons get the colour of what they stand in."""
    page.emulate_media(forced_colors="active")
    found = page.evaluate(
        """() => [
             getComputedStyle(document.querySelector("#seats .is-me .portrait")).outlineStyle,
             ...[".sheet > summary", ".phase-title"].map((part) => {
               const icon = document.querySelector(`${part} .icon`);
               return getComputedStyle(icon).color === getComputedStyle(icon.parentElement).color;
             }),
           ]"""
    )
    assert found == ["solid", True, True]
    page.emulate_media(forced_colors="none")


def lines_of(page: Page) -> list[str]:
    return page.locator("#transcript > li").evaluate_all("all => all.map(li => li.id)")


def continue_in_another_tab(context: BrowserContext, person: Person, address: str) -> Person:
    """Half a sentence, then the page is gone: another tab of the same browser continues."""
    page, before = person.page, len(lines_of(person.page))
    page.locator("#composer").press_sequentially("Half a thought", delay=5)
    wait_for_draft(page, "Half a thought")
    page.close()
    second = Person(context.new_page())
    second.said = person.said
    second.page.goto(address)
    expect(second.page.locator("#composer")).to_have_value("Half a thought")
    assert len(lines_of(second.page)) >= before
    expect(second.page.locator("#transcript")).to_contain_text(person.said[0])
    return second


def check_end(page: Page) -> None:
    expect(page.locator("#end-title")).to_have_text(re.compile("wins\\.$"))
    ruleset = rulesets.get("one-night")
    names = {r.key: r.name for r in ruleset.roles}
    shown = page.locator("#end .reveal-role").all_inner_texts()
    assert sorted(r.strip() for r in shown) == sorted(names[key] for key in ruleset.deck)
    expect(page.locator("#end svg.vote-chart .vote-line")).to_have_count(8)
    check_accessibility(page)
    for width in WIDTHS:
        at_width(page, width)
        apart(page)
        no_wider(page)


def check_replay(page: Page) -> None:
    page.locator("#replay").click()
    expect(page.locator("#reel, .reel").first).to_be_visible()
    page.locator("#sights a[href*='moderator']").click()
    for width in WIDTHS:
        at_width(page, width)
        no_wider(page)
    page.emulate_media(forced_colors="active")
    chosen, other = page.evaluate(
        """() => ["[aria-current]", ":not([aria-current])"].map(which =>
             getComputedStyle(document.querySelector(`#sights .chip${which}`)).backgroundColor)"""
    )
    assert chosen != other, "forced colours hide whose eyes one looks through"


def test_doubled_text_size_covers_nothing(stack: Stack, chromium: Browser) -> None:
    """On a phone the bar is one row, and what one writes and its button stand above it."""
    path, large = find() or "", "--blink-settings=defaultFontSize=32"
    with chromium.browser_type.launch(executable_path=path, args=[*flags(), large]) as browser:
        page = browser.new_page(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
        person = Person(page)
        page.goto(stack.url)
        page.locator(".hero-act button").click()
        person.play_until_turn()
        no_wider(page)
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


def test_game_works_at_every_width_and_over_a_reload(stack: Stack, context: BrowserContext) -> None:
    first = Person(context.new_page())
    page = first.page
    page.goto(stack.url)
    check_accessibility(page)
    address = first.open_table(stack.url)
    for width in WIDTHS:
        at_width(page, width)
        whole_names(page)
        no_wider(page)
    check_accessibility(page)
    first.play(lambda: len(first.said) == 1)
    at_both_widths(page, check_accessibility, check_height)
    person = continue_in_another_tab(context, first, address)
    page = person.page
    person.play(lambda: len(person.said) == 3)
    expect(page.locator("#choose")).to_be_visible(timeout=60_000)
    centred(page)
    lines_stand_for_the_lamp(page)
    everything_in_reach(page)
    talk_keeps_room(page)
    person.play(person.over)
    check_end(page)

    # Nothing doubled, nothing missing: the page shows what the log holds.
    ids = lines_of(page)
    assert len(ids) == len(set(ids))
    code = address.rstrip("/").rsplit("/", 1)[1]
    log = stack.manage("transcript", code, "--viewer", "public")
    assert log.count('"manner": "say"') == 24
    page.reload()
    assert lines_of(page) == ids
    check_replay(page)
    assert not first.errors + person.errors


def test_theme_transition_does_not_block_clicks(stack: Stack, context: BrowserContext) -> None:
    page = context.new_page()
    page.emulate_media(reduced_motion="no-preference")
    Person(page).open_table(stack.url, pace="natural")  # no dawn of its own comes between
    expect(page.locator("#phase")).to_have_attribute("data-light", "night")
    found = page.evaluate(
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
    assert found[0], "what can be seen can be clicked, while the light changes too"
    assert found[1] > 5, "slowly"
    assert found[2], "but it does change"


def test_theme_is_kept_between_pages(stack: Stack, context: BrowserContext) -> None:
    person = Person(context.new_page())
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


def test_sent_draft_disappears_from_the_other_tab(stack: Stack, context: BrowserContext) -> None:
    person = Person(context.new_page())
    address = person.open_table(stack.url)
    person.play_until_turn()
    person.page.locator("#composer").fill("I am a vill")
    other = context.new_page()

    def opened() -> bool:
        other.goto(address)
        expect(other.locator("#sound")).to_be_visible()  # the scripts have started
        return other.locator("#composer").input_value() == "I am a vill"

    wait_until(opened, "the draft is in the other tab")
    person.say("I am a villager, and that is all.")
    expect(other.locator("#composer")).to_have_value("")

    # Words of its own stay there, also when the other tab has sent its own.
    expect(person.page.locator("#say-send")).to_be_visible(timeout=60_000)
    other.locator("#composer").press_sequentially("I am not so sure")
    expect(person.page.locator("#composer")).to_have_value("I am not so sure")  # it follows
    person.say("That was all.")
    other.wait_for_function(COPIES, arg="I am not so sure")  # what the other tab took away is back
    expect(other.locator("#composer")).to_have_value("I am not so sure")
    other.reload()
    expect(other.locator("#composer")).to_have_value("I am not so sure")

    # The game is called off, with the keyboard: both tabs say so.
    for part in ("#table-sheet > summary", "#off > summary", "button[value=call_off]"):
        expect(person.page.locator(part)).to_be_visible()
        person.page.locator(part).focus()
        person.page.keyboard.press("Enter")
    for page in (person.page, other):
        expect(page.locator("#awaited")).to_contain_text(re.compile("called .*off"))


def test_failed_statement_can_be_sent_again(stack: Stack, context: BrowserContext) -> None:
    """The button for it goes; the focus does not."""
    broken = False
    person = Person(context.new_page())
    page = person.page
    # Before the page is opened: Chromium routes the requests of an open page only a moment later.
    page.route("**/answer", lambda route: route.abort() if broken else route.continue_())
    person.open_table(stack.url)
    person.play_until_turn()
    broken = True
    page.locator("#composer").fill("I am a villager.")
    page.keyboard.press("Control+Enter")
    again = page.get_by_role("button", name="Try now")
    expect(again).to_be_visible()
    again.focus()
    broken = False
    page.keyboard.press("Enter")
    expect(page.locator("#transcript")).to_contain_text("I am a villager.")
    expect(page.locator("#composer, #choice").locator("visible=true").first).to_be_focused()


@pytest.mark.parametrize("width", [1280, 390])
def test_seat_opens_its_card(stack: Stack, context: BrowserContext, width: int) -> None:
    person = Person(context.new_page())
    page = person.page
    at_width(page, width)
    person.open_table(stack.url)
    person.play_until_turn()  # a phone shows no seats while one chooses at night
    seat = page.locator("#seats li:not(.is-me)").last
    number = (seat.get_attribute("id") or "").removeprefix("seat-")
    expect(page.locator(f"#mate-{number}")).to_be_hidden()
    seat.locator(".seat-open").click()
    card = page.locator(f"#mate-{number}")
    expect(card).to_have_attribute("open", "")
    expect(card.locator("summary")).to_be_focused()
    expect(page.locator(".legend")).to_contain_text("dislikes you")
    expect(seat.locator(".badge-face")).to_have_attribute("title", "Favor toward you: 50 of 100")
    # Found and changed in one step: a push may replace the seat between two.
    moved = page.evaluate(
        """number => {
             const badge = document.querySelector(`#seat-${number} .badge-face`);
             badge.dataset.favor = "31";
             document.dispatchEvent(new CustomEvent("fabula:frame"));
             return getComputedStyle(badge).animationName;
           }""",
        number,
    )
    assert moved == "moved"
    page.keyboard.press("Escape")
    expect(seat.locator(".seat-open")).to_be_focused()
    assert not person.errors
