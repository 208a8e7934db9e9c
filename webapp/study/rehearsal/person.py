"""A simulated participant: opens the link and follows the pages to the end.

The participant knows no page by name. They read new text at a reader's pace, answer all questions
of a form as their mind decides, and press the main button. If there is nothing to press they wait
for the page's socket, and poll the page every few seconds as its script does.
"""

from __future__ import annotations

import time
import uuid
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Protocol
from urllib.parse import urlsplit

from webapp.study.rehearsal.browser import Browser
from webapp.study.rehearsal.html_page import Element, HtmlForm, HtmlQuestion, Page

WORDS_A_MINUTE = 230  # reading speed
CHARACTERS_A_MINUTE = 200  # typing speed
SECONDS_A_QUESTION = 3.0
LONGEST_READ = 120.0  # seconds
LOOKS_EVERY = 5.0  # seconds between two polls without news
AGAIN = 0.5  # seconds after a refusal
MOST_PRESSES = 12  # presses of the same button on the same page before the person is stuck
MOST_REFUSED = 20  # consecutive refusals before the person is stuck
OURS = ("/take/", "/rate/", "/games/")  # paths of the study; other links lead out of it

ENDED, LEFT, CLOSED, IDLE, STUCK = "ended", "left", "closed", "idle", "stuck"


class Mind(Protocol):
    """The answers of a simulated person."""

    def answer(self, question: HtmlQuestion) -> list[str]:
        """Return the values for one question, None to leave it out."""
        ...


@dataclass(frozen=True)
class Posted:
    """A form that was accepted.

    where: the path it was sent to. fields: names and values without the button. asked: the names of
    questions, not of hidden fields. at: seconds since 1970.
    """

    where: str
    fields: tuple[tuple[str, str], ...]
    asked: frozenset[str]
    at: float


@dataclass
class Habits:
    """Habits of a person.

    speed: reading and typing times are divided by it. leaves_at: the page before which they leave,
    None if they stay. closes: they close the page instead of pressing “leave”. idles_at: the page
    from which on they do nothing and leave it open, None for never. hasty: they read nothing.
    """

    speed: float = 1.0
    leaves_at: int | None = None
    closes: bool = False
    idles_at: int | None = None
    hasty: bool = False


@dataclass
class Person:
    """One participant.

    end: ENDED, LEFT (by a button), CLOSED, IDLE, STUCK, "" before the end. why: the reason if
    stuck. code: from the last page. own: the path of their own link.
    """

    browser: Browser
    mind: Mind
    habits: Habits
    draw: Random
    posted: list[Posted] = field(default_factory=list)
    end: str = ""
    why: str = ""
    own: str = ""
    code: str = ""
    pages: int = 0
    _read: set[str] = field(default_factory=set)
    _pressed: dict[tuple[str, ...], int] = field(default_factory=dict)
    _refused: int = 0

    def take_part(self, link: str, until: float) -> None:
        """Take part from `link` to the end.

        They are stuck if they have not finished at `until` (time.monotonic).
        """
        try:
            page = self.browser.get(link)
            while not self.end:
                page = self._turn(page)
                if time.monotonic() > until and not self.end:
                    self._stuck("it took too long", page)
        except Exception as error:  # any error ends only this person; the report shows it
            self.end, self.why = STUCK, f"{type(error).__name__}: {error}"
        finally:
            self.browser.hang_up()

    @property
    def key(self) -> str:
        """The key of the person's own link, "" before they have agreed."""
        return self.own.rstrip("/").rpartition("/")[2]

    def _turn(self, page: Page) -> Page:
        """Handle one page and return the next."""
        path = urlsplit(page.url).path
        if path.startswith("/take/as/") and not self.own:
            self.own = "/".join(path.split("/")[:4]) + "/"
        if page.status >= 400 and page.status != 422:
            return self._after_refusal(page)
        self.browser.listen(page)
        if page.status < 400:
            self._refused = 0
        main = self._main(page)
        if main is None and not page.socket:
            self._over(page)
            return page
        if main is None:
            return self._wait(page)
        self.pages += 1
        if self.habits.leaves_at is not None and self.pages > self.habits.leaves_at:
            return self._leave(page)
        if self.habits.idles_at is not None and self.pages > self.habits.idles_at:
            return self._idle(page, main)
        self._look_at(page)
        return self._press(page, main)

    def _main(self, page: Page) -> Element | None:
        """Return the control to press: the first that leads on within the site, not to an exit."""
        for control in page.main_controls:
            if control.name == "button":
                return control
            if self.browser.is_on_site(control.get("href")) and self._on_the_way(
                page, control.get("href")
            ):
                return control
        return None

    @staticmethod
    def _on_the_way(page: Page, href: str) -> bool:
        return href.startswith(("?", *OURS))

    def _look_at(self, page: Page) -> None:
        """Read the text that was not read before."""
        fresh = [text for text in page.words if text not in self._read]
        self._read.update(fresh)
        count = sum(len(text.split()) for text in fresh)
        if not self.habits.hasty:
            seconds = min(LONGEST_READ, 60 * count / WORDS_A_MINUTE)
            self.browser.stay(seconds * self._pace())

    def _pace(self) -> float:
        return self.draw.lognormvariate(0, 0.2) / self.habits.speed

    def _press(self, page: Page, main: Element) -> Page:
        name = (page.url, main.get("id"), main.get("name"), main.get("value"), *page.words)
        self._pressed[name] = self._pressed.get(name, 0) + 1
        if self._pressed[name] > MOST_PRESSES:
            self._stuck(f"“{main.words}” leads nowhere", page)
            return page
        if main.name == "a":
            return self.browser.get(_joined(page.url, main.get("href")))
        form = page.form_of(main)
        if form is None:
            self._stuck(f"“{main.words}” belongs to no form", page)
            return page
        return self._send(page, form)

    def _send(self, page: Page, form: HtmlForm) -> Page:
        fields = [*self._fixed(form), *self._answers(form)]
        where = _joined(page.url, form.action or page.url)
        answer = self.browser.post(where, fields)
        if answer.status < 400:
            field_names = frozenset(q.name for q in form.questions) | {"post"}
            self.posted.append(
                Posted(urlsplit(where).path, tuple(fields), field_names, time.time())
            )
        return answer

    def _fixed(self, form: HtmlForm) -> Iterator[tuple[str, str]]:
        """Yield the hidden fields, with the values that the page's script sets."""
        for name, value in form.fixed:
            if name == "post" and not value:
                yield name, str(uuid.uuid4())
            elif name == "socket" and form.data.get("socket"):
                yield name, str(self.browser.round_trip(form.data["socket"]) or "")
            else:
                yield name, value

    def _answers(self, form: HtmlForm) -> Iterator[tuple[str, str]]:
        ranked: dict[str, set[str]] = defaultdict(set)
        for form_question in form.questions:
            ranked_so_far = ranked[form_question.ranking]
            question = form_question
            if question.ranking:
                question = question.without(ranked_so_far)
            values = self.mind.answer(question)
            ranked_so_far.update(values)
            typed = sum(map(len, values)) if question.kind == "text" else 0
            if not self.habits.hasty:
                seconds = SECONDS_A_QUESTION + 60 * typed / CHARACTERS_A_MINUTE
                self.browser.stay(seconds * self._pace())
            yield from ((question.name, value) for value in values)

    def _wait(self, page: Page) -> Page:
        self.browser.wait(LOOKS_EVERY)
        return self.browser.get(page.url)

    def _idle(self, page: Page, main: Element) -> Page:
        """Do nothing on an open page. It is over once a game has ended: nothing comes after it."""
        if urlsplit(page.url).path.startswith("/games/") and main.name == "a":
            self.end = IDLE
            return page
        return self._wait(page)

    def _after_refusal(self, page: Page) -> Page:
        """Return to the current page after a form was refused or a page was missing."""
        self._refused += 1
        if not self.own and page.status in (403, 404, 409, 410):
            self.end, self.why = ENDED, f"not let in: {page.status}"
        elif self._refused > MOST_REFUSED or not self.own:
            self._stuck(f"{page.status} again and again", page)
        else:
            self.browser.stay(AGAIN)
            return self.browser.get(self.own)
        return page

    def _leave(self, page: Page) -> Page:
        """Close the page, or press “leave” if there is one, and choose what happens to the data."""
        leave_link = next((a for a in page.links() if urlsplit(a).path.endswith("/leave")), "")
        if self.habits.closes or not leave_link:
            # Nothing is stored about visitors before consent.
            self.end = CLOSED if self.own else LEFT
            return page
        leave_page = self.browser.get(_joined(page.url, leave_link))
        buttons = leave_page.buttons(urlsplit(leave_page.url).path)
        if not buttons:
            self._stuck("there is no button to leave by", leave_page)
            return leave_page
        form = leave_page.form_of(self.draw.choice(buttons))
        assert form is not None  # each button is in a form
        after = self._send(leave_page, form)
        if self._main(after) or after.socket:
            self._stuck("one has left and is not out", after)
            return after
        self._over(after)
        self.end = LEFT
        return after

    def _over(self, page: Page) -> None:
        """End the visit, because the page has no next one: it is an exit page."""
        idled = self.habits.idles_at is not None and self.pages > self.habits.idles_at
        self.end = IDLE if idled else ENDED
        code = page.find("code")
        self.code = code.get("value") if code else ""

    def _stuck(self, cause: str, page: Page) -> None:
        page_text = " ".join(page.words)[:200]
        self.end, self.why = (
            STUCK,
            f"{cause}, at {urlsplit(page.url).path} ({page.status}): {page_text}",
        )


def _joined(base: str, address: str) -> str:
    """Return an address on a page as a complete path."""
    if address.startswith("?"):
        return f"{urlsplit(base).path}{address}"
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def names_of(posted: Posted) -> dict[str, list[str]]:
    """Return the submitted fields of a form: name -> values."""
    values_by_name: dict[str, list[str]] = {}
    for name, value in posted.fields:
        values_by_name.setdefault(name, []).append(value)
    return values_by_name
