"""Two people and six house players, from the invitation to the end, in real browsers."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.table import Person, wait_for_draft
from tests.browser.test_one_night import LISTEN, check_accessibility
from tests.line import Line
from tests.live import Stack

LIMIT = 30  # seconds for a statement: so few that the page warns nobody of the last ones
NIGHT = 20  # seconds: where several people play, every night takes all of them
ENOUGH = 180  # seconds for whatever is done in a turn, on a busy machine too
TIME_LEFT = """
from datetime import timedelta
from django.db.models import F
from django.utils import timezone
from game.models import Game, Window
at, game = timezone.now() + timedelta(seconds=SECONDS), Game.objects.get(code="CODE")
Window.objects.filter(game=game, closed_at=None).update(expires_at=at)
limits = {**game.limits, "statement": ENOUGH}
changed = F("version") + 1  # no process goes by what it has at hand
Game.objects.filter(pk=game.pk).update(due_at=at, limits=limits, version=changed)
"""


@pytest.fixture
def line(stack: Stack) -> Iterator[Line]:
    port = urlsplit(stack.url).port
    assert port
    with Line(port) as line:
        yield line


def set_up(page: Page, url: str) -> str:
    """A table for the host and one friend, opened by the form; gives the invitation."""
    page.goto(f"{url}/tables/new")
    page.locator("input[name=guests]").fill("1")
    page.locator("input[name=pace][value=instant]").check(force=True)
    page.locator("#advanced > summary").click()
    page.locator("input[name=statement_seconds]").fill(str(LIMIT))
    page.locator("input[name=night_seconds]").fill(str(NIGHT))
    page.locator("button:has-text('Open the table')").click()
    invitation = page.locator("#invitation")
    expect(invitation).to_be_visible()
    check_accessibility(page)
    return invitation.input_value()


def sit_down(page: Page, invitation: str, name: str) -> None:
    page.goto(invitation)
    check_accessibility(page)
    page.locator("#name").fill(name)
    page.locator("button:has-text('Sit down')").click()
    expect(page.locator("#lobby")).to_contain_text(name)
    check_accessibility(page)


def together(people: list[Person], until: Callable[[], bool], seconds: float = 400) -> None:
    """All answer what they are asked until `until` says so."""
    deadline = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < deadline, [
            p.page.locator("#awaited").inner_text() for p in people
        ]
        for person in people:
            person.answer_once()
        people[0].page.wait_for_timeout(50)


def keep_and_fill(page: Page) -> None:
    """With the keyboard: a computer player's seat is kept for a guest, and given back to one."""
    button = page.locator("button[value^=invite]").first
    name = button.get_attribute("id")
    button.focus()
    for act in ("fill", "invite"):
        page.keyboard.press("Enter")
        expect(page.locator(f"#{name}[value^={act}]")).to_be_focused()


def lines_of(page: Page) -> list[str]:
    return page.locator("#transcript > li").evaluate_all("all => all.map(li => li.id)")


def until_turn(host: Person, person: Person) -> None:
    """Play on until it is the person's turn to speak."""

    def asked() -> bool:
        if person.page.locator("#choice:not(.choice-guess) #choose-send").is_visible():
            person.choose()  # at night
        return person.page.locator("#say-send").is_visible()

    together([host], asked)


def set_time_left(stack: Stack, address: str, seconds: int) -> None:
    """Give whoever is asked now so much time, and enough to all who are asked later.

    0: the sweeper sees to what follows.
    """
    code = TIME_LEFT.replace("CODE", code_of(address)).replace("SECONDS", str(seconds))
    stack.shell(code.replace("ENOUGH", str(ENOUGH)))


def code_of(address: str) -> str:
    return urlsplit(address).path.rstrip("/").rsplit("/", 1)[1]


def meet_in_the_lobby(host: Person, anna: Person, invitation: str) -> None:
    """Both sit in the lobby; what happens in it is on both pages, and told once."""
    host.page.evaluate(LISTEN)
    sit_down(anna.page, invitation, "Anna")
    expect(host.page.locator("#lobby")).to_contain_text("Anna")
    expect(host.page.locator("#lead")).to_contain_text("Everyone is here.")
    keep_and_fill(host.page)
    anna.page.fill("#chat-words", "Shall we begin?")
    anna.page.keyboard.press("Enter")
    expect(host.page.locator("#chat")).to_contain_text("Shall we begin?")
    expect(anna.page.locator("#chat-words")).to_have_value("")
    here, one = (
        ["lead-region", "Everyone is here."],
        ["lead-region", "One seat is waiting for a guest."],
    )
    asked = ["chat-log", "Anna Shall we begin?"]
    taken = ["lead-region", "All seats are taken."]  # until Anna's page has said that it is there
    assert [told for told in host.page.evaluate("heard") if told != taken] == [
        here,
        one,
        here,
        asked,
    ]
    host.page.set_viewport_size({"width": 320, "height": 640})
    wide = host.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1], wide
    host.page.set_viewport_size({"width": 1280, "height": 800})


def write(person: Person, words: str) -> None:
    """Begin a statement; the server has the draft then."""
    person.page.locator("#composer").fill("")  # what the other device has not sent stays here
    person.page.locator("#composer").press_sequentially(words, delay=5)
    expect(person.page.locator("#composer")).to_have_value(words)
    wait_for_draft(person.page, words)


def by_keyboard(page: Page, *selectors: str) -> None:
    """Enter on each of them in turn."""
    for selector in selectors:
        expect(page.locator(selector)).to_be_visible()
        page.locator(selector).focus()
        page.keyboard.press("Enter")


def test_two_people_play_to_the_end(
    stack: Stack, line: Line, desk: BrowserContext, phone: BrowserContext, chromium: Browser
) -> None:
    """The host at a desk, with the keyboard alone; the guest on two phones, whose line is lost."""
    host, anna = Person(desk.new_page()), Person(phone.new_page(), " So says Anna.")
    invitation = set_up(host.page, stack.url)
    meet_in_the_lobby(host, anna, invitation.replace(stack.url, line.url))
    by_keyboard(host.page, "#start")
    for person in (host, anna):  # the lobby's pages go to the table by themselves
        expect(person.page.locator("#transcript > li").first).to_be_visible()
        expect(person.page.locator("#talk")).to_be_hidden()  # during the game nobody writes
    address = anna.page.url

    # Round 1. Anna's page is loaded anew in the middle of a sentence.
    until_turn(host, anna)
    left = re.compile("^(30|25) seconds left,$")  # as of when the page has it
    expect(anna.page.locator("#awaited [data-left]")).to_have_text(left)
    expect(anna.page.locator("#announce")).to_be_empty()
    set_time_left(stack, address, ENOUGH)
    write(anna, "Half a thou")
    anna.page.reload()
    expect(anna.page.locator("#composer")).to_have_value("Half a thou")
    with chromium.new_context(viewport={"width": 390, "height": 844}) as tablet:
        second = Person(tablet.new_page(), " So say I.")
        second.said = anna.said
        continue_there(anna, second, address)
        expect(second.page.locator("#composer")).to_have_value("Half a thou")
        together([host, second], lambda: len(anna.said) == 1)
        expect(anna.page.locator("#transcript")).to_contain_text(anna.said[0])
        check_accessibility(host.page)

        # Round 2. Her line is cut when it is her turn: the others see her away, and the host has a
        # computer player answer for her.
        seat = anna.page.locator("#seats .is-me").get_attribute("id")
        until_turn(host, anna)
        write(anna, "I was about to say")
        line.cut()
        expect(anna.page.locator("#link")).to_be_visible()
        expect(host.page.locator(f"#{seat}.is-away")).to_be_visible(timeout=60_000)
        expect(host.page.locator("#host .chair")).to_contain_text("away")
        by_keyboard(host.page, "#table-sheet > summary", "#host button[value^=hand_over]")
        answered = host.page.locator("#transcript li.entry-statement:has(.label)")
        expect(answered).to_contain_text("Anna")

        # Back: without gap, the draft still there, the seat hers once she takes it.
        line.mend()
        for person in (anna, second):
            expect(person.page.locator("#link")).to_be_hidden(timeout=60_000)
        expect(host.page.locator(f"#{seat}.is-away")).to_have_count(0)
        anna.page.locator("#take-back").click()
        expect(anna.page.locator("#take-back")).to_have_count(0)
        expect(anna.page.locator("#composer")).to_have_value("I was about to say")

        # Round 3. She lets her time run out.
        until_turn(host, anna)
        set_time_left(stack, address, 0)
        for person in (host, anna):
            silent = person.page.locator("#transcript li.is-silent")
            expect(silent).to_contain_text("Anna")
            expect(silent.locator(".label")).to_be_visible()
        together([host, anna], host.over)
        pages = [host.page, anna.page, second.page]
        for page in pages:
            expect(page.locator("#end-title")).to_have_text(re.compile("wins\\.$"))
        check_accessibility(host.page)
        shown = [lines_of(page) for page in pages]
        assert len(set(shown[0])) == len(shown[0])
        assert len(shown[1]) == len(set(shown[1]))
        anna.page.reload()
        host.page.reload()
        assert [lines_of(host.page), lines_of(anna.page)] == shown[:2], "no gap, no repetition"
        assert shown[2] == shown[1]
        assert not host.errors
    check_log(stack, address, host.said, anna.said)


def continue_there(person: Person, second: Person, address: str) -> None:
    """Another device by the person's own link: the same seat, in step."""
    person.page.locator("#table-sheet > summary").click()
    mine = person.page.locator("#my-link").input_value()
    person.page.keyboard.press("Escape")
    second.page.goto(mine)
    second.page.get_by_role("button", name="Yes, continue").click()
    second.page.wait_for_url("**/games/**")
    assert urlsplit(second.page.url).path == urlsplit(address).path


def check_log(stack: Stack, address: str, *people: list[str]) -> None:
    lines = stack.manage("transcript", code_of(address), "--viewer", "moderator").splitlines()
    log = [json.loads(line) for line in lines]
    texts = [e["data"].get("text", "") for e in log if e["kind"] == "statement"]
    assert len(texts) == 24
    assert texts.count("") == 1
    # Of what is asked beside the talk a stand-in may answer one, as the seat is handed over.
    labelled = [e for e in log if e["labels"] and e["kind"] != "poll"]
    assert [e["labels"] for e in labelled] == [["stand-in"], ["timeout"]], labelled
    for said in people:
        assert [texts.count(text) for text in said] == [1] * len(said)
