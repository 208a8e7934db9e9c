"""Pages that were away for long: a cut line, a phone asleep, the browser's Back."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.table import Person
from tests.chromium import find
from tests.conftest import flags
from tests.line import Line
from tests.live import Stack

# Everybody says all that the rules allow, in letters of three bytes: 150 kB, far above the 65,536
# bytes that a frame may have.
MUCH = """
from game import selectors, services
from game.engine.forms import say
from game.models import Game
from tests.game.table import any_answer
game = Game.objects.get(code="CODE")
words = " ".join(["\u1230\u120b\u121d" * 6 + "\u1362"] * 110)
while windows := selectors.open_windows(game):
    for found in windows:
        for seat in found.missing:
            speech = found.window.legal.name == "speech"
            action = say(words) if speech else any_answer(found, seat)
            services.answer(game.pk, seat, found.window.key, action)
"""

# Five days and more of a talk of 47 lines a day; nobody hears of it.
LONG = """
from game import host_actions, selectors, services
from game.models import Event, Game
from tests.game.table import any_answer
from webapp.play.live import dispatch
game = Game.objects.get(code="CODE")
with dispatch.diverted(lambda game, opened: None):
    while Event.objects.filter(game=game).count() < 670:
        asked = [(o, seat) for o in selectors.open_windows(game) for seat in o.missing]
        for found, seat in asked:
            services.answer(game.pk, seat, found.window.key, any_answer(found, seat))
        if not asked:
            host_actions.end_pauses(game.pk)  # waits for the pace
"""

TOP = "line => line.getBoundingClientRect().top"  # px


@pytest.fixture
def line(stack: Stack) -> Iterator[Line]:
    port = urlsplit(stack.url).port
    assert port
    with Line(port) as line:
        yield line


@pytest.fixture
def remembering(chromium: Browser) -> Iterator[Browser]:
    """A browser with the back/forward cache, which Playwright switches off."""
    found = chromium.browser_type.launch(
        executable_path=find(),
        args=flags(),
        ignore_default_args=["--disable-back-forward-cache"],
    )
    yield found
    found.close()


@pytest.fixture(scope="module")
def quiet(stack: Stack) -> Iterator[Stack]:
    """Without the worker: the test alone answers for the computer players."""
    stack.kill("worker")
    yield stack
    stack.revive()


def play_on(stack: Stack, address: str, code: str = MUCH) -> None:
    """The game goes on while the page hears nothing: to its end, unless other code is given."""
    stack.shell(code.replace("CODE", urlsplit(address).path.rstrip("/").rsplit("/", 1)[1]))


def lines_of(page: Page) -> list[str]:
    found: list[str] = page.locator("#transcript > li").evaluate_all("all => all.map(li => li.id)")
    return found


def check_end(page: Page) -> None:
    """The page tells the end, and has every line that a page loaded now has."""
    expect(page.locator("#end-title")).to_be_visible(timeout=60_000)
    expect(page.locator("#turn")).not_to_contain_text("your turn")
    before = lines_of(page)
    assert len(before) > 24
    page.reload()
    expect(page.locator("#end-title")).to_be_visible()
    assert lines_of(page) == before


def test_page_far_behind_gets_all_missed_lines(quiet: Stack, line: Line, chromium: Browser) -> None:
    with chromium.new_context(viewport={"width": 390, "height": 844}) as phone:
        person, frames = Person(phone.new_page()), list[object]()
        heard = lambda data: frames.append(data)  # noqa: E731
        person.page.on("websocket", lambda socket: socket.on("framereceived", heard))
        address = person.open_table(line.url)
        while not frames:
            person.page.wait_for_timeout(50)  # until the line is up: what is not can't be cut
        line.cut()
        expect(person.page.locator("#link")).to_be_visible()
        play_on(quiet, address)
        line.mend()
        check_end(person.page)


def test_back_button_shows_the_current_game_state(
    quiet: Stack, chromium: Browser, remembering: Browser
) -> None:
    """The same person in two browsers, with and without that cache."""
    with chromium.new_context() as plain, remembering.new_context() as cached:
        pages = [plain.new_page(), cached.new_page()]
        address = Person(pages[0]).open_table(quiet.url)
        cached.add_cookies(plain.cookies())
        pages[1].goto(address)
        expect(pages[1].locator("#sound")).to_be_visible()  # the scripts have started
        for page in pages:
            page.goto(f"{quiet.url}/rules/one-night/")
        play_on(quiet, address)
        for page in pages:
            page.go_back()
            check_end(page)


def test_earlier_lines_are_added_without_moving_the_text(
    quiet: Stack, line: Line, chromium: Browser
) -> None:
    with chromium.new_context(viewport={"width": 390, "height": 844}) as phone:
        page = phone.new_page()
        address = Person(page).open_table(line.url, ruleset="long-talk")
        play_on(quiet, address, LONG)
        page.reload()
        expect(page.locator("#sound")).to_be_visible()
        latest = lines_of(page)
        first = page.locator(f"#{latest[0]}")
        page.locator("#scroll").focus()
        page.keyboard.press("Tab")
        expect(page.locator("#earlier-link")).to_be_focused()
        line.cut()
        page.keyboard.press("Enter")
        expect(page.locator(".earlier-failed")).to_be_visible()
        line.mend()
        expect(page.locator("#link")).to_be_hidden(timeout=60_000)
        stood = first.evaluate(TOP)
        page.keyboard.press("Enter")
        expect(page.locator("#notice")).to_contain_text("This is the beginning.")
        assert abs(first.evaluate(TOP) - stood) < 2
        expect(page.locator("#earlier")).to_be_hidden()
        expect(page.locator("#scroll")).to_be_focused()
        lines = lines_of(page)
        assert lines[-len(latest) :] == latest
        assert 40 < len(lines) - len(latest) == len(set(lines)) - len(latest)
        assert lines == sorted(lines, key=lambda line: int(line[1:]))
