"""Tests of two people and six house players in browsers, from invitation to end."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.page_checks import RECORD_ANNOUNCEMENTS, check_accessibility, line_ids
from tests.browser.seats import open_table_for_guest, sit_down
from tests.browser.table import Person, get_game_code, wait_for_draft
from tests.line import Line
from tests.live import Stack

LONG_LIMIT_S = 180  # The time for any turn on a slow machine.
TIME_LEFT = """
from datetime import timedelta
from django.db.models import F
from django.utils import timezone
from game.models import Game, Window
at, game = timezone.now() + timedelta(seconds=SECONDS), Game.objects.get(code="CODE")
Window.objects.filter(game=game, closed_at=None).update(expires_at=at)
limits = {**game.limits, "statement": ENOUGH}
changed = F("version") + 1  # invalidates cached games
Game.objects.filter(pk=game.pk).update(due_at=at, limits=limits, version=changed)
"""


def answer_all_until(people: list[Person], until: Callable[[], bool], seconds: float = 400) -> None:
    """Answer all questions of these people until `until` returns true."""
    deadline = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < deadline, [
            p.page.locator("#awaited").inner_text() for p in people
        ]
        for person in people:
            person.answer_once()
        people[0].page.wait_for_timeout(50)


def toggle_seat_by_keyboard(page: Page) -> None:
    """Give an agent's seat to guests and back, by keyboard."""
    button = page.locator("button[value^=invite]").first
    name = button.get_attribute("id")
    button.focus()
    for act in ("fill", "invite"):
        page.keyboard.press("Enter")
        expect(page.locator(f"#{name}[value^={act}]")).to_be_focused()


def play_until_turn(host: Person, person: Person) -> None:
    """Play until it is the person's turn to speak."""

    def is_asked() -> bool:
        if person.page.locator("#choice:not(.choice-guess) #choose-send").is_visible():
            person.choose()  # at night
        return person.page.locator("#say-send").is_visible()

    answer_all_until([host], is_asked)


def set_time_left(stack: Stack, address: str, seconds: int) -> None:
    """Set the time of the present questions, and a long limit for later ones.

    0: the sweeper continues.
    """
    code = TIME_LEFT.replace("CODE", get_game_code(address)).replace("SECONDS", str(seconds))
    stack.shell(code.replace("ENOUGH", str(LONG_LIMIT_S)))


def check_lobby(host: Person, anna: Person, invitation: str) -> None:
    """Let both sit in the lobby. Its changes are on both pages, and announced once."""
    host.page.evaluate(RECORD_ANNOUNCEMENTS)
    sit_down(anna.page, invitation, "Anna")
    expect(host.page.locator("#lobby")).to_contain_text("Anna")
    expect(host.page.locator("#lead")).to_contain_text("Everyone is here.")
    toggle_seat_by_keyboard(host.page)
    anna.page.fill("#chat-words", "Shall we begin?")
    anna.page.keyboard.press("Enter")
    expect(host.page.locator("#chat")).to_contain_text("Shall we begin?")
    expect(anna.page.locator("#chat-words")).to_have_value("")
    complete = ["lead-region", "Everyone is here."]
    incomplete = ["lead-region", "One seat is waiting for a guest."]
    chat = ["chat-log", "Anna Shall we begin?"]
    transient = ["lead-region", "All seats are taken."]  # until Anna's page has connected
    announcements = [text for text in host.page.evaluate("heard") if text != transient]
    assert announcements == [complete, incomplete, complete, chat]
    host.page.set_viewport_size({"width": 320, "height": 640})
    widths = host.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1], widths
    host.page.set_viewport_size({"width": 1280, "height": 800})


def begin_statement(person: Person, words: str) -> None:
    """Begin a statement, and wait until the server has the draft."""
    person.page.locator("#composer").fill("")  # an unsent draft of another device stays here
    person.page.locator("#composer").press_sequentially(words, delay=5)
    expect(person.page.locator("#composer")).to_have_value(words)
    wait_for_draft(person.page, words)


def press_enter_on(page: Page, *selectors: str) -> None:
    """Press Enter on each of the elements in turn."""
    for selector in selectors:
        expect(page.locator(selector)).to_be_visible()
        page.locator(selector).focus()
        page.keyboard.press("Enter")


def reload_within_a_sentence(stack: Stack, host: Person, guest: Person, address: str) -> None:
    """Reload the guest's page in the middle of a statement, on the guest's turn."""
    play_until_turn(host, guest)
    remaining = re.compile("^(30|25) seconds left,$")  # when the page shows it
    expect(guest.page.locator("#awaited [data-left]")).to_have_text(remaining)
    expect(guest.page.locator("#announce")).to_be_empty()
    set_time_left(stack, address, LONG_LIMIT_S)
    begin_statement(guest, "Half a thou")
    guest.page.reload()
    expect(guest.page.locator("#composer")).to_have_value("Half a thou")


def cut_connection(line: Line, host: Person, guest: Person, seat: str) -> None:
    """Cut the guest's connection on the guest's turn. The host hands the seat to an agent."""
    play_until_turn(host, guest)
    begin_statement(guest, "I was about to say")
    line.cut()
    expect(guest.page.locator("#link")).to_be_visible()
    expect(host.page.locator(f"#{seat}.is-away")).to_be_visible(timeout=60_000)
    expect(host.page.locator("#host .chair")).to_contain_text("away")
    press_enter_on(host.page, "#table-sheet > summary", "#host button[value^=hand_over]")
    stand_in_statement = host.page.locator("#transcript li.entry-statement:has(.label)")
    expect(stand_in_statement).to_contain_text("Anna")


def restore_connection(line: Line, host: Person, guests: list[Person], seat: str) -> None:
    """Restore the connection. The guest takes the seat back, and the draft is still there."""
    line.mend()
    for device in guests:
        expect(device.page.locator("#link")).to_be_hidden(timeout=60_000)
    expect(host.page.locator(f"#{seat}.is-away")).to_have_count(0)
    page = guests[0].page
    page.locator("#take-back").click()
    expect(page.locator("#take-back")).to_have_count(0)
    expect(page.locator("#composer")).to_have_value("I was about to say")


def let_time_run_out(stack: Stack, host: Person, guest: Person, address: str) -> None:
    play_until_turn(host, guest)
    set_time_left(stack, address, 0)
    for person in (host, guest):
        silent = person.page.locator("#transcript li.is-silent")
        expect(silent).to_contain_text("Anna")
        expect(silent.locator(".label")).to_be_visible()


def check_end(host: Person, guests: list[Person]) -> None:
    """Check that all pages end with the same lines as after a reload."""
    pages = [person.page for person in (host, *guests)]
    for page in pages:
        expect(page.locator("#end-title")).to_have_text(re.compile("wins\\.$"))
    check_accessibility(host.page)
    host_lines, *guest_lines = [line_ids(page) for page in pages]
    for lines in (host_lines, guest_lines[0]):
        assert len(set(lines)) == len(lines)
    for page in pages[:2]:
        page.reload()
    reloaded = [line_ids(page) for page in pages[:2]]
    assert reloaded == [host_lines, guest_lines[0]], "no gap, no repetition"
    assert guest_lines[1] == guest_lines[0]


def test_two_people_play_to_the_end(
    stack: Stack, line: Line, desktop: BrowserContext, phone: BrowserContext, chromium: Browser
) -> None:
    """The host uses a desktop and the keyboard only.

    The guest uses two phones, and loses the connection.
    """
    host, anna = Person(desktop.new_page()), Person(phone.new_page(), " So says Anna.")
    invitation = open_table_for_guest(host.page, stack.url)
    check_lobby(host, anna, invitation.replace(stack.url, line.url))
    press_enter_on(host.page, "#start")
    for person in (host, anna):  # lobby pages move to the table by themselves
        expect(person.page.locator("#transcript > li").first).to_be_visible()
        expect(person.page.locator("#talk")).to_be_hidden()  # no chat during the game
    address = anna.page.url
    reload_within_a_sentence(stack, host, anna, address)
    with chromium.new_context(viewport={"width": 390, "height": 844}) as second_phone:
        second = Person(second_phone.new_page(), " So say I.")
        second.said = anna.said
        continue_on_second_device(anna, second, address)
        expect(second.page.locator("#composer")).to_have_value("Half a thou")
        answer_all_until([host, second], lambda: len(anna.said) == 1)
        expect(anna.page.locator("#transcript")).to_contain_text(anna.said[0])
        check_accessibility(host.page)
        seat = anna.page.locator("#seats .is-me").get_attribute("id") or ""
        cut_connection(line, host, anna, seat)
        restore_connection(line, host, [anna, second], seat)
        let_time_run_out(stack, host, anna, address)
        answer_all_until([host, anna], host.is_over)
        check_end(host, [anna, second])
        assert not host.errors
    check_log(stack, address, host.said, anna.said)


def continue_on_second_device(person: Person, second: Person, address: str) -> None:
    """Open the person's own link on another device: the same seat, in step."""
    person.page.locator("#table-sheet > summary").click()
    own_link = person.page.locator("#my-link").input_value()
    person.page.keyboard.press("Escape")
    second.page.goto(own_link)
    second.page.get_by_role("button", name="Yes, continue").click()
    second.page.wait_for_url("**/games/**")
    assert urlsplit(second.page.url).path == urlsplit(address).path


def check_log(stack: Stack, address: str, *people: list[str]) -> None:
    lines = stack.manage("transcript", get_game_code(address), "--viewer", "moderator").splitlines()
    log = [json.loads(line) for line in lines]
    texts = [e["data"].get("text", "") for e in log if e["kind"] == "statement"]
    assert len(texts) == 24
    assert texts.count("") == 1
    # A stand-in may answer one side question when the seat is handed over.
    labelled = [e for e in log if e["labels"] and e["kind"] != "poll"]
    assert [e["labels"] for e in labelled] == [["stand-in"], ["timeout"]], labelled
    for statements in people:
        assert [texts.count(text) for text in statements] == [1] * len(statements)
