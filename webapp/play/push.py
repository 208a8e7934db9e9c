"""A page's parts as they are pushed: rendered with the same partials as the first page."""

from __future__ import annotations

from collections.abc import Iterable

from django.template.loader import render_to_string

from webapp.play.page import Page

PARTS = ("phase", "seats", "awaited", "me", "turn", "choice", "end", "host", "amended")


def part(page: Page, name: str) -> str:
    """One partial of the page as its first render shows it."""
    return render_to_string(f"play/{name}.html", {"page": page, "oob": False})


def frame(page: Page, parts: Iterable[str] = PARTS) -> str:
    """One push: the parts named, the page's entries, and the cursor they lead to."""
    context = {
        "page": page,
        "parts": set(parts),
        "entries": page.entries,
        "cursor": page.cursor,
        "viewer": "seat" if page.me else "watcher",
    }
    return render_to_string("play/push.html", context)
