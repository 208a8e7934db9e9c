"""A page as a person without knowledge of the program meets it: words, forms and buttons.

What is hidden, folded away or disabled is not there. Nothing here knows any page by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset(("area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source",
                  "track", "wbr"))  # fmt: skip
UNSEEN = frozenset(("head", "noscript", "script", "style", "svg", "template", "title"))
MAIN = "button-main"  # the class of what a page wants to be pressed


@dataclass(eq=False)
class Element:
    """An element; children are elements and texts."""

    tag: str
    attrs: dict[str, str]
    parent: Element | None = None
    children: list[Element | str] = field(default_factory=list)

    def get(self, name: str) -> str:
        return self.attrs.get(name, "")

    def has(self, name: str) -> bool:
        return name in self.attrs

    @property
    def classes(self) -> list[str]:
        return self.get("class").split()

    def walk(self) -> Iterator[Element]:
        """This element and all within, in the order of the page."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def above(self) -> Iterator[Element]:
        """What it lies in, the nearest first."""
        at = self.parent
        while at is not None:
            yield at
            at = at.parent

    @property
    def seen(self) -> bool:
        """Whether a person sees it."""
        inner: Element = self
        for at in (self, *self.above()):
            if at.has("hidden") or at.tag in UNSEEN or (at.tag, at.get("type")) == HIDDEN_INPUT:
                return False
            if at.tag == "dialog" and not at.has("open"):
                return False
            folded = at.tag == "details" and not at.has("open") and at is not self
            if folded and inner.tag != "summary":
                return False
            inner = at
        return True

    def texts(self) -> Iterator[str]:
        """Its words, piece by piece, without what nobody sees."""
        for child in self.children:
            if isinstance(child, str):
                if child.strip():
                    yield " ".join(child.split())
            elif child.seen and child.tag != "textarea":
                yield from child.texts()

    @property
    def text(self) -> str:
        return " ".join(self.texts())


HIDDEN_INPUT = ("input", "hidden")


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = self.at = Element("", {})

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, {name: value or "" for name, value in attrs}, self.at)
        self.at.children.append(made)
        if tag not in VOID:
            self.at = made

    def handle_endtag(self, tag: str) -> None:
        for at in (self.at, *self.at.above()):
            if at.tag == tag and at.parent is not None:
                self.at = at.parent
                return

    def handle_data(self, data: str) -> None:
        self.at.children.append(data)


@dataclass(frozen=True)
class Choice:
    """One of the answers to choose from. chosen: by the page."""

    value: str
    label: str
    chosen: bool = False


@dataclass(frozen=True)
class Question:
    """What a form asks in one name. kind: `one` or `some` of its choices, `text` or `number`.
    count: how many of `some` are wanted, 0 for any; low, high: a number's limits, none where the
    page tells none; longest: characters, 0 for any."""

    name: str
    kind: str
    words: str
    choices: tuple[Choice, ...] = ()
    count: int = 0
    limits: tuple[int, int] | None = None
    longest: int = 0
    value: str = ""

    @property
    def scale(self) -> tuple[int, int] | None:
        """The ends, where the choices are steps of a scale."""
        values = [c.value for c in self.choices if c.value]
        if self.kind != "one" or len(values) < 3 or not all(v.isdecimal() for v in values):
            return None
        numbers = [int(v) for v in values]
        return min(numbers), max(numbers)


@dataclass(frozen=True)
class Form:
    """A form as it would be sent by one of its buttons: fixed are the hidden fields and the
    button."""

    action: str
    fixed: tuple[tuple[str, str], ...]
    questions: tuple[Question, ...]
    data: dict[str, str]  # what the element says to its script


class Page:
    """A page that was fetched. url: where it is; status: how it came."""

    def __init__(self, url: str, status: int, html: str) -> None:
        self.url, self.status = url, status
        builder = _Builder()
        builder.feed(html)
        self.all = list(builder.root.walk())
        self._by_id = {e.get("id"): e for e in self.all if e.get("id")}

    def find(self, key: str) -> Element | None:
        """The element with that id."""
        return self._by_id.get(key)

    @property
    def words(self) -> list[str]:
        """What is to be read, piece by piece."""
        main = next((e for e in self.all if e.tag == "main"), None) or self.all[0]
        return list(main.texts())

    @property
    def socket(self) -> str:
        """The address of the page's socket, "" for none. A form's is tried once, not kept."""
        found = (e.get("data-socket") for e in self.all if e.tag != "form")
        return next((one for one in found if one), "")

    @property
    def mains(self) -> Sequence[Element]:
        """The buttons and links that the page wants to be pressed, in its order."""
        return [
            e
            for e in self.all
            if MAIN in e.classes and e.seen and not e.has("disabled")
            and (e.tag == "button" or e.get("href"))
        ]  # fmt: skip

    def links(self) -> Sequence[str]:
        return [e.get("href") for e in self.all if e.tag == "a" and e.get("href")]

    def buttons(self, within: str) -> Sequence[Element]:
        """The buttons of forms that post to `within`, or to the page itself."""
        found = [e for e in self.all if e.tag == "button" and e.get("type") != "button"]
        return [e for e in found if (form := self._form(e)) and form.get("action") in (within, "")]

    def form_of(self, button: Element) -> Form | None:
        """What pressing `button` sends; none for a button without a form."""
        form = self._form(button)
        if form is None:
            return None
        own = [e for e in self.all if self._form(e) is form and not e.has("disabled")]
        fixed = [(e.get("name"), e.get("value")) for e in own if _is_hidden(e)]
        if button.get("name"):
            fixed.append((button.get("name"), button.get("value")))
        data = {k.removeprefix("data-"): v for k, v in form.attrs.items() if k.startswith("data-")}
        return Form(form.get("action"), tuple(fixed), tuple(self._questions(own)), data)

    def _form(self, control: Element) -> Element | None:
        if control.tag not in ("button", "input", "select", "textarea"):
            return None
        if name := control.get("form"):
            return self._by_id.get(name)
        return next((e for e in control.above() if e.tag == "form"), None)

    def _questions(self, own: Sequence[Element]) -> Iterator[Question]:
        asked = [e for e in own if e.get("name") and e.seen and not e.has("readonly")]
        done: set[str] = set()
        for e in asked:
            name, kind = e.get("name"), e.get("type") or e.tag
            if kind in ("radio", "checkbox"):
                if name not in done:
                    done.add(name)
                    yield self._choice([o for o in asked if o.get("name") == name], kind)
            elif e.tag == "select":
                options = [o for o in e.walk() if o.tag == "option"]
                told = tuple(Choice(_value(o), o.text, o.has("selected")) for o in options)
                yield Question(name, "one", self._words(e), told)
            elif e.tag == "textarea" or kind in ("text", "number", "email", "search", "input"):
                yield self._typed(e)

    def _choice(self, group: Sequence[Element], kind: str) -> Question:
        told = tuple(
            Choice(e.get("value") if e.has("value") else "on", self._words(e), e.has("checked"))
            for e in group
        )
        set_of = next((a for a in group[0].above() if a.tag == "fieldset"), None)
        legends = [e for e in set_of.walk() if e.tag == "legend"] if set_of else []
        words = legends[0].text if legends else ""
        counted = next((a.get("data-count") for a in group[0].above() if a.get("data-count")), "")
        count = int(counted) if counted.isdecimal() and kind == "checkbox" else 0
        return Question(
            group[0].get("name"), "one" if kind == "radio" else "some", words, told, count
        )

    def _typed(self, e: Element) -> Question:
        told = e.get("data-longest") or e.get("maxlength")
        help_ = [self.find(one) for one in e.get("aria-describedby").split()]
        digits = [int(n) for n in _numbers(" ".join(h.text for h in help_ if h))]
        a_number = e.get("type") == "number" or e.get("inputmode") == "numeric"
        low, high = e.get("min"), e.get("max")
        limits = (digits[0], digits[1]) if len(digits) > 1 else None
        if low.isdecimal() and high.isdecimal():
            limits = (int(low), int(high))
        value = e.get("value") or "".join(c for c in e.children if isinstance(c, str)).strip()
        return Question(
            e.get("name"),
            "number" if a_number else "text",
            self._words(e),
            limits=limits if a_number else None,
            longest=int(told) if told.isdecimal() else 0,
            value=value,
        )

    def _words(self, control: Element) -> str:
        """The label of a control."""
        around = next((a for a in control.above() if a.tag == "label"), None)
        if around is None and control.get("id"):
            labels = (e for e in self.all if e.tag == "label" and e.get("for") == control.get("id"))
            around = next(labels, None)
        return around.text if around else ""


def _is_hidden(e: Element) -> bool:
    return (e.tag, e.get("type")) == HIDDEN_INPUT and bool(e.get("name"))


def _value(option: Element) -> str:
    return option.get("value") if option.has("value") else option.text


def _numbers(text: str) -> Iterator[str]:
    return (
        "".join(c for c in part if c.isdecimal()) for part in text.split() if part[:1].isdecimal()
    )
