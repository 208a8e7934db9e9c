"""Renders the frames of an update from a page's parts. `broadcaster` decides when to send them.

It uses the same templates as the page's first load.
"""

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

CACHE_SIZE = 12_000  # renderings of at most a few kilobytes each
register = Library()


@dataclass(frozen=True)
class _CachedContext:
    """A template's context, hashed and compared by its key alone."""

    key: object
    context: Mapping[str, Any] = field(compare=False)


@lru_cache(maxsize=CACHE_SIZE)
def _render(template: str, cached: _CachedContext) -> SafeString:
    return render_to_string(template, cached.context)


def _context_key(data: object) -> object:
    """Return a value that two contexts share only if they render alike.

    It is the data themselves if they can be hashed, which is several times as fast as hashing their
    `repr`. The `repr` must show all data, as that of a dataclass does.
    """
    values = _hashable(data)
    try:
        hash(values)
    except TypeError:
        return blake2b(repr(data).encode(), digest_size=16).digest()
    return values


def _hashable(value: object) -> object:
    """Return the value as a tuple if it is a list or a dict. Nested lists stay as they are."""
    if isinstance(value, dict):
        return tuple((key, _hashable(inner)) for key, inner in value.items())
    return tuple(value) if isinstance(value, list) else value


@register.simple_tag(name="include_cached")
def render_cached(template: str, **context: Any) -> SafeString:
    """Render the template with this data only, or return the cached text for the same data."""
    return _render(template, _CachedContext((get_language(), _context_key(context)), context))


@register.simple_tag(name="include_each_cached")
def render_each_cached(
    template: str, name: str, items: Iterable[Any], **context: Any
) -> SafeString:
    """Render the template once for each item, cached as `render_cached`.

    Args:
        name: The template's variable for the item. All items share the rest of the context.
    """
    shared_key = (get_language(), name, _context_key(context))  # once, because lists are long
    return mark_safe(
        "".join(
            _render(
                template, _CachedContext((*shared_key, _context_key(item)), {name: item, **context})
            )
            for item in items
        )
    )


# Part -> the fields of `Page` that its template gets, and nothing else.
PART_FIELDS: dict[str, tuple[str, ...]] = {
    "phase": ("phase",),
    "told": ("owner_messages",),
    "awaited": ("awaited", "status", "game", "next_game", "owner_address"),
    "count": ("awaited",),
    "progress": ("progress",),
    "dead": ("dead",),
    "secret_talk": ("turn",),
    "gone": ("awaited", "owner_address"),
    "tempo": ("pace_buttons",),
    "me": ("me",),
    "sorted": ("sorted_talk",),
    "claims": ("claims",),
    "turn": ("turn",),
    "choice": ("choice", "game"),
    "end": ("end", "game", "next_game", "seed", "pace", "owner_address"),
    "public_link": ("public_link",),
    "host": ("host", "game"),
    "studied": ("research", "owner_address"),
    "company": ("company",),
    "chat": ("chat", "next_game"),
    "chat_out": ("chat",),
    "reportable": ("reportable", "owner_address"),
    "amended": ("amended",),
}
# The parts that an update has before its new lines, so that a screen reader reads them first. The
# seats follow these parts.
PARTS_ABOVE_LINES = ("phase",)
# The server refuses to send frames of more than 65,536 bytes (webapp/runtime/children.py).
MAX_FRAME_BYTES = 60_000
MAX_LINES_BYTES = 40_000  # of one block of lines in a frame


class FrameTooLong(Exception):
    """A part is too long for a frame."""


def part_names(page: Page) -> tuple[str, ...]:
    """Return the names of the page's parts, in the order of an update.

    Each seat is a separate part, because usually only two of them change at a time.
    """
    return (
        *PARTS_ABOVE_LINES,
        *(_seat_part_name(seat) for seat in page.seats),
        *(n for n in PART_FIELDS if n not in PARTS_ABOVE_LINES),
    )


def _seat_part_name(seat: Seat) -> str:
    """Return the name of a seat's part, which is also its element's id (seat.html)."""
    return f"seat-{seat.number}"


def render_part(page: Page, name: str) -> str:
    """Render one part. On the page it replaces the element with its id."""
    template, context = _template_and_data(page, name)
    return render_cached(template, **context, oob=True)


def part_keys(page: Page) -> Iterator[tuple[str, int]]:
    """Yield (name, hash of its data) of each part, in order, without rendering it."""
    seats = {_seat_part_name(seat): seat for seat in page.seats}
    for name in part_names(page):
        fields = seats[name] if name in seats else [getattr(page, key) for key in PART_FIELDS[name]]
        yield name, hash(_context_key(fields))


def _template_and_data(page: Page, name: str) -> tuple[str, dict[str, Any]]:
    for seat in page.seats if name not in PART_FIELDS else ():
        if _seat_part_name(seat) == name:
            return "play/seat.html", {"seat": seat}
    return f"play/{name}.html", {"page": {key: getattr(page, key) for key in PART_FIELDS[name]}}


def render_frame(page: Page) -> str:
    """Render all parts, the entries and the resulting cursor as one frame of any size."""
    return "".join(_blocks(page, render_parts(page)))


def render_parts(page: Page) -> dict[str, str]:
    return {name: render_part(page, name) for name in part_names(page)}


def render_frames(page: Page, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Render an update as frames of at most MAX_FRAME_BYTES, in order.

    Each frame carries its resulting cursor, so a page that received only some frames requests the
    others.

    Args:
        texts: Rendered parts by name, in the order of `part_names`.

    Raises:
        FrameTooLong: One part alone is larger. The page must be reloaded.
    """
    frame_texts: list[str] = []
    size = MAX_FRAME_BYTES
    for block in _blocks(page, texts):
        length = len(block.encode())
        if length > MAX_FRAME_BYTES:
            raise FrameTooLong(length)
        if size + length > MAX_FRAME_BYTES:
            frame_texts.append("")
            size = 0
        frame_texts[-1] += block
        size += length
    return tuple(frame_texts)


def _blocks(page: Page, texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the blocks of an update, which may arrive in separate frames."""
    names_above = [name for name in texts if name in PARTS_ABOVE_LINES or name not in PART_FIELDS]
    yield from (texts[name] for name in names_above)
    last, size, lines = 0, 0, list[str]()
    for entry in page.entries:
        line = render_cached("play/entry.html", entry=entry)
        if size + len(line.encode()) > MAX_LINES_BYTES and lines:
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
        elif name not in names_above:
            yield text
