"""Renders a page's parts for pushes, with the same partials as the first page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from django.template import Library
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from webapp.play.page.page_parts import Page
from webapp.play.page.transcript_parts import Seat

CACHE_SIZE = 12_000  # cached renderings; a few kilobytes each at most
register = Library()


@dataclass(frozen=True)
class _CachedContext:
    """A template's context, compared by its key."""

    key: object
    context: Mapping[str, Any] = field(compare=False)


@lru_cache(maxsize=CACHE_SIZE)
def _render(template: str, drawing: _CachedContext) -> SafeString:
    return render_to_string(template, drawing.context)


def _key(data: object) -> object:
    """Return a value that two contexts share only if they are rendered alike.

    It is the data themselves if they can be hashed, which is several times as quick as their
    `repr`. The `repr` must show all data, as that of a dataclass does.
    """
    values = _hashable(data)
    try:
        hash(values)
    except TypeError:
        return blake2b(repr(data).encode(), digest_size=16).digest()
    return values


def _hashable(value: object) -> object:
    """Return the value with tuples for its own lists and dicts."""
    if isinstance(value, dict):
        return tuple((key, _hashable(inner)) for key, inner in value.items())
    return tuple(value) if isinstance(value, list) else value


@register.simple_tag(name="drawn")
def render_cached(template: str, **context: Any) -> SafeString:
    """Render the template with this data, or return the cached text for the same data."""
    return _render(template, _CachedContext((get_language(), _key(context)), context))


@register.simple_tag(name="drawn_each")
def render_each_cached(
    template: str, name: str, items: Iterable[Any], **context: Any
) -> SafeString:
    """Render the template once for each item, under that name, beside the same other data."""
    shared = (get_language(), name, _key(context))  # once for all items: the lists are long
    return mark_safe(
        "".join(
            _render(template, _CachedContext((*shared, _key(item)), {name: item, **context}))
            for item in items
        )
    )


# The data of the page for each part. A part's template gets nothing else.
SHOWS: dict[str, tuple[str, ...]] = {
    "phase": ("phase",),
    "told": ("told",),
    "awaited": ("awaited", "status", "game", "next_game", "onward"),
    "count": ("awaited",),
    "progress": ("progress",),
    "dead": ("dead",),
    "secret_talk": ("turn",),
    "gone": ("awaited", "onward"),
    "tempo": ("tempo",),
    "me": ("me",),
    "sorted": ("sorted_talk",),
    "claims": ("claims",),
    "turn": ("turn",),
    "choice": ("choice", "game"),
    "end": ("end", "game", "next_game", "seed", "pace", "onward"),
    "public_link": ("public_link",),
    "host": ("host", "game"),
    "studied": ("research", "onward"),
    "company": ("company",),
    "chat": ("chat", "next_game"),
    "chat_out": ("chat",),
    "reportable": ("reportable", "onward"),
    "amended": ("amended",),
}
# parts that are shown, and read aloud, before the new lines; the seats come next
ABOVE = ("phase",)
# Bytes of a frame: the server refuses to send more than 65,536 (webapp/runtime/children.py).
MOST, MOST_LINES = 60_000, 40_000


class FrameTooLong(Exception):
    """A part is too long for a frame."""


def parts(page: Page) -> tuple[str, ...]:
    """Return the names of the page's parts.

    Each seat is a separate part, because mostly only two of them change at a time.
    """
    return (*ABOVE, *(_name(seat) for seat in page.seats), *(n for n in SHOWS if n not in ABOVE))


def _name(seat: Seat) -> str:
    """Return the name of a seat's part, which is also its element's id (seat.html)."""
    return f"seat-{seat.number}"


def part(page: Page, name: str) -> str:
    """Render one part, which replaces itself wherever it is."""
    template, context = _template_and_data(page, name)
    return render_cached(template, **context, oob=True)


def part_keys(page: Page) -> Iterator[tuple[str, int]]:
    """Yield each part's name with a number that differs where its data differ, as `parts`.

    Nothing is rendered for it.
    """
    seats = {_name(seat): seat for seat in page.seats}
    for name in parts(page):
        fields = seats[name] if name in seats else [getattr(page, key) for key in SHOWS[name]]
        yield name, hash(_key(fields))


def _template_and_data(page: Page, name: str) -> tuple[str, dict[str, Any]]:
    """Return a part's template and what it gets."""
    for seat in page.seats if name not in SHOWS else ():
        if _name(seat) == name:
            return "play/seat.html", {"seat": seat}
    return f"play/{name}.html", {"page": {key: getattr(page, key) for key in SHOWS[name]}}


def frame(page: Page) -> str:
    """Render one push: all parts, the page's entries, and the cursor they lead to."""
    return "".join(_blocks(page, rendered(page)))


def rendered(page: Page) -> dict[str, str]:
    """Render all parts."""
    return {name: part(page, name) for name in parts(page)}


def frames(page: Page, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Render a push of these parts as frames of at most MOST bytes, in order.

    texts: rendered parts by their names, in the order of `parts`.

    Each carries the cursor it leads to, so a page that received only some of them requests the
    others.

    Raises FrameTooLong if one part alone is larger: the page has to be reloaded.
    """
    frame_texts: list[str] = []
    size = MOST
    for block in _blocks(page, texts):
        length = len(block.encode())
        if length > MOST:
            raise FrameTooLong(length)
        if size + length > MOST:
            frame_texts.append("")
            size = 0
        frame_texts[-1] += block
        size += length
    return tuple(frame_texts)


def _blocks(page: Page, texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the pieces of a push, which need not arrive together."""
    above = [name for name in texts if name in ABOVE or name not in SHOWS]
    yield from (texts[name] for name in above)
    last, size, lines = 0, 0, list[str]()
    for entry in page.entries:
        line = render_cached("play/entry.html", entry=entry)
        if size + len(line.encode()) > MOST_LINES and lines:
            yield render_cached("play/push_entries.html", cursor=last, lines="".join(lines))
            size, lines = 0, []
        last, size = entry.position, size + len(line.encode())
        lines.append(line)
    yield render_cached("play/push_entries.html", cursor=page.cursor, lines="".join(lines))
    for name, text in texts.items():
        if name == "amended":
            yield from (
                render_cached("play/entry.html", entry=e, amended=True) for e in page.amended
            )
        elif name not in above:
            yield text
