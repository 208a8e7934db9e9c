"""A simulated participant: their mind, and how they follow the pages from the link to the end.

The participant knows no page by name. They read new text at a usual pace, answer the questions of a
form as their mind decides, and press the main button. Without a main button, they wait for a
message of the page's socket, and fetch the page every few seconds as its script does.
"""

import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from urllib.parse import urlsplit

from webapp.study.rehearsal.browser import Browser
from webapp.study.rehearsal.html_page import Element, HtmlForm, HtmlQuestion, Page
from webapp.study.rehearsal.opinions import Opinions, OpinionSubject, round_to_scale

READ_WORDS_PER_MINUTE = 230
TYPED_CHARS_PER_MINUTE = 200
SECONDS_PER_QUESTION = 3.0
LOG_PACE_SD = 0.2  # SD of the logarithm of the random factor of each of these times
MAX_READING_S_PER_PAGE = 120.0
POLL_INTERVAL_S = 5.0  # without a message of the socket, the page is fetched this often
RETRY_AFTER_S = 0.5  # pause after an error page
MAX_PRESSES = 12  # a person who presses the same button of a page more often is stuck
MAX_SUCCESSIVE_ERROR_PAGES = 20  # a person who gets more of them is stuck
MAX_QUOTED_CHARS = 200  # the report quotes this many characters of the page where a person is stuck
STUDY_PATHS = ("/take/", "/rate/", "/games/")  # paths of the study; other links lead out of it

# Ends of a person: finished, left by a button, closed the page, became idle, cannot go on.
ENDED, LEFT, CLOSED, IDLE, STUCK = "ended", "left", "closed", "idle", "stuck"
# Shares of an attentive person's answers.
CORRECT_ANSWER_SHARE = 0.95  # share of the questions with a right answer that are answered rightly
# In this share of questions with a preselected choice, the choice is kept.
KEPT_CHOICES_SHARE = 0.9
OMITTED_OPTIONAL_SHARE = 0.05
SAMPLE_SENTENCES = (
    "I have nothing to hide. Ask me what you like.",
    "Somebody here is very quiet, and I wonder why.",
    "I believe who has spoken before me, for now.",
    "That does not fit with what was said a moment ago.",
    "I am with the village. Let us vote together this time.",
    "I was not sure at first, but now I am.",
)


@dataclass
class AttentiveMind:
    """The mind of a person who answers by opinions."""

    name: str
    opinions: Opinions
    right_answers: Mapping[str, str]  # label of a question -> the right answer
    # Returns the condition of the person's last game, "" before the first.
    condition: Callable[[], str]
    rng: Random

    def answer(self, question: HtmlQuestion) -> list[str]:
        """Return the values for one question, [] to omit it."""
        if question.kind in ("text", "number"):
            return _type_answer(question, self.rng)
        values = question.choice_values
        if not values:
            return [question.choices[0].value] if question.kind == "one" else []
        if question.kind == "some":
            count = question.count or self.rng.randint(1, len(values))
            return self.rng.sample(values, min(count, len(values)))
        if (right_answer := self.right_answers.get(question.label)) in values:
            wrong_answers = [value for value in values if value != right_answer]
            is_right = self.rng.random() < CORRECT_ANSWER_SHARE
            return [str(right_answer) if is_right else self.rng.choice(wrong_answers)]
        preselected = [c.value for c in question.choices if c.value and c.is_preselected]
        if preselected and self.rng.random() < KEPT_CHOICES_SHARE:
            return preselected[:1]
        if len(values) < len(question.choices) and self.rng.random() < OMITTED_OPTIONAL_SHARE:
            return [""]
        if scale := question.scale:
            return [str(self._scale_value(question, *scale))]
        return [self.rng.choice(values)]

    def _scale_value(self, question: HtmlQuestion, low: int, high: int) -> int:
        values = map(int, question.choice_values)
        condition = self.condition()
        subject = OpinionSubject(condition, condition, self.name, "", question.name)
        opinion = self.opinions.value_for(self.name, subject, question.name, low, high, self.rng)
        return min(values, key=lambda v: abs(v - round_to_scale(opinion, low, high)))


@dataclass
class CarelessMind:
    """The mind of a person who answers the minimum, always at the same position (0 to 1)."""

    rng: Random
    position: float

    def answer(self, question: HtmlQuestion) -> list[str]:
        if question.kind == "text":
            return ["ok"]
        if question.kind == "number":
            return _type_answer(question, self.rng)
        values = question.choice_values
        if not values:
            return [question.choices[0].value] if question.kind == "one" else []
        if question.kind == "some":
            return values[: question.count or 1]
        return [values[int(self.position * len(values))]]


def _type_answer(question: HtmlQuestion, rng: Random) -> list[str]:
    if question.kind == "number":
        low, high = question.limits or (1, 9)
        return [str(rng.randint(low, high))]
    text = rng.choice(SAMPLE_SENTENCES)
    return [text[: question.max_chars] if question.max_chars else text]


@dataclass(frozen=True)
class SubmittedForm:
    """A form that the site accepted, without its button."""

    path: str
    fields: tuple[tuple[str, str], ...]
    question_names: frozenset[str]  # names of the fields that are questions, not hidden
    submitted_at: float  # seconds since 1970

    @property
    def values(self) -> dict[str, list[str]]:
        """Name of each field -> its values."""
        values: dict[str, list[str]] = {}
        for name, value in self.fields:
            values.setdefault(name, []).append(value)
        return values


@dataclass
class Habits:
    """Habits of a person."""

    speed: float = 1.0  # divisor of reading and typing times
    leaves_at: int | None = None  # number of pages after which they leave, None if they stay
    is_closing: bool = False  # leaves by closing the page instead of pressing “leave”
    idles_at: int | None = None  # number of pages after which they leave a page open and do nothing
    is_hasty: bool = False  # reads nothing


@dataclass
class Person:
    """One simulated participant."""

    browser: Browser
    mind: AttentiveMind | CarelessMind
    habits: Habits
    rng: Random
    submitted: list[SubmittedForm] = field(default_factory=list)
    end: str = ""  # ENDED, LEFT, CLOSED, IDLE or STUCK; "" before the end
    end_detail: str = ""  # the reason if stuck, or the status if the study did not admit them
    own_path: str = ""  # path of their own link, "" before consent
    code: str = ""  # completion code of the last page
    pages: int = 0  # number of pages with a main button or link
    _texts_read: set[str] = field(default_factory=set)
    _press_counts: dict[tuple[str, ...], int] = field(default_factory=dict)
    _successive_error_pages: int = 0

    def take_part(self, link: str, deadline: float) -> None:
        """Take part from `link` to the end, at most until `deadline` (time.monotonic)."""
        try:
            page = self.browser.get(link)
            while not self.end:
                page = self._handle_page(page)
                if time.monotonic() > deadline and not self.end:
                    self._mark_stuck("it took too long", page)
        except Exception as error:  # any error ends only this person; the report shows it
            self.end, self.end_detail = STUCK, f"{type(error).__name__}: {error}"
        finally:
            self.browser.close_socket()

    @property
    def key(self) -> str:
        """The key of the person's own link, "" before they have agreed."""
        return self.own_path.rstrip("/").rpartition("/")[2]

    @property
    def _is_idle(self) -> bool:
        return self.habits.idles_at is not None and self.pages > self.habits.idles_at

    def _handle_page(self, page: Page) -> Page:
        path = urlsplit(page.url).path
        if path.startswith("/take/as/") and not self.own_path:
            self.own_path = "/".join(path.split("/")[:4]) + "/"
        if page.status >= 400 and page.status != 422:
            return self._handle_error_page(page)
        self.browser.open_socket(page)
        if page.status < 400:
            self._successive_error_pages = 0
        control = self._find_main_control(page)
        if control is None and not page.socket_path:
            self._end_visit(page)
            return page
        if control is None:
            return self._wait_on_page(page)
        self.pages += 1
        if self.habits.leaves_at is not None and self.pages > self.habits.leaves_at:
            return self._leave_study(page)
        if self._is_idle:
            return self._stay_idle(page, control)
        self._read_page(page)
        return self._press_control(page, control)

    def _find_main_control(self, page: Page) -> Element | None:
        """Return the first main button or link that stays in the study, None if there is none."""
        for control in page.main_controls:
            if control.name == "button":
                return control
            href = control.get("href")
            if self.browser.is_on_site(href) and href.startswith(("?", *STUDY_PATHS)):
                return control
        return None

    def _read_page(self, page: Page) -> None:
        new_texts = [text for text in page.visible_texts if text not in self._texts_read]
        self._texts_read.update(new_texts)
        count = sum(len(text.split()) for text in new_texts)
        if not self.habits.is_hasty:
            seconds = min(MAX_READING_S_PER_PAGE, 60 * count / READ_WORDS_PER_MINUTE)
            self.browser.stay(seconds * self._pace_factor())

    def _pace_factor(self) -> float:
        """Return a random factor of a duration, divided by the speed."""
        return self.rng.lognormvariate(0, LOG_PACE_SD) / self.habits.speed

    def _press_control(self, page: Page, control: Element) -> Page:
        attributes = (control.get(name) for name in ("id", "name", "value"))
        press = (page.url, *attributes, *page.visible_texts)
        self._press_counts[press] = self._press_counts.get(press, 0) + 1
        if self._press_counts[press] > MAX_PRESSES:
            self._mark_stuck(f"“{control.visible_text}” leads nowhere", page)
            return page
        if control.name == "a":
            return self.browser.get(_path_of(page.url, control.get("href")))
        form = page.find_form(control)
        if form is None:
            self._mark_stuck(f"“{control.visible_text}” belongs to no form", page)
            return page
        return self._submit_form(page, form)

    def _submit_form(self, page: Page, form: HtmlForm) -> Page:
        fields = [*self._fill_fixed_fields(form), *self._answer_questions(form)]
        path = _path_of(page.url, form.action or page.url)
        answer = self.browser.post(path, fields)
        if answer.status < 400:
            question_names = frozenset(question.name for question in form.questions)
            self.submitted.append(
                SubmittedForm(urlsplit(path).path, tuple(fields), question_names, time.time())
            )
        return answer

    def _fill_fixed_fields(self, form: HtmlForm) -> Iterator[tuple[str, str]]:
        """Yield the hidden fields, with the values that the page's script sets."""
        for name, value in form.fixed_fields:
            if name == "post" and not value:
                yield name, str(uuid.uuid4())
            elif name == "socket" and form.data.get("socket"):
                yield name, str(self.browser.measure_round_trip(form.data["socket"]) or "")
            else:
                yield name, value

    def _answer_questions(self, form: HtmlForm) -> Iterator[tuple[str, str]]:
        """Yield the answers. A player who has a rank in a ranking gets no other rank."""
        ranked: dict[str, set[str]] = defaultdict(set)
        for question in form.questions:
            ranked_players = ranked[question.ranked_by]
            if question.ranked_by:
                values = self.mind.answer(question.without_choices(ranked_players))
            else:
                values = self.mind.answer(question)
            ranked_players.update(values)
            typed = sum(map(len, values)) if question.kind == "text" else 0
            if not self.habits.is_hasty:
                seconds = SECONDS_PER_QUESTION + 60 * typed / TYPED_CHARS_PER_MINUTE
                self.browser.stay(seconds * self._pace_factor())
            yield from ((question.name, value) for value in values)

    def _wait_on_page(self, page: Page) -> Page:
        self.browser.wait_for_message(POLL_INTERVAL_S)
        return self.browser.get(page.url)

    def _stay_idle(self, page: Page, control: Element) -> Page:
        """Do nothing on the open page. The visit ends with the game, which no page follows."""
        if urlsplit(page.url).path.startswith("/games/") and control.name == "a":
            self.end = IDLE
            return page
        return self._wait_on_page(page)

    def _handle_error_page(self, page: Page) -> Page:
        """Fetch the current page after an error page, unless the study did not admit the person."""
        self._successive_error_pages += 1
        if not self.own_path and page.status in (403, 404, 409, 410):
            self.end, self.end_detail = ENDED, f"not let in: {page.status}"
        elif self._successive_error_pages > MAX_SUCCESSIVE_ERROR_PAGES or not self.own_path:
            self._mark_stuck(f"{page.status} again and again", page)
        else:
            self.browser.stay(RETRY_AFTER_S)
            return self.browser.get(self.own_path)
        return page

    def _leave_study(self, page: Page) -> Page:
        """Close the page, or press “leave” and choose at random what happens to the data."""
        leave_link = next(
            (a for a in page.link_addresses() if urlsplit(a).path.endswith("/leave")), ""
        )
        if self.habits.is_closing or not leave_link:
            # Nothing is stored about visitors before consent, so closing is leaving then.
            self.end = CLOSED if self.own_path else LEFT
            return page
        leave_page = self.browser.get(_path_of(page.url, leave_link))
        buttons = leave_page.find_buttons(urlsplit(leave_page.url).path)
        if not buttons:
            self._mark_stuck("there is no button to leave by", leave_page)
            return leave_page
        form = leave_page.find_form(self.rng.choice(buttons))
        assert form is not None, "find_buttons returns only buttons of forms"
        after = self._submit_form(leave_page, form)
        if self._find_main_control(after) or after.socket_path:
            self._mark_stuck("the page after leaving still leads into the study", after)
            return after
        self._end_visit(after)
        self.end = LEFT
        return after

    def _end_visit(self, page: Page) -> None:
        """End the visit on a page without a next one, and note its code."""
        self.end = IDLE if self._is_idle else ENDED
        code = page.find_by_id("code")
        self.code = code.get("value") if code else ""

    def _mark_stuck(self, cause: str, page: Page) -> None:
        page_text = " ".join(page.visible_texts)[:MAX_QUOTED_CHARS]
        self.end = STUCK
        self.end_detail = f"{cause}, at {urlsplit(page.url).path} ({page.status}): {page_text}"


def _path_of(base: str, address: str) -> str:
    """Return an address on the page `base` as a path with its query."""
    if address.startswith("?"):
        return f"{urlsplit(base).path}{address}"
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
