"""A page's parts as they are pushed: rendered with the same partials as the first page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from webapp.play.drawings import drawn
from webapp.play.page_parts import Page

# What each part shows of the page. Its template gets this and nothing else.
SHOWS: dict[str, tuple[str, ...]] = {
    "phase": ("phase",),
    "seats": ("seats",),
    "told": ("told",),
    "awaited": ("awaited", "status", "game", "next_game", "onward"),
    "count": ("awaited",),
    "gone": ("awaited", "onward"),
    "tempo": ("tempo",),
    "me": ("me",),
    "sorted": ("sorted_talk",),
    "turn": ("turn",),
    "choice": ("choice", "game"),
    "end": ("end", "game", "next_game", "seed", "pace", "onward"),
    "host": ("host", "game"),
    "studied": ("research", "onward"),
    "company": ("company",),
    "chat": ("chat", "next_game"),
    "chat_out": ("chat",),
    "report": ("reportable", "game", "onward"),
    "amended": ("amended",),
}
PARTS = tuple(SHOWS)
ABOVE = ("phase", "seats")  # what stands, and is said, before the new lines
# Bytes of a frame: the server refuses to send more than 65,536 (webapp/runtime/children.py).
MOST, MOST_LINES = 60_000, 40_000


class FrameTooLong(Exception):
    """A part that no frame can hold."""


def part(page: Page, name: str) -> str:
    """One part, replacing itself wherever it is."""
    shown = {key: getattr(page, key) for key in SHOWS[name]}
    return drawn(f"play/{name}.html", page=shown, oob=True)


def frame(page: Page, parts: Iterable[str] = PARTS) -> str:
    """One push: the parts named, the page's entries, and the cursor they lead to."""
    return "".join(_blocks(page, set(parts)))


def frames(page: Page, parts: Iterable[str] = PARTS) -> tuple[str, ...]:
    """The same push as frames of at most MOST bytes, in order. Each tells the cursor it leads to,
    so a page that got only some of them asks for the rest.

    Raises TooLong where one part alone is larger: the page has to be loaded anew.
    """
    found: list[str] = []
    size = MOST
    for block in _blocks(page, set(parts)):
        length = len(block.encode())
        if length > MOST:
            raise FrameTooLong(length)
        if size + length > MOST:
            found.append("")
            size = 0
        found[-1] += block
        size += length
    return tuple(found)


def _blocks(page: Page, wanted: set[str]) -> Iterator[str]:
    """What a push consists of, in pieces that need not arrive together."""
    yield from (part(page, name) for name in PARTS if name in wanted and name in ABOVE)
    last, size, lines = 0, 0, list[str]()
    for entry in page.entries:
        line = drawn("play/entry.html", entry=entry)
        if size + len(line.encode()) > MOST_LINES and lines:
            yield drawn("play/push_entries.html", cursor=last, lines="".join(lines))
            size, lines = 0, []
        last, size = entry.position, size + len(line.encode())
        lines.append(line)
    yield drawn("play/push_entries.html", cursor=page.cursor, lines="".join(lines))
    for name in PARTS:
        if name == "amended" and name in wanted:
            yield from (drawn("play/entry.html", entry=e, amended=True) for e in page.amended)
        elif name in wanted and name not in ABOVE:
            yield part(page, name)
