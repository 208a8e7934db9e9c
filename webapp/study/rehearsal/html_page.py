"""An HTML page as a person sees it who does not know the program: text, forms and buttons.

`Page.elements` has all elements. Each method states which hidden, folded or disabled elements it
omits. This module knows no page by name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString

INVISIBLE_TAGS = frozenset(("head", "noscript", "script", "style", "svg", "template", "title"))
MAIN_BUTTON_CLASS = "button-main"  # class of the main buttons and links of a page
HIDDEN_INPUT = ("input", "hidden")
MIN_SCALE_STEPS = 3  # fewer numbers are choices, not a scale


class Element(Tag):
    """An element of a page, as a person sees it."""

    def get(self, key: str, default: Any = "") -> Any:
        """Return an attribute's text, "" if there is none."""
        return super().get(key, default)

    @property
    def is_visible(self) -> bool:
        """Whether a person sees it: neither it nor an ancestor is hidden, closed or folded."""
        inner: Tag = self
        for ancestor in (self, *self.parents):
            is_hidden_input = (ancestor.name, ancestor.get("type")) == HIDDEN_INPUT
            if ancestor.has_attr("hidden") or ancestor.name in INVISIBLE_TAGS or is_hidden_input:
                return False
            is_closed = ancestor.name in ("dialog", "details") and not ancestor.has_attr("open")
            # A closed <details> still shows itself and its summary.
            has_summary = ancestor.name == "details" and (
                ancestor is self or inner.name == "summary"
            )
            if is_closed and not has_summary:
                return False
            inner = ancestor
        return True

    def visible_texts(self) -> Iterator[str]:
        """Yield its text, piece by piece, without hidden or folded elements and typed text."""
        for child in self.children:
            if type(child) is NavigableString:
                if child.strip():
                    yield " ".join(child.split())
            elif isinstance(child, Element) and child.is_visible and child.name != "textarea":
                yield from child.visible_texts()

    @property
    def visible_text(self) -> str:
        return " ".join(self.visible_texts())


@dataclass(frozen=True)
class HtmlOption:
    """An option of a question."""

    value: str
    label: str
    is_preselected: bool = False


@dataclass(frozen=True)
class HtmlQuestion:
    """A question of a form."""

    name: str
    kind: str  # `one` or `some` of its choices, `text` or `number`
    label: str
    choices: tuple[HtmlOption, ...] = ()
    count: int = 0  # required number of choices of `some`, 0 for any number
    limits: tuple[int, int] | None = None  # (low, high) of a number, None if the page states none
    max_chars: int = 0  # maximum length of a text, 0 for no limit
    value: str = ""
    ranked_by: str = ""  # dimension of a ranking, if the question asks for one rank of it

    def without_choices(self, values: Collection[str]) -> HtmlQuestion:
        """Return the question without these choices, and without the empty choice."""
        free = (c for c in self.choices if c.value and c.value not in values)
        return replace(self, choices=tuple(free))

    @property
    def choice_values(self) -> list[str]:
        """The values of the choices, without that of an empty choice."""
        return [c.value for c in self.choices if c.value]

    @property
    def scale(self) -> tuple[int, int] | None:
        """The ends of the scale, None if the choices are no scale."""
        values = self.choice_values
        numbers = [int(v) for v in values if v.isdecimal()]
        if self.kind != "one" or len(values) < MIN_SCALE_STEPS or len(numbers) < len(values):
            return None
        return min(numbers), max(numbers)


@dataclass(frozen=True)
class HtmlForm:
    """A form as one of its buttons submits it."""

    action: str
    fixed_fields: tuple[tuple[str, str], ...]  # names and values of hidden fields and of the button
    questions: tuple[HtmlQuestion, ...]
    # data attributes of the element without "data-", which the page's script reads
    data: dict[str, str]


class Page:
    """A fetched page, with the HTTP status of its response."""

    def __init__(self, url: str, status: int, html: str) -> None:
        self.url, self.status = url, status
        soup = BeautifulSoup(
            html,
            "html.parser",
            multi_valued_attributes=None,  # `class` is then a single text
            element_classes={Tag: Element},
        )
        self.elements: list[Element] = soup.find_all(True)  # type: ignore[assignment]
        self._by_id = {e.get("id"): e for e in self.elements if e.get("id")}

    def find_by_id(self, element_id: str) -> Element | None:
        """Return the element with that id, even if it is hidden, or None."""
        return self._by_id.get(element_id)

    @property
    def visible_texts(self) -> list[str]:
        """The text of the main element, piece by piece, without hidden or folded elements."""
        mains = [e for e in self.elements if e.name == "main"]
        return list((mains or self.elements)[0].visible_texts()) if self.elements else []

    @property
    def socket_path(self) -> str:
        """The path of the page's socket, or "".

        The socket of a form is ignored: the page's script only measures the delay with it.
        """
        addresses = (e.get("data-socket") for e in self.elements if e.name != "form")
        return next((address for address in addresses if address), "")

    @property
    def main_controls(self) -> Sequence[Element]:
        """The page's main buttons and links, in document order, without hidden or disabled ones."""
        return [
            e
            for e in self.elements
            if MAIN_BUTTON_CLASS in e.get("class").split()
            and e.is_visible and not e.has_attr("disabled")
            and (e.name == "button" or e.get("href"))
        ]  # fmt: skip

    def link_addresses(self) -> Sequence[str]:
        """Return the addresses of all links, even of hidden ones."""
        return [e.get("href") for e in self.elements if e.name == "a" and e.get("href")]

    def find_buttons(self, path: str) -> Sequence[Element]:
        """Return the buttons, even hidden ones, of forms that post to `path` or the page itself."""
        buttons = (e for e in self.elements if e.name == "button" and e.get("type") != "button")
        forms = ((button, self._find_form_element(button)) for button in buttons)
        return [button for button, form in forms if form and form.get("action") in (path, "")]

    def find_form(self, button: Element) -> HtmlForm | None:
        """Return the form that `button` submits, None for a button without a form.

        Disabled fields are omitted. Hidden and read-only fields are no questions.
        """
        form = self._find_form_element(button)
        if form is None:
            return None
        enabled = (e for e in self.elements if not e.has_attr("disabled"))
        controls = [e for e in enabled if self._find_form_element(e) is form]
        hidden_inputs = (e for e in controls if (e.name, e.get("type")) == HIDDEN_INPUT)
        fixed_fields = [(e.get("name"), e.get("value")) for e in (*hidden_inputs, button)]
        named_fields = tuple((name, value) for name, value in fixed_fields if name)
        data_names = [name for name in form.attrs if name.startswith("data-")]
        data = {name.removeprefix("data-"): str(form.attrs[name]) for name in data_names}
        questions = tuple(self._parse_questions(controls))
        return HtmlForm(form.get("action"), named_fields, questions, data)

    def _find_form_element(self, control: Element) -> Element | None:
        if control.name not in ("button", "input", "select", "textarea"):
            return None
        if name := control.get("form"):
            return self._by_id.get(name)
        return _find_ancestor(control, "form")

    def _parse_questions(self, form_elements: Sequence[Element]) -> Iterator[HtmlQuestion]:
        visible_elements = (e for e in form_elements if e.get("name") and e.is_visible)
        controls = [e for e in visible_elements if not e.has_attr("readonly")]
        grouped_names: set[str] = set()
        for e in controls:
            name, kind = e.get("name"), e.get("type") or e.name
            if kind in ("radio", "checkbox"):
                if name not in grouped_names:
                    grouped_names.add(name)
                    yield self._parse_choices([c for c in controls if c.get("name") == name], kind)
            elif e.name == "select":
                yield self._parse_select(e)
            elif e.name == "textarea" or kind in ("text", "number", "email", "search", "input"):
                yield self._parse_typed_question(e)

    def _parse_choices(self, group: Sequence[Element], kind: str) -> HtmlQuestion:
        """Parse the radio buttons or checkboxes of one name."""
        choices = tuple(
            HtmlOption(e.get("value", "on"), self._find_label(e), e.has_attr("checked"))
            for e in group
        )
        fieldset = _find_ancestor(group[0], "fieldset")
        legend = fieldset.find("legend") if fieldset else None
        label = legend.visible_text if isinstance(legend, Element) else ""
        counts = (str(a["data-count"]) for a in group[0].parents if a.get("data-count"))
        count_text = next(counts, "") if kind == "checkbox" else ""
        count = int(count_text) if count_text.isdecimal() else 0
        name, question_kind = group[0].get("name"), "one" if kind == "radio" else "some"
        return HtmlQuestion(name, question_kind, label, choices, count)

    def _parse_select(self, e: Element) -> HtmlQuestion:
        options = [option for option in e.find_all("option") if isinstance(option, Element)]
        texts = [option.visible_text for option in options]
        choices = tuple(
            HtmlOption(option.get("value", text), text, option.has_attr("selected"))
            for option, text in zip(options, texts, strict=True)
        )
        fieldset = _find_ancestor(e, "fieldset")
        ranked_by = fieldset.get("data-dimension") if fieldset else ""
        label = self._find_label(e)
        return HtmlQuestion(e.get("name"), "one", label, choices, ranked_by=ranked_by)

    def _parse_typed_question(self, e: Element) -> HtmlQuestion:
        """Parse a field for a text or a number. A number's limits may be in its help text."""
        limit = e.get("data-longest") or e.get("maxlength")
        help_elements = [self.find_by_id(key) for key in e.get("aria-describedby").split()]
        words = " ".join(h.visible_text for h in help_elements if h).split()
        numbers = [int(re.sub(r"\D", "", word)) for word in words if word[0].isdecimal()]
        is_number = e.get("type") == "number" or e.get("inputmode") == "numeric"
        low, high = e.get("min"), e.get("max")
        limits = (numbers[0], numbers[1]) if len(numbers) > 1 else None
        if low.isdecimal() and high.isdecimal():
            limits = (int(low), int(high))
        value = e.get("value") or e.get_text().strip()
        return HtmlQuestion(
            e.get("name"),
            "number" if is_number else "text",
            self._find_label(e),
            limits=limits if is_number else None,
            max_chars=int(limit) if limit.isdecimal() else 0,
            value=value,
        )

    def _find_label(self, control: Element) -> str:
        label = _find_ancestor(control, "label")
        if label is None and (key := control.get("id")):
            labels = (e for e in self.elements if e.name == "label" and e.get("for") == key)
            label = next(labels, None)
        return label.visible_text if label else ""


def _find_ancestor(element: Element, tag: str) -> Element | None:
    parent = element.find_parent(tag)
    return parent if isinstance(parent, Element) else None
