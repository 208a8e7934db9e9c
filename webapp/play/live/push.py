"""Renders the frames of an update from a page's parts. `broadcaster` decides when to send them.

It uses the same templates as the page's first load.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from webapp.play.page.table_page import Page
from webapp.template_tags import render_cached

# Part -> the fields of `Page` that its template gets, and nothing else. The part's name is that of
# its template (templates/play/) and its element's id, which scripts and style sheets use. Some
# names do not say what the part is:
#   told      messages between the viewer and the app that runs the table
#   gone      for a viewer who is out: what they can see now, and the exit
#   tempo     the buttons for the pace of the computer players
#   sorted    statements sorted by the viewer's ratings
#   studied   the notice of research use
#   company   the faces and persona cards of the computer players
#   amended   lines whose text was removed after they were shown
PART_FIELDS: dict[str, tuple[str, ...]] = {
    "phase": ("phase",),
    "told": ("owner_messages",),
    "awaited": ("awaited", "status", "code", "next_game", "owner_address"),
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
    "choice": ("choice", "code"),
    "end": ("end", "code", "next_game", "seed", "pace", "owner_address"),
    "public_link": ("public_link",),
    "host": ("host", "code"),
    "studied": ("is_open_to_research", "owner_address"),
    "company": ("agent_cards",),
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
MAX_FRAME_LINES_BYTES = 40_000


class FrameTooLong(Exception):
    """A part is too long for a frame."""


def part_data(page: Page) -> dict[str, dict[str, Any]]:
    """Return the context of each part's template by the part's name, in the order of an update.

    Each seat is a separate part, because usually only two of them change at a time. Its name is
    also its element's id (seat.html).
    """
    parts: dict[str, dict[str, Any]] = {
        name: {"page": {key: getattr(page, key) for key in fields}}
        for name, fields in PART_FIELDS.items()
    }
    above = {name: parts.pop(name) for name in PARTS_ABOVE_LINES}
    return {**above, **{f"seat-{seat.number}": {"seat": seat} for seat in page.seats}, **parts}


def render_part(name: str, data: Mapping[str, Any]) -> str:
    """Render one part. On the page it replaces the element with its id."""
    template = name if name in PART_FIELDS else "seat"
    return render_cached(f"play/{template}.html", **data, oob=True)


def render_frame(page: Page) -> str:
    """Render all parts, the entries and the resulting cursor as one frame of any size."""
    return "".join(_blocks(page, render_parts(page)))


def render_parts(page: Page) -> dict[str, str]:
    return {name: render_part(name, data) for name, data in part_data(page).items()}


def render_frames(page: Page, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Render an update as frames of at most MAX_FRAME_BYTES, in order.

    Each frame carries its resulting cursor, so a page that received only some frames requests the
    others. `texts` are rendered parts by name, in the order of `part_data`. If one alone is larger
    than a frame, raise FrameTooLong: the page must be reloaded.
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
        if size + len(line.encode()) > MAX_FRAME_LINES_BYTES and lines:
            yield render_cached("play/push_entries.html", cursor=last, lines="".join(lines))
            size, lines = 0, []
        last, size = entry.position, size + len(line.encode())
        lines.append(line)
    yield render_cached("play/push_entries.html", cursor=page.cursor, lines="".join(lines))
    for name, text in texts.items():
        if name == "amended":
            for entry in page.amended:
                yield render_cached("play/entry.html", entry=entry, amended=True)
        elif name not in names_above:
            yield text
