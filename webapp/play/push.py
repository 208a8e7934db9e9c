"""A page's parts as they are pushed: rendered with the same partials as the first page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.template.loader import render_to_string
from django.utils.translation import get_language

from webapp.play.page import Page

# What each part shows of the page. Its template gets this and nothing else.
SHOWS: dict[str, tuple[str, ...]] = {
    "phase": ("phase",),
    "seats": ("seats",),
    "awaited": ("awaited", "status"),
    "me": ("me",),
    "turn": ("turn",),
    "choice": ("choice", "game"),
    "end": ("end", "game", "next_game", "seed"),
    "host": ("host",),
    "studied": ("research",),
    "company": ("company",),
    "amended": ("amended",),
}
PARTS = tuple(SHOWS)
ABOVE = ("phase", "seats")  # what stands, and is said, before the new lines
KEPT = 4000  # drawings; a few kilobytes each


@dataclass(frozen=True)
class _Shown:
    """A template's context, told apart by what it says."""

    key: str
    context: Mapping[str, Any] = field(compare=False)


@lru_cache(maxsize=KEPT)
def _drawn(template: str, shown: _Shown) -> str:
    return render_to_string(template, shown.context)


def _draw(template: str, **context: Any) -> str:
    """The template with this plain data; pages that show the same are drawn once."""
    return _drawn(template, _Shown(f"{get_language()} {context!r}", context))


def part(page: Page, name: str) -> str:
    """One part, replacing itself wherever it is."""
    shown = {key: getattr(page, key) for key in SHOWS[name]}
    return _draw(f"play/{name}.html", page=shown, oob=True)


def frame(page: Page, parts: Iterable[str] = PARTS) -> str:
    """One push: the parts named, the page's entries, and the cursor they lead to."""
    wanted = set(parts)
    above = [part(page, name) for name in PARTS if name in wanted and name in ABOVE]
    below = [part(page, name) for name in PARTS if name in wanted and name not in ABOVE]
    lines = [_draw("play/entry.html", entry=entry) for entry in page.entries]
    entries = _draw("play/push_entries.html", cursor=page.cursor, lines="".join(lines))
    return "".join([*above, entries, *below])
