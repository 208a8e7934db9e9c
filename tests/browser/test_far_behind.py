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


@pytest.fixture
def quiet(stack: Stack) -> Iterator[Stack]:
    """Without the worker: the test alone answers for the computer players."""
    stack.kill("worker")
    yield stack
    stack.start("worker")


def end_it(stack: Stack, address: str) -> None:
    """The game goes on to its end while the page hears nothing."""
    stack.shell(MUCH.replace("CODE", urlsplit(address).path.rstrip("/").rsplit("/", 1)[1]))


def lines_of(page: Page) -> list[str]:
    found: list[str] = page.locator("#transcript > li").evaluate_all("all => all.map(li => li.id)")
    return found


def check_end(page: Page) -> None:
    """The page tells the end, and has every line that a page loaded now has."""
    expect(page.locator("#end-title")).to_be_visible(timeout=30_000)
    expect(page.locator("#turn")).not_to_contain_text("your turn")
    before = lines_of(page)
    assert len(before) > 24
    page.reload()
    expect(page.locator("#end-title")).to_be_visible()
    assert lines_of(page) == before


def test_a_page_that_missed_very_much_gets_them_all(
    quiet: Stack, line: Line, chromium: Browser
) -> None:
    with chromium.new_context(viewport={"width": 390, "height": 844}) as phone:
        person, frames = Person(phone.new_page()), list[object]()
        heard = lambda data: frames.append(data)  # noqa: E731
        person.page.on("websocket", lambda socket: socket.on("framereceived", heard))
        address = person.open_table(line.url)
        while not frames:
            person.page.wait_for_timeout(50)  # until the line is up: what is not can't be cut
        line.cut()
        expect(person.page.locator("#link")).to_be_visible()
        end_it(quiet, address)
        line.mend()
        check_end(person.page)


@pytest.mark.parametrize("cache", [False, True])
def test_back_shows_no_page_of_long_ago(
    quiet: Stack, chromium: Browser, remembering: Browser, cache: bool
) -> None:
    with (remembering if cache else chromium).new_context() as context:
        page = context.new_page()
        address = Person(page).open_table(quiet.url)
        page.goto(f"{quiet.url}/rules/one-night/")
        end_it(quiet, address)
        page.go_back()
        check_end(page)
