"""A person at the keyboard and mouse who plays whatever the page asks for."""

from __future__ import annotations

import time
from collections.abc import Callable
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from tests.live import wait_until

STATEMENTS = (
    "I am a villager, and I suspect {t}.",
    "{t}, whom do you suspect? I am still wary of {t}.",
    "My vote goes to {t}.",
)
CHOICE_BUTTON = "#choice:not(.choice-guess) #choose-send"


def get_game_code(address: str) -> str:
    """Return the game's code from the address of its table."""
    return urlsplit(address).path.rstrip("/").rsplit("/", 1)[1]


def wait_for_draft(page: Page, text: str) -> None:
    """Wait until the server has the draft, which a reloaded page shows."""
    wait_until(
        lambda: text in page.request.get(page.url).text(), f"the server has the draft {text!r}"
    )


class Person:
    """Plays a game in `page`. `said` lists the statements made, each with `mark` at its end."""

    def __init__(self, page: Page, mark: str = "") -> None:
        self.page = page
        self.mark = mark
        self.said: list[str] = []
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)

    def open_table(self, url: str, pace: str = "instant", ruleset: str = "one-night") -> str:
        """Open a table by the form. Return its address."""
        self.page.goto(f"{url}/tables/new?ruleset={ruleset}")
        self.page.locator(f"input[name=pace][value={pace}]").check(force=True)
        self.page.locator("button:has-text('Open the table')").click()
        expect(self.page.locator("#transcript > li").first).to_be_visible()
        expect(self.page.locator("#sound")).to_be_visible()  # the scripts have started
        return self.page.url

    def other_player(self) -> str:
        """Return another player's name, from the seats on the page."""
        names = self.page.locator("#seats li:not(.is-me) .seat-name").all_inner_texts()
        return "Delta" if "Delta" in names else "Beta"

    def play(self, until: Callable[[], bool], seconds: float = 400) -> None:
        """Answer every question until `until` returns true. AssertionError after `seconds`."""
        deadline = time.monotonic() + seconds
        while not until():
            assert time.monotonic() < deadline, self.page.locator("body").inner_text()
            self.answer_once()
            self.page.wait_for_timeout(60)

    def play_until_turn(self, seconds: float = 400) -> None:
        """Make every choice until a statement is due, and leave that to the test."""
        deadline = time.monotonic() + seconds
        while not self.page.locator("#say-send").is_visible():
            assert time.monotonic() < deadline, self.page.locator("body").inner_text()
            if self.page.locator(CHOICE_BUTTON).is_visible():
                self.choose()
            self.page.wait_for_timeout(60)

    def answer_once(self) -> None:
        page = self.page
        if page.locator(CHOICE_BUTTON).is_visible():
            self.choose()
        elif page.locator("#say-send").is_visible():
            self.say(STATEMENTS[len(self.said) % 3].format(t=self.other_player()) + self.mark)

    def choose(self) -> None:
        choice = self.page.locator("#choice")
        window = choice.get_attribute("data-window")
        rows = choice.locator(".rating")
        if rows.count():
            rows.first.locator("select").first.select_option(index=1)
        else:
            for number in range(int(choice.get_attribute("data-count") or 1)):
                # A push may draw the cards anew between two clicks.
                choice.locator("label.ballot-card").nth(number).click()
        with self.page.expect_response("**/answer") as response:
            self.page.locator("#choose-send").click()
        assert response.value.status < 400, (
            response.value.text()
        )  # 302 before the scripts have started
        self.wait_for_choice(window)

    def wait_for_choice(self, window: str | None) -> None:
        """Wait until the page shows the choice as made. A slow page still asks for it."""
        asking = self.page.locator(f'#choice[data-window="{window}"] #choose-send:visible')
        expect(asking).to_have_count(0)

    def say(self, text: str) -> None:
        self.page.locator("#composer").fill(text)
        with self.page.expect_response("**/answer") as response:
            self.page.locator("#say-send").click()
        assert response.value.status < 400, (
            response.value.text()
        )  # 302 before the scripts have started
        self.said.append(text)
        expect(self.page.locator("#transcript")).to_contain_text(text)

    def is_over(self) -> bool:
        return self.page.locator("#end").is_visible()
