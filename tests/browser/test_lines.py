"""Tests of frozen and failing connections: what the page shows, and where answers go."""

from __future__ import annotations

import re

from playwright.sync_api import APIResponse, Browser, Route, expect

from tests.browser.table import Person
from tests.line import Line
from tests.live import Stack

# The frame that a socket sends when the disk refuses a draft, which holds the reason only.
REFUSED_DRAFT = """async () => {
  const frame = document.getElementById("refused").cloneNode(true);
  frame.querySelector("[data-retry]").remove();
  frame.setAttribute("hx-swap-oob", "true");
  (await import("/static/js/frames.js")).apply(frame.outerHTML);
}"""


def test_answer_sent_on_a_frozen_connection_arrives_later(
    stack: Stack, line: Line, chromium: Browser
) -> None:
    with chromium.new_context(viewport={"width": 390, "height": 844}) as phone:
        person = Person(phone.new_page())
        page = person.page
        person.open_table(line.url)
        person.play_until_turn()
        line.freeze()
        page.locator("#composer").fill("Nobody hears this yet.")
        page.locator("#say-send").click()
        # Nothing was closed, so the page has to detect the loss.
        expect(page.locator("#link")).to_contain_text("connection is lost", timeout=60_000)
        expect(page.locator("#link [data-try]")).to_be_visible()
        expect(page.locator("#refused")).to_contain_text(
            "It is saved and will be sent", timeout=60_000
        )
        line.mend()
        expect(page.locator("#transcript")).to_contain_text("Nobody hears", timeout=60_000)
        expect(page.locator("#composer")).to_have_value("")
        expect(page.locator("#refused")).to_be_hidden()
        expect(page.locator("#link")).to_be_hidden(timeout=60_000)


def test_answer_refused_by_the_disk_is_explained_and_kept(stack: Stack, chromium: Browser) -> None:
    with chromium.new_context() as context:
        person = Person(context.new_page())
        page = person.page
        person.open_table(stack.url)
        person.play_until_turn()
        stack.limit_files("web", 0)
        try:
            assert stack.health()[1]["disk"] != "ok"
            page.locator("#composer").fill("I was at the well.")
            page.locator("#say-send").click()
            expect(page.locator("#refused")).to_contain_text("disk of this site reports an error")
            expect(page.locator("#refused")).to_contain_text("stays on the page")
            expect(page.locator("#refused [data-retry]")).to_be_visible()
            page.evaluate(REFUSED_DRAFT)
            expect(page.locator("#refused [data-retry]")).to_be_visible()
            expect(page.locator("#composer")).to_have_value("I was at the well.")
        finally:
            stack.limit_files("web", None)
        expect(page.locator("#transcript")).to_contain_text("I was at the well.", timeout=60_000)
        expect(page.locator("#refused")).to_be_hidden()
        expect(page.locator("#composer")).to_have_value("")


def test_reply_overtaken_by_the_socket_removes_nothing(stack: Stack, chromium: Browser) -> None:
    """The reply to a statement is delayed until the socket has brought the next turn."""
    delayed: list[tuple[Route, APIResponse]] = []
    is_delaying = False

    def delay(route: Route) -> None:
        if delayed or not is_delaying:
            route.continue_()
        else:
            delayed.append((route, route.fetch()))

    with chromium.new_context() as context:
        person = Person(context.new_page())
        page = person.page
        page.route("**/answer", delay)  # requests of an open page are routed after a delay
        person.open_table(stack.url)
        person.play_until_turn()
        is_delaying = True
        window = page.locator("#turn [name=window]")
        window_key = window.input_value()
        page.locator("#composer").fill("I said it once.")
        page.locator("#say-send").click()
        expect(window).to_have_value(re.compile(f"^(?!{re.escape(window_key)}$)."), timeout=60_000)
        window_key = window.input_value()
        ((route, reply),) = delayed
        route.fulfill(response=reply)
        expect(page.locator("#table:not([data-sending])")).to_be_visible()
        expect(window).to_have_value(window_key)
        expect(page.locator("#say-send")).to_be_visible()
        person.say("And once more.")
        assert not person.errors


def test_page_without_sockets_plays_and_explains_the_delay(stack: Stack, chromium: Browser) -> None:
    with chromium.new_context() as context:
        context.add_init_script(
            """window.WebSocket = class extends EventTarget {
                 static CONNECTING = 0; static OPEN = 1;
                 readyState = 3;
                 constructor() {
                   super();
                   setTimeout(() => this.dispatchEvent(new CloseEvent("close", { code: 1006 })));
                 }
                 close() {}
               }"""
        )
        person = Person(context.new_page())
        person.open_table(stack.url)
        expect(person.page.locator("#link")).to_contain_text("every few seconds")
        person.play(lambda: len(person.said) == 1)
        assert not person.errors
