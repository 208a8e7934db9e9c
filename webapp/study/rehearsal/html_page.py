"""A page as a person without knowledge of the program sees it: text, forms and buttons.

Hidden, folded and disabled elements are left out. This module knows no page by name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString

INVISIBLE_SIGN = frozenset(("head", "noscript", "script", "style", "svg", "template", "title"))
MAIN_BUTTON_CLASS = "button-main"  # class of the main button of a page
HIDDEN_INPUT = ("input", "hidden")


class Element(Tag):
    """An element of a page, as a person sees it."""

    def get(self, key: str, default: Any = "") -> Any:
        """Return an attribute's text, "" if there is none."""
        return super().get(key, default)

    @property
    def is_seen(self) -> bool:
        """Whether a person sees it: no ancestor is hidden, closed or folded."""
        inner: Tag = self
        for at in (self, *self.parents):
            if (
                at.has_attr("hidden")
                or at.name in INVISIBLE_SIGN
                or (at.name, at.get("type")) == HIDDEN_INPUT
            ):
                return False
            if at.name == "dialog" and not at.has_attr("open"):
                return False
            is_folded = at.name == "details" and not at.has_attr("open") and at is not self
            if is_folded and inner.name != "summary":
                return False
            inner = at
        return True

    def texts(self) -> Iterator[str]:
        """Yield its visible text, piece by piece."""
        for child in self.children:
            if type(child) is NavigableString:
                if child.strip():
                    yield " ".join(child.split())
            elif isinstance(child, Element) and child.is_seen and child.name != "textarea":
                yield from child.texts()

    @property
    def words(self) -> str:
        """The text of the element."""
        return " ".join(self.texts())


@dataclass(frozen=True)
class HtmlOption:
    """One of the options to choose from. chosen: preselected by the page."""

    value: str
    label: str
    chosen: bool = False


@dataclass(frozen=True)
class HtmlQuestion:
    """A question of a form.

    kind: `one` or `some` of its choices, `text` or `number`. count: how many of `some` are
    required, 0 for any. limits: (low, high) of a number, None if the page gives none. longest:
    characters, 0 for any. ranking: what the players are put in order by, where this is a place of
    the order; "" for other questions.
    """

    name: str
    kind: str
    words: str
    choices: tuple[HtmlOption, ...] = ()
    count: int = 0
    limits: tuple[int, int] | None = None
    longest: int = 0
    value: str = ""
    ranking: str = ""

    def without(self, values: Collection[str]) -> HtmlQuestion:
        """Return the question without these choices, and without the one that leaves it out."""
        free = (c for c in self.choices if c.value and c.value not in values)
        return replace(self, choices=tuple(free))

    @property
    def scale(self) -> tuple[int, int] | None:
        """The two ends, if the choices are steps of a scale."""
        values = [c.value for c in self.choices if c.value]
        if self.kind != "one" or len(values) < 3 or not all(v.isdecimal() for v in values):
            return None
        numbers = [int(v) for v in values]
        return min(numbers), max(numbers)


@dataclass(frozen=True)
class HtmlForm:
    """A form as one of its buttons submits it. fixed: the hidden fields and the button."""

    action: str
    fixed: tuple[tuple[str, str], ...]
    questions: tuple[HtmlQuestion, ...]
    data: dict[str, str]  # data attributes of the element, for its script


class Page:
    """A fetched page. url: its address. status: the HTTP status."""

    def __init__(self, url: str, status: int, html: str) -> None:
        self.url, self.status = url, status
        soup = BeautifulSoup(
            html,
            "html.parser",
            multi_valued_attributes=None,  # `class` is then a single text
            element_classes={Tag: Element},
        )
        self.all: list[Element] = soup.find_all(True)  # type: ignore[assignment]
        self._by_id = {e.get("id"): e for e in self.all if e.get("id")}

    def find(self, key: str) -> Element | None:
        """Return the element with that id."""
        return self._by_id.get(key)

    @property
    def words(self) -> list[str]:
        """Return the text of the page, piece by piece."""
        mains = [e for e in self.all if e.name == "main"]
        return list((mains or self.all)[0].texts()) if self.all else []

    @property
    def socket(self) -> str:
        """The address of the page's socket, "" for none. A form's socket is only tried once."""
        addresses = (e.get("data-socket") for e in self.all if e.name != "form")
        return next((one for one in addresses if one), "")

    @property
    def main_controls(self) -> Sequence[Element]:
        """Return the page's main buttons and links, in its order."""
        return [
            e
            for e in self.all
            if MAIN_BUTTON_CLASS in e.get("class").split()
            and e.is_seen and not e.has_attr("disabled")
            and (e.name == "button" or e.get("href"))
        ]  # fmt: skip

    def links(self) -> Sequence[str]:
        return [e.get("href") for e in self.all if e.name == "a" and e.get("href")]

    def buttons(self, within: str) -> Sequence[Element]:
        """Return the buttons of forms that post to `within`, or to the page itself."""
        own_buttons = [e for e in self.all if e.name == "button" and e.get("type") != "button"]
        return [
            e for e in own_buttons if (form := self._form(e)) and form.get("action") in (within, "")
        ]

    def form_of(self, button: Element) -> HtmlForm | None:
        """Return the form that `button` submits, None for a button without a form."""
        form = self._form(button)
        if form is None:
            return None
        own = [e for e in self.all if self._form(e) is form and not e.has_attr("disabled")]
        fixed = [(e.get("name"), e.get("value")) for e in own if _is_hidden(e)]
        if button.get("name"):
            fixed.append((button.get("name"), button.get("value")))
        data = {
            k.removeprefix("data-"): str(v) for k, v in form.attrs.items() if k.startswith("data-")
        }
        return HtmlForm(form.get("action"), tuple(fixed), tuple(self._questions(own)), data)

    def _form(self, control: Element) -> Element | None:
        if control.name not in ("button", "input", "select", "textarea"):
            return None
        if name := control.get("form"):
            return self._by_id.get(name)
        return _around(control, "form")

    def _questions(self, own: Sequence[Element]) -> Iterator[HtmlQuestion]:
        controls = [e for e in own if e.get("name") and e.is_seen and not e.has_attr("readonly")]
        names_done: set[str] = set()
        for e in controls:
            name, kind = e.get("name"), e.get("type") or e.name
            if kind in ("radio", "checkbox"):
                if name not in names_done:
                    names_done.add(name)
                    yield self._choice([o for o in controls if o.get("name") == name], kind)
            elif e.name == "select":
                options = [o for o in e.find_all("option") if isinstance(o, Element)]
                choices = tuple(
                    HtmlOption(_value(o), o.words, o.has_attr("selected")) for o in options
                )
                around = _around(e, "fieldset")
                ranking = around.get("data-dimension") if around else ""
                yield HtmlQuestion(name, "one", self._words(e), choices, ranking=ranking)
            elif e.name == "textarea" or kind in ("text", "number", "email", "search", "input"):
                yield self._typed(e)

    def _choice(self, group: Sequence[Element], kind: str) -> HtmlQuestion:
        option_values = tuple(
            HtmlOption(e.get("value", "on"), self._words(e), e.has_attr("checked")) for e in group
        )
        fieldset = _around(group[0], "fieldset")
        legend = fieldset.find("legend") if fieldset else None
        words = legend.words if isinstance(legend, Element) else ""
        counted = next((str(a["data-count"]) for a in group[0].parents if a.get("data-count")), "")
        count = int(counted) if counted.isdecimal() and kind == "checkbox" else 0
        return HtmlQuestion(
            group[0].get("name"), "one" if kind == "radio" else "some", words, option_values, count
        )

    def _typed(self, e: Element) -> HtmlQuestion:
        limit = e.get("data-longest") or e.get("maxlength")
        help_ = [self.find(one) for one in e.get("aria-describedby").split()]
        parts = " ".join(h.words for h in help_ if h).split()
        digits = [int(re.sub(r"\D", "", part)) for part in parts if part[0].isdecimal()]
        a_number = e.get("type") == "number" or e.get("inputmode") == "numeric"
        low, high = e.get("min"), e.get("max")
        limits = (digits[0], digits[1]) if len(digits) > 1 else None
        if low.isdecimal() and high.isdecimal():
            limits = (int(low), int(high))
        value = e.get("value") or e.get_text().strip()
        return HtmlQuestion(
            e.get("name"),
            "number" if a_number else "text",
            self._words(e),
            limits=limits if a_number else None,
            longest=int(limit) if limit.isdecimal() else 0,
            value=value,
        )

    def _words(self, control: Element) -> str:
        """Return the label of a control."""
        around = _around(control, "label")
        if around is None and control.get("id"):
            labels = (
                e for e in self.all if e.name == "label" and e.get("for") == control.get("id")
            )
            around = next(labels, None)
        return around.words if around else ""


def _around(control: Element, tag: str) -> Element | None:
    """Return the nearest element of that tag around `control`."""
    parent = control.find_parent(tag)
    return parent if isinstance(parent, Element) else None


def _is_hidden(e: Element) -> bool:
    return (e.name, e.get("type")) == HIDDEN_INPUT and bool(e.get("name"))


def _value(option: Element) -> str:
    return str(option.get("value", option.words))
